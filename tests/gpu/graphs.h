/* graphs.h: shards and masks made in memory, random and adversarial */
#ifndef DBFS_TESTS_GPU_GRAPHS_H
#define DBFS_TESTS_GPU_GRAPHS_H

#include "formats/base/hash.h"
#include "formats/graph/shard.h"

#include <stddef.h>
#include <stdint.h>

/* The next word of a sequence. */
static inline uint64_t next_random(uint64_t *state)
{
    return mix64(*state += UINT64_C(0x9e3779b97f4a7c15));
}

void *need_memory(size_t bytes); /* returns zeroed memory; ends the program if there is none */

enum row_lengths {
    ROWS_EMPTY,
    ROWS_SHORT,   /* 0 to 12 */
    ROWS_CUTOFFS, /* lengths around each limit at which a kernel changes its way, also behind the heads */
    ROWS_HUB,     /* the first and the last have a million columns, the others 0 to 3 */
    ROWS_LONG,    /* the first 192 have 1,000 to 4,000 columns, the others none */
    ROWS_FULL     /* each row has all columns */
};

struct graph_spec {
    const char *name;
    uint64_t d, locals; /* in each shard */
    uint32_t p, index;
    enum row_lengths lengths;
    uint32_t heads;        /* k, in all subgraphs with columns of 4 bytes */
    uint32_t offset_width; /* 4 or 8 */
    uint32_t nn_width;     /* of an nn column: 4, or 8 with local ids of 31 bits */
    uint64_t th;           /* decides how the CPU pushes normals */
};

/* Makes a shard with rows of its own in each subgraph; columns ascend without duplicates. */
struct shard *graph_make(const struct graph_spec *spec);
void graph_free(struct shard *shard);

int csr_has_edge(const struct csr *csr, uint64_t row, uint64_t column);

enum mask_kind { MASK_NONE, MASK_ONE, MASK_FEW, MASK_HALF, MASK_MOST, MASK_ALL };
extern const char *const mask_kind_name[];

/* Makes a mask of `bits` bits. The other bits of the last word are zero. */
uint64_t *mask_make(uint64_t bits, enum mask_kind kind, uint64_t *random);

/* Lists the set bits, ascending. Returns how many; *list has room for all bits, and the caller frees it. */
uint64_t mask_list(const uint64_t *mask, uint64_t bits, uint32_t **list);

#endif

/* steps.h: the steps of a search, which kernels and their twins on the CPU both do
 *
 * Each step has two functions that fill the same structure: a twin_ function (twin.c, through
 * traverse/cpu/cpu_device.h) and a kernel_ function (kernels.c, through traverse/cuda/device/cuda_kernels.h). The two
 * backends each have their own struct device, so no file sees both. The test_*.c files compare the results. Memory
 * that a step need not write is POISON before it. */
#ifndef DBFS_TESTS_GPU_STEPS_H
#define DBFS_TESTS_GPU_STEPS_H

#include "formats/base/hash.h"
#include "formats/container/packed.h"
#include "formats/graph/shard.h"
#include "formats/graph/shard_ranges.h"

#include <stddef.h>
#include <stdint.h>

#define POISON UINT32_C(0xa5a5a5a5)
enum { POISON_BYTE = 0xa5 };

static inline uint64_t vertices_of(const struct shard *shard, enum vertex_kind kind)
{
    return kind == DELEGATES ? shard->d : shard->locals;
}

/* ---- visits ---- */

enum way { VISIT_ROWS, VISIT_MERGED, VISIT_PULL };

struct visit {
    const struct shard *shard;
    enum subgraph g;
    enum way way;
    int parents; /* parents are recorded */
    const uint64_t *from;           /* a push's frontier, or the vertices that a pull looks for */
    const uint64_t *visited, *next; /* of destinations; no vertex is in both */
};

struct visited {
    uint64_t *next;   /* with earlier finds */
    uint32_t *parent; /* [destinations]; NULL if not recorded */
    int found;        /* whether there are any */
    uint64_t sent, sent_sum; /* vertices for other shards: their number, and code_sum over their codes */
};

/* Sums codes, so that equal multisets have equal sums. */
static inline uint64_t code_sum(uint64_t code)
{
    return mix64(code + 1);
}

/* `out` is empty at first; the caller frees its arrays. */
void twin_visit(const struct visit *v, struct visited *out);
void kernel_visit(const struct visit *v, struct visited *out);

/* ---- previsits ---- */

struct previsit_step {
    const struct shard *shard;
    enum vertex_kind kind;
    const uint64_t *in, *visited;
    int32_t depth;
    uint64_t capacity; /* of the list */
};

struct previsited {
    uint64_t *visited, *frontier;
    int32_t *depth;
    uint64_t fresh;
    uint64_t sources[VERTEX_KINDS], forward[VERTEX_KINDS]; /* by the kind of columns */
    /* of the kernel alone */
    uint64_t *in;
    uint32_t *queue;
    uint64_t listed;
};

void twin_previsit(const struct previsit_step *p, struct previsited *out);
void kernel_previsit(const struct previsit_step *p, struct previsited *out);

/* Lists the frontier's vertices that have edges of g, in any order, and sums up its workload FV. */
struct listed {
    uint32_t *rows;
    uint64_t count, forward;
};

void twin_list(const struct shard *shard, enum subgraph g, const uint64_t *frontier,
               struct listed *out);
void kernel_list(const struct shard *shard, enum subgraph g, const uint64_t *frontier,
                 struct listed *out);

/* ---- vertices of other shards ---- */

/* Codes by shard: shard s has ids[begin[s]] to ids[begin[s + 1] - 1], in any order. */
struct binned {
    uint64_t *begin; /* [p + 1] */
    uint32_t *ids;
};

void twin_bin(const uint64_t *codes, uint64_t count, uint32_t p, uint32_t local_bits,
              struct binned *out);
void kernel_bin(const uint64_t *codes, uint64_t count, uint32_t p, uint32_t local_bits,
                struct binned *out);

/* Drops duplicates from ids[0..count), each below 2^bits. Returns how many are left, in any order. `room`: bytes
 * for ids that are kept beside the list. *cleared: the kernel left its mask as it found it. */
uint64_t twin_unique(uint32_t *ids, uint64_t count);
uint64_t kernel_unique(uint32_t *ids, uint64_t count, uint32_t bits, int capacity, int *cleared);

/* A device's knowledge of the normals of p shards, as masks of `words` 32-bit words each. */
struct known {
    uint32_t p;
    uint64_t words;
    uint32_t *bits; /* [p][words], changed by the step */
};

/* Tells of a shard: writes `message`, with room for `words` words, and message_words of each shard. Then hears of
 * one. */
void twin_tell(struct known *known, uint32_t shard, const uint32_t *visited, uint32_t *message,
               uint64_t *message_words);
void kernel_tell(struct known *known, uint32_t shard, const uint32_t *visited, uint32_t *message,
                 uint64_t *message_words);
void kernel_hear(struct known *known, uint32_t shard, const uint32_t *message);

/* Lists the nonzero words of a mask, at most `most`, in any order, and returns their number; then ORs listed words
 * into a mask. */
uint64_t kernel_list_words(const uint64_t *mask, const uint64_t *known, uint64_t words, struct mask_word *list,
                           uint64_t most);
void kernel_or_words(uint64_t *mask, uint64_t words, const struct mask_word *list, uint64_t count);

struct arrival {
    const struct shard *shard;
    const uint64_t *visited, *next;
    const uint32_t *ids;
    uint64_t count;
    int lists; /* the ids come in so many lists, 1 to 16 */
    int masks; /* ids come as masks and all belong to the shard */
    int parents;
};

/* Writes next and parent of `out`. *bad: one of the ids does not belong to the shard. The twin stops at such an id
 * and is given none. */
void twin_receive(const struct arrival *a, struct visited *out);
void kernel_receive(const struct arrival *a, struct visited *out, int *bad);

/* ---- masks and results ---- */

/* to = OR of `count` masks of `words` words of 64 bits; with `keep`, of `to`, too. */
void twin_or(uint64_t *to, uint64_t *const *masks, int count, uint64_t words, int keep);
void kernel_or(uint64_t *to, uint64_t *const *masks, int count, uint64_t words, int keep);

/* Puts ascending roots of one kind into an empty mask. The twin's other parents are those at the start of a search. */
void twin_roots(const struct shard *shard, enum vertex_kind kind, const uint32_t *vertex, uint32_t count, int parents,
                struct visited *out);
void kernel_roots(const struct shard *shard, enum vertex_kind kind, const uint32_t *vertex, uint32_t count, int parents,
                 struct visited *out);

/* depth[v] = -1 if v is not visited. */
void twin_blank(const struct shard *shard, enum vertex_kind kind, const uint64_t *visited,
                int32_t *depth);
void kernel_blank(const struct shard *shard, enum vertex_kind kind, const uint64_t *visited,
                  int32_t *depth);

/* ---- kernels whose twin needs no device ---- */

/* Copies and zeroes counters: `bytes` random ones go in; the published copy and the counters come out. Returns the report. */
size_t kernel_level_bytes(void);
uint64_t kernel_publish(const unsigned char *level, unsigned char *published, unsigned char *left, uint32_t number);

/* Copies pieces of host memory to the device with gpu_loader_copy, and back. Returns 0 on failure. */
int kernel_load(const unsigned char *const *from, unsigned char *const *back, const size_t *bytes,
                int count, int threads);

/* Decodes a packed section of `size` bytes. `rows` is NULL if elements are not the columns of a CSR. Returns 0 if
 * a block cannot be decoded. */
int kernel_decode(const struct packed *section, uint64_t size, const struct packed_rows *rows,
                  void *array);

/* Looks for indices out of range. Its twin is csr_find_faults. */
void kernel_find_faults(const struct csr *csr, const struct column_bounds *bounds,
                        struct csr_faults *found);

/* Checks that the scan asks for less scratch than the plan's bound for the merge. */
int kernel_scratch_fits(uint64_t rows);

/* ---- the device ---- */

/* The reason why there is no GPU to test on; NULL if there is one. */
const char *kernel_missing(void);

/* Loads the shard's subgraphs, which stay on the device until another shard, or NULL, is wanted. */
void kernel_use(const struct shard *shard);

/* Loads them with columns and offsets packed if their elements have 4 bytes. */
void kernel_use_packed(const struct shard *shard);

/* So many columns of a shard that is loaded packed are copied. */
enum { TEST_COPIES = 3 };

/* Returns the copies of columns of subgraph g, and in begin[] where each copied column begins (gpu_csr). The caller frees them. NULL:
 * there are none. */
uint32_t *kernel_copies(enum subgraph g, uint64_t begin[TEST_COPIES + 1]);

#endif

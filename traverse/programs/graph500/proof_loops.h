/* proof_loops.h: the steps of a proof on the CPU, over plain arrays; twins of the kernels in
 * cuda/proof_kernels.cu.
 *
 * All threads run each function. It leaves in *first the first one of *first and the offences that it finds. */
#ifndef DBFS_PROOF_LOOPS_H
#define DBFS_PROOF_LOOPS_H

#include "offence.h"

#include "formats/graph/shard.h"

/* Vertices of one kind. */
struct proved_vertices {
    const struct vertex_end *end; /* [count] */
    const int64_t *claim;         /* [count] */
    uint32_t *met;                /* mask of those that met their parents */
    uint64_t count;
};

void proof_check_vertices(const struct proved_vertices *vertices, int64_t root,
                          struct offence *first);

/* Checks ids first..first + count without a bit in `asked`, which have no edges: they reach themselves alone.
 * `claim`: the block of parents, of id_bytes each. */
struct proved_block {
    const void *claim;
    uint32_t id_bytes;
    const uint32_t *asked;
    uint64_t first, count;
};

void proof_check_isolated(const struct proved_block *block, int64_t root, struct offence *first);

/* Checks a subgraph. Columns are vertices of `columns`; with local_bits, those on other shards than own_shard are
 * left out. Rows that meet their parents are marked. */
struct proved_rows {
    const struct csr *csr;
    struct proved_vertices rows;
    const struct vertex_end *columns;
    unsigned local_bits; /* NO_SHARD_BITS: columns name no shard */
    uint32_t own_shard;
};

enum { NO_SHARD_BITS = 63 }; /* a column then names shard 0 */

void proof_check_rows(const struct proved_rows *rows, struct offence *first);

/* Checks edges i from vertex asker[i] to other[i]. */
void proof_check_edges(const struct proved_vertices *vertices, const uint32_t *asker,
                       const struct vertex_end *other, uint64_t count, struct offence *first);

void proof_check_parents(const struct proved_vertices *vertices, int64_t root,
                         struct offence *first);

#endif

/* proof_loops.h: the steps of a proof on the CPU, over plain arrays; twins of the kernels in
 * cuda/proof_kernels.cu.
 *
 * All threads run each function. It leaves in *first the first one of *first and the offences that it finds. */
#ifndef DBFS_PROOF_LOOPS_H
#define DBFS_PROOF_LOOPS_H

#include "offence.h"

#include "formats/bijection.h"
#include "formats/graph/shard.h"

/* The place of a value that another device has, and the claim that stands for it, which is below all others. */
#define PLACE_ELSEWHERE UINT32_MAX
#define CLAIM_ELSEWHERE INT64_MIN

/* Vertices of one kind. */
struct proved_vertices {
    const struct vertex_end *end; /* [count] */
    const int64_t *claim;         /* [count] */
    uint32_t *met;                /* mask of those that met their parents */
    uint64_t count;
};

void proof_check_vertices(const struct proved_vertices *vertices, int64_t root,
                          struct offence *first);

/* The values of an answer on one device, of shard `shard` of p: parents, of id_bytes each. Value i is that of the id
 * i * p + shard, as stored. */
struct proved_values {
    const void *claim;
    uint32_t id_bytes;
    const uint32_t *has_edges; /* a mask */
    uint64_t count;
    uint32_t p, shard;
    struct bijection bijection; /* from input ids to stored ones; n is 0 if they are the same */
};

RULE int64_t proved_id(const struct proved_values *v, uint64_t i)
{
    const uint64_t stored = i * v->p + v->shard;
    return (int64_t)(stored < v->bijection.n ? bijection_backward(&v->bijection, stored) : stored);
}

/* Checks the values of ids without edges, which reach themselves alone. */
void proof_check_isolated(const struct proved_values *values, int64_t root, struct offence *first);

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

/* proof_loops.h: the steps of a proof on the CPU, over plain arrays; twins of the kernels in
 * cuda/proof_kernels.cu.
 *
 * Each function uses all OpenMP threads. It replaces *first by the earliest offence that it finds, if that comes before
 * *first (offence_comes_before). */
#ifndef DBFS_PROOF_LOOPS_H
#define DBFS_PROOF_LOOPS_H

#include "offence.h"

#include "formats/bijection.h"
#include "formats/graph/shard.h"

/* Stand for a value that another device has: its place, and its claim, which is below all other claims. */
#define PLACE_ELSEWHERE UINT32_MAX
#define CLAIM_ELSEWHERE INT64_MIN

/* Vertices of one kind. */
struct proved_vertices {
    const struct vertex_end *end; /* [count] */
    const int64_t *claim;         /* [count] */
    uint32_t *met;                /* mask of those that met their parents */
    uint64_t count;
};

/* Checks each vertex by itself (offence_of_vertex). `root`: input id. */
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

/* Returns the input id to which value i of the answer belongs. */
RULE int64_t proved_id(const struct proved_values *v, uint64_t i)
{
    const uint64_t stored = i * v->p + v->shard;
    return (int64_t)(stored < v->bijection.n ? bijection_backward(&v->bijection, stored) : stored);
}

/* Checks the values that belong to ids without edges: such an id has no parent, unless it is the root. */
void proof_check_isolated(const struct proved_values *values, int64_t root, struct offence *first);

/* The rows of a subgraph. A column's low local_bits bits are an index into `columns`, its higher bits a shard; columns on
 * other shards than own_shard are skipped. */
struct proved_rows {
    const struct csr *csr;
    struct proved_vertices rows;
    const struct vertex_end *columns;
    unsigned local_bits; /* NO_SHARD_BITS: columns name no shard */
    uint32_t own_shard;
};

enum { NO_SHARD_BITS = 63 }; /* a column then names shard 0 */

/* Checks all edges of a subgraph's rows, and marks the vertices whose edges lead to their parents. */
void proof_check_rows(const struct proved_rows *rows, struct offence *first);

/* Checks `count` edges: edge i leads from vertex asker[i], an index into *vertices, to other[i]. Marks vertices whose
 * edges lead to their parents. */
void proof_check_edges(const struct proved_vertices *vertices, const uint32_t *asker,
                       const struct vertex_end *other, uint64_t count, struct offence *first);

/* Checks that each reached vertex but the root is marked: that it met its parent. Call it after all edges are
 * checked. */
void proof_check_parents(const struct proved_vertices *vertices, int64_t root,
                         struct offence *first);

#endif

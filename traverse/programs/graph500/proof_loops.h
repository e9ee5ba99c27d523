/* proof_loops.h: the checks of a proof on the CPU, over plain arrays. Their twins on a GPU are in cuda/proof_kernels.cu.
 *
 * A vertex has met its parent when an edge from the vertex to its claimed parent was seen. Each check uses all OpenMP
 * threads, and keeps in *first the offence that comes first (offence_comes_before) of its own and the one there. */
#ifndef DBFS_PROOF_LOOPS_H
#define DBFS_PROOF_LOOPS_H

#include "offence.h"

#include "formats/bijection.h"
#include "formats/graph/shard.h"

/* For a vertex whose value of the answer is on another device: its index, and its claim, which is below all other claims. */
#define VALUE_ELSEWHERE UINT32_MAX
#define CLAIM_ELSEWHERE INT64_MIN

/* The local vertices of a device, or its delegates. */
struct proved_vertices {
    const struct vertex_end *end; /* [count] */
    const int64_t *claim;         /* [count] parents in the tree, input ids; below 0: no parent */
    uint32_t *met;                /* bitmap of the vertices that have met their parents */
    uint64_t count;
};

/* Checks each vertex without its edges (offence_of_vertex). `root`: input id. */
void proof_check_vertices(const struct proved_vertices *vertices, int64_t root, struct offence *first);

/* The values of an answer on one device, of shard `shard` of p: parents, of id_bytes each. Value i is the parent of the
 * vertex with the stored id i * p + shard. */
struct proved_values {
    const void *claim;
    uint32_t id_bytes;
    const uint32_t *has_edges; /* bitmap of the values of vertices with edges */
    uint64_t count;
    uint32_t p, shard;
    struct bijection bijection; /* from input ids to stored ones; n is 0 if they are the same */
};

/* Returns the input id of the vertex of value i. */
RULE int64_t proved_id(const struct proved_values *v, uint64_t i)
{
    const uint64_t stored = i * v->p + v->shard;
    return (int64_t)(stored < v->bijection.n ? bijection_backward(&v->bijection, stored) : stored);
}

/* Checks the values of vertices without edges: such a vertex has no parent, unless it is the root. */
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

enum { NO_SHARD_BITS = 63 }; /* all columns then seem to name shard 0 */

/* Checks all edges of a subgraph's rows, and sets the `met` bits of vertices whose edges lead to their parents. */
void proof_check_rows(const struct proved_rows *rows, struct offence *first);

/* Checks `count` edges: edge i leads from vertex asker[i], an index into *vertices, to other[i]. Sets the `met` bits of
 * vertices whose edges lead to their parents. */
void proof_check_edges(const struct proved_vertices *vertices, const uint32_t *asker, const struct vertex_end *other,
                       uint64_t count, struct offence *first);

/* Checks that each reached vertex but the root has met its parent. Called after all edges were checked. */
void proof_check_parents(const struct proved_vertices *vertices, int64_t root, struct offence *first);

#endif

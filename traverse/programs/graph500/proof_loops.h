/* proof_loops.h: the rules of a breadth-first tree, the offences against them, and the checks of a proof on the CPU, over
 * plain arrays. The twins of these checks on a GPU are in cuda/proof_kernels.cu, and use the same rules.
 *
 * A claim is the parent that the tree gives a vertex, until the parent is proved. An offence is a fault of one vertex, or
 * of one edge as it is seen from one of its ends. Each rule is applied to each vertex, and to each edge from both ends. A
 * vertex has met its parent when an edge from the vertex to the parent that it claims was seen. */
#ifndef DBFS_PROOF_LOOPS_H
#define DBFS_PROOF_LOOPS_H

#include "formats/bijection.h"
#include "formats/graph/shard.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RULE __host__ __device__ static inline
#else
#define RULE static inline
#endif

/* Kinds of offences. Of several offences of a vertex the first kind in this order is reported. */
enum offence_kind {
    OFFENCE_NONE,
    OFFENCE_ROOT,       /* a wrong depth of the root */
    OFFENCE_NO_PARENT,  /* a depth, but no parent */
    OFFENCE_NO_DEPTH,   /* a parent, but no depth */
    OFFENCE_OWN_PARENT, /* its own parent; or another parent of the root */
    OFFENCE_EDGE,       /* an edge whose depths differ by more than one, or with one unreached end */
    OFFENCE_LEVEL,      /* an edge of the tree that does not go down one level */
    OFFENCE_NO_EDGE     /* an edge of the tree that the graph lacks */
};

struct offence {
    enum offence_kind kind;
    uint64_t vertex; /* input id */
    int64_t other;   /* the other end, or the parent */
    int64_t depth, other_depth;
};

/* A vertex as an end of an edge. Id and depth lie side by side, so that reading both takes one cache miss. */
struct vertex_end {
    int64_t id;    /* input id */
    int64_t depth; /* below 0: not reached */
};

/* Returns whether offence *a comes before *b: by smaller vertex, then kind, then other end. Every offence comes
 * before OFFENCE_NONE. */
RULE int offence_comes_before(const struct offence *a, const struct offence *b)
{
    if (b->kind == OFFENCE_NONE || a->vertex != b->vertex)
        return b->kind == OFFENCE_NONE || a->vertex < b->vertex;
    return a->kind != b->kind ? a->kind < b->kind : a->other < b->other;
}

/* Checks a vertex without its edges. `claim`: the parent in the tree, an input id; below 0: no parent. `root`: input id.
 * Returns the offence; its kind is OFFENCE_NONE if the vertex keeps the rules. */
RULE struct offence offence_of_vertex(struct vertex_end v, int64_t claim, int64_t root)
{
    struct offence found = {OFFENCE_NONE, (uint64_t)v.id, claim, v.depth, 0};
    if (v.id == root && v.depth != 0)
        found.kind = OFFENCE_ROOT;
    else if (claim < 0 && v.depth >= 0)
        found.kind = OFFENCE_NO_PARENT;
    else if (claim >= 0 && v.depth < 0)
        found.kind = OFFENCE_NO_DEPTH;
    else if (claim >= 0 && (claim == v.id) != (v.id == root))
        found.kind = OFFENCE_OWN_PARENT;
    return found;
}

/* Checks the edge from v to `other`, seen from v. `claim`: the parent of v, an input id; below 0: no parent. Returns the
 * offence; its kind is OFFENCE_NONE if the edge keeps the rules. */
RULE struct offence offence_of_edge(struct vertex_end v, int64_t claim, struct vertex_end other)
{
    struct offence found = {OFFENCE_NONE, (uint64_t)v.id, other.id, v.depth, other.depth};
    const int64_t apart = v.depth - other.depth;
    if ((v.depth < 0) != (other.depth < 0) || apart > 1 || apart < -1)
        found.kind = OFFENCE_EDGE;
    else if (other.id == claim && apart != 1)
        found.kind = OFFENCE_LEVEL;
    return found;
}

/* Checks that the graph has the edge from a vertex to its parent, once all edges of the vertex were seen. `claim`: the
 * parent, an input id. `met`: one of these edges leads to the parent. Returns the offence, or one of kind OFFENCE_NONE. */
RULE struct offence offence_of_parent(struct vertex_end v, int64_t claim, int64_t root, int met)
{
    struct offence found = {OFFENCE_NONE, (uint64_t)v.id, claim, 0, 0};
    if (claim >= 0 && v.depth >= 0 && v.id != root && !met)
        found.kind = OFFENCE_NO_EDGE;
    return found;
}

/* Writes a description of an offence to text[size], as in "edge 3 5: depths 3 and 5". */
void offence_print(const struct offence *offence, char *text, size_t size);

/* ---- checks: each uses all OpenMP threads, and keeps the first of its own offences and *first in *first ---- */

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

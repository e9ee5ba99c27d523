/* proof_loops.h: the rules of a breadth-first tree, offences against these rules, and the checks of a proof on the CPU,
 * over plain arrays. cuda/proof_kernels.cu has the same checks for a GPU.
 *
 * A claim is the parent that the tree gives a vertex, until this parent is proved. The parent of a vertex is seen once the
 * checks have seen an edge from the vertex to the claimed parent. An offence is a fault of one vertex, or of one edge as
 * seen from one of its ends. Each rule is applied to each vertex, and to each edge from both ends. */
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

/* The kinds of offences. If a vertex has offences of several kinds, the first kind in this order is reported. */
enum offence_kind {
    OFFENCE_NONE,
    OFFENCE_ROOT,       /* the depth of the root is wrong */
    OFFENCE_NO_PARENT,  /* the vertex has a depth, but no parent */
    OFFENCE_NO_DEPTH,   /* the vertex has a parent, but no depth */
    OFFENCE_OWN_PARENT, /* the vertex is its own parent, or the root has another parent */
    OFFENCE_EDGE,       /* the depths of the ends of an edge differ by more than one, or only one end is reached */
    OFFENCE_LEVEL,      /* an edge of the tree does not go down one level */
    OFFENCE_NO_EDGE     /* an edge of the tree is not in the graph */
};

/* An offence against the rules, with the numbers that a message about it needs. */
struct offence {
    enum offence_kind kind;
    uint64_t vertex; /* input id of the vertex */
    int64_t other;   /* input id of the other end of the edge, or of the claimed parent */
    int64_t depth, other_depth;
};

/* A vertex at the end of an edge. Id and depth lie side by side, so that reading both takes only one cache miss. */
struct vertex_end {
    int64_t id;    /* input id */
    int64_t depth; /* below 0: the vertex is not reached */
};

/* Returns whether offence *a comes before offence *b: by vertex, then by kind, then by the other end. OFFENCE_NONE comes
 * last. The kind of *a must not be OFFENCE_NONE. */
RULE int offence_comes_before(const struct offence *a, const struct offence *b)
{
    if (b->kind == OFFENCE_NONE || a->vertex != b->vertex)
        return b->kind == OFFENCE_NONE || a->vertex < b->vertex;
    return a->kind != b->kind ? a->kind < b->kind : a->other < b->other;
}

/* Checks a vertex by itself: its depth and its parent, but not its edges. `claim` is the input id of the parent (below 0:
 * no parent), `root` that of the root. Returns the offence, whose kind is OFFENCE_NONE if the vertex keeps the rules. */
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

/* Checks the depths of the edge from v to `other`, as seen from v. `claim` is the input id of the parent of v; below 0: no
 * parent. Returns the offence, whose kind is OFFENCE_NONE if the edge keeps the rules. */
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

/* Checks that the graph has the edge from v to its parent, once all edges of v were seen. `claim` is the input id of the
 * parent, and `parent_seen` is 1 if an edge of v leads to it. The root and unreached vertices need no edge. Returns the offence,
 * whose kind is OFFENCE_NONE if v keeps the rule. */
RULE struct offence offence_of_parent(struct vertex_end v, int64_t claim, int64_t root, int parent_seen)
{
    struct offence found = {OFFENCE_NONE, (uint64_t)v.id, claim, 0, 0};
    if (claim >= 0 && v.depth >= 0 && v.id != root && !parent_seen)
        found.kind = OFFENCE_NO_EDGE;
    return found;
}

/* Writes a description of an offence to text[size], as in "edge 3 5: depths 3 and 5". `base`: what people call
 * the vertex with input id 0. */
void offence_print(const struct offence *offence, uint64_t base, char *text, size_t size);

/* ---- checks: all OpenMP threads share the work. *first becomes the earliest of *first and the offences found ---- */

/* Stand for the index of a value, and for a claim, that another device has. CLAIM_ELSEWHERE is below all other claims. */
#define VALUE_ELSEWHERE UINT32_MAX
#define CLAIM_ELSEWHERE INT64_MIN

/* Either the local vertices of a device, or the delegates of a device. */
struct proved_vertices {
    const struct vertex_end *end; /* [count] the vertices */
    const int64_t *claim;         /* [count] input ids of the parents in the tree; below 0: no parent */
    uint32_t *parent_seen;                /* [count] bitmap; 1: an edge to the claimed parent was seen */
    uint64_t count;
};

/* Checks each vertex by itself (offence_of_vertex). `root` is the input id of the root. */
void proof_check_vertices(const struct proved_vertices *vertices, int64_t root, struct offence *first);

/* The values of an answer on one device, which has shard `shard` of p shards. Value i is the parent of the vertex with the
 * stored id i * p + shard. All vertices that the shard owns have a value, even those without edges. */
struct proved_values {
    /* [count] the values: input ids of parents, each of id_bytes bytes */
    const void *claim;
    uint32_t id_bytes;
    const uint32_t *has_edges; /* [count] bitmap; 1: value i belongs to a vertex with edges */
    uint64_t count;
    uint32_t p, shard;
    struct bijection bijection; /* maps input ids to stored ids; n is 0 if both are the same */
};

/* Returns the input id of the vertex that has value i, by undoing the permutation of the stored id i * p + shard. This is
 * not the value itself, which is the id of the parent. */
RULE int64_t proved_id(const struct proved_values *v, uint64_t i)
{
    const uint64_t stored = i * v->p + v->shard;
    return (int64_t)(stored < v->bijection.n ? bijection_backward(&v->bijection, stored) : stored);
}

/* Checks the values of vertices without edges: the root must be its own parent, and all others must have no parent. */
void proof_check_isolated(const struct proved_values *values, int64_t root, struct offence *first);

/* The rows of a subgraph. The low local_bits bits of a column are an index into `columns`, and the higher bits are a shard.
 * The checks skip columns on shards other than own_shard. */
struct proved_rows {
    const struct csr *csr;
    /* the vertices that have the rows */
    struct proved_vertices rows;
    /* the vertices at the other ends of the edges, by column */
    const struct vertex_end *columns;
    unsigned local_bits; /* NO_SHARD_BITS: the columns have no shard number */
    uint32_t own_shard;
};

enum { NO_SHARD_BITS = 63 }; /* with this number of bits every column counts as a column on shard 0 */

/* Checks the edges of all rows of a subgraph, except edges to other shards. Sets the `parent_seen` bits of vertices with an edge
 * to their parents. */
void proof_check_rows(const struct proved_rows *rows, struct offence *first);

/* Checks `count` edges: edge i leads from vertex asker[i], an index into the arrays of *vertices, to other[i]. Sets the
 * `parent_seen` bits of vertices with an edge to their parents. */
void proof_check_edges(const struct proved_vertices *vertices, const uint32_t *asker, const struct vertex_end *other,
                       uint64_t count, struct offence *first);

/* Checks that each reached vertex except the root has an edge to its parent. Called after all edges were checked. */
void proof_check_parents(const struct proved_vertices *vertices, int64_t root, struct offence *first);

#endif

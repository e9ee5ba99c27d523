/* rest.h: the vertices of a directed graph outside of its core, by their strong components. Bounds the distances of pairs that no vertex
 * of the core covers (bounds.h).
 *
 * The core is the strong component of a vertex z, whose distances along the edges and against them are known. A pair (v, w) that z covers
 * is at most d(v, z) + d(z, w) apart. If v reaches w and the pair is not covered, neither vertex is in the core, and no edge of the path
 * leads from a vertex that reaches z to one that z reaches. So the rest is the graph without the core and without such edges.
 *
 * Each strong component of the rest has a pivot. If a vertex of component A reaches one of component B, some path between them leads by way
 * of the pivots of A, of B, and of components between, and its length is an upper bound. For two components with an edge v -> w from one
 * to the other, the rest keeps the least of d(pivot, v) + 1 + d(w, other pivot). The graph of components has no cycle, so one pass over it
 * bounds the distances from each pivot to all that it reaches (Borassi et al., section 4). */
#ifndef DBFS_REST_H
#define DBFS_REST_H

#include "root_search.h"

/* The component of a vertex of the core. */
#define REST_CORE UINT32_MAX

/* How a vertex and z reach each other: bits. */
enum { UNRELATED = 0, REACHED = 1 /* by z */, REACHES = 2 /* z */, IN_CORE = REACHED | REACHES, RELATIONS };

/* Returns these bits of vertex v. along[] and against[] are the distances from z and to it; -1: there is no path. */
static inline int relation_of(const int32_t *along, const int32_t *against, uint64_t v)
{
    return (along[v] >= 0 ? REACHED : 0) | (against[v] >= 0 ? REACHES : 0);
}

/* R is the number of vertices outside of the core, C that of their strong components. A member is the number of such a vertex, 0 to R - 1;
 * an index is the number of any vertex in root_search.h. Components and edges between them are numbered, too. */
struct rest {
    struct memory_budget *budget;
    uint64_t count;        /* R */
    uint32_t components;   /* C */
    uint32_t *component;   /* [vertices] the component of each vertex, by index; REST_CORE: it is in the core */
    uint32_t *member;      /* [R] the index of each member; those of a component lie side by side, its pivot first */
    uint32_t *first;       /* [C + 1] the first member of each component. Edges lead to components with smaller numbers */
    int32_t *distance[SIDES]; /* [R] the distances of each member from the pivot of its component, and to it */
    uint64_t *first_edge;  /* [C + 1] the first edge from each component */
    uint32_t *edge_to;     /* [edges] the component that the edge leads to */
    int32_t *edge_length;  /* [edges] at least the distance from pivot to pivot */
    int32_t *farthest;     /* [C] in rest_bound_uncovered: a bound of the distances between the pivot and targets; -1: there is none */
};

/* Finds the rest. along[] and against[] are the distances of all vertices from z and to it, by index; -1: there is no path. `all` has all
 * vertices, and rows along the edges; it may be closed afterwards. The caller calls rest_close even after a failure. */
enum status rest_open(struct rest *rest, const struct joined_graph *all, const int32_t *along, const int32_t *against, struct error *e);
void rest_close(struct rest *rest); /* frees everything; *rest may be zeroed */

/* Returns the number of vertices in the largest component. */
uint32_t rest_largest(const struct rest *rest);

/* Returns the number of vertices in a component. */
static inline uint32_t rest_size(const struct rest *rest, uint32_t component)
{
    return rest->first[component + 1] - rest->first[component];
}

/* Sets uncovered[v], by index, to an upper bound of the distances in the rest from v to all targets or, on the side AGAINST, from all
 * targets to v; 0 if there is no target. A target is a vertex whose upper bound in *targets is above `floor`. *bounds has the bounds of
 * v's own side. Sets no element of the core. */
void rest_bound_uncovered(struct rest *rest, enum side side, const struct bounds *bounds, const struct bounds *targets, int32_t floor,
                          int32_t *uncovered);

#endif

/* growth.h: estimates how a search grows, level by level, from the degrees of a graph alone.
 *
 * The graph is taken for a random one among all with these degrees. Then an edge end of the frontier meets each unused end with
 * the same chance, and a vertex of degree k stays unvisited with (1 - q)^k, where q is the share of unused ends that the
 * frontier meets. The root is an average vertex with edges. A planar graph, such as a mesh or road network (separate.h), grows
 * instead like a circle in a plane: each level finds a few more vertices than the level before.
 *
 * Only + - * / and sqrt are used, whose results IEEE 754 fixes, so every machine has the same growth.
 */
#ifndef DBFS_GROWTH_H
#define DBFS_GROWTH_H

#include "formats/split.h"

#include <stdint.h>

/* Vertices and the ends of their edges. */
struct vertex_sum {
    double vertices, ends;
};

/* The vertices of degree <= some TH at the start of a level. */
struct growth_below {
    struct vertex_sum frontier; /* found by the level before */
    struct vertex_sum left;     /* unvisited; the frontier is visited */
};

struct growth {
    const struct degree_count *degrees; /* ascending */
    uint64_t count;
    int planar;
    uint32_t depth; /* of the frontier */
    double *left;          /* [count]: vertices of this degree that are unvisited */
    double *fresh;         /* [count]: those in the frontier */
    struct vertex_sum all; /* vertices with edges */
    struct vertex_sum frontier, unvisited;
};

/* Starts a search at the root. The caller provides the arrays `left` and `fresh`. Returns 0 if no vertex has an edge. */
int growth_start(struct growth *growth);

/* The sums of this level for each of `rows` thresholds, ascending. */
void growth_sums(const struct growth *growth, const struct sweep_row *row, uint64_t rows, struct growth_below *below);

/* Goes on to the next level. Returns 0 if nothing is found any more. */
int growth_next(struct growth *growth);

#endif

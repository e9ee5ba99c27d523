/* growth.h: the expected growth of a search, level by level, from the degrees of a graph alone.
 *
 * The graph is taken for one drawn at random among all with these degrees. Then an edge end of the frontier
 * meets every end that is not used yet with the same chance, and a vertex of degree k stays unvisited with
 * (1 - q)^k, where q is the share of unused ends that the frontier meets. The root is a mean one of those
 * with edges.
 *
 * A planar graph, as meshes and road networks are (separate.h), grows as a circle in a plane does instead: each
 * level finds a few more vertices than the level before.
 *
 * Only + - * / and sqrt are used, whose results IEEE 754 fixes: every machine has the same growth.
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

/* Starts at the root. `left` and `fresh` are the caller's. Returns 0 if no vertex has an edge. */
int growth_start(struct growth *growth);

/* The sums of this level for each of `rows` thresholds, ascending. */
void growth_sums(const struct growth *growth, const struct sweep_row *row, uint64_t rows,
                 struct growth_below *below);

/* Goes on to the next level. Returns 0 if nothing is found any more. */
int growth_next(struct growth *growth);

#endif

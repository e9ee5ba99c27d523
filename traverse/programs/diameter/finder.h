/* finder.h: finds the diameter, the radius or all eccentricities of a component, search by search, from bounds that meet.
 *
 * The next root is chosen so that its search narrows the bounds that are still open, as SumSweep does (Borassi et al., "Fast
 * diameter and radius BFS-based computation in (weakly connected) real-world graphs", 2015): now a central vertex, whose
 * search lowers the upper bounds, now a remote vertex, whose search raises the lower bounds. The first searches are from a
 * vertex of the highest degree, and from a vertex farthest from it. A few central roots keep their distances, as landmarks
 * (bounds.h).
 *
 * All eccentricities of a graph with few levels are found otherwise, by rounds of up to 64 roots that are chosen at once (rounds.h). Once
 * all vertices farther than x from a landmark z were roots, ecc(v) is the largest distance of v to one of them, or at most d(z, v) + x (Li
 * et al., "On Scalable Computation of Graph Eccentricities", 2022). So each v is settled whose lower bound has reached this number. In such
 * graphs, few vertices are far from the hub, and searches from them settle almost all others. The last vertices are
 * searched from themselves.
 *
 * The program calls finder_open, finder_begin, and finder_step until finder_is_done. What is known then, or at any time
 * before, is in finder.known. All functions but finder_close are collective, and all ranks have the same results. */
#ifndef DBFS_FINDER_H
#define DBFS_FINDER_H

#include "directed.h"
#include "rounds.h"

struct finder {
    struct root_search search;
    struct bounds bounds;
    struct rounds rounds;
    struct goals goals;
    struct known known;
    struct directed directed; /* finds what is wanted of a directed graph; not open for an undirected one */
    int32_t *distance[LANDMARKS]; /* [search.capacity] the distances from the landmarks; NULL: not yet allocated */
    int32_t *scratch;   /* [search.capacity] the distances from a root that is no landmark */
};

/* Opens *finder for an open searcher and, of a directed graph, one that searches in reverse; otherwise `reverse` is NULL. The caller calls
 * finder_close even after a failure. */
enum status finder_open(struct finder *finder, struct searcher *searcher, struct searcher *reverse, const struct goals *goals,
                        struct error *e);
void finder_close(struct finder *finder); /* frees everything; *finder may be zeroed */

/* Begins the component of a root or, if `root` is NULL, the largest one or, with goals.every, the next one; without goals.all,
 * a component with too few vertices for a larger diameter is done at once. Sets *begun to 0 if there is no other component of
 * vertices with edges. */
enum status finder_begin(struct finder *finder, const struct root *root, int *begun, struct error *e);

/* Returns whether the bounds of what is wanted have met, in the component that was begun last. */
int finder_is_done(const struct finder *finder);

/* Searches from one more root or, with goals.all, from up to `most` ones, and narrows the bounds. finder_is_done must have returned 0. */
enum status finder_step(struct finder *finder, uint64_t most, struct error *e);

/* Searches from the landmarks again, whose distances are not kept on disk. Called after `known` and the bounds have been read. */
enum status finder_restore(struct finder *finder, struct error *e);

#endif

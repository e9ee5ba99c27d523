/* bounds.h: a lower and an upper bound of the eccentricity of each vertex of this rank, which every search narrows.
 *
 * The eccentricity of a vertex is its largest distance to a vertex of its component. A search from a root r with eccentricity e gives, for
 * each vertex v at distance d: d <= ecc(v), e - d <= ecc(v), and ecc(v) <= e + d (Takes and Kosters, "Determining the Diameter of Small
 * World Networks", 2011).
 *
 * A search also rules out pairs. If ecc(v) is above a number L that is at least the lower bound of v, then a vertex w at this distance
 * from v was never a root, as v would know its distance, and the upper bound of w is above L, too. Both are at known distances from a
 * landmark z, an earlier root. So ecc(v) <= max(L, d(z, v) + far(L)), where far(L) is the largest distance from z to such a w. The best L
 * for all vertices at a distance d from z is the smallest one with L >= d + far(L) (bounds_find_limits). This contains the bound of iFUB
 * (Crescenzi et al., "On Computing the Diameter of Real-World Undirected Graphs", 2013), in which far(L) is the largest distance to any
 * vertex that was not a root.
 *
 * A directed graph has two such sets of bounds (enum side): of the largest distance from each vertex, and of the largest distance to each
 * vertex. A search along the edges raises lower bounds of the second set, and a search against them those of the first
 * (bounds_raise_lower). The landmark's argument above holds with d(v, z) for the vertex, d(z, w) for the target, and the second bound of
 * w, for all pairs (v, w) that z *covers*: v reaches z, and z reaches w. Distances of uncovered pairs have another bound (rest.h).
 *
 * All functions are for the vertices of one rank; the caller joins what the ranks found. */
#ifndef DBFS_BOUNDS_H
#define DBFS_BOUNDS_H

#include "traverse/cpu/thread_pool.h"

#include "formats/base/memory.h"

/* The most landmarks that keep their distances. */
enum { LANDMARKS = 8 };

/* The lower bound of a vertex that no search has reached, and of a vertex of a component that is left out. */
enum { NEVER_REACHED = -1, LEFT_OUT = -2 };

/* The two directions of searches, and the set of bounds that is of searches in this direction. An undirected graph has ALONG alone. */
enum side { ALONG, AGAINST, SIDES };

/* The bounds of `count` vertices. A vertex is *live* if it is in the component that is searched now, and was not yet a root. */
struct bounds {
    struct memory_budget *budget;
    struct thread_pool *pool;
    int threads;
    uint64_t count;
    int32_t *lower; /* [count] lower bounds; the eccentricity of a vertex that is not live any more */
    int32_t *upper; /* [count] upper bounds of live vertices; 0 for all others */
    uint32_t *sum;  /* [count] the sum of the distances to all roots, which tells central vertices from remote ones */
};

/* Opens the bounds of `count` vertices, none of which is reached. The caller calls bounds_close even after a failure. */
enum status bounds_open(struct bounds *bounds, uint64_t count, int threads, struct memory_budget *budget, struct error *e);
void bounds_close(struct bounds *bounds); /* frees everything; *bounds may be zeroed */

/* Begins a component of `size` vertices: those with a distance of 0 or more in distance[count], the distances of a root with
 * this eccentricity. Its vertices become live, with the bounds of this search. All other vertices stay as they are. */
void bounds_begin_component(struct bounds *bounds, const int32_t *distance, int32_t eccentricity, int32_t size);

/* Makes all vertices live, with the bounds 0 and `most`, and sums of 0. */
void bounds_begin_all(struct bounds *bounds, int32_t most);

/* Leaves out the component whose vertices have a distance of 0 or more. */
void bounds_leave_out(struct bounds *bounds, const int32_t *distance);

/* Ends a component: none of its vertices is live any more. */
void bounds_end_component(struct bounds *bounds);

/* Narrows the bounds by a search from a root with this eccentricity. */
void bounds_narrow(struct bounds *bounds, const int32_t *distance, int32_t eccentricity);

/* Raises the lower bound of each live vertex to its distance, if it has one, and adds to the sums. */
void bounds_raise_lower(struct bounds *bounds, const int32_t *distance);

/* Two functions for a root that has one neighbour p only, in a component of three vertices or more, after bounds_narrow with its
 * distances and its eccentricity.
 * - bounds_limit_neighbour: the eccentricity of p is smaller by 1.
 * - bounds_share_leaf: that of any other vertex x with the one neighbour p is the same. The search tells all that one from x
 *   would, so that x is not live any more. first..end are vertices with one neighbour; the function finds those at p. */
void bounds_limit_neighbour(struct bounds *bounds, const int32_t *distance, int32_t eccentricity);
void bounds_share_leaf(struct bounds *bounds, const int32_t *distance, int32_t eccentricity, uint64_t first, uint64_t end);

/* Returns the number of vertices with a distance of 0 or more. */
uint64_t bounds_count_reached(const struct bounds *bounds, const int32_t *distance);

/* Raises far[u], for each u from 1 to `top`, to the largest distance to a live vertex whose upper bound is u. A bound above
 * `top` counts as `top`. far[top + 1] must have been set, at first to -1. */
void bounds_farthest_by_upper(const struct bounds *bounds, const int32_t *distance, int32_t *far, int32_t top);

/* Sets limit[d], for d from 0 to `most`, to the smallest L with L >= d + (the largest far[u] with u > L), and limit[-1] to 0.
 * far[top + 1] is that of bounds_farthest_by_upper over all vertices of all ranks; the call overwrites it. */
void bounds_find_limits(int32_t *limit, int32_t most, int32_t *far, int32_t top);

/* Lowers the upper bound of each vertex v to the largest of its lower bound, `floor`, limit[distance[v]] and, unless `uncovered`
 * is NULL, uncovered[v], a bound of the distances of uncovered pairs of v. */
void bounds_apply_limits(struct bounds *bounds, const int32_t *distance, const int32_t *limit, const int32_t *uncovered, int32_t floor);

/* The most roots of a round (rounds.h): the bits of a word. */
enum { ROUND_BITS = 6, ROUND_MOST = 1 << ROUND_BITS };

/* An upper bound by a root of a round, whose eccentricity is not known before the search has ended: `sum` is the distance from the root
 * plus the lower bound of its eccentricity. Of two such numbers, the smaller one is taken. */
static inline int32_t assumed_bound(int32_t sum, uint32_t root)
{
    return sum << ROUND_BITS | (int32_t)root;
}

/* Raises the lower bound of each live vertex to its distance from root number `number` of a round. Unless `assumed` is NULL, lowers
 * assumed[v] to the assumed_bound by this root, the lower bound of whose eccentricity is `guess`. Returns the largest distance on this
 * rank; -1: no vertex has one. */
int32_t bounds_raise_by_round(struct bounds *bounds, const int32_t *distance, int32_t guess, uint32_t number, int32_t *assumed);

/* Lowers the upper bound of each vertex to the assumed_bound in assumed[v], but not below its lower bound. excess[i] is what the
 * eccentricity of root number i exceeds its lower bound by. */
void bounds_apply_assumed(struct bounds *bounds, const int32_t *assumed, const int32_t excess[ROUND_MOST]);

/* A landmark whose distances are below MOST_LEVELS tells by bounds_count_levels what searches from the targets beyond some distance from it
 * would settle. An undirected graph with a landmark whose distances are below FEW_LEVELS goes by rounds (finder.c). */
enum { FEW_LEVELS = 16, MOST_LEVELS = 64 };
struct landmark_counts {
    uint64_t candidates[MOST_LEVELS]; /* [d] live targets at the distance d from the landmark whose upper bound is above `least` */
    uint64_t settled[MOST_LEVELS];    /* [x] vertices that searches from all targets beyond x would settle: their bounds differ, and the
                                       * lower bound exceeds the distance to the landmark by x or more */
};

/* Sets *counts. distance[v] are the distances to the landmark of the vertices of *bounds, and from[v] those from the landmark to *targets:
 * in an undirected graph the same arrays. `least` is the least_open of struct open_bounds. */
void bounds_count_levels(const struct bounds *bounds, const int32_t *distance, const struct bounds *targets, const int32_t *from,
                         int32_t least, struct landmark_counts *counts);

/* What the bounds of the live vertices leave open. */
struct open_bounds {
    int32_t least_lower, greatest_upper; /* INT32_MAX and 0 if no vertex is live */
    int32_t least_open;  /* the least lower bound of a vertex with different bounds; INT32_MAX: there is none */
    uint64_t open;       /* vertices with different bounds */
    uint64_t above;      /* vertices whose upper bound is above the largest known eccentricity */
    uint64_t below;      /* vertices whose lower bound is below the smallest known eccentricity */
};

/* Sets *open, given the largest and the smallest known eccentricity of the component. */
void bounds_summarise(const struct bounds *bounds, int32_t largest, int32_t smallest, struct open_bounds *open);

/* Returns the number of live vertices whose lower bound is below `smallest`, of those with a distance of 0 or more. */
uint64_t bounds_count_below(const struct bounds *bounds, const int32_t *distance, int32_t smallest);

/* Which vertex is picked. Ties go to the one with the larger or, for central ones, with the smaller sum of distances. */
enum pick {
    PICK_FARTHEST,     /* of those with the largest distance */
    PICK_REMOTE,       /* of live ones with the largest distance, whose upper bound is above `least` */
    PICK_EXTREME,      /* of live ones with the largest upper bound, which is above `least` */
    PICK_OPEN_CENTRAL, /* of those with different bounds, with the smallest lower bound */
    /* two rules for live ones; unless `distance` is NULL, of those with a distance of 0 or more: */
    PICK_CENTRAL,      /* with the smallest lower bound */
    PICK_LEAST_UPPER   /* with the smallest upper bound */
};

/* A picked vertex: its index, and the number by which it is compared with vertices of other ranks: the larger one is picked.
 * The upper 31 bits are the distance or bound of the rule, in the rules with a smallest bound INT32_MAX minus the bound. */
struct picked {
    uint64_t key, index;
};

/* Returns the picked vertex; key 0 if no vertex is eligible. Of equal vertices it is the one for which `precedes` returns 1 in
 * comparison with any other. `distance` [count] may be NULL in the rules that do not use it. */
struct picked bounds_pick(const struct bounds *bounds, enum pick pick, const int32_t *distance, int32_t least,
                          int (*precedes)(const void *context, uint64_t one, uint64_t other), const void *context);

#endif

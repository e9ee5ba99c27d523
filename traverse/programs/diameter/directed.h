/* directed.h: finds diameter, radius or all eccentricities of a directed graph, root by root, from bounds that meet (Borassi et al., "Fast
 * diameter and radius BFS-based computation in (weakly connected) real-world graphs", 2015).
 *
 * The eccentricity of a vertex is its largest distance to a vertex that it reaches. Two sets of bounds are kept: of the eccentricities,
 * and of the largest distance to each vertex. The diameter is the largest number of either set; it is known once no upper bound of one of
 * the sets is above it. The radius is the smallest eccentricity of the vertices that reach the core, which is the largest strong
 * component.
 *
 * - A search from v along the edges tells the eccentricity of v, and that the largest distance to w is d(v, w) or more.
 * - One against them does the same with both sets exchanged.
 * - Both from a landmark z of the core give the upper bound d(v, z) + d(z, w) of the distance from v to w. The rest (rest.h) gives one of
 *   pairs that z does not cover (bounds.h).
 * - Both from v also give d(w, v) + (the largest d(v, ...)) as the upper bound of the eccentricity of each w in the strong component of v.
 *
 * So the root v with the largest upper bound is searched from along the edges alone if it is a component of its own, and otherwise both
 * along and against them. The first landmark is a vertex of the core with most edges, and a second one has a small lower bound.
 *
 * All eccentricities are found by rounds (rounds.h): of searches against the edges from the vertices that are farthest from a landmark, or
 * along the edges from the vertices whose bounds differ.
 *
 * One rank has the whole graph. finder.h calls these functions in place of its own for directed graphs. */
#ifndef DBFS_DIRECTED_H
#define DBFS_DIRECTED_H

#include "rest.h"
#include "rounds.h"

struct directed {
    struct root_search *search;
    const struct goals *goals;
    struct known *known;
    struct bounds *bounds[SIDES]; /* [ALONG]: of eccentricities, which the caller has; [AGAINST]: of the largest distances to each vertex */
    struct bounds against;        /* bounds[AGAINST] */
    struct rounds rounds;
    struct rest rest;
    int32_t *distance[SIDES][LANDMARKS]; /* [search->capacity] the distances from each landmark, and to it; NULL: not yet allocated */
    int32_t *scratch[SIDES];             /* [search->capacity] the distances from a root that is no landmark, and to it */
    int32_t *uncovered;                  /* [search->capacity] upper bounds of the distances of uncovered pairs (rest_bound_uncovered) */
};

/* Opens *d for an open search with a searcher in reverse. The caller calls directed_close even after a failure. */
enum status directed_open(struct directed *d, struct root_search *search, struct bounds *bounds, const struct goals *goals,
                          struct known *known, struct error *e);
void directed_close(struct directed *d); /* frees everything; *d may be zeroed */

/* Returns whether directed_open was called. */
static inline int directed_is_open(const struct directed *d)
{
    return d->search != NULL;
}

/* Finds the core and the rest, and searches from the first landmark. */
enum status directed_begin(struct directed *d, struct error *e);

/* Searches from one more root, along the edges or both along and against them, or with goals.all from up to `most` roots, and narrows the
 * bounds. */
enum status directed_step(struct directed *d, uint64_t most, struct error *e);

/* Searches from the landmarks again, and finds the rest. Called after `known` and the bounds have been read. */
enum status directed_restore(struct directed *d, struct error *e);

#endif

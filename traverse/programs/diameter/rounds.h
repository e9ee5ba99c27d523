/* rounds.h: searches from a set of roots that are chosen at once, all together if the shards are in the memory of this process.
 *
 * The finder chooses a round if it knows beforehand that a search from each vertex of a set is needed (finder.c). On one rank and a CPU, a
 * round of many roots is a batch (batch_search.h), for which the rows of all shards are copied once. Otherwise, and if memory is short,
 * the ranks search from one root after the other. Roots and bounds are the same in both cases. */
#ifndef DBFS_ROUNDS_H
#define DBFS_ROUNDS_H

#include "known.h"

#include "traverse/programs/batch/batch_search.h"

/* A set of roots. */
struct round {
    /* Distances of this rank's vertices from a landmark. The roots are the live targets farther than `above` whose upper bound is larger
     * than `least`, the farthest first. NULL: the roots are the vertices whose lower and upper bound differ, the smallest lower bound
     * first. */
    const int32_t *distance;
    int32_t above, least;
    uint64_t count; /* the vertices of the set, of all ranks */
    enum side side; /* of the searches */
};

/* The state of rounds. In a directed graph a search on a side settles its root in bounds[side], and raises lower bounds in bounds[!side].
 * In an undirected graph both point to the same bounds, and no other member of the side AGAINST is used. */
struct rounds {
    struct root_search *search;
    struct bounds *bounds[SIDES];
    struct joined_graph all[SIDES]; /* [AGAINST]: the same rows, exchanged */
    struct batch_backend backend; /* of the CPU, but gives no batch up */
    struct batch batch[SIDES];
    int together;     /* 1: `all` and `batch` are open; -1: they cannot be; 0: not yet tried */
    int32_t *assumed; /* [bounds->count] as in bounds_raise_by_round; NULL: not yet allocated */
};

void rounds_close(struct rounds *rounds); /* frees everything; *rounds may be zeroed */

/* Collective. Chooses the set of a round: the targets farther than some x from a landmark, or else all vertices with different bounds
 * (open ones). Each set is judged by the searches that the open vertices would take if each search settled as many of them as those of the
 * set do. from[i] are the distances from landmark number i, and to[i] those to it. */
struct round rounds_choose(const struct rounds *rounds, const struct known *known, int32_t *const *from, int32_t *const *to);

/* Collective. Searches from up to `most` roots of a set, of which there is at least one; `most` is at most ROUND_MOST. Sets roots[] to the
 * roots and their eccentricities, or on the side AGAINST the largest distances to them, and *count to their number. Narrows the bounds of
 * all other vertices; the caller sets those of the roots. `size` is the number of vertices of the component; scratch[search->capacity] is
 * overwritten. */
enum status rounds_run(struct rounds *rounds, const struct round *round, uint64_t most, uint64_t size, int32_t *scratch,
                       struct found_vertex *roots, uint32_t *count, struct error *e);

#endif

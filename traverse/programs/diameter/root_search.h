/* root_search.h: searches from one vertex after the other, by all ranks together, with the distances on the host. Finds the
 * vertex behind an index, and picks vertices over all ranks.
 *
 * A rank has the normals of its shards, one shard after the other, and rank 0 has all delegates behind them. Vertices without
 * edges have no index. */
#ifndef DBFS_ROOT_SEARCH_H
#define DBFS_ROOT_SEARCH_H

#include "bounds.h"

#include "traverse/programs/joined/joined_graph.h"
#include "traverse/session/searcher.h"

struct root_search {
    struct searcher *searcher;
    struct searcher *reverse; /* searches against the edges; NULL: the graph is undirected */
    uint64_t *first;   /* [shards of this rank + 1] the index of each shard's first normal; the last: that of delegate 0 */
    uint64_t count;    /* the vertices of this rank */
    uint64_t capacity; /* elements of an array of distances: on ranks that do not have the delegates, d more than `count` */
    double seconds;    /* of the searches alone, on this rank */
    uint32_t levels;   /* all distances of the last search along the edges are below this number */
};

/* Opens *s for searches by an open searcher, and one in reverse or NULL. The caller calls root_search_close even after a failure. */
enum status root_search_open(struct root_search *s, struct searcher *searcher, struct searcher *reverse, struct error *e);
void root_search_close(struct root_search *s); /* frees everything; *s may be zeroed */

/* Collective. Searches from a root, along the edges or against them. Sets distance[s->capacity] to the distances of the vertices of this
 * rank, by index; -1 (DEPTH_UNREACHED) if not reached. A failure ends the whole job, as other ranks would wait. */
void root_search_run(struct root_search *s, enum side side, const struct root *root, int32_t *distance);

/* A vertex that was picked among those of all ranks. `value` is its distance or bound, of which PICK_... speaks. */
struct found_vertex {
    struct root root;
    int32_t value;
};

/* Collective. Picks a vertex by a rule of bounds_pick; of equal ones, that with the smallest stored id. Returns 0 if no vertex
 * is eligible. */
int root_search_pick(const struct root_search *s, const struct bounds *bounds, enum pick pick, const int32_t *distance,
                     int32_t least, struct found_vertex *found);

/* Collective. Each rank passes its best vertex with its key; key 0: it has none. Sets found->root, on all ranks, to the vertex with the
 * largest key; of equal ones, to that with the smallest stored id. Returns this key. */
uint64_t root_search_best_of_ranks(const struct root_search *s, struct picked mine, struct found_vertex *found);

/* Collective. Finds a vertex of the highest degree among those that are live or, if `live` is 0, whose lower bound is NEVER_REACHED.
 * Returns 0 if there is none. */
int root_search_hub(const struct root_search *s, const struct bounds *bounds, int live, struct found_vertex *found);

/* A landmark that lowers upper bounds (bounds.h). In an undirected graph `targets`, `from` and `most_from` are the same as those before. */
struct landmark_limit {
    struct bounds *bounds;        /* the bounds that are lowered */
    const struct bounds *targets; /* the bounds of the vertices at the other ends of pairs */
    const int32_t *to, *from;     /* distances of this rank's vertices to the landmark, and from it to them */
    int32_t most_to, most_from;   /* the largest of each, over all ranks */
    const int32_t *uncovered;     /* as in bounds_apply_limits */
    int32_t floor;                /* upper bounds below it are of no use, and are not told apart */
};

/* Collective. Lowers the upper bounds of l->bounds by the pairs that a landmark leaves possible. */
enum status root_search_narrow_by_landmark(const struct root_search *s, const struct landmark_limit *l, struct error *e);

/* Returns the index of a root on this rank, or UINT64_MAX if another rank has it, or no rank. */
uint64_t root_search_index(const struct root_search *s, const struct root *root);

/* Returns whether the vertex with this index on this rank has one edge only; 0 for UINT64_MAX. Edges that were given twice count as two. */
int root_search_is_leaf(const struct root_search *s, uint64_t index);

/* Collective. If a root has one edge only, calls bounds_limit_neighbour and bounds_share_leaf with its distances and its eccentricity e. */
void root_search_share_leaf(const struct root_search *s, struct bounds *bounds, const struct root *root,
                            const int32_t *distance, int32_t e);

/* Returns the stored id of the vertex with this index. */
uint64_t root_search_id(const struct root_search *s, uint64_t index);

/* Returns the index of vertex v of the joined graph of all shards, where one rank has all. */
static inline uint64_t index_of_joined(const struct joined_graph *all, uint64_t v)
{
    const uint64_t delegates = all->shards->manifest.d;
    return v < delegates ? all->vertices - delegates + v : v - delegates;
}

#endif

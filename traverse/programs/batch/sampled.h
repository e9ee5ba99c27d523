/* sampled.h: the centralities of all vertices, estimated from searches from a sample of them, with their standard errors
 * (Eppstein and Wang, "Fast approximation of centrality", 2001).
 *
 * A search from sample u, against the edges of a directed graph, gives the distance from each vertex v to u. The samples other than
 * v are a random sample, without replacement, of the vertices other than v. So the mean over them estimates the mean over all. */
#ifndef DBFS_SAMPLED_H
#define DBFS_SAMPLED_H

#include "batch_search.h"

#include "traverse/session/searcher.h"

/* A vertex with sums, and its input id. */
struct sampled_vertex {
    uint64_t id, vertex;
};

struct sampled {
    const struct joined_graph *graph; /* the vertices that this rank notes (joined_graph_noted) */
    const struct roots *roots; /* the samples, by ascending id */
    struct vertex_sums sums;
    uint64_t *reached;         /* [roots->count] number of vertices that each sample has reached. Owned */
    uint64_t farthest;         /* the largest distance so far; only on rank 0 */
    struct sampled_vertex *vertex; /* [vertices] by ascending id: the rows of this rank, once sampled_write has made them */
    uint64_t vertices;
};

/* Keeps `wanted` of the *count ids of a sorted array, or all if there are no more, and sets *count to their number. The sample depends on
 * the seed and the ids alone. Fails if memory is short. */
enum status sampled_choose(uint64_t *ids, uint64_t *count, uint64_t wanted, uint64_t seed, struct error *e);

/* Turns a directed joined graph round, so that its searches go against the edges: they find the distances to a root. Called before
 * batch_open. */
void sampled_turn(struct joined_graph *graph);

/* Opens *sampled for searches from all roots, which were chosen, in batches of up to `batch`. The caller calls sampled_close even
 * after a failure. */
enum status sampled_open(struct sampled *sampled, const struct joined_graph *graph, const struct roots *roots, uint64_t batch,
                         int threads, struct error *e);

/* Notes the results of `count` samples, from number `first` on. Called on rank 0. Fails with ST_RUNTIME if their distances are too large
 * for the sums. */
enum status sampled_add(struct sampled *sampled, uint64_t first, const struct batch_result *results, uint64_t count,
                        struct error *e);

/* Collective. Adds up the sums of all ranks or, if ranks divide the graph, gives each rank those of a range of ids. Then rank 0 writes a
 * row for each vertex with edges, by ascending id, to the file `name`. `map` has the names of vertices; NULL: rows have ids. */
enum status sampled_write(struct sampled *sampled, const char *name, const struct name_map *map, const struct comm *comm,
                          struct error *e);
void sampled_close(struct sampled *sampled); /* frees all memory; *sampled may be all zeros */

#endif

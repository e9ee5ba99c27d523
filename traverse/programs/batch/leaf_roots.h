/* leaf_roots.h: the results of roots with one edge, from those of their neighbours
 *
 * A leaf is a vertex with one edge, to a neighbour that has other edges. In an undirected graph a leaf is one farther than its neighbour
 * from all vertices but itself. So its neighbour is searched from, once for all its leaves. Half of the vertices of many real graphs are
 * leaves. This serves searches without a bound of depth, of which nothing but struct batch_result is wanted. */
#ifndef DBFS_LEAF_ROOTS_H
#define DBFS_LEAF_ROOTS_H

#include "batch_search.h"

struct leaf_roots {
    const struct joined_graph *graph; /* NULL: not in use */
    /* [vertices] results of vertices that were searched from; of those that shall be, `reached` is 1, and of all others 0. Owned */
    struct batch_result *of;
};

/* Opens *leaves for an undirected graph of which the rank has all shards. If the budget of the graph is too small for results of all
 * vertices, *leaves is not in use. */
void leaf_roots_open(struct leaf_roots *leaves, const struct joined_graph *graph);
void leaf_roots_close(struct leaf_roots *leaves); /* frees all memory; *leaves may be all zeros */

/* Takes the next root. If it needs a search that no earlier root has needed, sets *searched to the vertex to search from, and returns 1. */
int leaf_roots_take(struct leaf_roots *leaves, uint64_t root, uint64_t *searched);

/* Keeps the results of searches from `count` vertices. */
void leaf_roots_keep(struct leaf_roots *leaves, const uint64_t *searched, const struct batch_result *results, uint64_t count);

/* Returns the result of a root, after the search that it needs was kept. */
struct batch_result leaf_roots_result(const struct leaf_roots *leaves, uint64_t root);

#endif

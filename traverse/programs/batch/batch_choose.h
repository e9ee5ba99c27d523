/* batch_choose.h: the rules by which the kind of a level is chosen, for batch_search.c and for a kernel that runs many levels
 *
 * - A level is sparse if the frontier has fewer edges than 1 / SPARSE_SHARE of the number of vertices.
 * - In a dense level, the search of a root pulls if its frontier has more than 1 / PULL_SHARE of the edges that this search has not
 *   found. For a frontier of hubs, whose mean degree is more than HUB_TIMES that of the graph, 1 / HUB_PULL_SHARE is enough: hubs come
 *   first in rows, so a pull finds them early. After a sparse level, the edges of a single root's frontier are not known, and count as 0.
 * - All roots of a dense level pull if pushes would cost more than pulls. A pushed edge costs as much as `push_cost` pulled ones (the
 *   backend says it), and the list of the frontier as much as `list_cost` pulled edges for each vertex of the graph. Pulls read the
 *   edges of all vertices that at least one root has not found.
 * - Pulls on a GPU read briefs (batch_words.cuh) if, on average, fewer than BRIEF_MEAN roots have found a vertex of the frontier. */
#ifndef DBFS_BATCH_CHOOSE_H
#define DBFS_BATCH_CHOOSE_H

#include <stdint.h>

#ifdef __CUDACC__
#define ON_BOTH __host__ __device__
#else
#define ON_BOTH
#endif

enum { SPARSE_SHARE = 8, PULL_SHARE = 15, HUB_PULL_SHARE = 60, HUB_TIMES = 8, BRIEF_MEAN = 3 };

/* Returns whether the level is sparse that begins from a frontier with `edges` edges. */
ON_BOTH static inline int batch_is_sparse(uint64_t edges, uint64_t vertices)
{
    return edges < vertices / SPARSE_SHARE;
}

/* Returns the mean number of edges of a vertex of the graph, rounded down; 0 without vertices. */
static inline uint64_t batch_mean_edges(uint64_t all_edges, uint64_t all_vertices)
{
    return all_vertices > 0 ? all_edges / all_vertices : 0;
}

/* Returns whether a root pulls whose frontier has `count` vertices and `weight` edges. `mean` is batch_mean_edges of the graph. */
ON_BOTH static inline int batch_root_pulls(uint64_t count, uint64_t weight, uint64_t edges_left, uint64_t mean)
{
    return weight > edges_left / (weight / HUB_TIMES > mean * count ? HUB_PULL_SHARE : PULL_SHARE);
}

/* Returns whether all roots of a dense level pull. By their own rule some would push, `pushed` edges in all. `listing` is list_cost
 * times the number of vertices. */
ON_BOTH static inline int batch_all_pull(uint64_t pushed, uint64_t push_cost, uint64_t listing, uint64_t pull_edges_left)
{
    return pushed * push_cost + listing > pull_edges_left;
}

/* Returns whether pulls read briefs. The frontier is dense; `finds` is the sum over its vertices of the roots that found them. */
ON_BOTH static inline int batch_reads_briefs(uint64_t finds, uint64_t vertices)
{
    return finds < BRIEF_MEAN * vertices;
}

#endif

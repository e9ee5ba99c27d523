/* joined_graph.h: all shards of a graph as one graph, for searches from many roots or between many pairs at once.
 *
 * All vertices have one numbering: delegates first, then the local vertices of shard 0, then those of shard 1, and so on.
 * The delegates, and the local vertices of each shard, are in the order of descending degree. All edges of a vertex lie
 * side by side, edges to delegates first. So a search over any number of shards needs only its own state for each
 * vertex. */
#ifndef DBFS_JOINED_GRAPH_H
#define DBFS_JOINED_GRAPH_H

#include "traverse/engine/engine.h"
#include "traverse/session/graph.h"

/* The edges of all vertices. The edges of vertex v are columns[offsets[v]] to columns[offsets[v + 1] - 1]. */
struct joined_rows {
    uint64_t *offsets; /* [vertices + 2]; the last entry is used only while the rows are made */
    uint32_t *columns; /* [edges] the vertices at the other ends */
    uint64_t edges;
};

/* All shards of a graph as one graph. */
struct joined_graph {
    const struct graph *shards;
    struct memory_budget *budget;
    uint64_t vertices;             /* number of vertices with edges */
    uint64_t *first;               /* [p] number of the first local vertex of each shard */
    uint64_t *ids;                 /* [vertices] input ids */
    struct joined_rows own[2];      /* [0]: rows along edges; [1]: rows against edges, only in a directed graph */
    const struct joined_rows *push; /* edges from a vertex to the vertices that it finds, for a search along edges */
    /* edges to the vertices that find a vertex. The same rows as `push` in an undirected graph. NULL: these rows are not
     * wanted */
    const struct joined_rows *pull;
};

/* Makes *all from an open graph, which has all shards and has its columns in memory, decoded or packed. The graph must
 * outlive *all. `pulls`: the rows against the edges of a directed graph are wanted, too. Fails if 32 bits cannot number all
 * vertices with edges, or if the graph lacks rows that are wanted. After a failure, too, joined_graph_close is to be
 * called. */
enum status joined_graph_open(struct joined_graph *all, const struct graph *graph, int pulls,
                              struct memory_budget *budget, struct error *e);
void joined_graph_close(struct joined_graph *all); /* frees *all and zeroes it; *all may be all zeros */

/* Stands for the number of a root that has no edges, and so is no vertex of the joined graph. */
#define JOINED_NOWHERE UINT64_MAX

/* Returns the number of a root in the joined graph; JOINED_NOWHERE if the root has no edges. */
static inline uint64_t joined_vertex(const struct joined_graph *all, const struct root *root)
{
    return root->at == ROOT_AT_DELEGATE ? root->index
           : root->at == ROOT_AT_LOCAL  ? all->first[root->shard] + root->index
                                        : JOINED_NOWHERE;
}

#endif

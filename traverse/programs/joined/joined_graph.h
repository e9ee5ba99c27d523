/* joined_graph.h: all shards of a graph as one graph, for searches from many roots or between many pairs at once.
 *
 * All vertices have one numbering: first the delegates, then the local vertices of shard 0, then those of shard 1, and so
 * on, each in the order of descending degree. All edges of a vertex lie side by side, with edges to delegates first. So a
 * search needs only its own state for each vertex, whatever the number of shards. */
#ifndef DBFS_JOINED_GRAPH_H
#define DBFS_JOINED_GRAPH_H

#include "traverse/engine/engine.h"
#include "traverse/session/graph.h"

/* The edges of all vertices. The edges of vertex v are columns[offsets[v]] to columns[offsets[v + 1] - 1]. */
struct joined_rows {
    uint64_t *offsets; /* [vertices + 2] The last entry is used only while the rows are made. */
    uint32_t *columns; /* [edges] the vertex at the other end of each edge */
    uint64_t edges;
};

/* All shards of a graph as one graph. */
struct joined_graph {
    const struct graph *shards;
    struct memory_budget *budget;
    uint64_t vertices;             /* number of vertices with edges */
    uint64_t *first;               /* [p] for each shard: number of the first local vertex */
    uint64_t *ids;                 /* [vertices] input id of each vertex */
    struct joined_rows own[2];  /* [0]: rows along the edges; [1]: rows against the edges, used only in a directed graph */
    const struct joined_rows *push; /* for each vertex: edges to the vertices that it finds, in a search along the edges */
    /* for each vertex: edges back to the vertices that find it; same as `push` in an undirected graph; NULL: not wanted */
    const struct joined_rows *pull;
};

/* Makes *all from an open graph, which must have all shards, with columns in memory, and must outlive *all. `pulls` is 1 if
 * the rows against the edges of a directed graph are wanted, too. Fails if 32 bits cannot number all vertices with edges,
 * or if the graph does not have the wanted rows. The caller calls joined_graph_close even after a failure. */
enum status joined_graph_open(struct joined_graph *all, const struct graph *graph, int pulls,
                              struct memory_budget *budget, struct error *e);
void joined_graph_close(struct joined_graph *all); /* frees *all and zeroes it; *all may be all zeros */

/* Stands for the number of a root without edges. Such a root is not in the joined graph. */
#define JOINED_NOWHERE UINT64_MAX

/* Returns the number of a root in the joined graph. Returns JOINED_NOWHERE if the root has no edges. */
static inline uint64_t joined_vertex(const struct joined_graph *all, const struct root *root)
{
    return root->at == ROOT_AT_DELEGATE ? root->index
           : root->at == ROOT_AT_LOCAL  ? all->first[root->shard] + root->index
                                        : JOINED_NOWHERE;
}

#endif

/* joined_graph.h: all shards of a graph as one, for many roots or many pairs at once.
 *
 * Vertices have one numbering: delegates first, then the local vertices of shard 0, of shard 1, and so on, each by
 * descending degree. All edges of a vertex lie side by side, those to delegates first. So a search over any number of shards
 * needs only its own state for each vertex. */
#ifndef DBFS_JOINED_GRAPH_H
#define DBFS_JOINED_GRAPH_H

#include "traverse/engine/engine.h"
#include "traverse/session/graph.h"

/* The edges of all vertices: those of vertex v are columns[offsets[v]..offsets[v + 1]). */
struct joined_rows {
    uint64_t *offsets; /* [vertices + 2]; the last entry is used only while the rows are made */
    uint32_t *columns; /* [edges] */
    uint64_t edges;
};

/* All shards of a graph as one graph. */
struct joined_graph {
    const struct graph *shards;
    struct memory_budget *budget;
    uint64_t vertices;             /* vertices with edges */
    uint64_t *first;               /* [p] number of the first local vertex of each shard */
    uint64_t *ids;                 /* [vertices] input ids */
    struct joined_rows own[2];      /* [1] only in a directed graph: edges against their direction */
    const struct joined_rows *push; /* edges from a vertex to the vertices that it finds */
    const struct joined_rows *pull; /* edges to the vertices that find it; undirected: as push; NULL: not wanted */
};

/* Makes *all of an open graph, which has all shards, and whose columns are in memory, decoded or packed. The graph
 * must outlive *all. `pulls`: the rows against the edges of a directed graph are wanted, too. */
enum status joined_graph_open(struct joined_graph *all, const struct graph *graph, int pulls,
                              struct memory_budget *budget, struct error *e);
void joined_graph_close(struct joined_graph *all); /* a zeroed one is allowed */

/* The vertex of a root that has no edges. */
#define JOINED_NOWHERE UINT64_MAX

/* Returns the number of a root in the joined graph; JOINED_NOWHERE: the root has no edges. */
static inline uint64_t joined_vertex(const struct joined_graph *all, const struct root *root)
{
    return root->at == ROOT_AT_DELEGATE ? root->index
           : root->at == ROOT_AT_LOCAL  ? all->first[root->shard] + root->index
                                        : JOINED_NOWHERE;
}

#endif

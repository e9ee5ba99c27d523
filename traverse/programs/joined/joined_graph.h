/* joined_graph.h: all shards of a graph as one, for many roots or many pairs at once.
 *
 * Vertices have one numbering: delegates first, then the local vertices of shard 0, of shard 1, and so on, each by
 * descending degree. All edges of a vertex lie side by side, those to delegates first. A search then needs
 * nothing but marks for each vertex, with any number of shards. */
#ifndef DBFS_JOINED_GRAPH_H
#define DBFS_JOINED_GRAPH_H

#include "traverse/engine/backend.h"
#include "traverse/session/graph.h"

/* Edges by vertex. */
struct joined_rows {
    uint64_t *offsets; /* [vertices + 2]; the last one is used only in making them */
    uint32_t *columns; /* [edges] */
    uint64_t edges;
};

struct joined_graph {
    const struct graph *shards;
    struct memory_budget *budget;
    uint64_t vertices;             /* vertices with edges */
    uint64_t *first;               /* [p] first number of the local vertices of a shard */
    uint64_t *ids;                 /* [vertices] input ids */
    struct joined_rows own[2];      /* in a directed graph the second ones are edges against the direction */
    const struct joined_rows *push; /* edges from a vertex to those that it finds */
    const struct joined_rows *pull; /* edges to those that find it; the same in an undirected graph; NULL: not wanted */
};

/* The open graph has all shards, and its columns are in memory, decoded or packed. It must outlive the joined graph.
 * `pulls`: rows against the edges of a directed graph are wanted. */
enum status joined_graph_open(struct joined_graph *all, const struct graph *graph, int pulls,
                              struct memory_budget *budget, struct error *e);
void joined_graph_close(struct joined_graph *all); /* a zeroed one is allowed */

#define JOINED_NOWHERE UINT64_MAX

/* Returns the vertex of a root; JOINED_NOWHERE: it has no edges. */
static inline uint64_t joined_vertex(const struct joined_graph *all, const struct root *root)
{
    return root->at == ROOT_AT_DELEGATE ? root->index
           : root->at == ROOT_AT_LOCAL  ? all->first[root->shard] + root->index
                                        : JOINED_NOWHERE;
}

#endif

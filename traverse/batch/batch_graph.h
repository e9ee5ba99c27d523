/* batch_graph.h: all shards of a graph as one, for searches from many roots at once.
 *
 * Vertices have one numbering: delegates first, then the local vertices of shard 0, of shard 1, and so on, each by
 * descending degree. All edges of a vertex lie side by side, those to delegates first. A search then needs nothing
 * but words of bits for each vertex, with any number of shards. */
#ifndef DBFS_BATCH_GRAPH_H
#define DBFS_BATCH_GRAPH_H

#include "traverse/devices/backend.h"
#include "traverse/graph.h"

/* Edges by vertex. */
struct batch_rows {
    uint64_t *offsets; /* [vertices + 2]; the last one is used only in making them */
    uint32_t *columns; /* [edges] */
    uint64_t edges;
};

struct batch_graph {
    const struct graph *shards;
    struct memory_budget *budget;
    uint64_t vertices;             /* vertices with edges */
    uint64_t *first;               /* [p] first number of the local vertices of a shard */
    uint64_t *ids;                 /* [vertices] input ids */
    uint64_t weight;               /* over all vertices: their degrees, each rounded down to a power of two */
    struct batch_rows own[2];      /* in a directed graph the second ones are edges against the direction */
    const struct batch_rows *push; /* edges from a vertex to those that it finds */
    const struct batch_rows *pull; /* edges to those that find it; the same in an undirected graph */
};

/* The open graph has all shards, and its columns are in memory, decoded or packed. It must outlive the batch
 * graph. */
enum status batch_graph_open(struct batch_graph *all, const struct graph *graph,
                             struct memory_budget *budget, struct error *e);
void batch_graph_close(struct batch_graph *all); /* a zeroed one is allowed */

#define BATCH_NOWHERE UINT64_MAX

/* Returns the vertex of a root; BATCH_NOWHERE: it has no edges. */
static inline uint64_t batch_vertex(const struct batch_graph *all, const struct root *root)
{
    return root->at == ROOT_AT_DELEGATE ? root->index
           : root->at == ROOT_AT_LOCAL  ? all->first[root->shard] + root->index
                                        : BATCH_NOWHERE;
}

/* floor(log2(degree)) of a vertex with edges */
static inline int batch_weight(const struct batch_rows *rows, uint64_t v)
{
    return 63 - __builtin_clzll((rows->offsets[v + 1] - rows->offsets[v]) | 1);
}

#endif

/* cost.h: the predicted cost of pushing and of pulling a subgraph in a level; for the host and kernels.
 *
 * A push along g reads the columns of the frontier's rows and claims a bit for each. A pull goes over the
 * unvisited rows of the reverse of g, and looks for a visited column in each. If a share s of the edge ends
 * of g is visited, a row finds one after 1/s probes, unless it ends before. Visited hubs have many edge ends
 * and make the share large. Costs are computed from counts alone and not from times, so two searches from
 * one root choose alike.
 */
#ifndef DBFS_COST_H
#define DBFS_COST_H

#include "formats/graph/subgraph.h"

#include <stdint.h>

#ifdef __CUDACC__
#define COST_FUNCTION __host__ __device__ static inline
#else
#define COST_FUNCTION static inline
#endif

struct shard;

/* Picoseconds that a step takes when the whole device takes many of them: rates.def describes each. */
struct cost_rates {
#define STEP(name, cpu, h200, unit, what) double name;
#include "formats/rates.def"
};

#ifdef __cplusplus
extern "C" {
#endif

/* Rates of one core, and of a whole H200. */
extern const struct cost_rates cost_rates_cpu, cost_rates_h200;

/* Rows that pulls read. A search counts the rows and edges that it has pushed. In an undirected graph pulls have the same
 * rows and edges. In a directed one each pushed row counts as `rows_each` pulled rows, each edge as `edges_each`. */
struct cost_pulled {
    double sources, edges, rows_each, edges_each;
};

/* The numbers of a shard that do not change in a search. */
struct cost_graph {
    double edges[SUBGRAPHS], sources[SUBGRAPHS]; /* sources: rows that are not empty */
    struct cost_pulled pulled[SUBGRAPHS];
    double both[VERTEX_KINDS];  /* vertices with rows in both subgraphs that are pulled for their kind */
    double words[VERTEX_KINDS]; /* of a mask: 32 bits each */
    struct cost_rates rates;
};

/* Counts the rows and edges of a shard. `rates` are copied, some of them scaled by the size of the shard. */
struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates);

/* Rows that a pull along g has to look at. `unvisited`: rows not yet visited of those that a push along the reverse of g
 * reads. In an undirected graph these are the same rows; in a directed one, others with the same share unvisited. */
uint64_t unvisited_pulled(const struct shard *shard, enum subgraph g, uint64_t unvisited);

/* Computes rows_each and edges_each from the counts. */
void cost_settle_pulled(struct cost_graph *graph);

#ifdef __cplusplus
}
#endif

/* Picoseconds of a push, from the rows and edges of a frontier in a subgraph. */
COST_FUNCTION double cost_push(const struct cost_graph *graph, double rows, double edges)
{
    return rows * graph->rates.push_row + edges * graph->rates.push_edge;
}

COST_FUNCTION int cost_reverse(int g) /* subgraph_reverse */
{
    return (g & 1) << 1 | g >> 1;
}

/* The share of the edge ends of g that is visited. */
COST_FUNCTION double cost_share(const struct cost_graph *graph, const double *seen_edges, int g)
{
    return (float)seen_edges[g] / (float)graph->edges[g]; /* fast on a GPU */
}

/* The subgraph whose pull comes before that of g and looks at the same vertices: the one whose sources are delegates. This
 * is g itself if its sources are. */
COST_FUNCTION int cost_before(int g)
{
    return g | 2;
}

/* About the share of the rows of a pull of g that the pull of cost_before(g) leaves. That pull finds even a vertex with one
 * edge end with the probability that this end is visited. */
COST_FUNCTION double cost_left(const struct cost_graph *graph, const double *seen_edges, int g)
{
    const double rows = graph->pulled[cost_reverse(g)].sources; /* 0: a directed graph has none here */
    return rows > 0 ? 1 - cost_share(graph, seen_edges, cost_before(g)) * graph->both[g & 1] / rows : 1;
}

/* Picoseconds of a pull of g. seen_rows and seen_edges[SUBGRAPHS] are those of all visited vertices, the frontier included.
 * `left`: the share of the rows that an earlier pull leaves. The rows left are short, so that they have less than this share
 * of the edges: at RMAT 27 a tenth of the rows had a fortieth. */
COST_FUNCTION double cost_pull(const struct cost_graph *graph, const double *seen_rows,
                               const double *seen_edges, int g, double left)
{
    const int reverse = cost_reverse(g);
    const float share = cost_share(graph, seen_edges, g);
    const struct cost_pulled *pulled = &graph->pulled[reverse];
    double rows = left * (pulled->sources - seen_rows[reverse] * pulled->rows_each);
    double edges = left * left * (pulled->edges - seen_edges[reverse] * pulled->edges_each);
    rows = rows > 0 ? rows : 0;
    edges = edges > rows ? edges : rows;
    double probes = rows < share * edges ? (float)rows / share : edges;
    if (graph->rates.hubs > 0 && probes > rows && seen_rows[g] > 0) {
        const double mean = graph->edges[g] / graph->sources[g];
        const double more = seen_edges[g] / seen_rows[g] / mean - 1; /* than the mean row has */
        const double times = 1 + graph->rates.hubs * (more > 0 ? more : 0);
        probes = rows + (probes - rows) / (times < graph->rates.hubs_most ? times : graph->rates.hubs_most);
    }
    return graph->words[g & 1] * graph->rates.word + rows * graph->rates.pull_row +
           (probes - rows) * graph->rates.pull_probe;
}

#endif

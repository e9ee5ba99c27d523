/* cost.h: the predicted cost of pushing and of pulling a subgraph in a level; for the host and kernels.
 *
 * A push along g reads the columns of the frontier's rows, and claims a bit for each column. A pull goes over the
 * unvisited rows of the reverse of g, and looks for a visited column in each row. If a share s of the edge ends
 * of g is visited, a row finds a visited column after 1/s probes on average. A row that has fewer columns ends before.
 * Visited hubs have many edge ends and make the share large. Costs are computed from counts alone and not from times, so two
 * searches from one root choose alike.
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

/* Picoseconds that a step takes when the whole device takes many steps. rates.def describes each step. */
struct cost_rates {
#define STEP(name, cpu, h200, unit, what) double name;
#include "formats/rates.def"
};

#ifdef __cplusplus
extern "C" {
#endif

/* The rates of one core, and the rates of a whole H200. */
extern const struct cost_rates cost_rates_cpu, cost_rates_h200;

/* The rows that a pull reads. A search counts only the rows and edges that are pushed. In an undirected graph a pull has the
 * same rows and edges. In a directed graph each pushed row counts as `rows_each` pulled rows, and each pushed edge as
 * `edges_each` pulled edges. */
struct cost_pulled {
    double sources, edges, rows_each, edges_each;
};

/* The numbers of a shard from which costs are computed, and the rates. They do not change in a search. */
struct cost_graph {
    double edges[SUBGRAPHS], sources[SUBGRAPHS]; /* of a push. sources: rows that are not empty */
    struct cost_pulled pulled[SUBGRAPHS];
    double both[VERTEX_KINDS];  /* vertices of a kind that have rows in both subgraphs that are pulled to find the kind */
    double words[VERTEX_KINDS]; /* 32-bit words of a mask over the vertices of this kind */
    struct cost_rates rates;
};

/* Counts the rows and edges of a shard. Copies `rates`, and scales two of the copied rates by the size of the shard. */
struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates);

/* Returns how many rows a pull along g has to look at. `unvisited`: the unvisited rows of the reverse of g, which a push
 * would read. In an undirected graph the pull looks at these rows. In a directed graph the pull looks at other rows, of
 * which the same share is taken as unvisited. */
uint64_t unvisited_pulled(const struct shard *shard, enum subgraph g, uint64_t unvisited);

/* Sets rows_each and edges_each of each subgraph from the counts of its rows and edges. */
void cost_settle_pulled(struct cost_graph *graph);

#ifdef __cplusplus
}
#endif

/* Returns the picoseconds of a push. `rows` and `edges`: the rows of the frontier in the subgraph, and the edges of these
 * rows. */
COST_FUNCTION double cost_push(const struct cost_graph *graph, double rows, double edges)
{
    return rows * graph->rates.push_row + edges * graph->rates.push_edge;
}

COST_FUNCTION int cost_reverse(int g) /* returns the reverse of subgraph g: dn for nd; subgraph_reverse for kernels */
{
    return (g & 1) << 1 | g >> 1;
}

/* Returns the share of the edge ends of g that is visited, 0 to 1. seen_edges[g]: edges of the visited rows of g. */
COST_FUNCTION double cost_share(const struct cost_graph *graph, const double *seen_edges, int g)
{
    return (float)seen_edges[g] / (float)graph->edges[g]; /* fast on a GPU */
}

/* Returns the subgraph that is pulled before g and finds vertices of the same kind: dn for nn, and dd for nd. Its sources
 * are delegates. Returns g itself if the sources of g are delegates, for dn and dd. */
COST_FUNCTION int cost_before(int g)
{
    return g | 2;
}

/* Returns an estimate of the share of the rows of a pull of g that the pull of cost_before(g) leaves. The earlier pull
 * finds a vertex at least with the probability that one edge end is visited. */
COST_FUNCTION double cost_left(const struct cost_graph *graph, const double *seen_edges, int g)
{
    const double rows = graph->pulled[cost_reverse(g)].sources; /* 0: a directed graph has none here */
    return rows > 0 ? 1 - cost_share(graph, seen_edges, cost_before(g)) * graph->both[g & 1] / rows : 1;
}

/* Returns the picoseconds of a pull of g. seen_rows and seen_edges[SUBGRAPHS]: rows and edges of all visited vertices, the
 * frontier included. `left`: the share of the rows that an earlier pull leaves. The rows that are left are short. So they
 * have less than the share `left` of the edges: at RMAT 27 a tenth of the rows had a fortieth of the edges. */
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

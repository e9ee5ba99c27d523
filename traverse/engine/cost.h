/* cost.h: the predicted cost of pushing and of pulling a subgraph in a level, for host code and kernels.
 *
 * A push along g reads the columns of the frontier's rows, and claims a bit for each column. A pull reads the unvisited
 * rows of the reverse of g, and looks for a visited column in each row. The edge ends of g are the columns that a pull
 * may probe. If a share s of these columns is visited, a row finds a visited column after 1/s probes on average. A row
 * with fewer columns ends earlier. Visited hubs stand in many columns, and make the share large. Costs are computed from
 * counts alone and not from measured times, so two searches from one root make the same choices. */
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

/* The picoseconds of each kind of step, if the whole device does many such steps. rates.def describes each step. */
struct cost_rates {
#define STEP(name, cpu, h200, unit, what) double name;
#include "formats/rates.def"
};

#ifdef __cplusplus
extern "C" {
#endif

/* The rates of one core of a CPU, and the rates of a whole H200. */
extern const struct cost_rates cost_rates_cpu, cost_rates_h200;

/* The rows that a pull reads. A search counts only rows and edges that are pushed. In an undirected graph the rows and
 * edges of a pull are the same. In a directed graph each pushed row counts as `rows_each` pulled rows, and each pushed
 * edge counts as `edges_each` pulled edges. */
struct cost_pulled {
    double sources, edges, rows_each, edges_each;
};

/* The counts of a shard from which costs are computed, and the rates. They do not change during a search. */
struct cost_graph {
    double edges[SUBGRAPHS], sources[SUBGRAPHS]; /* number of edges of a push, and of rows that are not empty */
    struct cost_pulled pulled[SUBGRAPHS];
    double both[VERTEX_KINDS]; /* number of vertices of a kind that have rows in both subgraphs in which pulls find this
                                * kind */
    double words[VERTEX_KINDS]; /* number of 32-bit words of a mask over the vertices of this kind */
    struct cost_rates rates;
};

/* Counts the rows and edges of a shard. Copies `rates`, and scales two of the copied rates by the size of the shard. */
struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates);

/* Returns the number of rows that a pull along g has to read. `unvisited`: the number of unvisited rows of the reverse of
 * g, which a push would read. In an undirected graph the pull reads the same rows. In a directed graph the pull reads
 * other rows, and the share of unvisited rows is assumed to be equal. */
uint64_t unvisited_pulled(const struct shard *shard, enum subgraph g, uint64_t unvisited);

/* Sets rows_each and edges_each of each subgraph, from the counts of rows and edges. */
void cost_settle_pulled(struct cost_graph *graph);

#ifdef __cplusplus
}
#endif

/* Returns the picoseconds of a push. `rows`: the number of the frontier's rows in the subgraph. `edges`: the number of
 * edges of these rows. */
COST_FUNCTION double cost_push(const struct cost_graph *graph, double rows, double edges)
{
    return rows * graph->rates.push_row + edges * graph->rates.push_edge;
}

COST_FUNCTION int cost_reverse(int g) /* returns the reverse of subgraph g, for example dn for nd. The same as
                                       * subgraph_reverse, for kernels */
{
    return (g & 1) << 1 | g >> 1;
}

/* Returns the share of the edge ends of g that is visited, from 0 to 1. seen_edges[g]: the number of edges of the visited
 * rows of g. */
COST_FUNCTION double cost_share(const struct cost_graph *graph, const double *seen_edges, int g)
{
    return (float)seen_edges[g] / (float)graph->edges[g]; /* division of floats is fast on a GPU */
}

/* Returns the subgraph that is pulled before g, has delegates as sources, and finds vertices of the same kind. This is dn
 * for nn, and dd for nd. For dn and dd, whose sources are delegates, returns g itself. */
COST_FUNCTION int cost_before(int g)
{
    return g | 2;
}

/* Returns an estimate of the share of the rows of a pull of g that remain without a parent after the pull of
 * cost_before(g). The earlier pull finds a parent for a row at least with the probability that one edge end is visited. */
COST_FUNCTION double cost_left(const struct cost_graph *graph, const double *seen_edges, int g)
{
    const double rows = graph->pulled[cost_reverse(g)].sources; /* 0: a directed graph has no rows here */
    return rows > 0 ? 1 - cost_share(graph, seen_edges, cost_before(g)) * graph->both[g & 1] / rows : 1;
}

/* Returns the picoseconds of a pull of g. seen_rows and seen_edges[SUBGRAPHS]: the number of rows and edges of all
 * visited vertices, the frontier included. `left`: the share of the rows that remain after an earlier pull. The remaining
 * rows are short, so their share of the edges is smaller than `left`. At RMAT 27 a tenth of the rows had a fortieth of
 * the edges. */
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
        const double more = seen_edges[g] / seen_rows[g] / mean - 1; /* how many times more edges a visited row has than the
                                                                      * mean row, less 1 */
        const double times = 1 + graph->rates.hubs * (more > 0 ? more : 0);
        probes = rows + (probes - rows) / (times < graph->rates.hubs_most ? times : graph->rates.hubs_most);
    }
    return graph->words[g & 1] * graph->rates.word + rows * graph->rates.pull_row +
           (probes - rows) * graph->rates.pull_probe;
}

#endif

/* cost.h: predicts the cost of pushing and of pulling a subgraph in a level, for host code and kernels
 *
 * A push along g reads the columns of the frontier's rows, and claims a bit for each column. A pull reads the unvisited
 * rows of the reverse of g, and probes the columns of each row until it finds a visited one. If a share s of all
 * columns is visited, a row takes 1/s probes on average, or as many as it has columns if that is less. Visited hubs are
 * columns of many rows, so they make s large.
 *
 * Costs come from counts and never from a clock, so two searches from one root make the same choices. */
#ifndef DBFS_COST_H
#define DBFS_COST_H

#include "formats/graph/subgraph.h"

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define COST_FUNCTION __host__ __device__ static inline
#else
#define COST_FUNCTION static inline
#endif

struct shard;

/* Picoseconds of each kind of step, if a core of a CPU or a whole GPU does many of them. rates.def describes the steps. */
struct cost_rates {
#define STEP(name, cpu, h200, bytes, unit, what) double name;
#include "formats/rates.def"
};

#ifdef __cplusplus
extern "C" {
#endif

/* The rates of one core of a CPU. Those of a GPU follow from what it says of itself (traverse/cuda/device/cuda_traits.h). */
extern const struct cost_rates cost_rates_cpu;

/* The rows and edges that pulls of a subgraph can read. A search counts only pushed rows and edges, and multiplies them
 * by rows_each and edges_each to estimate pulled ones. In an undirected graph pulls read the rows that are pushed, so
 * the factors are 1. In a directed graph pulls read in-rows. */
struct cost_pulled {
    double sources, edges, rows_each, edges_each;
};

/* What a search reads over the link: columns in memory of the host. All are 0 if a device has all columns. */
struct cost_link {
    uint8_t push, pull;           /* 1: columns of the rows that are pushed, or that are pulled, lie in memory of the host */
    uint8_t push_near, pull_near; /* so many columns of each row are read in memory of the device */
    float pull_further;           /* the share of the rows that are pulled that may have more */
};

/* What costs are computed from: counts of a shard, and rates. They stay the same during a search. */
struct cost_graph {
    double edges[SUBGRAPHS], sources[SUBGRAPHS]; /* number of edges of a push, and of rows that are not empty */
    struct cost_pulled pulled[SUBGRAPHS];
    struct cost_link link[SUBGRAPHS];
    double rows_of_two_pulls[VERTEX_KINDS]; /* [kind] vertices that have rows in both subgraphs whose pulls find this kind */
    double words[VERTEX_KINDS]; /* number of 32-bit words of a mask over the vertices of this kind */
    struct cost_rates rates;
};

/* Counts the rows and edges of a shard. Copies `rates`, but raises two of them with the size of the shard. */
struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates);

/* Estimates how many rows a pull along subgraph g reads. `unvisited` is the number of unvisited rows in the reverse of
 * g. An undirected graph pulls just these rows. A directed graph pulls in-rows, of which the same share is assumed to
 * be unvisited. */
uint64_t unvisited_pulled(const struct shard *shard, enum subgraph g, uint64_t unvisited);

/* Sets rows_each and edges_each of each subgraph, from the counts of rows and edges. */
void cost_settle_pulled(struct cost_graph *graph);

#ifdef __cplusplus
}
#endif

/* Returns the picoseconds more that a push along g of `rows` rows with `edges` edges takes, as it reads columns over the link. */
COST_FUNCTION double cost_push_link(const struct cost_graph *graph, int g, double rows, double edges)
{
    const double columns = edges - rows * graph->link[g].push_near;
    if (!graph->link[g].push || columns <= 0)
        return 0;
    return (rows < columns ? rows : columns) * graph->rates.link_row + columns * graph->rates.link_column;
}

/* Returns the picoseconds more that a pull of `rows` rows with `probes` probes takes, as it reads columns of the rows of subgraph g
 * over the link. The share `share` of all columns is visited. The first columns of a row are hubs, which are visited more often than that,
 * and the chance that a probe ends a row is that of the mean row, which is short. Rows that look further are long, so each of their probes
 * is taken to end them with the geometric mean of both chances (RMAT 20: .6 to 1.6 of the rows that look further). */
COST_FUNCTION double cost_pull_link(const struct cost_graph *graph, int g, double share, double rows, double probes)
{
    if (!graph->link[g].pull || rows <= 0)
        return 0;
    const float chance = sqrtf((float)share * ((float)rows / (float)probes)),
                length = (float)graph->pulled[g].edges / (float)(graph->pulled[g].sources * graph->link[g].pull_further);
    double left = rows * graph->link[g].pull_further;
    for (int near = 0; near < graph->link[g].pull_near; near++)
        left *= 1 - chance;
    return left * (graph->rates.link_row + (chance * length < 1 ? length : 1 / chance) * graph->rates.link_probe);
}

/* Returns the picoseconds of a push along g of `rows` frontier rows with `edges` edges in all. */
COST_FUNCTION double cost_push(const struct cost_graph *graph, int g, double rows, double edges)
{
    return rows * graph->rates.push_row + edges * graph->rates.push_edge + cost_push_link(graph, g, rows, edges);
}

COST_FUNCTION int cost_reverse(int g) /* returns the reverse of g, such as dn for nd: subgraph_reverse, for kernels */
{
    return (g & 1) << 1 | g >> 1;
}

/* Returns the share of visited vertices among the columns that a pull of subgraph g may probe, 0 to 1. seen_edges[g] is
 * the number of edges of the visited rows. */
COST_FUNCTION double cost_share(const struct cost_graph *graph, const double *seen_edges, int g)
{
    return (float)seen_edges[g] / (float)graph->edges[g]; /* division of floats is fast on a GPU */
}

/* Returns the subgraph that is pulled before g and finds the same kind of vertices: dn for nn, dd for nd. Returns g
 * itself for dn and dd, which come first. */
COST_FUNCTION int pulled_before(int g)
{
    return g | 2;
}

/* Estimates the share of the rows in a pull of subgraph g that still need a parent after the pull of pulled_before(g). A row
 * can have found a parent there only if it is a row of both subgraphs. Its chance is taken as that of a single edge to lead
 * to a visited vertex, which is less than the true chance of a row with several edges. */
COST_FUNCTION double share_without_parent(const struct cost_graph *graph, const double *seen_edges, int g)
{
    const double rows = graph->pulled[cost_reverse(g)].sources; /* 0: a directed graph has no rows here */
    return rows > 0 ? 1 - cost_share(graph, seen_edges, pulled_before(g)) * graph->rows_of_two_pulls[g & 1] / rows : 1;
}

/* Returns the picoseconds of a pull of subgraph g. seen_rows[] and seen_edges[], by subgraph, count the rows and edges of
 * all visited vertices, the frontier included. `left` is the share of rows that an earlier pull left without a parent. They
 * are short (at RMAT 27 a tenth of the rows had a fortieth of the edges), so left * left stands for their edges. */
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
        const double more = seen_edges[g] / seen_rows[g] / mean - 1; /* the mean visited row is 1 + `more` times as long as
                                                                      * the mean row */
        const double times = 1 + graph->rates.hubs * (more > 0 ? more : 0);
        probes = rows + (probes - rows) / (times < graph->rates.hubs_most ? times : graph->rates.hubs_most);
    }
    return graph->words[g & 1] * graph->rates.word + rows * graph->rates.pull_row +
           (probes - rows) * graph->rates.pull_probe + cost_pull_link(graph, reverse, share, rows, probes);
}

#endif

/* direction_cost.c: the rates of direction_cost.h, and the counts of a shard */
#include "direction_cost.h"

#include "formats/graph/shard.h"

const struct cost_rates cost_rates_cpu = {
#define STEP(name, cpu, h200, unit, what) .name = cpu,
#include "formats/rates.def"
};

const struct cost_rates cost_rates_h200 = {
#define STEP(name, cpu, h200, unit, what) .name = h200,
#include "formats/rates.def"
};

uint64_t unvisited_pulled(const struct shard *shard, enum subgraph g, uint64_t unvisited)
{
    const struct csr *pushed = &shard->csr[subgraph_reverse(g)], *pulled = shard_pull_rows(shard, g);
    if (pushed == pulled)
        return unvisited;
    double share = pushed->source_rows > 0 ? (double)unvisited / (double)pushed->source_rows : 1;
    return (uint64_t)(share * (double)pulled->source_rows);
}

void cost_settle_pulled(struct cost_graph *graph)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        struct cost_pulled *pulled = &graph->pulled[g];
        pulled->rows_each = graph->sources[g] > 0 ? pulled->sources / graph->sources[g] : 0;
        pulled->edges_each = graph->edges[g] > 0 ? pulled->edges / graph->edges[g] : 0;
    }
}

struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates)
{
    static const double NEAR_VERTICES = 1 << 18; /* of 8 bytes: they fit the second cache of a core */
    const double vertices = (double)(shard->locals + shard->d);
    struct cost_graph graph = {.rates = *rates};
    for (int g = 0; g < SUBGRAPHS; g++) {
        graph.edges[g] = (double)shard->csr[g].edges;
        graph.sources[g] = (double)shard->csr[g].source_rows;
        const struct csr *pulled = &shard->csr[shard_pulled(shard, (enum subgraph)g)];
        graph.pulled[g].sources = (double)pulled->source_rows;
        graph.pulled[g].edges = (double)pulled->edges;
    }
    cost_settle_pulled(&graph);
    if (vertices > NEAR_VERTICES)
        graph.rates.found += rates->far * (1 - NEAR_VERTICES / vertices);
    graph.rates.list_edge += rates->list_vertex * vertices;
    graph.words[NORMALS] = (double)((shard->locals + 31) / 32);
    graph.words[DELEGATES] = (double)((shard->d + 31) / 32);
    return graph;
}

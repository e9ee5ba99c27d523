/* direction_cost.c: the rates of direction_cost.h, and the counts of a shard */
#include "direction_cost.h"

#include "formats/shard.h"

const struct cost_rates cost_rates_cpu = {
#define STEP(name, cpu, h200, unit, what) .name = cpu,
#include "formats/rates.def"
};

const struct cost_rates cost_rates_h200 = {
#define STEP(name, cpu, h200, unit, what) .name = h200,
#include "formats/rates.def"
};

static struct cost_pulled pulled_of(const struct csr *pushed, const struct csr *pulled)
{
    double rows = (double)pulled->source_rows, edges = (double)pulled->edges;
    return (struct cost_pulled){.sources = rows,
                                .edges = edges,
                                .rows_each = pushed->source_rows > 0 ? rows / (double)pushed->source_rows : 0,
                                .edges_each = pushed->edges > 0 ? edges / (double)pushed->edges : 0};
}

struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates)
{
    static const double NEAR_VERTICES = 1 << 18; /* 8 bytes of each are in the second cache of a core */
    const double vertices = (double)(shard->locals + shard->d);
    struct cost_graph graph = {.rates = *rates};
    for (int g = 0; g < SUBGRAPHS; g++) {
        graph.edges[g] = (double)shard->csr[g].edges;
        graph.sources[g] = (double)shard->csr[g].source_rows;
        graph.pulled[g] = pulled_of(&shard->csr[g], &shard->csr[shard_pulled(shard, (enum subgraph)g)]);
    }
    if (vertices > NEAR_VERTICES)
        graph.rates.found += rates->far * (1 - NEAR_VERTICES / vertices);
    graph.rates.list_edge += rates->list_vertex * vertices;
    graph.words[NORMALS] = (double)((shard->locals + 31) / 32);
    graph.words[DELEGATES] = (double)((shard->d + 31) / 32);
    return graph;
}

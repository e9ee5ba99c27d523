/* direction_cost.c: the rates of direction_cost.h, and the counts of a shard */
#include "direction_cost.h"

#include "formats/shard.h"

const struct cost_rates cost_rates_cpu = {.masks = 10e6,
                                          .word = 500,
                                          .push_row = 2600,
                                          .push_edge = 2000,
                                          .mark_edge = 1500,
                                          .mark_word = 15000,
                                          .found = 3300,
                                          .far = 8000,
                                          .pull_row = 2500,
                                          .pull_probe = 1000,
                                          .hubs = 0.03,
                                          .hubs_most = 1000};

const struct cost_rates cost_rates_h200 = {.masks = 12e6,
                                           .list = 5e6,
                                           .list_edge = 100,
                                           .list_vertex = 15e-6,
                                           .word = 13,
                                           .push_row = 50,
                                           .push_edge = 11,
                                           .push_parent = 12,
                                           .found = 0,
                                           .pull_row = 8,
                                           .pull_probe = 10,
                                           .hubs = 2,
                                           .hubs_most = 8};

struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates)
{
    static const double NEAR_VERTICES = 1 << 18; /* 8 bytes of each are in the second cache of a core */
    const double vertices = (double)(shard->locals + shard->d);
    struct cost_graph graph = {.rates = *rates};
    for (int g = 0; g < SUBGRAPHS; g++) {
        graph.edges[g] = (double)shard->csr[g].edges;
        graph.sources[g] = (double)shard->csr[g].source_rows;
    }
    if (vertices > NEAR_VERTICES)
        graph.rates.found += rates->far * (1 - NEAR_VERTICES / vertices);
    graph.rates.list_edge += rates->list_vertex * vertices;
    graph.words[NORMALS] = (double)((shard->locals + 31) / 32);
    graph.words[DELEGATES] = (double)((shard->d + 31) / 32);
    return graph;
}

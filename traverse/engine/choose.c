/* choose.c: chooses directions (choose.h), and counts the rows and edges of a shard for predictions of costs (cost.h) */
#include "choose.h"

#include "formats/base/arith.h"

#include <string.h>

/* The policy of a user who gives no options. Its factors (rates.def) serve only backends that predict no costs. */
const struct direction_policy direction_defaults = {
    .mode = DIRECTION_AUTO,
    .factor0 = {
#define FACTOR(subgraph, to_pull, to_push, unit, what) [subgraph] = to_pull,
#include "formats/rates.def"
    },
    .factor1 = {
#define FACTOR(subgraph, to_pull, to_push, unit, what) [subgraph] = to_push,
#include "formats/rates.def"
    },
};

/* Returns BV = |U| (q + s) / q, which choose.h explains. q must not be 0. */
double backward_work(const struct subgraph_work *w)
{
    double q = (double)w->frontier, s = (double)w->unvisited_sources;
    return (double)w->unvisited_targets * (q + s) / q;
}

/* Returns whether the exact FV, the number of the frontier's edges, could change a choice by factors. It cannot if the
 * frontier is empty, if the mode prescribes a direction, or if the lower bound q of FV decides already. */
int direction_needs_forward(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                            enum direction current)
{
    if (policy->mode != DIRECTION_AUTO || work->frontier == 0)
        return 0;
    double backward = backward_work(work), least = (double)work->frontier;
    if (current == PUSH)
        return !(least > policy->factor0[g] * backward);
    return least < policy->factor1[g] * backward;
}

/* Chooses a direction by the mode or the factors. An empty frontier keeps `current`. */
enum direction choose_direction(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                                enum direction current)
{
    if (policy->mode == DIRECTION_PUSH)
        return PUSH;
    if (policy->mode == DIRECTION_PULL)
        return PULL;
    if (work->frontier == 0)
        return current; /* there is nothing to visit in either direction */
    double forward = (double)work->forward, backward = backward_work(work);
    if (current == PUSH && forward > policy->factor0[g] * backward)
        return PULL;
    if (current == PULL && forward < policy->factor1[g] * backward)
        return PUSH;
    return current;
}

/* ---- by cost ---- */

/* Forgets what the last search visited. */
void direction_costs_begin(struct direction_costs *costs)
{
    memset(costs->seen_rows, 0, sizeof costs->seen_rows);
    memset(costs->seen_edges, 0, sizeof costs->seen_edges);
    costs->overlap = 0;
}

/* Adds the frontier's rows and edges in g to the sums of the search. */
void direction_costs_see(struct direction_costs *costs, enum subgraph g, const struct subgraph_work *work)
{
    costs->seen_rows[g] += (double)work->frontier;
    costs->seen_edges[g] += (double)work->forward;
}

/* Predicts how many vertices a push along subgraph g finds. Begins with the frontier's edges to unvisited vertices.
 * Then subtracts the share `overlap` of them, because other edges find the same vertices. In meshes this share is large
 * and changes little from level to level, so the share of the last level is a good guess. */
static double expect_found(const struct direction_costs *costs, enum subgraph g, const struct subgraph_work *work)
{
    enum subgraph reverse = subgraph_reverse(g);
    const struct cost_pulled *pulled = &costs->graph.pulled[reverse];
    double left = pulled->edges - costs->seen_edges[reverse] * pulled->edges_each;
    double found = left > 0 ? (double)work->forward * left / pulled->edges * (1 - costs->overlap) : 0;
    return found < (double)work->unvisited_targets ? found : (double)work->unvisited_targets;
}

/* Returns the share of rows that is left to a pull of subgraph g, because an earlier pull of the level (pulled_before) has
 * found no parents for them. Returns 1 if there is no earlier pull. */
static double share_to_pull(const struct direction_costs *costs, enum subgraph g, const struct workload *all)
{
    const int before = pulled_before(g);
    const struct subgraph_work *work = &all->of[before];
    return before != (int)g && work->frontier > 0 && direction_by_cost(DIRECTION_AUTO, work) == PULL
               ? share_without_parent(&costs->graph, costs->seen_edges, g)
               : 1;
}

/* Predicts the costs of a push and of a pull of subgraph g, and how many vertices the push finds; all are 0 if g has no
 * frontier. `all` must already have the costs of pulled_before(g), which is pulled before g. */
struct direction_costs_of direction_costs_of(const struct direction_costs *costs, enum subgraph g,
                                             const struct workload *all)
{
    struct direction_costs_of costs_of = {.found = 0};
    const struct subgraph_work *work = &all->of[g];
    if (work->frontier == 0)
        return costs_of;
    costs_of.found = expect_found(costs, g, work);
    costs_of.of[PUSH] = cost_push(&costs->graph, g, (double)work->frontier, (double)work->forward) +
                        costs_of.found * costs->graph.rates.found;
    costs_of.of[PULL] = cost_pull(&costs->graph, costs->seen_rows, costs->seen_edges, g, share_to_pull(costs, g, all));
    return costs_of;
}

/* Returns the direction of the mode or, in DIRECTION_AUTO, the cheaper one. */
enum direction direction_by_cost(enum direction_mode mode, const struct subgraph_work *work)
{
    if (mode != DIRECTION_AUTO)
        return mode == DIRECTION_PULL ? PULL : PUSH;
    return work->cost[PULL] < work->cost[PUSH] ? PULL : PUSH;
}

/* ---- the rates of cost.h, and the counts of a shard ---- */

const struct cost_rates cost_rates_cpu = {
#define STEP(name, cpu, h200, bytes, unit, what) .name = cpu,
#include "formats/rates.def"
};

/* Estimates how many rows a pull along g reads. cost.h has the assumption. */
uint64_t unvisited_pulled(const struct shard *shard, enum subgraph g, uint64_t unvisited)
{
    const struct csr *pushed = &shard->csr[subgraph_reverse(g)], *pulled = shard_pull_rows(shard, g);
    if (pushed == pulled)
        return unvisited;
    double share = pushed->source_rows > 0 ? (double)unvisited / (double)pushed->source_rows : 1;
    return (uint64_t)(share * (double)pulled->source_rows);
}

/* Sets rows_each and edges_each, the ratios of pulled to pushed rows and edges, from the numbers of both. */
void cost_settle_pulled(struct cost_graph *graph)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        struct cost_pulled *pulled = &graph->pulled[g];
        pulled->rows_each = graph->sources[g] > 0 ? pulled->sources / graph->sources[g] : 0;
        pulled->edges_each = graph->edges[g] > 0 ? pulled->edges / graph->edges[g] : 0;
    }
}

/* Returns how many vertices of a kind have rows in both subgraphs whose pulls find this kind: dn and nn for normals, dd and
 * nd for delegates. The second pull can skip such a vertex if the first one found a parent for it. */
static double count_rows_of_two_pulls(const struct shard *shard, enum vertex_kind kind)
{
    const enum subgraph of[VERTEX_KINDS][2] = {{NN, ND}, {DN, DD}};
    const struct csr *a = &shard->csr[shard_pulled(shard, of[kind][0])], *b = &shard->csr[shard_pulled(shard, of[kind][1])];
    uint64_t rows = 0;
    for (uint64_t w = 0; w < divide_up(a->rows, 64) && a->source_rows > 0 && b->source_rows > 0; w++)
        rows += (uint64_t)__builtin_popcountll(a->sources[w] & b->sources[w]);
    return (double)rows;
}

/* Counts the rows and edges of a shard, from which costs are predicted. Copies the rates, but raises `found` and `list_edge`
 * with the number of vertices, because reads of large arrays miss the caches. Called when a device is opened. */
struct cost_graph cost_graph_of(const struct shard *shard, const struct cost_rates *rates)
{
    static const double NEAR_VERTICES = 1 << 18; /* so many vertices of 8 bytes each fit into the second-level cache of
                                                  * a core */
    const double vertices = (double)(shard->locals + shard->d);
    struct cost_graph graph = {.rates = *rates};
    for (int g = 0; g < SUBGRAPHS; g++) {
        graph.edges[g] = (double)shard->csr[g].edges;
        graph.sources[g] = (double)shard->csr[g].source_rows;
        const struct csr *pulled = &shard->csr[shard_pulled(shard, (enum subgraph)g)];
        graph.pulled[g].sources = (double)pulled->source_rows;
        graph.pulled[g].edges = (double)pulled->edges;
    }
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        graph.rows_of_two_pulls[kind] = count_rows_of_two_pulls(shard, (enum vertex_kind)kind);
    cost_settle_pulled(&graph);
    if (vertices > NEAR_VERTICES)
        graph.rates.found += rates->far * (1 - NEAR_VERTICES / vertices);
    graph.rates.list_edge += rates->list_vertex * vertices;
    graph.words[NORMALS] = (double)((shard->locals + 31) / 32);
    graph.words[DELEGATES] = (double)((shard->d + 31) / 32);
    return graph;
}

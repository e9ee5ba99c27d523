/* cuda_fused_cost.h: the choice of a level's way in the one-kernel search: lists or masks, push or
 * pull; for the host and kernels. Costs are those of cost.h.
 */
#ifndef DBFS_CUDA_FUSED_COST_H
#define DBFS_CUDA_FUSED_COST_H

#include "traverse/engine/cost.h"

#include <stdint.h>

enum fused_mode { FUSED_BY_COST, FUSED_PUSH, FUSED_PULL };

/* A search between two levels. */
struct fused_progress {
    int32_t depth;     /* of the frontier */
    uint32_t round;    /* the counters that the level uses */
    uint32_t current;    /* the list that has the frontier */
    uint32_t items;   /* in that list */
    uint32_t sparse;   /* the list has the whole frontier; otherwise the masks have it */
    unsigned long long fresh; /* vertices of the frontier */
    double frontier[SUBGRAPHS], forward[SUBGRAPHS]; /* q and FV */
    /* visited sources and their edges, those of the frontier included */
    double seen[SUBGRAPHS], seen_edges[SUBGRAPHS];
};

/* The choice for a level, and the costs that it rests on. */
struct fused_choice {
    int dense; /* by masks, since something is pulled or much is pushed; otherwise by lists */
    int pull[SUBGRAPHS];
    double push_edges;
    double sparse_cost[SUBGRAPHS], push_cost[SUBGRAPHS], pull_cost[SUBGRAPHS]; /* push: by masks */
};

/* The costs of one subgraph, which fused_choose compares. */
COST_FUNCTION void fused_weigh(const struct cost_graph *graph, const struct fused_progress *s,
                              enum fused_mode mode, int g, struct fused_choice *c)
{
    const int has = s->frontier[g] > 0;
    const double find = s->sparse ? 0 : graph->words[g >> 1] * graph->rates.word; /* the rows in the mask */
    c->sparse_cost[g] = s->forward[g] * graph->rates.list_edge;
    c->push_cost[g] = has ? cost_push(graph, s->frontier[g], s->forward[g]) + find : 0;
    c->pull_cost[g] = has && mode != FUSED_PUSH ? cost_pull(graph, s->seen, s->seen_edges, g, 1) : 0;
    c->pull[g] =
        has && (mode == FUSED_PULL || (mode != FUSED_PUSH && c->pull_cost[g] < c->push_cost[g]));
}

/* Weighs the pull of g again if it comes behind another one. All subgraphs are weighed by then. */
COST_FUNCTION void fused_weigh_behind(const struct cost_graph *graph, const struct fused_progress *s,
                                     enum fused_mode mode, int g, struct fused_choice *c)
{
    const int before = cost_before(g);
    if (before == g || !c->pull[before] || s->frontier[g] == 0)
        return;
    c->pull_cost[g] = cost_pull(graph, s->seen, s->seen_edges, g, cost_left(graph, s->seen_edges, g));
    c->pull[g] = mode == FUSED_PULL || c->pull_cost[g] < c->push_cost[g];
}

/* Chooses for the next level, when all subgraphs are weighed. The caller sets c->push_edges, the FV
 * of all subgraphs. Lists can hold at most `most_listed` edges. A frontier that is a mask has no
 * list yet, and gets none if it has at least `most_listed` vertices. */
COST_FUNCTION void fused_choose(const struct cost_graph *graph, const struct fused_progress *s,
                               enum fused_mode mode, double most_listed, struct fused_choice *c)
{
    double lists = s->sparse ? 0 : graph->rates.list,
           masks = graph->rates.masks +
                   (graph->words[NORMALS] + graph->words[DELEGATES]) * graph->rates.word;
    int pulls = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        pulls |= c->pull[g];
        lists += c->sparse_cost[g];
        masks += c->pull[g] ? c->pull_cost[g] : c->push_cost[g];
    }
    c->dense = c->push_edges > most_listed || (!s->sparse && (double)s->fresh > most_listed) ||
               (pulls && mode == FUSED_PULL) || masks < lists;
    for (int g = 0; g < SUBGRAPHS; g++)
        c->pull[g] = c->pull[g] && c->dense;
}

#endif

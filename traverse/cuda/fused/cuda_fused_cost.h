/* cuda_fused_cost.h: the choice of a level in the fused search, sparse or dense, push or pull; for the host and kernels
 *
 * Costs are those of cost.h, in picoseconds.
 */
#ifndef DBFS_CUDA_FUSED_COST_H
#define DBFS_CUDA_FUSED_COST_H

#include "traverse/engine/cost.h"

#include <stdint.h>

enum fused_mode { FUSED_BY_COST, FUSED_PUSH, FUSED_PULL };

/* A search between two levels. */
struct fused_progress {
    int32_t depth;    /* of the frontier */
    uint32_t round;   /* the counters that the level uses */
    uint32_t current; /* of two sparse frontiers, the one of this level */
    uint32_t items;   /* work items in it */
    uint32_t sparse;  /* the work items are the whole frontier; otherwise a bitmap is */
    unsigned long long fresh; /* vertices of the frontier */
    double frontier[SUBGRAPHS], forward[SUBGRAPHS]; /* q and FV: vertices with rows, and the edges of these */
    double seen[SUBGRAPHS], seen_edges[SUBGRAPHS];  /* the same of all visited vertices, those of the frontier included */
};

/* The choice for a level, and the costs that it rests on. */
struct fused_choice {
    int dense; /* since something is pulled or much is pushed */
    int pull[SUBGRAPHS];
    double push_edges;
    double sparse_cost[SUBGRAPHS], push_cost[SUBGRAPHS], pull_cost[SUBGRAPHS]; /* the last two: of a dense level */
};

/* Computes the costs of subgraph g, and whether it is pulled if the level is dense. */
COST_FUNCTION void fused_weigh(const struct cost_graph *graph, const struct fused_progress *s,
                               enum fused_mode mode, int g, struct fused_choice *c)
{
    const int has = s->frontier[g] > 0;
    const double find = s->sparse ? 0 : graph->words[g >> 1] * graph->rates.word; /* the rows in the bitmap */
    c->sparse_cost[g] = s->forward[g] * graph->rates.list_edge;
    c->push_cost[g] = has ? cost_push(graph, s->frontier[g], s->forward[g]) + find : 0;
    c->pull_cost[g] = has && mode != FUSED_PUSH ? cost_pull(graph, s->seen, s->seen_edges, g, 1) : 0;
    c->pull[g] =
        has && (mode == FUSED_PULL || (mode != FUSED_PUSH && c->pull_cost[g] < c->push_cost[g]));
}

/* Computes the cost of a pull of g again if it comes behind another one, which leaves fewer rows. Called when fused_weigh
 * was called for all subgraphs. */
COST_FUNCTION void fused_weigh_behind(const struct cost_graph *graph, const struct fused_progress *s,
                                      enum fused_mode mode, int g, struct fused_choice *c)
{
    const int before = cost_before(g);
    if (before == g || !c->pull[before] || s->frontier[g] == 0)
        return;
    c->pull_cost[g] = cost_pull(graph, s->seen, s->seen_edges, g, cost_left(graph, s->seen_edges, g));
    c->pull[g] = mode == FUSED_PULL || c->pull_cost[g] < c->push_cost[g];
}

/* Chooses c->dense for the next level, and clears c->pull if it is sparse. Called when all subgraphs are weighed; the
 * caller sets c->push_edges, the FV of all subgraphs. A sparse level has at most `most_listed` edges. A frontier that is a
 * bitmap has no work items yet, and gets none if it has more than `most_listed` vertices. */
COST_FUNCTION void fused_choose(const struct cost_graph *graph, const struct fused_progress *s,
                                enum fused_mode mode, double most_listed, struct fused_choice *c)
{
    double sparse = s->sparse ? 0 : graph->rates.list,
           dense = graph->rates.masks + (graph->words[NORMALS] + graph->words[DELEGATES]) * graph->rates.word;
    int pulls = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        pulls |= c->pull[g];
        sparse += c->sparse_cost[g];
        dense += c->pull[g] ? c->pull_cost[g] : c->push_cost[g];
    }
    c->dense = c->push_edges > most_listed || (!s->sparse && (double)s->fresh > most_listed) ||
               (pulls && mode == FUSED_PULL) || dense < sparse;
    for (int g = 0; g < SUBGRAPHS; g++)
        c->pull[g] = c->pull[g] && c->dense;
}

#endif

/* cuda_fused_cost.h: the choice of a level in the fused search, sparse or dense, push or pull; for the host and for
 * kernels
 *
 * Costs are computed as in traverse/engine/cost.h, in picoseconds.
 */
#ifndef DBFS_CUDA_FUSED_COST_H
#define DBFS_CUDA_FUSED_COST_H

#include "traverse/engine/cost.h"

#include <stdint.h>

/* How the search chooses directions: by costs, always push, or always pull. */
enum fused_mode { FUSED_BY_COST, FUSED_PUSH, FUSED_PULL };

/* The state of a search between two levels. */
struct fused_progress {
    int32_t depth;    /* the depth of the frontier */
    uint32_t round;   /* the index of the set of counters that the level uses: 0, 1 or 2 */
    uint32_t current; /* the index of the sparse frontier of this level, 0 or 1; the other one is for the next level */
    uint32_t items;   /* work items of the sparse frontier */
    uint32_t sparse;  /* the work items are the whole frontier; 0: a bitmap is the frontier */
    unsigned long long fresh; /* vertices of the frontier */
    double frontier[SUBGRAPHS], forward[SUBGRAPHS]; /* vertices of the frontier with rows (q); edges of these rows (FV) */
    double seen[SUBGRAPHS], seen_edges[SUBGRAPHS];  /* visited vertices with rows, and their edges. The frontier counts */
};

/* The choice for a level, and the costs on which the choice rests. */
struct fused_choice {
    int dense;           /* the level is dense: a subgraph is pulled, or many edges are pushed */
    int pull[SUBGRAPHS]; /* the subgraph is pulled; 0: it is pushed */
    double push_edges;   /* edges of the frontier, over all subgraphs */
    double sparse_cost[SUBGRAPHS];                     /* the cost of the subgraph in a sparse level */
    double push_cost[SUBGRAPHS], pull_cost[SUBGRAPHS]; /* the costs of a push and of a pull in a dense level */
};

/* Computes the costs of subgraph g for the next level: c->sparse_cost[g], c->push_cost[g] and c->pull_cost[g]. Also sets
 * c->pull[g], which says whether a dense level pulls the subgraph. A subgraph without rows in the frontier costs nothing,
 * and is not pulled. */
COST_FUNCTION void fused_weigh(const struct cost_graph *graph, const struct fused_progress *s,
                               enum fused_mode mode, int g, struct fused_choice *c)
{
    const int has = s->frontier[g] > 0;
    const double find = s->sparse ? 0 : graph->words[g >> 1] * graph->rates.word; /* to find the rows in the bitmap */
    c->sparse_cost[g] = s->forward[g] * graph->rates.list_edge;
    c->push_cost[g] = has ? cost_push(graph, s->frontier[g], s->forward[g]) + find : 0;
    c->pull_cost[g] = has && mode != FUSED_PUSH ? cost_pull(graph, s->seen, s->seen_edges, g, 1) : 0;
    c->pull[g] =
        has && (mode == FUSED_PULL || (mode != FUSED_PUSH && c->pull_cost[g] < c->push_cost[g]));
}

/* Computes the cost of a pull of subgraph g again, for a dense level in which another pull comes first and leaves fewer
 * rows. Changes c->pull_cost[g] and c->pull[g]. Does nothing if no other pull comes first. Called when fused_weigh was
 * called for all subgraphs. */
COST_FUNCTION void fused_weigh_behind(const struct cost_graph *graph, const struct fused_progress *s,
                                      enum fused_mode mode, int g, struct fused_choice *c)
{
    const int before = cost_before(g);
    if (before == g || !c->pull[before] || s->frontier[g] == 0)
        return;
    c->pull_cost[g] = cost_pull(graph, s->seen, s->seen_edges, g, cost_left(graph, s->seen_edges, g));
    c->pull[g] = mode == FUSED_PULL || c->pull_cost[g] < c->push_cost[g];
}

/* Chooses whether the next level is dense: sets c->dense, and clears all c->pull if the level is sparse. Called when all
 * subgraphs are weighed, and when the caller has set c->push_edges, the edges of the frontier in all subgraphs.
 *
 * A sparse level has at most `most_listed` edges. A frontier that is a bitmap has no work items yet, and gets none if it
 * has more than `most_listed` vertices. */
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

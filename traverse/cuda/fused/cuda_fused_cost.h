/* cuda_fused_cost.h: costs by which a fused search chooses a sparse or a dense level, and push or pull for each subgraph
 *
 * The host and kernels call these functions. Costs are computed as in traverse/engine/cost.h, in picoseconds.
 */
#ifndef DBFS_CUDA_FUSED_COST_H
#define DBFS_CUDA_FUSED_COST_H

#include "traverse/engine/cost.h"

#include <stdint.h>

/* How a search chooses directions: by costs, always push, or always pull. */
enum fused_mode { FUSED_BY_COST, FUSED_PUSH, FUSED_PULL };

/* The state of a search between two levels. */
struct fused_progress {
    int32_t depth;    /* the depth of the frontier */
    uint32_t round;   /* the index of the set of counters that the level uses: 0, 1 or 2 */
    uint32_t current; /* the index of the sparse frontier of this level, 0 or 1; current ^ 1 is for the next level */
    uint32_t items;   /* work items of the sparse frontier */
    uint32_t sparse;  /* 1: the frontier is sparse, and has work items for all its vertices; 0: a bitmap is the frontier */
    unsigned long long fresh; /* vertices of the frontier */
    double frontier[SUBGRAPHS], forward[SUBGRAPHS]; /* vertices of the frontier with rows (q); edges of these rows (FV) */
    double seen[SUBGRAPHS], seen_edges[SUBGRAPHS];  /* visited vertices with rows, frontier included; edges of these rows */
};

/* The choice for a level, and the costs on which it rests. */
struct fused_choice {
    int dense;           /* the level is dense: a subgraph is pulled, or many edges are pushed */
    int pull[SUBGRAPHS]; /* 1: a pull of the reverse subgraph takes the place of the push along g; 0: g is pushed */
    double push_edges;   /* edges of the frontier, over all subgraphs */
    double sparse_cost[SUBGRAPHS];                     /* the cost of the subgraph in a sparse level */
    double push_cost[SUBGRAPHS], pull_cost[SUBGRAPHS]; /* the costs of a push and of a pull in a dense level */
};

/* Computes what subgraph g would cost in the next level: in a sparse level, and in a dense level by a push and by a pull. Also
 * sets c->pull[g] if a dense level should pull the subgraph. All are 0 if the frontier has no rows in the subgraph. */
COST_FUNCTION void fused_weigh(const struct cost_graph *graph, const struct fused_progress *s,
                               enum fused_mode mode, int g, struct fused_choice *c)
{
    const int has = s->frontier[g] > 0;
    const double find = s->sparse ? 0 : graph->words[g >> 1] * graph->rates.word; /* to find the rows in the bitmap */
    c->sparse_cost[g] = s->forward[g] * graph->rates.list_edge + cost_push_link(graph, g, s->frontier[g], s->forward[g]);
    c->push_cost[g] = has ? cost_push(graph, g, s->frontier[g], s->forward[g]) + find : 0;
    c->pull_cost[g] = has && mode != FUSED_PUSH ? cost_pull(graph, s->seen, s->seen_edges, g, 1) : 0;
    c->pull[g] =
        has && (mode == FUSED_PULL || (mode != FUSED_PUSH && c->pull_cost[g] < c->push_cost[g]));
}

/* Lowers the cost of pulling subgraph g if another subgraph, pulled_before(g), is pulled before it: vertices that find a parent
 * there do not look again. Also corrects c->pull[g] accordingly. Called after fused_weigh was called for all subgraphs. */
COST_FUNCTION void fused_weigh_behind(const struct cost_graph *graph, const struct fused_progress *s,
                                      enum fused_mode mode, int g, struct fused_choice *c)
{
    const int before = pulled_before(g);
    if (before == g || !c->pull[before] || s->frontier[g] == 0)
        return;
    c->pull_cost[g] = cost_pull(graph, s->seen, s->seen_edges, g, share_without_parent(graph, s->seen_edges, g));
    c->pull[g] = mode == FUSED_PULL || c->pull_cost[g] < c->push_cost[g];
}

/* Chooses a sparse or a dense level by the sums of the costs: sets c->dense, and clears all c->pull if the level is sparse.
 * Called after fused_weigh and fused_weigh_behind for all subgraphs, and with the frontier's edges in c->push_edges.
 *
 * A level of more than `most_listed` edges is always dense. So is the level after a dense frontier of more than `most_listed`
 * vertices, because a list has no room for these. */
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

/* cuda_solo_cost.h: what pushing and pulling would cost in a level; for the host and kernels.
 *
 * A push along g reads the columns of the frontier's rows and claims a bit for each. A pull looks, for each
 * unvisited row of the reverse of g, for a visited column. If a share s of the edge ends of g is visited,
 * a row finds one after 1/s probes, unless it ends before. Visited hubs have many edge ends and make the
 * share large. Costs are computed from counts alone and not from times, so two searches from one root choose
 * alike.
 */
#ifndef DBFS_CUDA_SOLO_COST_H
#define DBFS_CUDA_SOLO_COST_H

#include "formats/graph/subgraph.h"

#include <stdint.h>

#ifdef __CUDACC__
#define COST_FUNCTION __host__ __device__ static inline
#else
#define COST_FUNCTION static inline
#endif

/* Picoseconds that a step takes when the whole device takes many of them. */
struct solo_rates {
    double masks;    /* what a level by masks costs more than one by lists */
    double word;     /* 32 bits of a mask, read and written */
    double push_row, push_edge;
    double pull_row, pull_probe;
};

/* What does not change in a search. */
struct solo_graph {
    double edges[SUBGRAPHS], sources[SUBGRAPHS]; /* sources: rows that are not empty */
    double words[VERTEX_KINDS];                  /* of a mask */
    struct solo_rates rates;
};

enum solo_mode { SOLO_BY_COST, SOLO_PUSH, SOLO_PULL };

/* A search between two levels. */
struct solo_progress {
    int32_t depth;     /* of the frontier */
    uint32_t turn;     /* which counters the level uses */
    uint32_t list;     /* which list has the frontier */
    uint32_t pieces;   /* in that list */
    uint32_t listed;   /* the list has the whole frontier; otherwise the masks have it */
    unsigned long long fresh; /* vertices of the frontier */
    double frontier[SUBGRAPHS], forward[SUBGRAPHS]; /* q and FV */
    /* visited sources and their edges, those of the frontier included */
    double seen[SUBGRAPHS], seen_edges[SUBGRAPHS];
};

/* What a level does. */
struct solo_choice {
    int masks; /* by masks, since something is pulled or much is pushed; otherwise by lists */
    int pull[SUBGRAPHS];
    double push_edges;
};

COST_FUNCTION double solo_cost_push(const struct solo_graph *graph, const struct solo_progress *s,
                                    int g)
{
    return s->frontier[g] * graph->rates.push_row + s->forward[g] * graph->rates.push_edge;
}

COST_FUNCTION double solo_cost_pull(const struct solo_graph *graph, const struct solo_progress *s,
                                    int g)
{
    const int reverse = (g & 1) << 1 | g >> 1; /* subgraph_reverse */
    const double share = s->seen_edges[g] / graph->edges[g];
    double rows = graph->sources[reverse] - s->seen[reverse];
    double edges = graph->edges[reverse] - s->seen_edges[reverse];
    rows = rows > 0 ? rows : 0;
    edges = edges > rows ? edges : rows;
    const double probes = rows < share * edges ? rows / share : edges;
    return graph->words[g & 1] * graph->rates.word + rows * graph->rates.pull_row +
           probes * graph->rates.pull_probe;
}

/* Chooses for the next level. The caller sets c->push_edges, the FV of all subgraphs. Lists can hold at most
 * `most_listed` edges. */
COST_FUNCTION void solo_choose(const struct solo_graph *graph, const struct solo_progress *s,
                               enum solo_mode mode, double most_listed, struct solo_choice *c)
{
    double lists = 0, masks = graph->rates.masks +
                              (graph->words[NORMALS] + graph->words[DELEGATES]) * graph->rates.word;
    int pulls = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        c->pull[g] = 0;
        if (!(s->frontier[g] > 0))
            continue;
        const double push = solo_cost_push(graph, s, g);
        const double pull = mode == SOLO_PUSH ? push : solo_cost_pull(graph, s, g);
        c->pull[g] = mode == SOLO_PULL || pull < push;
        pulls |= c->pull[g];
        lists += push;
        masks += c->pull[g] ? pull : push;
    }
    c->masks = !s->listed || c->push_edges > most_listed ||
               (pulls && (mode == SOLO_PULL || masks < lists));
    for (int g = 0; g < SUBGRAPHS; g++)
        c->pull[g] = c->pull[g] && c->masks;
}

#endif

/* choose.h: chooses push or pull for each subgraph, on each device and in each level (section IV-B of Pan et al.)
 *
 * There are two ways to choose. If the backend predicts costs (cost.h), the cheaper direction is taken. If it does not,
 * or if the user gave the paper's factors, two workloads are compared. FV is the number of edges that a push follows
 * from the frontier. BV = |U| (q + s) / q estimates the edges that a pull probes; struct subgraph_work explains the
 * letters. A push changes to a pull when FV > factor0 * BV, and a pull changes back when FV < factor1 * BV.
 *
 * A device has both directions of each edge of dd, nd and dn, so it can choose for these subgraphs alone. The reverse
 * of an nn edge may be on another device, so all devices must make the same choice for nn. */
#ifndef DBFS_CHOOSE_H
#define DBFS_CHOOSE_H

#include "cost.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* The direction of a visit. PUSH: the vertices of the frontier look for unvisited neighbours. PULL: unvisited vertices
 * look for a visited neighbour, which becomes their parent. */
enum direction { PUSH, PULL };

enum direction_mode { DIRECTION_AUTO, DIRECTION_PUSH, DIRECTION_PULL };

/* The direction of each subgraph in a level. */
struct directions {
    enum direction of[SUBGRAPHS];
};

/* How directions are chosen, according to the user's options. */
struct direction_policy {
    enum direction_mode mode;
    int by_subgraphs; /* each subgraph gets a direction even in a small graph, which rules out sliced searches
                       * (--direction cost) */
    double factor0[SUBGRAPHS]; /* for a change from push to pull */
    double factor1[SUBGRAPHS]; /* for a change from pull to push */
    int factors_given;         /* the user gave the factors, so a backend must not choose by its own costs */
};

/* The counts of one subgraph on one device in a level. The direction is chosen from them. */
struct subgraph_work {
    uint64_t forward;           /* FV: number of the frontier's edges, or an estimate of at least q */
    uint64_t frontier;          /* q: the number of frontier vertices that are sources of the subgraph */
    uint64_t unvisited_sources; /* s: the number of unvisited sources of the subgraph */
    uint64_t unvisited_targets; /* |U|: the number of unvisited sources of the reverse subgraph */
    double cost[2]; /* predicted picoseconds of a push and a pull; set only if the backend predicts costs */
};

/* The counts of one device in a level. */
struct workload {
    struct subgraph_work of[SUBGRAPHS];
    uint64_t fresh;     /* number of vertices of the frontier, of both kinds */
    uint64_t delegates; /* number of delegates of the frontier; `fresh` includes them */
};

extern const struct direction_policy direction_defaults;

/* Returns whether the user's options demand a direction for each subgraph. Sliced searches know no subgraphs, so they
 * are ruled out then. */
static inline int direction_by_subgraphs(const struct direction_policy *policy)
{
    return policy->by_subgraphs || policy->factors_given || policy->mode != DIRECTION_AUTO;
}

/* Returns BV, the work of a pull by the paper's estimate. work->frontier must not be 0. */
double backward_work(const struct subgraph_work *work);

/* Returns whether a choice by factors needs the exact FV, the number of the frontier's edges, which costs a pass over
 * the frontier's rows. Often only one direction is possible, or the lower bound q of FV decides already. */
int direction_needs_forward(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                            enum direction current);

/* Chooses the direction of the next visit of g by factors. `current` is the direction of the last visit. If
 * direction_needs_forward returned 0, work->forward may be the lower bound q in place of FV. */
enum direction choose_direction(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                                enum direction current);

/* What predicted costs depend on: the graph, and how much of it the search has visited. */
struct direction_costs {
    struct cost_graph graph;
    double seen_rows[SUBGRAPHS], seen_edges[SUBGRAPHS]; /* rows and edges of all vertices visited so far, the frontier
                                                         * included */
    double overlap; /* 0 to 1: the share of the last level's edges to unvisited vertices that found nothing new, because
                     * other edges found the same vertices */
};

/* Forgets what the last search visited. Called when a search begins. */
void direction_costs_begin(struct direction_costs *costs);

/* Adds the frontier's rows and edges in subgraph g to what the search has visited. Called once a level. */
void direction_costs_see(struct direction_costs *costs, enum subgraph g, const struct subgraph_work *work);

/* The predicted cost of a level's visit of g. */
struct direction_costs_of {
    double of[2]; /* picoseconds in each enum direction; both are 0 if g has no frontier */
    double found; /* number of vertices that a push may find */
};

/* Predicts the costs of a push and of a pull of subgraph g. A pull of g is cheaper if pulled_before(g) was pulled before
 * it in the level, so the costs of that subgraph must already be set in work->of[]. */
struct direction_costs_of direction_costs_of(const struct direction_costs *costs, enum subgraph g,
                                             const struct workload *work);

/* Returns the direction that the mode prescribes or, in DIRECTION_AUTO, the one with the smaller work->cost. */
enum direction direction_by_cost(enum direction_mode mode, const struct subgraph_work *work);

#endif

/* choose.h: chooses push or pull, for each subgraph of each device and level (section IV-B of Pan et al.).
 *
 * The forward workload FV is the cost of a push: the sum of the lengths of the frontier's rows. The backward
 * workload BV estimates the cost of a pull: BV = |U| (q + s) / q (struct subgraph_work explains the letters).
 * A subgraph turns to pull when FV > factor0 * BV, and back to push when FV < factor1 * BV. Factors
 * decide if the user gave them, or if the backend predicts no costs. Otherwise the direction of less
 * predicted cost is taken (cost.h).
 *
 * Each device can decide alone for dd, nd and dn, because both directions of every such edge are on the same
 * device. The reverse of an nn edge may be on another one, so all devices pull nn, or none does.
 */
#ifndef DBFS_CHOOSE_H
#define DBFS_CHOOSE_H

#include "cost.h"

#include "formats/graph/shard.h"

#include <stdint.h>

enum direction { PUSH, PULL };

enum direction_mode { DIRECTION_AUTO, DIRECTION_PUSH, DIRECTION_PULL };

struct directions {
    enum direction of[SUBGRAPHS];
};

struct direction_policy {
    enum direction_mode mode;
    int by_classes; /* each class of edges has a direction in small graphs, too (--direction cost) */
    double factor0[SUBGRAPHS]; /* to pull */
    double factor1[SUBGRAPHS]; /* back to push */
    int factors_given;         /* the user gave the factors: a backend must not choose by its own costs */
};

/* Counts for one subgraph on one device, from which its direction is chosen. */
struct subgraph_work {
    uint64_t forward;           /* FV: about the edges of the frontier's rows; at least q */
    uint64_t frontier;          /* q: frontier vertices that are sources of the subgraph */
    uint64_t unvisited_sources; /* s: unvisited sources of the subgraph */
    uint64_t unvisited_targets; /* |U|: unvisited sources of the reverse subgraph */
    double cost[2]; /* picoseconds of a visit, by enum direction, if the backend knows them */
};

struct workload {
    struct subgraph_work of[SUBGRAPHS];
    uint64_t fresh;     /* vertices of the frontier */
    uint64_t delegates; /* part of `fresh` */
};

extern const struct direction_policy direction_defaults;

/* Whether the user asked for directions: then a search that ignores classes of edges (sliced) may not run. */
static inline int direction_by_classes(const struct direction_policy *policy)
{
    return policy->by_classes || policy->factors_given || policy->mode != DIRECTION_AUTO;
}

/* BV of a subgraph with a frontier. */
double backward_work(const struct subgraph_work *work);

/* Whether FV must be counted to choose. Counting costs a pass over the frontier's rows. Often it is not
 * needed: the lower bound q decides already, or there is nothing to decide. */
int direction_needs_forward(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                            enum direction current);

/* Chooses for the next visit of g, by factors. work->forward may be the lower bound q if FV is not needed. */
enum direction choose_direction(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                                enum direction current);

/* What choices by cost are computed from: the graph, and how much of it a search has seen. */
struct direction_costs {
    struct cost_graph graph;
    double seen_rows[SUBGRAPHS], seen_edges[SUBGRAPHS]; /* of visited vertices, with the frontier */
    double overlap; /* 0 to 1: the share of the last level's edges to new vertices that lead to a vertex found before */
};

/* Forgets what the last search has seen. */
void direction_costs_begin(struct direction_costs *costs);

/* Adds the frontier of a level to the vertices seen. */
void direction_costs_see(struct direction_costs *costs, enum subgraph g, const struct subgraph_work *work);

/* The predicted cost of a level's visit of g. */
struct direction_costs_of {
    double of[2]; /* picoseconds, by enum direction; both 0 if g has no frontier */
    double found; /* vertices that a push may find */
};

/* Predicts the cost. The pull of cost_before(g) comes first: work->of[] of that subgraph has its `cost` already. */
struct direction_costs_of direction_costs_of(const struct direction_costs *costs, enum subgraph g,
                                             const struct workload *work);

/* Chooses for the next visit: by the mode, or in DIRECTION_AUTO the direction of less work->cost. */
enum direction direction_by_cost(enum direction_mode mode, const struct subgraph_work *work);

#endif

/* choose.h: chooses push or pull, for each subgraph of each device and level (section IV-B of Pan et al.).
 *
 * The forward workload FV is the cost of a push: the sum of the lengths of the frontier's rows. The backward workload BV
 * estimates the cost of a pull: BV = |U| (q + s) / q. struct subgraph_work explains the letters. A subgraph changes from
 * push to pull when FV > factor0 * BV. It changes back to push when FV < factor1 * BV. Factors decide if the user gave
 * factors, or if the backend predicts no costs. Otherwise the direction with the smaller predicted cost is chosen
 * (cost.h).
 *
 * For dd, nd and dn each device can decide by itself, because both directions of each of these edges are on the same
 * device. The reverse of an nn edge may be on another device. So either all devices pull nn, or all devices push nn. */
#ifndef DBFS_CHOOSE_H
#define DBFS_CHOOSE_H

#include "cost.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* The direction of a visit. PUSH: rows of the frontier look for unvisited vertices. PULL: unvisited vertices look for a
 * parent. */
enum direction { PUSH, PULL };

enum direction_mode { DIRECTION_AUTO, DIRECTION_PUSH, DIRECTION_PULL };

/* The direction of each subgraph in a level. */
struct directions {
    enum direction of[SUBGRAPHS];
};

/* How directions are chosen, according to the user's options. */
struct direction_policy {
    enum direction_mode mode;
    int by_classes; /* a direction is chosen for each class of edges, even in small graphs (--direction cost) */
    double factor0[SUBGRAPHS]; /* for a change from push to pull */
    double factor1[SUBGRAPHS]; /* for a change from pull to push */
    int factors_given;         /* the user gave the factors, so a backend must not choose by its own costs */
};

/* The counts of one subgraph on one device. The direction of the subgraph is chosen from these counts. */
struct subgraph_work {
    uint64_t forward;           /* FV: the number of edges in the rows of the frontier, or an estimate; at least q */
    uint64_t frontier;          /* q: the number of frontier vertices that are sources of the subgraph */
    uint64_t unvisited_sources; /* s: the number of unvisited sources of the subgraph */
    uint64_t unvisited_targets; /* |U|: the number of unvisited sources of the reverse subgraph */
    double cost[2]; /* picoseconds of a visit in each enum direction; set only if the backend predicts costs */
};

/* The counts of all subgraphs on one device in a level, and the size of the frontier. */
struct workload {
    struct subgraph_work of[SUBGRAPHS];
    uint64_t fresh;     /* number of vertices of the frontier, of both kinds */
    uint64_t delegates; /* number of delegates of the frontier; `fresh` includes them */
};

extern const struct direction_policy direction_defaults;

/* Returns whether the user's options ask for a choice of directions. If so, a search that ignores classes of edges (a
 * sliced search) must not run. */
static inline int direction_by_classes(const struct direction_policy *policy)
{
    return policy->by_classes || policy->factors_given || policy->mode != DIRECTION_AUTO;
}

/* Returns the backward workload BV of a subgraph. The frontier in the subgraph must not be empty. */
double backward_work(const struct subgraph_work *work);

/* Returns whether FV must be counted for the choice by factors. Counting FV costs a pass over the frontier's rows. Often
 * FV is not needed, because its lower bound q decides already, or because only one direction is possible. */
int direction_needs_forward(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                            enum direction current);

/* Returns the direction of the next visit of g, chosen by factors. If FV is not needed, work->forward may be the lower
 * bound q. */
enum direction choose_direction(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                                enum direction current);

/* The input of choices by cost: the graph, and which part of the graph the search has visited. */
struct direction_costs {
    struct cost_graph graph;
    double seen_rows[SUBGRAPHS], seen_edges[SUBGRAPHS]; /* number of rows and edges of all visited vertices, the frontier
                                                         * included */
    double overlap; /* from 0 to 1. Among the edges of the last level to new vertices: the share of edges to a vertex that
                     * another edge of the level had found already */
};

/* Zeroes the counts of the part of the graph that the last search visited. Called when a search begins. */
void direction_costs_begin(struct direction_costs *costs);

/* Adds the frontier's rows and edges in g to the counts of the visited part of the graph. Called once a level. */
void direction_costs_see(struct direction_costs *costs, enum subgraph g, const struct subgraph_work *work);

/* The predicted cost of a level's visit of g. */
struct direction_costs_of {
    double of[2]; /* picoseconds in each enum direction; both are 0 if g has no frontier */
    double found; /* number of vertices that a push may find */
};

/* Returns the predicted cost of both directions for g. The costs of cost_before(g) in work->of[] must be set, because
 * that subgraph is pulled before g in a level. */
struct direction_costs_of direction_costs_of(const struct direction_costs *costs, enum subgraph g,
                                             const struct workload *work);

/* Returns the direction of the next visit. The mode decides. In DIRECTION_AUTO the smaller of the two work->cost decides. */
enum direction direction_by_cost(enum direction_mode mode, const struct subgraph_work *work);

#endif

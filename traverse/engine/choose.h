/* choose.h: chooses push or pull, for each subgraph of each device and level (section IV-B of Pan et al.).
 *
 * The forward workload FV is the cost of a push: the sum of the lengths of the frontier's rows. The backward
 * workload BV estimates the cost of a pull: BV = |U| (q + s) / q. struct subgraph_work explains the letters.
 * A subgraph turns to pull when FV > factor0 * BV. It turns back to push when FV < factor1 * BV. Factors
 * decide if the user gave factors, or if the backend predicts no costs. Otherwise the direction of less
 * predicted cost is taken (cost.h).
 *
 * Each device can decide alone for dd, nd and dn, because both directions of each of these edges are on the same
 * device. The reverse of an nn edge may be on another device. So either all devices pull nn, or all devices push nn.
 */
#ifndef DBFS_CHOOSE_H
#define DBFS_CHOOSE_H

#include "cost.h"

#include "formats/graph/shard.h"

#include <stdint.h>

/* The direction of a visit: rows of the frontier look for unvisited vertices, or unvisited vertices look for a parent. */
enum direction { PUSH, PULL };

enum direction_mode { DIRECTION_AUTO, DIRECTION_PUSH, DIRECTION_PULL };

/* The direction of each subgraph in a level. */
struct directions {
    enum direction of[SUBGRAPHS];
};

/* How directions are chosen: as the user's options say. */
struct direction_policy {
    enum direction_mode mode;
    int by_classes; /* each class of edges has a direction, also in small graphs (--direction cost) */
    double factor0[SUBGRAPHS]; /* to turn from push to pull */
    double factor1[SUBGRAPHS]; /* to turn from pull to push */
    int factors_given;         /* the user gave the factors: a backend must not choose by its own costs */
};

/* The counts of one subgraph on one device. The direction of the subgraph is chosen from these counts. */
struct subgraph_work {
    uint64_t forward;           /* FV: about the number of edges in the rows of the frontier; at least q */
    uint64_t frontier;          /* q: frontier vertices that are sources of the subgraph */
    uint64_t unvisited_sources; /* s: unvisited sources of the subgraph */
    uint64_t unvisited_targets; /* |U|: unvisited sources of the reverse subgraph */
    double cost[2]; /* picoseconds of a visit, by enum direction; set only if the backend predicts costs */
};

/* The counts of all subgraphs on one device in a level, and the size of the frontier. */
struct workload {
    struct subgraph_work of[SUBGRAPHS];
    uint64_t fresh;     /* vertices of the frontier, of both kinds */
    uint64_t delegates; /* delegates of the frontier; `fresh` includes them */
};

extern const struct direction_policy direction_defaults;

/* Returns whether the user asked for directions. A search that ignores classes of edges (a sliced one) may not run then. */
static inline int direction_by_classes(const struct direction_policy *policy)
{
    return policy->by_classes || policy->factors_given || policy->mode != DIRECTION_AUTO;
}

/* Returns the backward workload BV of a subgraph. Its frontier must not be empty. */
double backward_work(const struct subgraph_work *work);

/* Returns whether FV must be counted for the choice by factors. Counting costs a pass over the frontier's rows. Often FV is
 * not needed, because the lower bound q decides already, or because there is nothing to decide. */
int direction_needs_forward(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                            enum direction current);

/* Returns the direction of the next visit of g, by factors. work->forward may be the lower bound q if FV is not needed. */
enum direction choose_direction(const struct direction_policy *policy, enum subgraph g, const struct subgraph_work *work,
                                enum direction current);

/* The input of choices by cost: the graph, and how much of the graph a search has visited. */
struct direction_costs {
    struct cost_graph graph;
    double seen_rows[SUBGRAPHS], seen_edges[SUBGRAPHS]; /* rows and edges of all visited vertices, the frontier included */
    double overlap; /* from 0 to 1. Of the edges of the last level that led to new vertices, the share that led to a vertex
                     * which another edge of that level had found */
};

/* Zeroes what the last search has seen. Called when a search begins. */
void direction_costs_begin(struct direction_costs *costs);

/* Adds the frontier of a level to what the search has seen of g. */
void direction_costs_see(struct direction_costs *costs, enum subgraph g, const struct subgraph_work *work);

/* The predicted cost of a level's visit of g. */
struct direction_costs_of {
    double of[2]; /* picoseconds, by enum direction; both 0 if g has no frontier */
    double found; /* vertices that a push may find */
};

/* Returns the predicted cost of both directions for g. The pull of cost_before(g) comes first in a level: the costs of that
 * subgraph in work->of[] must be set. */
struct direction_costs_of direction_costs_of(const struct direction_costs *costs, enum subgraph g,
                                             const struct workload *work);

/* Returns the direction of the next visit. The mode decides or, in DIRECTION_AUTO, the smaller of the two work->cost. */
enum direction direction_by_cost(enum direction_mode mode, const struct subgraph_work *work);

#endif

/* direction.h: push or pull, for each subgraph of each device and level.
 *
 * Section IV-B of Pan et al.: the forward workload FV is the sum of the frontier's row lengths, the
 * backward workload is estimated as BV = |U| (q + s) / q, and a subgraph turns to pull when FV >
 * factor0 * BV and back to push when FV < factor1 * BV. Decisions are local: both directions of
 * every dd, nd and dn edge are on the same device. nn always pushes, except in a graph of one shard,
 * where nn is symmetric as well and may be pulled.
 */
#ifndef DBFS_DIRECTION_H
#define DBFS_DIRECTION_H

#include "formats/shard.h"

#include <stdint.h>

enum direction { PUSH, PULL };

enum direction_mode { DIRECTION_AUTO, DIRECTION_PUSH, DIRECTION_PULL };

struct directions {
    enum direction of[SUBGRAPHS];
};

struct direction_policy {
    enum direction_mode mode;
    double factor0[SUBGRAPHS]; /* to pull */
    double factor1[SUBGRAPHS]; /* back to push */
    int factors_given;         /* they hold also where a backend could choose by costs */
};

/* What visiting one subgraph would cost on one device. */
struct subgraph_work {
    uint64_t forward;           /* FV: edges of the frontier's rows, or its lower bound q */
    uint64_t frontier;          /* q: frontier vertices that are sources of the subgraph */
    uint64_t unvisited_sources; /* s: unvisited sources of the subgraph */
    uint64_t unvisited_targets; /* |U|: unvisited sources of the reverse subgraph */
};

struct workload {
    struct subgraph_work of[SUBGRAPHS];
    uint64_t fresh; /* vertices of the frontier */
};

extern const struct direction_policy direction_defaults;

/* Whether the choice rests on FV: counting it costs a pass over the frontier's rows, and often its
 * lower bound q decides already, or there is nothing to decide. */
int direction_needs_forward(const struct direction_policy *policy, enum subgraph g,
                            const struct subgraph_work *work, enum direction current);

/* Chooses for the next visit of g. `forward` may be its lower bound, q, where FV is not needed. */
enum direction choose_direction(const struct direction_policy *policy, enum subgraph g,
                                const struct subgraph_work *work, enum direction current);

#endif

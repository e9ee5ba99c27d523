/* breakdown.h: the time of a level, phase by phase: the bars of figure 10 of Pan et al. */
#ifndef DBFS_BREAKDOWN_H
#define DBFS_BREAKDOWN_H

#include "formats/graph/subgraph.h"

enum phase {
    PHASE_PREVISIT,
    PHASE_VISIT,                          /* one for each subgraph: PHASE_VISIT + subgraph */
    PHASE_BINS = PHASE_VISIT + SUBGRAPHS, /* sorting vertices for other shards by shard */
    DEVICE_PHASES,
    PHASE_LOCAL_EXCHANGE = DEVICE_PHASES, /* between the devices of a rank */
    PHASE_REMOTE_EXCHANGE,                /* between ranks, the counts included */
    PHASE_MASK_REDUCTION,
    PHASE_MERGED_EXCHANGE, /* vertices and masks are both under way: in neither of those above */
    PHASE_CHOOSE, /* of a device that is alone: until directions are chosen and the frontier is listed */
    PHASE_AHEAD, /* the next level has begun with its delegates while vertices are under way */
    PHASES
};

/* Seconds. Phases overlap: their sum is not the time of the level. */
struct breakdown {
    double phase_s[PHASES];
};

#endif

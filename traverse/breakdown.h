/* breakdown.h: where the time of a level goes: the bars of figure 10 of Pan et al. */
#ifndef DBFS_BREAKDOWN_H
#define DBFS_BREAKDOWN_H

#include "formats/shard.h"

enum part {
    PART_PREVISIT,
    PART_VISIT, /* + subgraph */
    PART_BINS = PART_VISIT + SUBGRAPHS, /* vertices for other shards put in order */
    DEVICE_PARTS,
    PART_LOCAL_EXCHANGE = DEVICE_PARTS, /* between the devices of a rank */
    PART_REMOTE_EXCHANGE,               /* between ranks, the counts included */
    PART_MASK_REDUCTION,
    PARTS
};

/* Seconds. Parts overlap: their sum is not the time of the level. */
struct breakdown {
    double part_s[PARTS];
};

extern const char *const part_name[PARTS];

/* The larger of each part: of devices, or of levels on several ranks. */
void breakdown_max(struct breakdown *sum, const struct breakdown *other);

#endif

/* batch_hops.h: for each root of a batch, the number of vertices at each distance */
#ifndef DBFS_BATCH_HOPS_H
#define DBFS_BATCH_HOPS_H

#include "bit_sums.h"

#include "formats/base/status.h"

struct batch_hops {
    uint64_t *vertices[BATCH_MOST]; /* [levels[r]] for root r: number of vertices at each distance, from 0 on. Owned */
    uint64_t levels[BATCH_MOST];    /* for each root: the largest distance of a vertex, plus one */
    uint64_t failed_bytes;          /* 0, or the bytes of an array for which memory was short */
};

/* Forgets the counts of `count` roots. Called when a batch begins, or begins again from the start. */
void batch_hops_begin(struct batch_hops *hops, uint32_t count);

/* Notes that root number `root` has `vertices` vertices at distance `depth`. Called for each distance in turn, from 0 on.
 * Several threads may call the function at once, each with its own root. If memory is short, sets hops->failed_bytes. */
void batch_hops_note(struct batch_hops *hops, uint32_t root, uint64_t depth, uint64_t vertices);

void batch_hops_close(struct batch_hops *hops); /* frees all memory; *hops may be all zeros */

#endif

/* parts_checksum.h: computes the checksum of the input (SPEC-edges.md) from the parts. All other checks of a shard directory
 * use the numbers that parts give to vertices. Only this sum uses the ids themselves, so it alone shows that two vertices have
 * swapped their ids. It needs every edge of the input, so it is not computed if duplicates were dropped. */
#ifndef DBFS_PARTS_CHECKSUM_H
#define DBFS_PARTS_CHECKSUM_H

#include "formats/graph/manifest.h"
#include "formats/base/memory.h"

/* Open parts that have passed all other checks. */
struct checked_parts {
    const struct manifest *manifest;
    struct shard *shard; /* [p], not loaded */
    int threads;
    struct memory_budget *budget;
};

/* Computes the checksum over all edges and self-loops. A column of nn is a local id in another part, whose slots give the id.
 * Slots of all parts are in memory or, if they do not fit, those of one group of parts at a time, each with a pass over nn. */
enum status parts_checksum(const struct checked_parts *parts, uint64_t *checksum, struct error *e);

#endif

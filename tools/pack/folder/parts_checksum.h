/* parts_checksum.h: computes the checksum of the input (SPEC-edges.md) from the parts. All other checks of a shard directory
 * are about numbers that the parts give to vertices. Only this sum has the ids themselves, and differs if two vertices have
 * each other's ids. It needs every edge of the input, so it is not computed if duplicates were dropped. */
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

/* Computes the checksum over all edges and self-loops. A column of nn is a local id in another part, so the slots of all parts
 * must be in memory, or of as many as fit at a time: then each such group of parts takes a pass over nn. */
enum status parts_checksum(const struct checked_parts *parts, uint64_t *checksum, struct error *e);

#endif

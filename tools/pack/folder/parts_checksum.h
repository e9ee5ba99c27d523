/* parts_checksum.h: the checksum of the input (SPEC-edges.md), summed up again from the parts.
 *
 * Every other check of a shard directory is about numbers that the parts give to vertices. Only
 * this sum has the ids themselves: it differs if two vertices have been given each other's ids. It
 * needs each edge of the input, and so nothing is summed up if duplicates were dropped.
 */
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

/* Sums up over edges and self-loops. A column of nn is a number in another part, so that slots of all parts are
 * in memory, or of as many parts as the budget has room for; there is a pass over nn for each such group. */
enum status parts_checksum(const struct checked_parts *parts, uint64_t *checksum, struct error *e);

#endif

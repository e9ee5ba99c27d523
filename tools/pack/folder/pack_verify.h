/* pack_verify.h: proves that a shard directory is whole and right, as far as that is possible without the edges of the input.
 *
 * Every part passes shard_check. Besides:
 * - every vertex is in one place, and vertices are in the order of their degrees;
 * - in every shard nd and dn are transposes of each other;
 * - in every shard dd is symmetric, and Algorithm 1 puts its edges there;
 * - nn is symmetric across shards;
 * - the delegates are the same in all shards;
 * - counts and degrees agree with the manifest;
 * - grid parts, if there are some, are all there, and have the edges of the shards (grid_verify.h);
 * - if no duplicates were dropped, all edges sum up to the checksum of the input (parts_checksum.h).
 */
#ifndef DBFS_PACK_VERIFY_H
#define DBFS_PACK_VERIFY_H

#include "formats/graph/manifest.h"
#include "formats/base/memory.h"

struct verify_report {
    uint32_t p, grid_parts;
    uint64_t edges, bytes; /* checked */
    uint64_t dropped;      /* directed edges that were dropped as duplicates; if 0, the checksum of the input was compared */
};

/* ST_BAD_DATA names the file and the section. */
enum status pack_verify(const char *folder, int threads, struct memory_budget *budget,
                        struct verify_report *report, struct error *e);

#endif

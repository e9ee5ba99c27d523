/* pack_verify.h: proves a shard directory whole and right, as far as that is possible without the
 * edges it was made from.
 *
 * Beyond shard_check of every part: the vertices are covered once and stand in the order of their
 * degrees; nd and dn of a shard are transposes; dd is symmetric and placed by Algorithm 1; nn is
 * symmetric across shards; delegates are the same everywhere; counts and degrees agree with the
 * manifest.
 */
#ifndef DBFS_PACK_VERIFY_H
#define DBFS_PACK_VERIFY_H

#include "formats/manifest.h"
#include "formats/base/memory.h"

struct verify_report {
    uint32_t p;
    uint64_t edges, bytes; /* checked */
};

/* ST_BAD_DATA names the file and the section. */
enum status pack_verify(const char *folder, int threads, struct memory_budget *budget,
                        struct verify_report *report, struct error *e);

#endif

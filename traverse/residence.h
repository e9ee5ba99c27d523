/* residence.h: how the columns of a graph lie in the memory that is searched: decoded, or packed as in the file */
#ifndef DBFS_RESIDENCE_H
#define DBFS_RESIDENCE_H

#include "formats/base/memory.h"
#include "formats/shard.h"

#include <stdint.h>

enum residence {
    RESIDENT_RAW,
    RESIDENT_PACKED,
    RESIDENT_AUTO /* raw where that fits, else packed */
};

extern const char *const residence_name[3]; /* raw, packed, auto */

/* Bytes of what a search reads of a shard: the decoded sections, or the columns as they are packed with their
 * directory, and the others decoded. */
uint64_t residence_bytes(const struct shard *shard, enum residence residence);

/* Of the same, what is in memory of the process and not in the mapped file. */
uint64_t residence_taken_bytes(const struct shard *shard, enum residence residence);

#endif

/* residence.h: how the columns of a graph lie in the memory that is searched: decoded, or packed as in the file, or decoded
 * in memory of the host that a GPU reads */
#ifndef DBFS_RESIDENCE_H
#define DBFS_RESIDENCE_H

#include "formats/base/memory.h"
#include "formats/graph/shard.h"

#include <stdint.h>

/* How columns lie in memory. */
enum residence {
    RESIDENT_RAW,
    RESIDENT_PACKED,
    RESIDENT_HOST, /* on a GPU: decoded, in pinned memory of the host. On a CPU the same as RESIDENT_RAW */
    RESIDENT_AUTO  /* the first residence of this list that fits */
};

enum { RESIDENCES = RESIDENT_AUTO };

extern const char *const residence_name[RESIDENCES + 1]; /* raw, packed, host, auto */

/* Returns the bytes that a search reads of a shard. With RESIDENT_PACKED these are the packed columns with their directory,
 * and all other sections decoded. Otherwise these are all sections decoded. */
uint64_t residence_bytes(const struct shard *shard, enum residence residence);

/* Returns the part of residence_bytes that is in memory of the process: decoded sections and the directories of packed
 * columns. The rest is in the mapped file. */
uint64_t residence_taken_bytes(const struct shard *shard, enum residence residence);

#endif

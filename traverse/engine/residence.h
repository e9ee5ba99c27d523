/* residence.h: where and how the columns of a graph are kept for searches: decoded, packed as in the file, or in host
 * memory that a GPU reads */
#ifndef DBFS_RESIDENCE_H
#define DBFS_RESIDENCE_H

#include "formats/base/memory.h"
#include "formats/graph/shard.h"

#include <stdint.h>

/* How columns are kept in memory. */
enum residence {
    RESIDENT_RAW,
    RESIDENT_PACKED,
    RESIDENT_HOST, /* on a GPU: decoded, in memory of the host; on a CPU the same as RESIDENT_RAW */
    RESIDENT_AUTO  /* the first residence of this list that fits */
};

enum { RESIDENCES = RESIDENT_AUTO };

extern const char *const residence_name[RESIDENCES + 1]; /* raw, packed, host, auto */

/* Returns the bytes of a shard that a search reads. With RESIDENT_PACKED columns count as in the file, if they can be
 * searched while packed. All other sections count decoded. */
uint64_t residence_bytes(const struct shard *shard, enum residence residence);

/* Returns the bytes that loading the shard allocates: decoded copies of packed sections, and a directory for each
 * section that stays packed. All other sections are read in the mapped file. */
uint64_t residence_taken_bytes(const struct shard *shard, enum residence residence);

#endif

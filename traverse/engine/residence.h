/* residence.h: how the columns of a graph are kept in the memory that is searched: decoded, packed as in the file, or
 * decoded in host memory that a GPU reads */
#ifndef DBFS_RESIDENCE_H
#define DBFS_RESIDENCE_H

#include "formats/base/memory.h"
#include "formats/graph/shard.h"

#include <stdint.h>

/* How columns are kept in memory. */
enum residence {
    RESIDENT_RAW,
    RESIDENT_PACKED,
    RESIDENT_HOST, /* on a GPU: decoded, in pinned host memory. On a CPU: the same as RESIDENT_RAW */
    RESIDENT_AUTO  /* the first residence of this list that fits */
};

enum { RESIDENCES = RESIDENT_AUTO };

extern const char *const residence_name[RESIDENCES + 1]; /* raw, packed, host, auto */

/* Returns the number of bytes of a shard that a search reads. With RESIDENT_PACKED the columns count packed, with their
 * directory, and all other sections count decoded. With other residences all sections count decoded. */
uint64_t residence_bytes(const struct shard *shard, enum residence residence);

/* Returns the part of residence_bytes that is in memory of the process: decoded sections, and the directories of packed
 * columns. The rest is in the mapped file. */
uint64_t residence_taken_bytes(const struct shard *shard, enum residence residence);

#endif

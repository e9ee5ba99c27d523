/* shard_prove.h: whether a part that stands in a folder is what a packing would write there */
#ifndef DBFS_SHARD_PROVE_H
#define DBFS_SHARD_PROVE_H

#include "tools/pack/build/shard_write.h"

#include <stdint.h>

/* Nonzero, with *written filled as shard_write fills it, when the file at `path` is shard `shard` of
 * p of the packing `pack_id` and every section agrees with its CRC. Otherwise *why says what it is
 * not; a file that is not there is no failure of any other kind. A bounded part of the file is in
 * memory at a time. */
int shard_prove(const char *path, uint32_t shard, uint32_t p, uint64_t pack_id, int threads,
                struct written_shard *written, struct error *why);

#endif

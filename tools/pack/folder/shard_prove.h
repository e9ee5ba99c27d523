/* shard_prove.h: proves that a file in a folder is the part that a packing would write there */
#ifndef DBFS_SHARD_PROVE_H
#define DBFS_SHARD_PROVE_H

#include "tools/pack/build/shard_write.h"

#include <stdint.h>

/* Nonzero if the file at `path` is shard `shard` of p of the packing `pack_id`, and every section agrees with its CRC. *written
 * is then set as by shard_write. Otherwise *why says what is wrong, for example that there is no file. Only a bounded piece of
 * the file is in memory at a time. */
int shard_prove(const char *path, uint32_t shard, uint32_t p, uint64_t pack_id, int threads,
                struct written_shard *written, struct error *why);

#endif

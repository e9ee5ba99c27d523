/* grid_verify.h: proves that grid parts are whole and have the same edges as the shards in their folder */
#ifndef DBFS_GRID_VERIFY_H
#define DBFS_GRID_VERIFY_H

#include "formats/graph/manifest.h"

#include <stdint.h>

/* The shards that grid parts stand beside. */
struct grid_shards {
    const struct manifest *manifest;
    const char *folder;
    const uint32_t *locals; /* [p] local vertices */
    uint32_t local_bits;
    uint64_t nn_sum; /* of hash_pair(source, destination) over all edges, both as columns of nn */
};

/* Checks all grid parts; *parts is set to their number, 0 or p. ST_RUNTIME if only some are there. ST_BAD_DATA names the file. */
enum status grid_verify(const struct grid_shards *shards, uint32_t *parts, struct error *e);

#endif

/* shard_write.h: writes one part of a shard directory (formats/SPEC-shard.md) */
#ifndef DBFS_SHARD_WRITE_H
#define DBFS_SHARD_WRITE_H

#include "csr_build.h"
#include "formats/graph/manifest.h"
#include "formats/base/memory.h"
#include "formats/graph/shard.h"
#include "tools/pack/order/shard_loops.h"

#include <stdint.h>

/* A packing: the values that are the same for all its shards. */
struct packing {
    struct placement *placement;
    const struct shard_loops *loops;
    uint64_t th, pack_id;
    int heads[SUBGRAPHS]; /* head columns of its rows, out and in, or HEADS_AUTO */
    enum pack_encoding encoding;
    int threads;
    uint64_t shard_records;   /* directed edges of a shard, on average */
    uint64_t rows_bytes;      /* memory for the rows of a subgraph and for sorting ranges */
    uint64_t transpose_bytes; /* memory for transposed edges (pack_memory.h) */
};

struct written_shard {
    struct manifest_part part;
    struct csr_counts counts[ROW_SETS];
    double sync_seconds;
};

enum status shard_write(const struct packing *packing, uint32_t shard, const char *path,
                        struct memory_budget *budget, struct written_shard *written,
                        struct error *e);

#endif

/* shard_loops.h: sorts the self-loops of a graph by shard, as the loops sections of the shards list them */
#ifndef DBFS_SHARD_LOOPS_H
#define DBFS_SHARD_LOOPS_H

#include "formats/base/memory.h"
#include "formats/graph/shard.h"
#include "tools/separate/loops.h"
#include "order.h"

#include <stdint.h>

struct shard_loops {
    uint32_t p;
    uint64_t count;
    struct loop_count *entries; /* [count]: shard after shard, by vertex within each */
    uint64_t *first;            /* [p + 1] */
};

/* Makes the entries of all shards from `loops`, which are in order of vertices, and from the labels, which are read window after window. */
enum status shard_loops_make(struct shard_loops *sl, const struct loops *loops,
                             struct vertex_order *order, struct memory_budget *budget,
                             struct error *e);
void shard_loops_free(struct shard_loops *sl, struct memory_budget *budget);

#endif

/* pack_plan.h: what a packing will take, before it is made */
#ifndef DBFS_PACK_PLAN_H
#define DBFS_PACK_PLAN_H

#include "tools/pack/pack.h"
#include "tools/separate/separate_plan.h"

#include <stdint.h>
#include <stdio.h>

struct pack_plan {
    struct separation_plan separation;
    uint64_t d;         /* delegates */
    int d_is_exact;     /* a split was given, or there are none; else at most d */
    int reads_split;
    uint64_t class_passes, place_passes;
    uint64_t memory_bytes, disk_bytes;
    uint64_t device_bytes; /* of a shard, on average */
    uint64_t output_bytes; /* of all shards, not packed */
};

/* Reads the trailer of the stream, and the split where one is given; no pass over the stream. `budget`
 * as the program has it before it starts. ST_RESOURCE where the packing itself would be refused. */
enum status pack_plan_make(struct pack_plan *plan, const struct pack_options *options,
                           const struct edge_source *source, const struct memory_budget *budget,
                           struct error *e);

/* Lines "key value quality". */
void pack_plan_print(const struct pack_plan *plan, const struct memory_budget *budget,
                     FILE *stream);

#endif

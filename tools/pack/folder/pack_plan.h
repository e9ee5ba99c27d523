/* pack_plan.h: predicts memory, disk space and passes of a packing (dbfs-pack --plan) */
#ifndef DBFS_PACK_PLAN_H
#define DBFS_PACK_PLAN_H

#include "tools/pack/pack.h"
#include "tools/separate/separate_plan.h"

#include <stdint.h>
#include <stdio.h>

struct pack_plan {
    struct separation_plan separation;
    uint64_t d;         /* delegates */
    int d_is_exact;     /* a split was given, or there are no delegates; otherwise d is a bound */
    int reads_split;
    int if_fewer;       /* nonzero: the upper bounds do not fit, and the plan is for fewer vertices */
    uint64_t connected; /* vertices with edges, or a bound */
    uint64_t class_passes, place_passes;
    uint64_t memory_bytes, disk_bytes;
    uint64_t device_bytes; /* of a shard, on average */
    uint64_t device_packed_bytes; /* the same, if columns stay packed there */
    uint64_t output_bytes; /* of all shards, not packed */
    uint64_t written_bytes; /* the same, as they are encoded */
};

/* Returns the options of the separation that begins a packing of this source. */
struct separation_options pack_plan_separation(const struct pack_options *options, const struct edge_source *source);

/* Makes the plan from the trailer of the stream and, if one is given, the split, without a pass over the stream. `budget` is
 * the program's, before any memory is taken from it. ST_RESOURCE if the packing would be refused. */
enum status pack_plan_make(struct pack_plan *plan, const struct pack_options *options,
                           const struct edge_source *source, const struct memory_budget *budget,
                           struct error *e);

/* Prints the plan as lines "key value quality". */
void pack_plan_print(const struct pack_plan *plan, const struct memory_budget *budget, FILE *stream);

#endif

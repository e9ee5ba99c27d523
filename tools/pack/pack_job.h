/* pack_job.h: the steps of a packing, and the data that each leaves for the next; only for pack*.c */
#ifndef DBFS_PACK_JOB_H
#define DBFS_PACK_JOB_H

#include "formats/split.h"
#include "pack.h"
#include "tools/pack/folder/parts.h"
#include "tools/pack/order/order.h"
#include "tools/pack/order/shard_loops.h"
#include "tools/pack/place/place.h"
#include "tools/separate/separate.h"

#include <stdint.h>

struct pack_job {
    const struct pack_options *options;
    struct edge_source *source;
    struct memory_budget *budget;
    struct pack_report *report;
    struct split split; /* if one was given */
    struct separation separation;
    struct vertex_order order;
    struct shard_loops loops;
    struct placement placement;
    uint64_t gather_bytes; /* memory for the edges of a shard that come from other ranks */
    uint64_t rows_bytes;      /* memory for the rows of a subgraph, and for sorting ranges */
    uint64_t transpose_bytes; /* memory for transposed edges (pack_memory.h) */
    struct parts parts;
};

/* The steps of a packing, in order. All except the first are collective, and all ranks get the same status. */

/* Reads the split that gives TH, if there is one, before anything is counted (pack_th.c). */
enum status pack_read_split(struct pack_job *job, struct error *e);

/* Lets the first rank open the folder for all ranks. A rank that has failed before comes here, too, so that all learn of it
 * (pack_folder_steps.c). */
enum status pack_open_folder(struct pack_job *job, struct error *e);

/* Counts degrees, and finds TH (pack_th.c). */
enum status pack_separate(struct pack_job *job, struct error *e);

/* Begins the manifest, and describes the packing in the journal (pack_folder_steps.c). */
enum status pack_identify(struct pack_job *job, struct error *e);

/* Finds the parts of an interrupted run that are whole, so that they need not be built again (pack_folder_steps.c). */
enum status pack_prove_parts(struct pack_job *job, struct error *e);

/* Gives every vertex its number (pack_th.c). */
enum status pack_number(struct pack_job *job, struct error *e);

/* Moves all edges into the buckets of the shards (pack_place.c). */
enum status pack_place(struct pack_job *job, struct error *e);

/* Builds the parts that are missing (pack_build.c). */
enum status pack_build(struct pack_job *job, struct error *e);

#endif

/* plan.h: prints the device memory that searches of a packed graph will need (dbfs-traverse --plan) */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "traverse/options/args.h"

/* Prints the plan as text on standard output, or as a JSON object to the file of --json. The plan has
 * - the bytes of every section and every working array, for all shards together and for the largest shard;
 * - the sums of these bytes, for each way to keep columns (--resident), and the bytes of Table I of Pan et al. for the graph;
 * - with -S, how many GPUs with this memory each are enough;
 * - of several shards, the bytes of one GPU that has all of them, and the predicted times of a search by one GPU and by as many as shards;
 * - the largest sizes of the arrays that grow during a search.
 * Needs no GPU. */
enum status plan_print(const struct args *args, struct error *e);

/* The memory that all shards of a graph need as one (shard_join.h). */
struct joined_bytes {
    uint64_t device; /* of a GPU that searches the one shard, with raw columns, at most */
    uint64_t host;   /* while they are joined, at most: the shards decoded, and the one shard */
};

/* Computes the memory that the shards of the graph in args->folder need if they are joined. */
enum status plan_joined(const struct args *args, struct joined_bytes *bytes, struct error *e);

#endif

/* plan.h: prints the device memory that searches of a packed graph will need (dbfs-traverse --plan) */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "traverse/options/args.h"

/* Prints the plan as text on standard output, or as a JSON object to the file of --json. The plan has
 * - the bytes of every section and every working array, for all shards together and for the largest shard;
 * - the sums of these bytes, for each way to keep columns (--resident), and the bytes of Table I of Pan et al. for the graph;
 * - with -S, how many GPUs with this memory each are enough;
 * - the largest sizes of the arrays that grow during a search.
 * Needs no GPU. */
enum status plan_print(const struct args *args, struct error *e);

#endif

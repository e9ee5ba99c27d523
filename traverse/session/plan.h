/* plan.h: prints the device memory that a packed graph will take, before a search (dbfs-traverse --plan) */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "traverse/options/args.h"

/* Prints on standard output the bytes of every section and working array, both for all shards together and for the largest
 * shard. Then prints the sums for each residence of columns. The bytes of Table I of Pan et al. stand beside the bytes of
 * the graph. With -S, which is the memory of a GPU here, lines say how many GPUs are enough. No GPU is needed. With --json
 * the file gets the plan as a JSON object, and standard output gets nothing. */
enum status plan_print(const struct args *args, struct error *e);

#endif

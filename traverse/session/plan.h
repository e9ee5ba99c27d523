/* plan.h: prints the device memory that searches of a packed graph will need (dbfs-traverse --plan) */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "traverse/options/args.h"

/* Prints the plan on standard output:
 * - the bytes of every section and every working array, for all shards together and for the largest shard;
 * - the sums of these bytes for each residence of columns;
 * - the bytes that Table I of Pan et al. gives for the graph;
 * - with -S, how many GPUs are enough. Here -S is the memory of one GPU;
 * - the largest sizes of the arrays that grow during a search.
 * With --json, writes the plan as a JSON object to that file instead. Needs no GPU. */
enum status plan_print(const struct args *args, struct error *e);

#endif

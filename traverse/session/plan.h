/* plan.h: prints the device memory that a packed graph will take, before a search (dbfs-traverse --plan) */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "traverse/options/args.h"

/* Prints on standard output the bytes of every section and working array, for all shards together and for the largest one,
 * and the sums with raw and with packed columns. The bytes of the graph stand beside those of Table I of Pan et al. With
 * -S, which is then the memory of a GPU, lines say how many GPUs are enough. No GPU is needed. With --json the file gets
 * the plan as a JSON object, and standard output gets nothing. */
enum status plan_print(const struct args *args, struct error *e);

#endif

/* run.h: runs all searches of dbfs-traverse or dbfs-traverse-2d, from opening the graph to the report */
#ifndef DBFS_RUN_H
#define DBFS_RUN_H

#include "traverse/engine/loop.h"
#include "traverse/options/args.h"

/* Searches by `method` from each root, writes the results, and prints a report, as the options in `args` say. The report
 * goes to standard output, or to standard error if a result goes to standard output. With --plan, only prints the plan.
 * `argv`: the command line, for the report. Frees what `args` holds. Returns the exit code. */
int run_searches(struct args *args, const struct bfs_method *method, char **argv);

#endif

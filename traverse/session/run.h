/* run.h: runs all searches of dbfs-traverse or dbfs-traverse-2d, from opening the graph to the report */
#ifndef DBFS_RUN_H
#define DBFS_RUN_H

#include "traverse/engine/loop.h"
#include "traverse/options/args.h"

/* Searches by `method` from each root, writes the results, and reports. The options in `args` say which roots and results
 * are wanted. The report goes to standard output. If a result goes to standard output, the report goes to standard error.
 * With --plan, only prints the plan. `argv`: the command line, for the report. Frees what `args` holds. Returns the exit
 * code. */
int run_searches(struct args *args, const struct bfs_method *method, char **argv);

#endif

/* run.h: the run of dbfs-traverse and dbfs-traverse-2d, from the graph to the report */
#ifndef DBFS_RUN_H
#define DBFS_RUN_H

#include "traverse/engine/loop.h"
#include "traverse/options/args.h"

/* Searches by `method` from each root that `args` names, writes the results, and reports. The report goes to standard
 * output, or to standard error if a result goes to standard output. `argv`: the command line, which the report shows. Frees
 * what `args` holds, and returns the exit code. */
int run_searches(struct args *args, const struct bfs_method *method, char **argv);

#endif

/* benchmark.h: the open parts of dbfs-graph500 */
#ifndef DBFS_BENCHMARK_H
#define DBFS_BENCHMARK_H

#include "graph500_block.h"
#include "validate.h"

#include "traverse/options/options.h"
#include "traverse/search/roots.h"
#include "traverse/search/searcher.h"

struct benchmark {
    struct args args;
    char *const *command; /* argv */
    double construction_s;
    int measure_energy;
    struct searcher searcher;
    struct environment env;
    struct roots roots;
    struct validation *validation;
    struct record *runs; /* [roots.count] */
    struct energy_record energy;
};

/* Options as they are if none is given. */
void benchmark_defaults(struct benchmark *benchmark);

/* Starts the searcher, calls `work` on the ranks that take part, ends and closes all. The exit code of the program. */
int benchmark_run(struct benchmark *benchmark, void (*work)(struct benchmark *benchmark, struct error *e));

/* Collective, by `work`. */
enum status benchmark_open(struct benchmark *benchmark, struct error *e);

#endif

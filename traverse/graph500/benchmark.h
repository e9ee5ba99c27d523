/* benchmark.h: the open parts of dbfs-graph500 */
#ifndef DBFS_BENCHMARK_H
#define DBFS_BENCHMARK_H

#include "graph500_block.h"
#include "validate.h"

#include "traverse/options/options.h"
#include "traverse/search/searcher.h"

struct benchmark {
    struct args args; /* comes first, as the table of options has offsets into it */
    char *const *command; /* argv */
    double construction_s;
    int measure_energy;
    struct searcher searcher;
    struct environment env;
    struct validation *validation;
    struct record *runs; /* [roots.count] */
    struct energy_record energy;
};

/* Sets the defaults of the options. */
void benchmark_defaults(struct benchmark *benchmark);

/* Collective. Opens the parts, within searcher_run. */
enum status benchmark_open(struct benchmark *benchmark, struct error *e);
void benchmark_close(void *benchmark);

#endif

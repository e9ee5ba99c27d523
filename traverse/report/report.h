/* report.h: records of searches: lines for people, the summary of Graph500 and the paper, JSON */
#ifndef DBFS_REPORT_H
#define DBFS_REPORT_H

#include "traverse/bfs.h"
#include "traverse/graph.h"
#include "traverse/results/results.h"

#include <stdio.h>

/* One search. */
struct record {
    uint64_t root; /* original id */
    char *name;    /* of it, where there is a map; NULL: none. Owned */
    double time_s; /* slowest rank, from start to the agreement that it is over */
    struct reach reach;
    double teps; /* reach.edges / time_s */
    double compute_s, exchange_s; /* of the slowest rank each */
    uint32_t iterations, mask_reductions;
    uint64_t sent_vertices; /* all ranks */
    struct breakdown *levels; /* [iterations] where searches are timed, of the slowest rank each */
};

/* What the run was, for the head of the report and JSON's "environment". */
struct environment {
    const char *folder, *backend, *direction, *reduction, *exchange_memory;
    const struct comm *comm;
    const struct graph *graph;
    const struct direction_policy *policy;
    int threads, local_all2all, uniquify, parents;
    uint64_t seed;
    int sampled;
    struct device_load device_load; /* the slowest; 0 s where devices use host memory */
    int several_levels; /* the summary is of searches of more than one level */
    double start_s; /* from MPI_Init's return to the first search */
};

void report_environment(FILE *out, const struct environment *env);
void report_record(FILE *out, const struct record *record);
void report_summary(FILE *out, const struct environment *env, const struct record *records,
                    uint64_t count);

/* The same as one JSON object: environment, summary, roots. */
enum status report_json(const char *path, const struct environment *env,
                        const struct record *records, uint64_t count, struct error *e);

#endif

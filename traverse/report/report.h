/* report.h: records of searches: lines for people, the summary of Graph500 and the paper, JSON */
#ifndef DBFS_REPORT_H
#define DBFS_REPORT_H

#include "traverse/args.h"
#include "traverse/record.h"

#include <stdio.h>

/* What the run was, for the head of the report and JSON's "environment". */
struct environment {
    const struct args *args;
    const struct rank *rank;
    int threads;                    /* of a rank */
    struct device_load device_load; /* the slowest; 0 s if devices use host memory */
    double start_s;                 /* from MPI_Init's return to the first search */
};

void report_environment(FILE *out, const struct environment *env);
void report_record(FILE *out, const struct record *record);
void report_summary(FILE *out, const struct environment *env, const struct record *records,
                    uint64_t count);

/* The same as one JSON object: environment, summary, roots. */
enum status report_json(const char *path, const struct environment *env,
                        const struct record *records, uint64_t count, struct error *e);

#endif

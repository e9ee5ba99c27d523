/* report.h: records of searches: a line for each, five of summary, JSON */
#ifndef DBFS_REPORT_H
#define DBFS_REPORT_H

#include "traverse/options/args.h"
#include "record.h"

#include <stdio.h>

/* The set-up of a run: for the head of the report, and "environment" in JSON. */
struct environment {
    const struct searcher *searcher;
    char *const *command;           /* the words of the command line; NULL ends them */
    struct device_load device_load; /* of the slowest device; 0 s if devices use host memory */
    double start_s;                 /* from the return of MPI_Init to the first search */
    uint64_t peak_bytes;            /* most resident memory of a rank, at the end */
};

/* Describes a program after its set-up, which began at `begun`, by cli_seconds. */
struct environment environment_of(const struct searcher *searcher, char *const *command, double begun);

void report_environment(FILE *out, const struct environment *env);
void report_record(FILE *out, const struct environment *env, const struct record *record);
void report_summary(FILE *out, const struct record *records, uint64_t count);

/* Print members of an object: `environment`, followed by a comma; `roots`, followed by none. */
void report_json_environment(FILE *out, const struct environment *env);
void report_json_roots(FILE *out, const struct environment *env, const struct record *records, uint64_t count);

/* Writes environment, summary and records as one JSON object. */
enum status report_json(const char *path, const struct environment *env,
                        const struct record *records, uint64_t count, struct error *e);

#endif

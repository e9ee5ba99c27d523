/* report.h: records of searches: a line for each, five of summary, JSON */
#ifndef DBFS_REPORT_H
#define DBFS_REPORT_H

#include "traverse/options/args.h"
#include "record.h"

#include <stdio.h>

/* How a run was set up: for the head of the report, and "environment" in JSON. */
struct environment {
    const struct searcher *searcher;
    char *const *command;           /* the words of the command line; NULL ends them */
    struct rank_description devices; /* of this rank */
    double start_s;                 /* from the return of MPI_Init to the first search */
    uint64_t peak_bytes;            /* most resident memory of a rank, at the end */
};

/* Describes a program after its set-up, which began at `begun` (cli_seconds). Keeps pointers to the searcher and command. */
struct environment environment_of(const struct searcher *searcher, char *const *command, double begun);

/* Print lines of text: the environment, one search, and statistics of `count` searches. */
void report_environment(FILE *out, const struct environment *env);
void report_record(FILE *out, const struct environment *env, const struct record *record);
void report_summary(FILE *out, const struct record *records, uint64_t count);

/* Print members of a JSON object: `environment`, followed by a comma; `roots`, followed by none. */
void report_json_environment(FILE *out, const struct environment *env);
void report_json_roots(FILE *out, const struct environment *env, const struct record *records, uint64_t count);

/* Writes environment, summary and records as one JSON object into the file `path`. */
enum status report_json(const char *path, const struct environment *env, const struct record *records, uint64_t count,
                        struct error *e);

#endif

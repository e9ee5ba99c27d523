/* report.h: prints the records of searches: a line for each search, lines of summary, and JSON */
#ifndef DBFS_REPORT_H
#define DBFS_REPORT_H

#include "traverse/options/args.h"
#include "record.h"

#include <stdio.h>

/* How a run was set up. The head of the report shows it, and "environment" in JSON. */
struct environment {
    const struct searcher *searcher;
    char *const *command;           /* the words of the command line, and NULL */
    struct rank_description devices; /* of this rank */
    double start_s;                 /* seconds from the return of MPI_Init to the first search */
    uint64_t peak_bytes;            /* the largest resident memory of any rank, at the end of the run */
};

/* Returns a description of a program after its set-up, which began at the time `begun` (cli_seconds). The description keeps
 * pointers to the searcher and the command. */
struct environment environment_of(const struct searcher *searcher, char *const *command, double begun);

/* These print lines of text: report_environment the set-up, report_record one search, and report_summary statistics of
 * `count` searches. */
void report_environment(FILE *out, const struct environment *env);
void report_record(FILE *out, const struct environment *env, const struct record *record);
void report_summary(FILE *out, const struct record *records, uint64_t count);

/* These print members of a JSON object: "environment", followed by a comma, and "roots", followed by none. */
void report_json_environment(FILE *out, const struct environment *env);
void report_json_roots(FILE *out, const struct environment *env, const struct record *records, uint64_t count);

/* Writes environment, summary and records as one JSON object to the file `path`. */
enum status report_json(const char *path, const struct environment *env, const struct record *records, uint64_t count,
                        struct error *e);

#endif

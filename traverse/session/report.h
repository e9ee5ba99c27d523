/* report.h: prints reports of searches: as text, with a line for each search and a summary, or as JSON */
#ifndef DBFS_REPORT_H
#define DBFS_REPORT_H

#include "traverse/options/args.h"
#include "record.h"

#include <stdio.h>

/* A description of how a run was set up: the first lines of a text report, and the member "environment" of a JSON report. */
struct environment {
    const struct searcher *searcher;
    char *const *command;           /* the words of the command line; NULL ends them */
    struct rank_description devices; /* the devices of this rank */
    double start_s;                 /* seconds from the end of MPI_Init until all is ready for the first search */
    uint64_t peak_bytes;            /* the largest resident memory that any rank had during the run; 0 until the end */
};

/* Returns a description of how a program was set up. Called at the end of the set-up, which began at the time `begun`
 * (cli_seconds). The description keeps the pointers `searcher` and `command`. */
struct environment environment_of(const struct searcher *searcher, char *const *command, double begun);

/* These functions print lines of text: about the set-up, about one search, and statistics over `count` searches. */
void report_environment(FILE *out, const struct environment *env);
void report_record(FILE *out, const struct environment *env, const struct record *record);
void report_summary(FILE *out, const struct record *records, uint64_t count);

/* These functions print the members "environment" and "roots" of a JSON object. Only "environment" has a comma behind it. */
void report_json_environment(FILE *out, const struct environment *env);
void report_json_roots(FILE *out, const struct environment *env, const struct record *records, uint64_t count);

/* Writes the environment, the summary and all records to the file `path`, as one JSON object. */
enum status report_json(const char *path, const struct environment *env, const struct record *records, uint64_t count,
                        struct error *e);

#endif

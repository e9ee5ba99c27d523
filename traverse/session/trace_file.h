/* trace_file.h: writes the file of --trace. The file has a line of JSON for each level of each search (dbfs-json(5)). */
#ifndef DBFS_TRACE_FILE_H
#define DBFS_TRACE_FILE_H

#include "record.h"

#include "formats/base/outfile.h"

/* A trace file that is being written. */
struct trace_file {
    const struct comm *comm;
    const struct graph *graph;
    uint32_t devices;    /* the number of devices of all ranks */
    struct outfile *out; /* the open file on rank 0; NULL on other ranks */
    int begun;           /* 1: the file has a line, or rank 0 has tried to write one */
};

/* All functions of this file are collective, and all ranks return the same status. */

/* Opens the file `path` on rank 0. */
enum status trace_file_open(struct trace_file *trace, const char *path, const struct rank *rank, struct error *e);

/* Appends a line to the file for each level of a search, and clears record->log. */
enum status trace_file_add(struct trace_file *trace, struct record *record, struct error *e);

#endif

/* trace_file.h: the file of --trace: a line of JSON for each level of each search (dbfs-json(5)) */
#ifndef DBFS_TRACE_FILE_H
#define DBFS_TRACE_FILE_H

#include "record.h"

#include "formats/base/outfile.h"

/* A trace file that is being written. */
struct trace_file {
    const struct comm *comm;
    uint32_t devices;    /* the number of devices of all ranks */
    struct outfile *out; /* on rank 0; NULL on other ranks */
};

/* Opens the file `path` on rank 0. All functions here are collective, and all ranks get the same status. */
enum status trace_file_open(struct trace_file *trace, const char *path, const struct rank *rank, struct error *e);

/* Appends a line for each level of a search, and clears the record's log. */
enum status trace_file_add(struct trace_file *trace, struct record *record, struct error *e);

/* Completes the file. Until this call, outfile_abort(trace->out) discards the file. */
enum status trace_file_commit(struct trace_file *trace, struct error *e);

#endif

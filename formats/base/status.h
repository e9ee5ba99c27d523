/* status.h: the failures that library code reports. Nothing below the programs prints or exits. A function that can fail
 * returns an `enum status` and describes the failure in the caller's `struct error`: "file: what: why". The values of the enum
 * are the exit codes of every dbfs program, so a program ends with `return error.status`. */
#ifndef DBFS_STATUS_H
#define DBFS_STATUS_H

enum status {
    ST_OK = 0,
    ST_RUNTIME = 1,  /* an operation of the system failed: open, write, rename, ... */
    ST_USAGE = 2,    /* the command line asks for something impossible */
    ST_BAD_DATA = 3, /* the input is malformed, truncated or corrupt */
    ST_INVALID = 4,  /* a validation of results failed */
    ST_RESOURCE = 5  /* not enough memory, disk or GPU */
};

enum { ERROR_TEXT_BYTES = 1024 };

struct error {
    enum status status;
    char text[ERROR_TEXT_BYTES];
    int broken_pipe; /* the reader of an output went away: cli_finish then says nothing */
};

/* Stores a failure in the error and returns its status. An error that already holds a failure keeps it, so
 * that a failure while cleaning up never hides the cause. */
enum status fail(struct error *e, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Records a failed system call, as "file: doing: strerror(errno)", and returns its status: ST_RESOURCE for ENOSPC, EDQUOT and
 * ENOMEM, else ST_RUNTIME. */
enum status fail_errno(struct error *e, const char *file, const char *doing);

/* Records that there is not enough memory for `what`: ST_RESOURCE, and a message that names the bytes. */
enum status fail_memory(struct error *e, const char *what, unsigned long long bytes);

/* Records the failure of one thread, if it has failed, in the error of all, which the threads of a team may do at once. */
void fail_thread(struct error *e, const struct error *own);

#endif

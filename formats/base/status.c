/* status.c: see status.h */
#include "status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Stores a failure, unless the error holds one already. Returns the status that the error has then. */
enum status fail(struct error *e, enum status status, const char *format, ...)
{
    if (e->status != ST_OK)
        return e->status;
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    e->status = status;
    return status;
}

/* Stores the failure of a system call, by errno, which stays as it is. */
enum status fail_errno(struct error *e, const char *file, const char *doing)
{
    int cause = errno;
    enum status status =
        cause == ENOSPC || cause == EDQUOT || cause == ENOMEM ? ST_RESOURCE : ST_RUNTIME;
    if (e->status == ST_OK)
        e->broken_pipe = cause == EPIPE;
    fail(e, status, "%s: %s: %s", file, doing, strerror(cause));
    errno = cause;
    return status;
}

enum status fail_memory(struct error *e, const char *what, unsigned long long bytes)
{
    return fail(e, ST_RESOURCE, "%s: not enough memory: %llu bytes could not be allocated", what,
                bytes);
}

void fail_thread(struct error *e, const struct error *own)
{
    if (own->status == ST_OK)
        return;
#pragma omp critical(fail_thread)
    if (e->status == ST_OK)
        *e = *own;
}

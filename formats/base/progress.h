/* progress.h: a line on the terminal that says how far a long run has come; silent elsewhere. */
#ifndef DBFS_PROGRESS_H
#define DBFS_PROGRESS_H

#include <stdint.h>

struct progress {
    const char *program;
    uint64_t total; /* 0: not known */
    double start, last;
    int shown; /* on a terminal, and not -q */
    int drawn;
};

void progress_start(struct progress *progress, const char *program, int quiet, uint64_t total);

/* Draws at most a few times a second. From one thread at a time. */
void progress_update(struct progress *progress, uint64_t done);

/* Clears the line; no more is drawn. */
void progress_end(struct progress *progress);

#endif

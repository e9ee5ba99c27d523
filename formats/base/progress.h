/* progress.h: a line on the terminal that shows the progress of a long run. Nothing is shown elsewhere. */
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

/* Draws at most a few times a second. Only one thread at a time may call it. */
void progress_update(struct progress *progress, uint64_t done);

/* Clears the line and draws nothing more. */
void progress_end(struct progress *progress);

#endif

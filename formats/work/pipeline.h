/* pipeline.h: pieces of work that pass through a row of stages, with all threads and in order.
 *
 * Pieces are numbered as they are taken. An ordered stage sees them one at a time, in that order
 * (reading a stream, numbering, writing); any other stage works on several at once (parsing,
 * encoding). No thread is tied to a stage: whoever is free does the oldest work that is ready, and
 * taking comes first, so that a slow source (a pipe, an inflating gzip file) never waits for work
 * that could be done beside it.
 *
 * A failure ends the run in a way that does not depend on threads: every piece before the first one
 * that fails still passes through all stages, and that piece's error is the result.
 */
#ifndef DBFS_PIPELINE_H
#define DBFS_PIPELINE_H

#include "formats/base/status.h"

enum { PIPELINE_MAX_STAGES = 8 };

struct pipeline_stage {
    int ordered;
    enum status (*run)(void *context, void *slot, struct error *e);
};

struct pipeline {
    void *context;
    /* Fills the slot with the next piece, or sets *end (no piece then). Ordered. */
    enum status (*take)(void *context, void *slot, int *end, struct error *e);
    const struct pipeline_stage *stages; /* after taking; the last one must be ordered */
    int stage_count;
    /* Called by a thread that finds nothing ready: does a little work for later, from any number of
     * threads at once; zero when there is none now. May be NULL. */
    int (*idle)(void *context);
    void **slots; /* the pieces under way at most */
    int slot_count, threads;
};

enum status pipeline_run(const struct pipeline *p, struct error *e);

#endif

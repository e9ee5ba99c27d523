/* pipeline.h: pieces of work that pass through a sequence of stages, with all threads and in order.
 *
 * Pieces are numbered as they are taken. An ordered stage works on one piece at a time, in the order of the
 * numbers: reading a stream, numbering, writing. Any other stage works on several pieces at once: parsing,
 * encoding. No thread belongs to a stage. A free thread does the oldest work that is ready. Taking a piece
 * comes before all other work, so that a slow source (a pipe, a gzip file) never waits while threads do other
 * things.
 *
 * The result of a failing run does not depend on the number of threads. Every piece before the first failing
 * one passes through all stages. The error of that first failing piece is the result.
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
    const struct pipeline_stage *stages; /* the stages after `take`; the last one must be ordered */
    int stage_count;
    /* Called by a thread that finds no stage ready. Does a little work that will be needed later, from any
     * number of threads at once. Returns zero when there is none now. May be NULL. */
    int (*idle)(void *context);
    void **slots; /* one for each piece that may be under way at once */
    int slot_count, threads; /* threads: ignored within pipeline_with_pool */
};

enum status pipeline_run(const struct pipeline *p, struct error *e);

/* Calls `body`, and keeps `threads` threads for all pipelines that it runs, one after the other. Without a pool each
 * pipeline starts and ends a parallel region; where cores are shared with other processes, that takes milliseconds, and
 * thousands of short pipelines would take seconds. */
void pipeline_with_pool(int threads, void (*body)(void *context), void *context);

#endif

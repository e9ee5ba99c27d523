/* pipeline.h: runs pieces of work through a sequence of stages, with several threads.
 *
 * A piece is, for example, a block of a file that is read, parsed, encoded and written. Pieces are numbered as they are
 * taken. An ordered stage, such as reading or writing, works on one piece at a time, in the order of their numbers. Any
 * other stage, such as parsing, works on several pieces at once. No thread belongs to a stage: a free thread takes the
 * next piece if it can, so that a slow source never waits, and otherwise does the oldest work that is ready.
 *
 * A failing run has the same result with any number of threads: the error of the first piece that fails. Every piece
 * before that one passes through all stages.
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
    /* Called by a thread that finds no stage ready: does a little work that will be needed later. Several threads may call it
     * at once. Returns 0 if there is no such work now. May be NULL. */
    int (*idle)(void *context);
    void **slots; /* one for each piece that may be under way at once */
    int slot_count, threads; /* threads: ignored within pipeline_with_pool */
};

enum status pipeline_run(const struct pipeline *p, struct error *e);

/* Calls `body`, and keeps a pool of `threads` threads for the pipelines that `body` runs, one after the other. Otherwise each
 * pipeline starts its own threads, and on a busy host this takes milliseconds: seconds for thousands of pipelines. */
void pipeline_with_pool(int threads, void (*body)(void *context), void *context);

#endif

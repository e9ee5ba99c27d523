/* batch_gpu_ranks.h: what GPUs of ranks that divide a graph tell each other in a level of a batch, by messages (batch_messages.h)
 *
 * Kernels write the messages in device memory (batch_exchange.h), and the host copies them, exchanges them by MPI, and copies what came
 * to the GPU. The words of ghosts and delegates between levels are as in batch_ranks.h. Functions are collective
 * unless they say otherwise. A rank whose GPU fails between them ends the job, as others wait for its messages. */
#ifndef DBFS_BATCH_GPU_RANKS_H
#define DBFS_BATCH_GPU_RANKS_H

#include "batch_exchange.h"

#include "traverse/programs/batch/batch_messages.h"
#include "traverse/programs/joined/cuda/joined_gpu.h"

struct batch_gpu_ranks {
    struct batch_messages messages;
    const struct joined_graph *graph;
    struct joined_gpu *on;
    struct gpu_batch_ranks gpu;    /* device memory, but for numbers */
    uint32_t *shown;               /* device memory: the vertices that are ghosts of other ranks */
    uint64_t *received;            /* device memory: the messages from all ranks */
    uint64_t *delegate_words;      /* device memory: [delegates][words], or the changed words of all ranks */
    void *memory;                  /* pinned memory of the host: the messages */
    unsigned long long *used;      /* [ranks + 1] pinned memory of the host: copy of gpu.used */
    cudaEvent_t copied;            /* what begins in batch_gpu_ranks_begin_join has come to the host */
};

/* Opens the messages of *x for a search on the GPU `on`, and sets *bytes to the device memory that batch_gpu_ranks_take allocates for what
 * kernels know of the ranks, and for messages. Neither is collective. The caller calls batch_gpu_ranks_close, even after a failure; *x may
 * be all zeros then. */
enum status batch_gpu_ranks_open(struct batch_gpu_ranks *x, const struct joined_graph *graph, int words, struct joined_gpu *on,
                                 uint64_t *bytes, struct error *e);
enum status batch_gpu_ranks_take(struct batch_gpu_ranks *x, struct error *e);
void batch_gpu_ranks_close(struct batch_gpu_ranks *x); /* not collective */

/* Launches each kernel of an exchange once over words that are all zero, so that CUDA loads it. Not collective, and does not wait. */
void batch_gpu_ranks_load(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e);

/* Ends the job if *e has failed. Not collective. */
void batch_gpu_ranks_abort_if_failed(const struct batch_gpu_ranks *x, struct error *e);

/* ---- a dense level, in this order ---- */

/* After pushes: moves the next words of ghosts to their owners. */
void batch_gpu_ranks_send_pushed(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e);

/* Before pulls, if any root pulls: sets the frontier words of ghosts, and their briefs in `brief`, unless that is NULL. */
void batch_gpu_ranks_show_frontier(struct batch_gpu_ranks *x, const struct gpu_batch *b, uint32_t *brief, struct error *e);

/* After each rank has pulled for delegates in its own rows: begins to tell the others what it has found, and ends to take what they have
 * found and to count the delegates. Kernels for other vertices may be launched between both. */
void batch_gpu_ranks_begin_join(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e);
void batch_gpu_ranks_end_join(struct batch_gpu_ranks *x, const struct gpu_batch *b, struct error *e);

/* ---- a sparse level ---- */

/* After a push, which has listed at most `most` vertices: moves the words of ghosts to their owners, and lists what other ranks have found
 * of this rank's vertices and of delegates. */
void batch_gpu_ranks_move_found(struct batch_gpu_ranks *x, const struct gpu_batch *b, uint64_t most, struct error *e);

#endif

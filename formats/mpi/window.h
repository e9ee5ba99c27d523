/* window.h: memory that the ranks of one host share, and barriers of these ranks. A barrier uses no messages: a waiting rank
 * looks at a counter in the shared memory, which takes about a microsecond if every rank has a core of its own. */
#ifndef DBFS_COMM_WINDOW_H
#define DBFS_COMM_WINDOW_H

#include "comm.h"

struct comm_window;

/* Opens a window: `bytes` zeroed bytes that all ranks of this host share; ordinary memory if there is only one. Collective. */
enum status comm_window_open(struct comm_window **window, const struct comm *comm, uint64_t bytes, struct error *e);
void comm_window_close(struct comm_window *window); /* collective; NULL is allowed */

void *comm_window_memory(const struct comm_window *window);

/* The rank of the job that is rank `host_rank` of this host. */
uint32_t comm_window_rank(const struct comm_window *window, uint32_t host_rank);

/* Waits until all ranks of this host have called it. Each rank then sees all that the others wrote before. */
void comm_window_barrier(struct comm_window *window);

/* A barrier in two steps, so that other work can be done between them. The first returns the number of the pass
 * (formats/base/barrier.h); the second returns 0 while some rank has not come. */
uint32_t comm_window_arrive(struct comm_window *window);
int comm_window_barrier_is_over(struct comm_window *window, uint32_t number);

/* ---- reductions over the first rank of each host or, if `window` is NULL, over all ranks (reduce.c) ---- */

/* ORs their masks, in place. */
void comm_window_or_masks(const struct comm_window *window, uint64_t *words, uint64_t count);

/* OR the masks of these ranks in two steps: the first begins, and the second returns 0 while the result is not there, and lets
 * MPI go on with its messages. `count` is below 2^31. Only one such reduction may be under way. */
void comm_window_begin_or_masks(const struct comm_window *window, uint64_t *words, uint64_t count);
int comm_masks_are_here(void);

struct mask_word; /* two 64-bit words; see formats/graph/shard.h */

/* Gathers the mask words of the first ranks of all hosts (of all ranks without a window) into all[], in the order of ranks.
 * counts[i] and begins[i] count 64-bit halves of a struct mask_word. */
void comm_gather_mask_words(const struct comm_window *window, const struct mask_word *own,
                            int own_count, struct mask_word *all, const int *counts,
                            const int *begins);

#endif

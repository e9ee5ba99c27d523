/* batch_ranks.h: what ranks that divide a graph tell each other in a level of a batch on CPUs (joined_graph.h)
 *
 * Between levels, the frontier and next words of ghosts are zero. The seen words of a ghost have the bits that this rank has sent to
 * the owner or got from there, so no bit is sent twice. Seen words of delegates are the same on all ranks. All functions but
 * batch_ranks_close are collective. A rank that lacks memory for a message ends the job. */
#ifndef DBFS_BATCH_RANKS_H
#define DBFS_BATCH_RANKS_H

#include "batch_cpu.h"
#include "batch_messages.h"

/* Opens *ranks for a search whose graph ranks divide, and sets s->weight, which is over all ranks. If a rank fails, or passes an
 * `e` that has failed, the call fails on all ranks. The caller calls batch_ranks_close, even after a failure. */
enum status batch_ranks_open(struct batch_ranks **ranks, struct batch_search *s, struct error *e);
void batch_ranks_close(struct batch_ranks *ranks, struct memory_budget *budget); /* NULL is allowed */

/* ---- a dense level, in this order ---- */

/* After pushes: sends the `next` words of ghosts to their owners, which OR them into their own, and sets them to 0 here. */
void batch_ranks_send_pushed(struct batch_search *s);

/* Before pulls: sets the frontier words of ghosts, for the roots that pull. */
void batch_ranks_show_frontier(struct batch_search *s);

/* After each rank has found bits of delegates in its own rows: adds what the others have found to next and seen words. Counts the
 * delegates in place of what was counted before. */
void batch_ranks_join_delegates(struct batch_search *s);

/* After pulls: sets the frontier words (`now`) of ghosts to 0. */
void batch_ranks_clear_frontier(struct batch_search *s);

/* ---- a sparse level ---- */

/* Moves ghosts in s->found, with their next words, to their owners, and appends to s->found what other ranks have found of this
 * rank's vertices and of delegates. */
void batch_ranks_move_found(struct batch_search *s);

/* ---- each level ---- */

/* Keeps the counts of this rank, and adds those of all ranks. */
void batch_ranks_sum(struct batch_search *s, struct batch_found *found);

/* Returns the counts of this rank in the last level: for each root, the number of vertices that were found and that this rank
 * notes. Not collective. */
const uint64_t *batch_ranks_found_here(const struct batch_ranks *ranks);

#endif

/* mask_reduction.h: the OR of the masks of all ranks, or of the first ranks of all hosts, while they do other work
 *
 * Each rank reduces a part of the mask: the others send it theirs, and it sends the result to all.
 * So a rank sends and receives 2 (R - 1) / R masks, as in Rabenseifner's allreduce, and in pieces:
 * one leaves while another one comes in. MPI_Iallreduce took 1.6 times as long as MPI_Allreduce
 * (scripts/results/several-gpus.md), as a library may do its steps one after the other. With more
 * than 16 ranks it is used all the same, as parts become small.
 */
#ifndef DBFS_MASK_REDUCTION_H
#define DBFS_MASK_REDUCTION_H

#include "comm.h"
#include "formats/base/memory.h"
#include "window.h"

struct mask_reduction;

/* For masks of so many words, at most 2^31 - 1. With a window: of the first ranks of hosts only. Collective, also for a
 * rank that has failed before. Takes memory for about one mask. */
enum status mask_reduction_open(struct mask_reduction **reduction, const struct comm *comm,
                                const struct comm_window *window, uint64_t words,
                                struct memory_budget *budget, struct error *e);
void mask_reduction_close(struct mask_reduction *reduction, struct memory_budget *budget); /* NULL: nothing */

/* `words` becomes the OR of all. The caller leaves it alone until the reduction is over. */
void mask_reduction_begin(struct mask_reduction *reduction, uint64_t *words);

/* Lets MPI go on. 0: it is not over. 1 where none has begun. */
int mask_reduction_is_over(struct mask_reduction *reduction);

#endif

/* wait.h: waits for other ranks, for the files of this folder
 *
 * MPICH spins while it waits. If a host has more ranks than cores, a rank that spins keeps the core from the one that
 * it waits for until its time slice ends: of RMAT 16, 8 ranks on 2 cores took 12 to 22 times as long to search. Ranks of
 * such a job begin each call without waiting, look whether it is over, and give their core away between looks. All ranks
 * of a job do the same, as MPI matches calls that wait only with each other. Where each rank has a core, calls that wait
 * stay.
 */
#ifndef DBFS_MPI_WAIT_H
#define DBFS_MPI_WAIT_H

#include "watch.h"

#include <mpi.h>

/* Collective. Called once, by comm_start: whether this host has more ranks than cores. */
void wait_agree(int crowded);

/* Nonzero: a host of the job has more ranks than cores. */
int wait_is_crowded(void);

/* Waits until a message has been sent or has arrived. */
void wait_for(MPI_Request *request, MPI_Status *status);

/* A collective call: MPI_Barrier, MPI_Ibarrier and their arguments. */
#define WAIT_COLLECTIVE(blocking, begin, ...)       \
    do {                                            \
        watch_wait_begin();                         \
        if (wait_is_crowded()) {                    \
            MPI_Request request_;                   \
            begin(__VA_ARGS__, &request_);          \
            wait_for(&request_, MPI_STATUS_IGNORE); \
        } else {                                    \
            blocking(__VA_ARGS__);                  \
        }                                           \
        watch_wait_end();                           \
    } while (0)

#endif

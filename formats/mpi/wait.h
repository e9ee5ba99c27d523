/* wait.h: waits for other ranks without keeping their cores; only for the files of this folder.
 *
 * MPICH spins while it waits. If a host has more ranks than cores, a spinning rank holds the core that the awaited rank needs
 * until its time slice ends: 8 ranks on 2 cores took 12 to 22 times as long to search RMAT 16. So in a job with such a host
 * every rank makes calls of MPI that do not block, and gives its core away whenever it finds the call unfinished. All ranks
 * must do so, because MPI does not match such collective calls with blocking ones. In other jobs the calls of MPI block.
 */
#ifndef DBFS_MPI_WAIT_H
#define DBFS_MPI_WAIT_H

#include "watch.h"

#include <mpi.h>

/* Tells all ranks of the job whether any host has more ranks than cores; `crowded` is nonzero if this one has.
 * comm_start calls it once. Collective. */
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

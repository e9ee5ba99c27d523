/* leaders.h: communicators of some ranks, for the files of this folder */
#ifndef DBFS_MPI_LEADERS_H
#define DBFS_MPI_LEADERS_H

#include "window.h"

#include <mpi.h>

/* The ranks of this host, in the order of their numbers. It is made at the start: hosts may have different numbers of
 * ranks, and what one of them leaves out must not be a call that all ranks make together. */
MPI_Comm host_ranks(void);

/* The first ranks of all hosts. MPI_COMM_NULL on all other ranks. Without a window: all ranks. */
MPI_Comm window_leaders(const struct comm_window *window);

#endif

/* leaders.h: a communicator of the first ranks of all hosts; only for the files of this folder */
#ifndef DBFS_MPI_LEADERS_H
#define DBFS_MPI_LEADERS_H

#include "window.h"

#include <mpi.h>

/* MPI_COMM_NULL on all other ranks. Without a window: all ranks. */
MPI_Comm window_leaders(const struct comm_window *window);

#endif

/* host.h: the ranks of one host, for the files of this folder */
#ifndef DBFS_MPI_HOST_H
#define DBFS_MPI_HOST_H

#include <mpi.h>

/* Collective. Called by comm_start. */
void host_find_ranks(void);

/* The ranks of this host, in the order of their numbers. Hosts may have different numbers of ranks. So what one of them
 * leaves out must not be a call that all ranks make together, and they have a communicator from the start. */
MPI_Comm host_ranks(void);

#endif

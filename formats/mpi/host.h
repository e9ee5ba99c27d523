/* host.h: the ranks of one host, for the files of this folder */
#ifndef DBFS_MPI_HOST_H
#define DBFS_MPI_HOST_H

#include <mpi.h>

/* Collective. Called by comm_start. */
void host_find_ranks(void);

/* Returns a communicator of the ranks of this host, in the order of their numbers. comm_start has made it, because all ranks of
 * the job must make it together. */
MPI_Comm host_ranks(void);

#endif

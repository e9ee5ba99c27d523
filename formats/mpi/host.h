/* host.h: the ranks of one host, for the files of this folder */
#ifndef DBFS_MPI_HOST_H
#define DBFS_MPI_HOST_H

#include <mpi.h>

/* Collective. Called by comm_start. */
void host_find_ranks(void);

/* Returns a communicator of the ranks of this host, in the order of their numbers. It is made when MPI starts, because all
 * ranks of the job must take part, and later hosts may take different ways. */
MPI_Comm host_ranks(void);

#endif

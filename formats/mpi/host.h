/* host.h: the ranks of one host, for the files of this folder */
#ifndef DBFS_MPI_HOST_H
#define DBFS_MPI_HOST_H

#include <mpi.h>

/* Collective. Called by comm_start. */
void host_find_ranks(void);

/* Returns a communicator of the ranks of this host, in the order of their numbers. It is made when MPI starts: hosts
 * may differ in what they need later, and making a communicator is a call of all ranks together. */
MPI_Comm host_ranks(void);

#endif

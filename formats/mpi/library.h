/* library.h: the functions of MPI, for the files of this folder
 *
 * MPI_Bcast is called as mpi.Bcast, and so are all others. MPICH's library is loaded when MPI is started, because most runs have no
 * launcher, and to load it takes longer than all else that such a run does with a small graph. Handles of Open MPI are addresses in
 * its library, so it is linked.
 */
#ifndef DBFS_MPI_LIBRARY_H
#define DBFS_MPI_LIBRARY_H

#include "formats/base/status.h"

#include <mpi.h>
#include <stddef.h>

/* Calls F(name) for each function. */
#define MPI_FUNCTIONS(F)                                                                                         \
    F(Abort) F(Allgather) F(Allgatherv) F(Allreduce) F(Alltoall) F(Barrier) F(Bcast)                             \
    F(Comm_create_errhandler) F(Comm_free) F(Comm_rank) F(Comm_set_errhandler) F(Comm_size) F(Comm_split)        \
    F(Comm_split_type) F(Errhandler_free) F(Error_string) F(Exscan) F(Finalize) F(Finalized) F(Get_count)        \
    F(Get_library_version) F(Iallgather) F(Iallgatherv) F(Iallreduce) F(Ialltoall) F(Ibarrier) F(Ibcast)         \
    F(Iexscan) F(Init_thread) F(Irecv) F(Isend) F(Test) F(Wait) F(Win_allocate_shared) F(Win_shared_query)

struct mpi_functions {
#define MPI_MEMBER(name) __typeof__(MPI_##name) *name;
    MPI_FUNCTIONS(MPI_MEMBER)
#undef MPI_MEMBER
};

extern struct mpi_functions mpi; /* may be called after mpi_load */

/* Loads the library, unless it is loaded. Fails with ST_RUNTIME if there is none, or if it lacks a function. */
enum status mpi_load(struct error *e);

/* Writes the name and version of the library to text[bytes]: of the one that is loaded, or else of the one that this program was built with. */
void mpi_describe(char *text, size_t bytes);

#endif

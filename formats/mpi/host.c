/* host.c: see host.h */
#include "host.h"

static MPI_Comm host = MPI_COMM_NULL;

/* Makes the communicator of host_ranks. Collective. */
void host_find_ranks(void)
{
    if (host == MPI_COMM_NULL)
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
}

MPI_Comm host_ranks(void)
{
    return host;
}

/* lead.c: see lead.h */
#include "lead.h"
#include "watch.h"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

enum { LONG_NAP_US = 5000, SHORT_NAP_US = 100 };

/* Lets rank 0 run on the cores of all ranks, because a launcher may have bound each rank to its own. */
static void take_all_cores(struct comm *comm)
{
    cpu_set_t own, all;
    CPU_ZERO(&own);
    int known = sched_getaffinity(0, sizeof own, &own) == 0;
    MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (comm->rank > 0 || !known || sched_setaffinity(0, sizeof all, &all) != 0 ||
        sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    comm->idle_cores = comm->idle_cores && CPU_COUNT(&all) == 1;
}

/* Makes rank 0 the only rank of its *comm, on all cores; the other ranks call comm_await_lead next. Collective. */
void comm_lead(struct comm *comm)
{
    take_all_cores(comm);
    if (comm->rank == 0)
        comm->ranks = comm->host_ranks = comm->core_ranks = 1;
}

/* Waits for a broadcast of rank 0 in short sleeps, because MPI's own waits spin. Rank 0 may take its time, so --timeout does not count
 * it. */
static void await_first(void *bytes, int count, useconds_t nap_us)
{
    MPI_Request request;
    int over = 0;
    MPI_Ibcast(bytes, count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    while (!over) {
        usleep(nap_us);
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    }
}

/* Ends what comm_lead began: the others sleep until rank 0 calls it, and get its *e. */
void comm_await_lead(struct error *e)
{
    watch_phase("waiting for rank 0, which works alone");
    await_first(e, sizeof *e, LONG_NAP_US);
}

/* Copies bytes of rank 0 to all ranks; the others sleep until rank 0 calls it. */
void comm_await(const struct comm *comm, void *bytes, int count)
{
    if (comm->ranks > 1)
        await_first(bytes, count, comm->rank > 0 ? SHORT_NAP_US : 0);
}

/* window.c: see window.h */
#include "window.h"
#include "host.h"
#include "leaders.h"
#include "wait.h"

#include "formats/base/barrier.h"
#include "formats/base/shared_memory.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static const double LONGEST_SPIN = 1e-3; /* seconds, before a rank sleeps: its core may be another rank's */

/* The barrier of the host's ranks, at the beginning of the shared memory, in cache lines of its own. */
struct barrier_place {
    _Alignas(64) struct barrier barrier;
};

struct comm_window {
    uint32_t ranks;  /* of this host */
    uint32_t *rank;  /* [ranks] of the job */
    struct barrier_place *place;
    MPI_Comm leaders; /* the first ranks of all hosts */
    struct shared_memory memory;
};

/* Opens w->memory, which the first rank of the host takes, and fills in w->rank. */
static enum status open_memory(struct comm_window *w, const struct comm *comm, uint64_t bytes, struct error *e)
{
    int own = (int)comm->rank, owner[2] = {getpid(), -1};
    w->rank[0] = comm->rank;
    if (comm->host_rank == 0 &&
        shared_memory_take(&w->memory, bytes, comm->host_ranks > 1, "memory of a host's ranks",
                           e) == ST_OK)
        owner[1] = w->memory.fd;
    if (comm->host_ranks == 1)
        return e->status;
    WAIT_COLLECTIVE(MPI_Allgather, MPI_Iallgather, &own, 1, MPI_INT, w->rank, 1, MPI_INT, host_ranks());
    WAIT_COLLECTIVE(MPI_Bcast, MPI_Ibcast, owner, 2, MPI_INT, 0, host_ranks());
    if (comm->host_rank > 0)
        shared_memory_open(&w->memory, bytes, owner[0], owner[1], e);
    return e->status;
}

/* Opens memory that all ranks of this host share. Collective. */
enum status comm_window_open(struct comm_window **result, const struct comm *comm, uint64_t bytes, struct error *e)
{
    *result = NULL;
    struct comm_window *w = calloc(1, sizeof *w);
    uint32_t *rank = calloc(comm->host_ranks, sizeof *rank);
    if (w == NULL || rank == NULL)
        fail_memory(e, "memory of a host's ranks", sizeof *w);
    if (comm_agree(comm, e) != ST_OK) {
        free(w);
        free(rank);
        return e->status;
    }
    *w = (struct comm_window){.ranks = comm->host_ranks, .rank = rank, .leaders = MPI_COMM_NULL};
    *result = w;
    if (comm->ranks > 1)
        MPI_Comm_split(MPI_COMM_WORLD, comm->host_rank == 0 ? 0 : MPI_UNDEFINED, (int)comm->rank,
                       &w->leaders);
    open_memory(w, comm, bytes + sizeof *w->place, e);
    w->place = w->memory.bytes;
    return comm_agree(comm, e); /* the first rank may close its memory only after this */
}

void comm_window_close(struct comm_window *w)
{
    if (w == NULL)
        return;
    if (w->leaders != MPI_COMM_NULL)
        MPI_Comm_free(&w->leaders);
    shared_memory_release(&w->memory);
    free(w->rank);
    free(w);
}

void *comm_window_memory(const struct comm_window *w)
{
    return w->place + 1;
}

uint32_t comm_window_rank(const struct comm_window *w, uint32_t host_rank)
{
    return w->rank[host_rank];
}

/* Comes to the barrier without waiting; returns the number of the pass. */
uint32_t comm_window_arrive(struct comm_window *w)
{
    uint32_t number;
    if (barrier_arrive(&w->place->barrier, w->ranks, &number))
        barrier_end(&w->place->barrier);
    return number;
}

/* Nonzero when that pass is over. Until then gives up the core for a moment, as another rank may need it. */
int comm_window_barrier_is_over(struct comm_window *w, uint32_t number)
{
    int is_over = barrier_is_over(&w->place->barrier, number);
    if (!is_over)
        sched_yield();
    return is_over;
}

/* Waits for all ranks of this host. */
void comm_window_barrier(struct comm_window *w)
{
    uint32_t number = comm_window_arrive(w);
    if (barrier_is_over(&w->place->barrier, number))
        return;
    WATCH_WAIT(barrier_await(&w->place->barrier, number, LONGEST_SPIN));
}

/* Communicator of the first ranks of all hosts; of all ranks without a window. */
MPI_Comm window_leaders(const struct comm_window *w)
{
    return w != NULL ? w->leaders : MPI_COMM_WORLD;
}

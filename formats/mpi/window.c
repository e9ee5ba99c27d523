/* window.c: see window.h */
#include "window.h"
#include "leaders.h"
#include "watch.h"

#include "formats/base/patience.h"
#include "formats/base/shared_memory.h"

#include <limits.h>
#include <linux/futex.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE_BYTES = 64 };
static const double LONGEST_SPIN = 1e-3; /* seconds, before a rank sleeps: its core may be another rank's */

/* In the shared memory, each number in a cache line of its own. */
struct meeting_place {
    _Alignas(LINE_BYTES) _Atomic uint32_t arrived;
    _Alignas(LINE_BYTES) _Atomic uint32_t meetings; /* that are over */
    _Atomic uint32_t sleeping;
};

struct comm_window {
    uint32_t ranks;  /* of this host */
    uint32_t *rank;  /* [ranks] of the job */
    struct meeting_place *place;
    MPI_Comm leaders; /* the first ranks of all hosts */
    struct shared_memory memory;
};

/* The first rank of the host takes the memory, and the others open it. */
static enum status open_memory(struct comm_window *w, const struct comm *comm, uint64_t bytes,
                               struct error *e)
{
    int own = (int)comm->rank, owner[2] = {getpid(), -1};
    MPI_Comm host;
    w->rank[0] = comm->rank;
    if (comm->host_rank == 0 &&
        shared_memory_take(&w->memory, bytes, comm->host_ranks > 1, "memory of a host's ranks",
                           e) == ST_OK)
        owner[1] = w->memory.fd;
    if (comm->host_ranks == 1)
        return e->status;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, own, MPI_INFO_NULL, &host);
    MPI_Allgather(&own, 1, MPI_INT, w->rank, 1, MPI_INT, host);
    MPI_Bcast(owner, 2, MPI_INT, 0, host);
    if (comm->host_rank > 0)
        shared_memory_open(&w->memory, bytes, owner[0], owner[1], e);
    MPI_Comm_free(&host);
    return e->status;
}

enum status comm_window_open(struct comm_window **result, const struct comm *comm, uint64_t bytes,
                             struct error *e)
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

static long futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void wait_for_others(struct meeting_place *place, uint32_t meetings)
{
    struct patience patience = {0};
    watch_wait_begin();
    while (atomic_load(&place->meetings) == meetings && !patience_is_over(&patience, LONGEST_SPIN))
        continue;
    atomic_fetch_add(&place->sleeping, 1);
    while (atomic_load(&place->meetings) == meetings)
        futex(&place->meetings, FUTEX_WAIT, meetings);
    atomic_fetch_sub(&place->sleeping, 1);
    watch_wait_end();
}

/* The last one to arrive ends the meeting. */
uint32_t comm_window_arrive(struct comm_window *w)
{
    struct meeting_place *place = w->place;
    uint32_t meetings = atomic_load(&place->meetings);
    if (atomic_fetch_add(&place->arrived, 1) + 1 < w->ranks)
        return meetings;
    atomic_store(&place->arrived, 0);
    atomic_fetch_add(&place->meetings, 1);
    if (atomic_load(&place->sleeping) > 0)
        futex(&place->meetings, FUTEX_WAKE, INT_MAX);
    return meetings;
}

/* It gives up its core for a moment, which may be another rank's. */
int comm_window_have_met(struct comm_window *w, uint32_t meeting)
{
    int met = atomic_load(&w->place->meetings) != meeting;
    if (!met)
        sched_yield();
    return met;
}

void comm_window_meet(struct comm_window *w)
{
    uint32_t meeting = comm_window_arrive(w);
    if (atomic_load(&w->place->meetings) == meeting)
        wait_for_others(w->place, meeting);
}

void comm_gather_mask_words(const struct comm_window *w, const struct mask_word *own,
                            int own_count, struct mask_word *all, const int *counts,
                            const int *begins)
{
    watch_wait_begin();
    MPI_Allgatherv(own, own_count, MPI_UINT64_T, all, counts, begins, MPI_UINT64_T,
                   w != NULL ? w->leaders : MPI_COMM_WORLD);
    watch_wait_end();
}

MPI_Comm window_leaders(const struct comm_window *w)
{
    return w->leaders;
}

void comm_window_or_masks(const struct comm_window *w, uint64_t *words, uint64_t count)
{
    enum { MOST = 1 << 20 };
    for (uint64_t at = 0; at < count && w->leaders != MPI_COMM_NULL; at += MOST) {
        uint64_t left = count - at;
        watch_wait_begin();
        MPI_Allreduce(MPI_IN_PLACE, words + at, (int)(left < MOST ? left : MOST), MPI_UINT64_T,
                      MPI_BOR, w->leaders);
        watch_wait_end();
    }
}

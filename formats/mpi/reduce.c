/* reduce.c: reductions and copies over ranks; see comm.h and window.h */
#include "leaders.h"
#include "wait.h"

#include "formats/base/arith.h"

#include <mpi.h>
#include <string.h>

/* The most values, and the most bytes, of one call of MPI: so counts fit an int, and MPI takes a bounded amount of memory. */
enum { REDUCE_VALUES = 1 << 20, BROADCAST_BYTES = 1 << 26 };

/* MPI_COMM_NULL for one rank alone: MPI need not be started. */
static MPI_Comm all_ranks(const struct comm *comm)
{
    return comm->ranks > 1 ? MPI_COMM_WORLD : MPI_COMM_NULL;
}

/* Reduces the values in place, in pieces; nothing with MPI_COMM_NULL. */
static void reduce_all(MPI_Comm comm, void *values, uint64_t count, size_t width, MPI_Datatype type, MPI_Op op)
{
    for (uint64_t at = 0; at < count && comm != MPI_COMM_NULL; at += REDUCE_VALUES) {
        WAIT_COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, (unsigned char *)values + at * width,
                        (int)smaller(count - at, REDUCE_VALUES), type, op, comm);
    }
}

void comm_sum_u64(const struct comm *comm, uint64_t *values, uint64_t count)
{
    reduce_all(all_ranks(comm), values, count, sizeof *values, MPI_UINT64_T, MPI_SUM);
}

void comm_sum_u32(const struct comm *comm, uint32_t *values, uint64_t count)
{
    reduce_all(all_ranks(comm), values, count, sizeof *values, MPI_UINT32_T, MPI_SUM);
}

/* Maps unsigned words to signed words of the same order, and back, because MPICH 4.0 compares unsigned words as if they were signed. */
static void flip_sign_bits(uint64_t *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] ^= UINT64_C(1) << 63;
}

/* Reduces by MPI_MIN or MPI_MAX. */
static void order_u64(const struct comm *comm, uint64_t *values, uint64_t count, MPI_Op op)
{
    if (comm->ranks == 1)
        return;
    flip_sign_bits(values, count);
    reduce_all(all_ranks(comm), values, count, sizeof *values, MPI_INT64_T, op);
    flip_sign_bits(values, count);
}

void comm_min_u64(const struct comm *comm, uint64_t *values, uint64_t count)
{
    order_u64(comm, values, count, MPI_MIN);
}

uint64_t comm_min_of(const struct comm *comm, uint64_t value)
{
    order_u64(comm, &value, 1, MPI_MIN);
    return value;
}

uint64_t comm_max_of(const struct comm *comm, uint64_t value)
{
    order_u64(comm, &value, 1, MPI_MAX);
    return value;
}

/* The sum of the values that the ranks before this one pass. */
uint64_t comm_sum_before(const struct comm *comm, uint64_t value)
{
    uint64_t sum = 0;
    if (comm->ranks > 1)
        WAIT_COLLECTIVE(MPI_Exscan, MPI_Iexscan, &value, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return comm->rank > 0 ? sum : 0;
}

void comm_max_ids(const struct comm *comm, void *ids, uint32_t id_bytes, uint64_t count)
{
    reduce_all(all_ranks(comm), ids, count, id_bytes, id_bytes == 4 ? MPI_INT32_T : MPI_INT64_T, MPI_MAX);
}

void comm_max_double(const struct comm *comm, double *values, uint64_t count)
{
    reduce_all(all_ranks(comm), values, count, sizeof *values, MPI_DOUBLE, MPI_MAX);
}

void comm_or_masks(const struct comm *comm, uint64_t *words, uint64_t count)
{
    reduce_all(all_ranks(comm), words, count, sizeof *words, MPI_UINT64_T, MPI_BOR);
}

void comm_broadcast(const struct comm *comm, void *bytes, uint64_t count, uint32_t root)
{
    for (uint64_t at = 0; at < count && comm->ranks > 1; at += BROADCAST_BYTES) {
        WAIT_COLLECTIVE(MPI_Bcast, MPI_Ibcast, (unsigned char *)bytes + at, (int)smaller(count - at, BROADCAST_BYTES),
                        MPI_BYTE, (int)root, MPI_COMM_WORLD);
    }
}

/* Sends `count` values to each rank, and receives as many from each, both in the order of ranks. */
void comm_alltoall_u64(const struct comm *comm, const uint64_t *values, uint64_t *received, int count)
{
    if (comm->ranks == 1) {
        memcpy(received, values, (size_t)count * sizeof *values);
        return;
    }
    WAIT_COLLECTIVE(MPI_Alltoall, MPI_Ialltoall, values, count, MPI_UINT64_T, received, count, MPI_UINT64_T,
                    MPI_COMM_WORLD);
}

/* ---- of the first ranks of all hosts ---- */

void comm_window_or_masks(const struct comm_window *w, uint64_t *words, uint64_t count)
{
    reduce_all(window_leaders(w), words, count, sizeof *words, MPI_UINT64_T, MPI_BOR);
}

/* Gathers the mask words of all leaders into all[]; counts[] and begins[] count 64-bit halves of a mask word. */
void comm_gather_mask_words(const struct comm_window *w, const struct mask_word *own,
                            int own_count, struct mask_word *all, const int *counts,
                            const int *begins)
{
    WAIT_COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv, own, own_count, MPI_UINT64_T, all, counts, begins, MPI_UINT64_T,
                    window_leaders(w));
}

/* ---- in two steps ---- */

static MPI_Request sum = MPI_REQUEST_NULL, masks = MPI_REQUEST_NULL;

/* Begins the sum of *value over all ranks, in place; comm_sum_is_here ends it. */
void comm_begin_sum(const struct comm *comm, uint64_t *value)
{
    if (comm->ranks > 1)
        MPI_Iallreduce(MPI_IN_PLACE, value, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &sum);
}

/* Nonzero if the sum that was begun is there. Lets MPI go on. */
int comm_sum_is_here(const struct comm *comm)
{
    int here = 1;
    if (comm->ranks > 1)
        MPI_Test(&sum, &here, MPI_STATUS_IGNORE);
    return here;
}

/* Begins to OR the masks of the leaders, in place; comm_masks_are_here ends it. */
void comm_window_begin_or_masks(const struct comm_window *w, uint64_t *words, uint64_t count)
{
    MPI_Iallreduce(MPI_IN_PLACE, words, (int)count, MPI_UINT64_T, MPI_BOR, window_leaders(w), &masks);
}

/* Nonzero if the masks are there. Lets MPI go on. */
int comm_masks_are_here(void)
{
    int here;
    MPI_Test(&masks, &here, MPI_STATUS_IGNORE);
    return here;
}

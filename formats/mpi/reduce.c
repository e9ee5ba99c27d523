/* reduce.c: reductions and copies over all ranks; see comm.h */
#include "comm.h"
#include "watch.h"

#include <mpi.h>
#include <string.h>

/* What one call of MPI is given: its count stays an int, and its memory beside the values bounded. */
enum { REDUCE_VALUES = 1 << 20, BROADCAST_BYTES = 1 << 26 };

static void reduce_all(const struct comm *comm, void *values, uint64_t count, size_t width,
                       MPI_Datatype type, MPI_Op op)
{
    for (uint64_t at = 0; at < count && comm->ranks > 1; at += REDUCE_VALUES) {
        uint64_t left = count - at;
        watch_wait_begin();
        MPI_Allreduce(MPI_IN_PLACE, (unsigned char *)values + at * width,
                      (int)(left < REDUCE_VALUES ? left : REDUCE_VALUES), type, op, MPI_COMM_WORLD);
        watch_wait_end();
    }
}

void comm_sum_u64(const struct comm *comm, uint64_t *values, uint64_t count)
{
    reduce_all(comm, values, count, sizeof *values, MPI_UINT64_T, MPI_SUM);
}

void comm_sum_u32(const struct comm *comm, uint32_t *values, uint64_t count)
{
    reduce_all(comm, values, count, sizeof *values, MPI_UINT32_T, MPI_SUM);
}

/* MPICH 4.0 orders unsigned words as if they were signed: it is given signed ones of the same order. */
static void flip_sign_bits(uint64_t *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] ^= UINT64_C(1) << 63;
}

static void order_u64(const struct comm *comm, uint64_t *values, uint64_t count, MPI_Op op)
{
    if (comm->ranks == 1)
        return;
    flip_sign_bits(values, count);
    reduce_all(comm, values, count, sizeof *values, MPI_INT64_T, op);
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

void comm_max_ids(const struct comm *comm, void *ids, uint32_t id_bytes, uint64_t count)
{
    reduce_all(comm, ids, count, id_bytes, id_bytes == 4 ? MPI_INT32_T : MPI_INT64_T, MPI_MAX);
}

void comm_max_double(const struct comm *comm, double *values, uint64_t count)
{
    reduce_all(comm, values, count, sizeof *values, MPI_DOUBLE, MPI_MAX);
}

void comm_or_masks(const struct comm *comm, uint64_t *words, uint64_t count)
{
    reduce_all(comm, words, count, sizeof *words, MPI_UINT64_T, MPI_BOR);
}

void comm_broadcast(const struct comm *comm, void *bytes, uint64_t count, uint32_t root)
{
    for (uint64_t at = 0; at < count && comm->ranks > 1; at += BROADCAST_BYTES) {
        uint64_t left = count - at;
        watch_wait_begin();
        MPI_Bcast((unsigned char *)bytes + at,
                  (int)(left < BROADCAST_BYTES ? left : BROADCAST_BYTES), MPI_BYTE, (int)root,
                  MPI_COMM_WORLD);
        watch_wait_end();
    }
}

void comm_alltoall_u64(const struct comm *comm, const uint64_t *values, uint64_t *received,
                       int count)
{
    if (comm->ranks == 1) {
        memcpy(received, values, (size_t)count * sizeof *values);
        return;
    }
    watch_wait_begin();
    MPI_Alltoall(values, count, MPI_UINT64_T, received, count, MPI_UINT64_T, MPI_COMM_WORLD);
    watch_wait_end();
}

/* ---- in two steps ---- */

static MPI_Request sum = MPI_REQUEST_NULL;

void comm_begin_sum(const struct comm *comm, uint64_t *value)
{
    if (comm->ranks > 1)
        MPI_Iallreduce(MPI_IN_PLACE, value, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &sum);
}

int comm_sum_is_here(const struct comm *comm)
{
    int here = 1;
    if (comm->ranks > 1)
        MPI_Test(&sum, &here, MPI_STATUS_IGNORE);
    return here;
}

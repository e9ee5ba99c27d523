/* messages.c: messages between ranks; see comm.h */
#include "comm.h"
#include "watch.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

/* Which question a library answers differs between libraries and their versions, so it is looked up
 * in the running program. MPICH's own comes first: some versions stop in an assertion of the other,
 * which Open MPI has. */
int comm_takes_device_memory(void)
{
    int (*cuda_support)(void);
    if (!comm_start_mpi())
        return 0;
#ifdef MPIX_GPU_SUPPORT_CUDA
    int (*gpu_support)(int, int *), takes = 0;
    *(void **)&gpu_support = dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support");
    if (gpu_support != NULL)
        return gpu_support(MPIX_GPU_SUPPORT_CUDA, &takes) == MPI_SUCCESS && takes;
#endif
    *(void **)&cuda_support = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    return cuda_support != NULL && cuda_support() == 1;
}

static size_t chunks_of(const struct transfer *list, size_t count, uint64_t chunk_bytes)
{
    size_t chunks = 0;
    for (size_t i = 0; i < count; i++)
        chunks += (size_t)((list[i].size + chunk_bytes - 1) / chunk_bytes);
    return chunks;
}

/* Chunks of one pair and tag arrive in the order they were sent. */
static MPI_Request *post(const struct transfer *t, uint64_t chunk_bytes, int sending,
                         MPI_Request *request)
{
    for (uint64_t at = 0; at < t->size; at += chunk_bytes) {
        uint64_t left = t->size - at;
        int bytes = (int)(left < chunk_bytes ? left : chunk_bytes);
        unsigned char *chunk = (unsigned char *)t->bytes + at;
        if (sending)
            MPI_Isend(chunk, bytes, MPI_BYTE, (int)t->rank, t->tag, MPI_COMM_WORLD, request++);
        else
            MPI_Irecv(chunk, bytes, MPI_BYTE, (int)t->rank, t->tag, MPI_COMM_WORLD, request++);
    }
    return request;
}

enum status comm_transfer(const struct comm *comm, const struct transfer *sends,
                          size_t send_count, const struct transfer *receives,
                          size_t receive_count, uint64_t chunk_bytes, struct error *e)
{
    (void)comm;
    size_t requests = chunks_of(sends, send_count, chunk_bytes) +
                      chunks_of(receives, receive_count, chunk_bytes);
    if (requests == 0)
        return ST_OK;
    MPI_Request *all = malloc(requests * sizeof *all), *next = all;
    if (all == NULL)
        return fail_memory(e, "message requests", requests * sizeof *all);
    for (size_t i = 0; i < receive_count; i++)
        next = post(&receives[i], chunk_bytes, 0, next);
    for (size_t i = 0; i < send_count; i++)
        next = post(&sends[i], chunk_bytes, 1, next);
    watch_wait_begin();
    for (size_t i = 0; i < requests; i++)
        MPI_Wait(&all[i], MPI_STATUS_IGNORE);
    watch_wait_end();
    free(all);
    return ST_OK;
}

static int mpi_rank(uint32_t rank)
{
    return rank == COMM_NONE ? MPI_PROC_NULL : (int)rank;
}

size_t comm_swap(const struct comm *comm, uint32_t to, const void *send, size_t send_bytes,
                 uint32_t from, void *receive, size_t capacity)
{
    int received = 0;
    MPI_Status status;
    (void)comm;
    watch_wait_begin();
    MPI_Sendrecv(send, (int)send_bytes, MPI_BYTE, mpi_rank(to), 0, receive, (int)capacity, MPI_BYTE,
                 mpi_rank(from), 0, MPI_COMM_WORLD, &status);
    watch_wait_end();
    if (from != COMM_NONE)
        MPI_Get_count(&status, MPI_BYTE, &received);
    return (size_t)received;
}

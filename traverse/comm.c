/* comm.c: see comm.h */
#include "comm.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REDUCE_WORDS = 1 << 27 };

/* ---- start-up ---- */

/* A launcher of one MPI starts a program of another as many jobs of one rank each. Batch scripts
 * set SLURM_NTASKS for every step, so only the step's own count tells. */
static enum status check_launcher(uint32_t ranks, struct error *e)
{
    static const char *const launcher_ranks[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE",
                                                 "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof launcher_ranks / sizeof *launcher_ranks; i++) {
        const char *text = getenv(launcher_ranks[i]);
        long started = text != NULL ? strtol(text, NULL, 10) : 0;
        if (ranks == 1 && started > 1)
            return fail(e, ST_RUNTIME,
                        "launcher: %s is %ld, but MPI sees one rank: this program was built with "
                        "another MPI than the launcher's",
                        launcher_ranks[i], started);
    }
    return ST_OK;
}

static void library_name(char *name, size_t bytes)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\t' ? ' ' : *c;
    snprintf(name, bytes, "%.*s", (int)bytes - 1, text);
}

enum status comm_init(struct comm *comm, struct error *e)
{
    int rank, ranks, host_rank, host_ranks, length = 0, provided;
    MPI_Comm host;
    memset(comm, 0, sizeof *comm);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return fail(e, ST_RUNTIME, "MPI: cannot start");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &host_rank);
    MPI_Comm_size(host, &host_ranks);
    MPI_Comm_free(&host);
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_processor_name(name, &length);
    snprintf(comm->host, sizeof comm->host, "%s", name);
    library_name(comm->library, sizeof comm->library);
    comm->rank = (uint32_t)rank;
    comm->ranks = (uint32_t)ranks;
    comm->host_rank = (uint32_t)host_rank;
    comm->host_ranks = (uint32_t)host_ranks;
    return check_launcher(comm->ranks, e);
}

void comm_finalize(void)
{
    MPI_Finalize();
}

/* ---- failures ---- */

enum status comm_agree(const struct comm *comm, struct error *e)
{
    int first = e->status != ST_OK ? (int)comm->rank : (int)comm->ranks;
    if (comm->ranks == 1)
        return e->status;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == (int)comm->ranks)
        return ST_OK;
    MPI_Bcast(e, sizeof *e, MPI_BYTE, first, MPI_COMM_WORLD);
    return e->status;
}

_Noreturn void comm_abort(const struct comm *comm, const char *program, const struct error *e)
{
    fprintf(stderr, "%s: host %s, rank %u: %s\n", program, comm->host, comm->rank, e->text);
    MPI_Abort(MPI_COMM_WORLD, (int)e->status);
    abort();
}

/* ---- small collectives ---- */

void comm_barrier(const struct comm *comm)
{
    if (comm->ranks > 1)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* In pieces, so that the count of one MPI call stays an int. `type` is 8 bytes wide. */
static void reduce_all(const struct comm *comm, void *values, uint64_t count, MPI_Datatype type,
                       MPI_Op op)
{
    for (uint64_t at = 0; at < count && comm->ranks > 1; at += REDUCE_WORDS) {
        uint64_t left = count - at;
        MPI_Allreduce(MPI_IN_PLACE, (uint64_t *)values + at,
                      (int)(left < REDUCE_WORDS ? left : REDUCE_WORDS), type, op, MPI_COMM_WORLD);
    }
}

void comm_sum_u64(const struct comm *comm, uint64_t *values, uint64_t count)
{
    reduce_all(comm, values, count, MPI_UINT64_T, MPI_SUM);
}

void comm_min_u64(const struct comm *comm, uint64_t *values, uint64_t count)
{
    /* MPICH 4.0 orders unsigned words as if they were signed: give it signed ones of that order */
    const uint64_t sign = UINT64_C(1) << 63;
    if (comm->ranks == 1)
        return;
    for (uint64_t i = 0; i < count; i++)
        values[i] ^= sign;
    reduce_all(comm, values, count, MPI_INT64_T, MPI_MIN);
    for (uint64_t i = 0; i < count; i++)
        values[i] ^= sign;
}

void comm_max_double(const struct comm *comm, double *values, uint64_t count)
{
    reduce_all(comm, values, count, MPI_DOUBLE, MPI_MAX);
}

void comm_max_i64(const struct comm *comm, int64_t *values, int count, uint32_t root)
{
    if (comm->ranks == 1)
        return;
    if (comm->rank == root)
        MPI_Reduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, (int)root, MPI_COMM_WORLD);
    else
        MPI_Reduce(values, NULL, count, MPI_INT64_T, MPI_MAX, (int)root, MPI_COMM_WORLD);
}

void comm_broadcast(const struct comm *comm, void *bytes, size_t count, uint32_t root)
{
    if (comm->ranks > 1)
        MPI_Bcast(bytes, (int)count, MPI_BYTE, (int)root, MPI_COMM_WORLD);
}

void comm_alltoall_u64(const struct comm *comm, const uint64_t *values, uint64_t *received,
                       int count)
{
    (void)comm;
    MPI_Alltoall(values, count, MPI_UINT64_T, received, count, MPI_UINT64_T, MPI_COMM_WORLD);
}

/* ---- masks ---- */

static MPI_Request mask_request = MPI_REQUEST_NULL;

void comm_or_masks(const struct comm *comm, uint64_t *words, uint64_t count)
{
    reduce_all(comm, words, count, MPI_UINT64_T, MPI_BOR);
}

void comm_begin_or_masks(const struct comm *comm, uint64_t *words, uint64_t count)
{
    /* d < 2^31 delegates are at most 2^25 words: one call */
    if (comm->ranks > 1)
        MPI_Iallreduce(MPI_IN_PLACE, words, (int)count, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD,
                       &mask_request);
}

void comm_wait_masks(const struct comm *comm)
{
    if (comm->ranks > 1)
        MPI_Wait(&mask_request, MPI_STATUS_IGNORE);
}

/* ---- transfers ---- */

/* Which question a library answers differs between libraries and their versions, so it is looked up
 * in the running program. MPICH's own comes first: some versions stop in an assertion of the other,
 * which Open MPI has. */
int comm_takes_device_memory(void)
{
    int (*cuda_support)(void);
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
            MPI_Isend(chunk, bytes, MPI_BYTE, (int)t->peer, t->tag, MPI_COMM_WORLD, request++);
        else
            MPI_Irecv(chunk, bytes, MPI_BYTE, (int)t->peer, t->tag, MPI_COMM_WORLD, request++);
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
    for (size_t i = 0; i < requests; i++)
        MPI_Wait(&all[i], MPI_STATUS_IGNORE);
    free(all);
    return ST_OK;
}

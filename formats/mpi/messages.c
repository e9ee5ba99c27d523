/* messages.c: messages between ranks; see comm.h */
#include "comm.h"
#include "wait.h"

#include "formats/base/arith.h"
#include "formats/base/memory.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Sets *context, an int, to 1 if the library that `info` describes is UCX's for CUDA. Called by dl_iterate_phdr for each library. */
static int note_ucx(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    if (strstr(info->dlpi_name, "/libuct_cuda.so") != NULL)
        *(int *)context = 1;
    return 0;
}

/* Returns 1 if MPI sends with UCX, and UCX may take device memory for memory of the host. UCX remembers which allocations of
 * device memory it has seen. It does not see those of a CUDA runtime that is linked statically, as that of dbfs is: UCX 1.22 then
 * reads device memory on the host, which ends the process. UCX_MEMTYPE_CACHE=n makes it ask the driver instead. */
static int ucx_misjudges(void)
{
    const char *cache = getenv("UCX_MEMTYPE_CACHE");
    int loaded = 0;
    dl_iterate_phdr(note_ucx, &loaded);
    return loaded && (cache == NULL || (strcmp(cache, "n") != 0 && strcmp(cache, "no") != 0 && strcmp(cache, "0") != 0));
}

/* Returns whether the MPI library says that it takes memory of CUDA devices. Looks its functions up at run time, because libraries
 * differ. MPICH's own comes first: some versions stop in an assertion when Open MPI's is called. */
static int library_takes_device_memory(void)
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

const char *comm_refuses_device_memory(void)
{
    if (!comm_start_mpi() || !library_takes_device_memory())
        return "the MPI library does not say that it takes device memory";
    return ucx_misjudges() ? "UCX, with which the MPI library sends, takes it only if UCX_MEMTYPE_CACHE=n is set" : NULL;
}

static size_t chunks_of(const struct transfer *list, size_t count, uint64_t chunk_bytes)
{
    size_t chunks = 0;
    for (size_t i = 0; i < count; i++)
        chunks += divide_up(list[i].size, chunk_bytes);
    return chunks;
}

/* A chunk of a message, and its request while it is under way. */
struct chunk {
    MPI_Request request;
    unsigned char *bytes;
    int size, rank, tag, is_sent;
};

struct transfers {
    size_t count;
    struct chunk chunk[];
};

/* Adds the chunks of a message to the list. Chunks of one pair and tag arrive in the order they were sent. */
static void add_chunks(struct transfers *all, const struct transfer *t, uint64_t chunk_bytes, int is_sent)
{
    for (uint64_t at = 0; at < t->size; at += chunk_bytes) {
        all->chunk[all->count++] = (struct chunk){.bytes = (unsigned char *)t->bytes + at,
                                                  .size = (int)smaller(t->size - at, chunk_bytes),
                                                  .rank = (int)t->rank,
                                                  .tag = t->tag,
                                                  .is_sent = is_sent};
    }
}

/* Lists the chunks of all messages for comm_move_transfers; moves nothing yet. */
enum status comm_prepare_transfers(struct transfers **result, const struct transfer *sends,
                                   size_t send_count, const struct transfer *receives,
                                   size_t receive_count, uint64_t chunk_bytes, struct error *e)
{
    size_t chunks = chunks_of(sends, send_count, chunk_bytes) +
                    chunks_of(receives, receive_count, chunk_bytes);
    struct transfers *all = malloc(sizeof *all + chunks * sizeof *all->chunk);
    *result = all;
    if (all == NULL)
        return fail_memory(e, "message requests", chunks * sizeof *all->chunk);
    all->count = 0;
    for (size_t i = 0; i < receive_count; i++)
        add_chunks(all, &receives[i], chunk_bytes, /* is_sent */ 0);
    for (size_t i = 0; i < send_count; i++)
        add_chunks(all, &sends[i], chunk_bytes, /* is_sent */ 1);
    return ST_OK;
}

/* Sends and receives all messages, and waits for them. */
void comm_move_transfers(const struct comm *comm, struct transfers *all)
{
    if (comm->ranks == 1)
        return;
    for (size_t i = 0; i < all->count; i++) {
        struct chunk *c = &all->chunk[i];
        if (c->is_sent)
            MPI_Isend(c->bytes, c->size, MPI_BYTE, c->rank, c->tag, MPI_COMM_WORLD, &c->request);
        else
            MPI_Irecv(c->bytes, c->size, MPI_BYTE, c->rank, c->tag, MPI_COMM_WORLD, &c->request);
    }
    watch_wait_begin();
    for (size_t i = 0; i < all->count; i++) {
        watch_wait_for((uint32_t)all->chunk[i].rank);
        wait_for(&all->chunk[i].request, MPI_STATUS_IGNORE);
    }
    watch_wait_end();
}

/* Sends and receives messages, and waits for them. */
enum status comm_transfer(const struct comm *comm, const struct transfer *sends,
                          size_t send_count, const struct transfer *receives,
                          size_t receive_count, uint64_t chunk_bytes, struct error *e)
{
    struct transfers *all = NULL;
    if (send_count + receive_count > 0 &&
        comm_prepare_transfers(&all, sends, send_count, receives, receive_count, chunk_bytes, e) == ST_OK)
        comm_move_transfers(comm, all);
    free(all);
    return e->status;
}

enum status comm_deal(const struct comm *comm, const void *own, const uint64_t *counts, uint64_t width,
                      struct memory_budget *budget, void **got, uint64_t *begin, const char *what, struct error *e)
{
    enum { CHUNK_BYTES = 1 << 26 };
    const uint32_t R = comm->ranks;
    uint64_t *received = zeroed(R, sizeof *received, what, e), sent = 0;
    struct transfer *move = zeroed(2 * R, sizeof *move, what, e);
    struct transfers *transfers = NULL;
    *got = NULL;
    if (comm_agree(comm, e) == ST_OK) {
        comm_alltoall_u64(comm, counts, received, 1);
        begin[0] = 0;
        for (uint32_t r = 0; r < R; r++)
            begin[r + 1] = begin[r] + received[r];
        memory_take(budget, got, begin[R], width, what, e);
    }
    if (comm_agree(comm, e) == ST_OK) {
        for (uint32_t r = 0; r < R; sent += counts[r], r++) {
            move[r] = (struct transfer){r, 0, (char *)own + sent * width, counts[r] * width};
            move[R + r] = (struct transfer){r, 0, (char *)*got + begin[r] * width, received[r] * width};
        }
        comm_prepare_transfers(&transfers, move, R, move + R, R, CHUNK_BYTES, e);
    }
    if (comm_agree(comm, e) == ST_OK && R > 1)
        comm_move_transfers(comm, transfers);
    else if (e->status == ST_OK && counts[0] > 0)
        memcpy(*got, own, counts[0] * width);
    free(transfers);
    free(received);
    free(move);
    return e->status;
}

static int mpi_rank(uint32_t rank)
{
    return rank == COMM_NONE ? MPI_PROC_NULL : (int)rank;
}

/* Sends a message to one rank and receives one from another; returns the bytes received. Either may be COMM_NONE. */
size_t comm_swap(const struct comm *comm, uint32_t to, const void *send, size_t send_bytes,
                 uint32_t from, void *receive, size_t capacity)
{
    int received = 0;
    MPI_Status status;
    MPI_Request sent, arrives;
    (void)comm;
    MPI_Irecv(receive, (int)capacity, MPI_BYTE, mpi_rank(from), 0, MPI_COMM_WORLD, &arrives);
    MPI_Isend(send, (int)send_bytes, MPI_BYTE, mpi_rank(to), 0, MPI_COMM_WORLD, &sent);
    watch_wait_begin();
    watch_wait_for(from);
    wait_for(&arrives, &status);
    watch_wait_for(to);
    wait_for(&sent, MPI_STATUS_IGNORE);
    watch_wait_end();
    if (from != COMM_NONE)
        MPI_Get_count(&status, MPI_BYTE, &received);
    return (size_t)received;
}

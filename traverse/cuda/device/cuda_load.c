/* cuda_load.c: copies mapped files to device memory through pinned buffers, which several threads fill; see cuda_load.h */
#include "cuda_error.h"
#include "cuda_load.h"

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 2 << 20, BUFFERS = 2, MOST_THREADS = 16 };

/* The pinned buffers of one thread. The thread fills the buffers in turn. */
struct ring {
    unsigned char *buffer[BUFFERS]; /* [PIECE_BYTES] each */
    cudaEvent_t emptied[BUFFERS];   /* recorded behind the copy of the buffer to the device */
    cudaStream_t stream;            /* copies the buffers */
    unsigned next;                  /* how many pieces the ring has taken; the next piece goes to buffer `next` % BUFFERS */
};

/* Returns the number of pieces of PIECE_BYTES bytes of a copy. The last piece may be shorter. */
static uint64_t pieces_of(const struct gpu_copy *copy)
{
    return (copy->bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

/* Sends piece number `piece` of all copies to the device, through the ring's next buffer, when that buffer's last copy is
 * done. */
static enum status load_piece(struct ring *l, const struct gpu_copy *copies, uint64_t piece, const char *where,
                              struct error *e)
{
    for (; piece >= pieces_of(copies); copies++) /* finds the copy to which the piece belongs */
        piece -= pieces_of(copies);
    const size_t begin = (size_t)piece * PIECE_BYTES, left = copies->bytes - begin,
                 bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
    const unsigned i = l->next++ % BUFFERS;
    if (CUDA_TRY(cudaEventSynchronize(l->emptied[i]), where, e) != ST_OK)
        return e->status;
    memcpy(l->buffer[i], (const char *)copies->from + begin, bytes);
    if (CUDA_TRY(cudaMemcpyAsync((char *)copies->to + begin, l->buffer[i], bytes, cudaMemcpyHostToDevice, l->stream), where,
                 e) == ST_OK)
        CUDA_TRY(cudaEventRecord(l->emptied[i], l->stream), where, e);
    return e->status;
}

struct gpu_loader {
    int device, threads;
    const char *where;              /* the GPU in messages; not owned */
    struct ring ring[MOST_THREADS]; /* the first `threads` rings are open */
};

/* Frees a loader with its buffers. The loader may be opened only in part. It may be NULL. */
void gpu_loader_close(struct gpu_loader *loader)
{
    for (int t = 0; loader != NULL && t < loader->threads; t++) {
        struct ring *l = &loader->ring[t];
        for (int i = 0; i < BUFFERS; i++) {
            if (l->emptied[i] != NULL)
                cudaEventDestroy(l->emptied[i]);
            cudaFreeHost(l->buffer[i]);
        }
        if (l->stream != NULL)
            cudaStreamDestroy(l->stream);
    }
    free(loader);
}

/* Opens a loader with min(threads, MOST_THREADS) rings. After a failure everything is freed. */
enum status gpu_loader_open(struct gpu_loader **result, int threads, const char *where, struct error *e)
{
    *result = NULL;
    struct gpu_loader *loader = calloc(1, sizeof *loader);
    if (loader == NULL)
        return fail_memory(e, "loader", sizeof *loader);
    loader->where = where;
    loader->threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    CUDA_TRY(cudaGetDevice(&loader->device), where, e);
    for (int t = 0; t < loader->threads && e->status == ST_OK; t++) {
        struct ring *l = &loader->ring[t];
        CUDA_TRY(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking), where, e);
        for (int i = 0; i < BUFFERS && e->status == ST_OK; i++) {
            CUDA_TRY(cudaMallocHost((void **)&l->buffer[i], PIECE_BYTES), where, e);
            CUDA_TRY(cudaEventCreateWithFlags(&l->emptied[i], cudaEventDisableTiming), where, e);
        }
    }
    if (e->status != ST_OK) {
        gpu_loader_close(loader);
        return e->status;
    }
    *result = loader;
    return ST_OK;
}

/* Makes the copies by several threads, piece by piece. If a thread fails, the others stop, and *e gets the first error. */
enum status gpu_loader_copy(struct gpu_loader *loader, const struct gpu_copy *copies, int count, struct error *e)
{
    uint64_t pieces = 0, next = 0;
    for (int i = 0; i < count; i++)
        pieces += pieces_of(&copies[i]);
    int threads = pieces < (uint64_t)loader->threads ? (int)pieces : loader->threads;
    if (threads == 0)
        return ST_OK;
#pragma omp parallel num_threads(threads)
    {
        struct ring *ring = &loader->ring[omp_get_thread_num()];
        struct error error = {0};
        uint64_t i;
        CUDA_TRY(cudaSetDevice(loader->device), loader->where, &error);
        while (error.status == ST_OK && (i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < pieces)
            load_piece(ring, copies, i, loader->where, &error);
        if (error.status == ST_OK)
            CUDA_TRY(cudaStreamSynchronize(ring->stream), loader->where, &error);
        else
            __atomic_store_n(&next, pieces, __ATOMIC_RELAXED); /* no piece is left, so the other threads also end */
#pragma omp critical(gpu_loader)
        if (error.status != ST_OK && e->status == ST_OK)
            *e = error;
    }
    return e->status;
}

/* cuda_load.c: see cuda_load.h */
#include "cuda_load.h"

#include "cuda_error.h"

#include <stdint.h>
#include <string.h>

enum { PIECE_BYTES = 4 << 20, BUFFERS = 2, MOST_LOADERS = 16 };

/* One thread's ring. */
struct loader {
    unsigned char *buffer[BUFFERS];
    cudaEvent_t emptied[BUFFERS];
    cudaStream_t stream;
    unsigned turn;
};

static enum status loader_open(struct loader *l, const char *where, struct error *e)
{
    memset(l, 0, sizeof *l);
    CUDA_TRY(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking), where, e);
    for (int i = 0; i < BUFFERS && e->status == ST_OK; i++) {
        CUDA_TRY(cudaMallocHost((void **)&l->buffer[i], PIECE_BYTES), where, e);
        CUDA_TRY(cudaEventCreateWithFlags(&l->emptied[i], cudaEventDisableTiming), where, e);
    }
    return e->status;
}

static void loader_close(struct loader *l)
{
    for (int i = 0; i < BUFFERS; i++) {
        if (l->emptied[i] != NULL)
            cudaEventDestroy(l->emptied[i]);
        cudaFreeHost(l->buffer[i]);
    }
    if (l->stream != NULL)
        cudaStreamDestroy(l->stream);
}

static enum status load_piece(struct loader *l, void *to, const void *from, size_t bytes,
                              const char *where, struct error *e)
{
    unsigned i = l->turn++ % BUFFERS;
    if (CUDA_TRY(cudaEventSynchronize(l->emptied[i]), where, e) != ST_OK)
        return e->status;
    memcpy(l->buffer[i], from, bytes);
    if (CUDA_TRY(cudaMemcpyAsync(to, l->buffer[i], bytes, cudaMemcpyHostToDevice, l->stream), where,
                 e) == ST_OK)
        CUDA_TRY(cudaEventRecord(l->emptied[i], l->stream), where, e);
    return e->status;
}

static uint64_t pieces_of(const struct gpu_copy *copy)
{
    return (copy->bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

/* Piece number `piece` of all copies, counted through. */
static enum status load_numbered(struct loader *l, const struct gpu_copy *copies, uint64_t piece,
                                 const char *where, struct error *e)
{
    for (; piece >= pieces_of(copies); copies++)
        piece -= pieces_of(copies);
    size_t begin = (size_t)piece * PIECE_BYTES, left = copies->bytes - begin;
    return load_piece(l, (char *)copies->to + begin, (const char *)copies->from + begin,
                      left < PIECE_BYTES ? left : PIECE_BYTES, where, e);
}

enum status cuda_load(const struct gpu_copy *copies, int count, int threads, const char *where,
                      struct error *e)
{
    uint64_t pieces = 0;
    int device = 0;
    if (CUDA_TRY(cudaGetDevice(&device), where, e) != ST_OK)
        return e->status;
    for (int i = 0; i < count; i++)
        pieces += pieces_of(&copies[i]);
    if (threads > MOST_LOADERS)
        threads = MOST_LOADERS;
    if (pieces < (uint64_t)threads)
        threads = pieces > 0 ? (int)pieces : 1;
#pragma omp parallel num_threads(threads)
    {
        struct loader l;
        struct error error = {0};
        CUDA_TRY(cudaSetDevice(device), where, &error);
        loader_open(&l, where, &error);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t i = 0; i < pieces; i++) {
            if (error.status == ST_OK)
                load_numbered(&l, copies, i, where, &error);
        }
        if (error.status == ST_OK)
            CUDA_TRY(cudaStreamSynchronize(l.stream), where, &error);
        loader_close(&l);
#pragma omp critical(cuda_load)
        if (error.status != ST_OK && e->status == ST_OK)
            *e = error;
    }
    return e->status;
}

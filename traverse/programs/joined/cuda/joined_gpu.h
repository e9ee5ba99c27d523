/* joined_gpu.h: a joined graph on a GPU, and all device memory of a search, which is freed together with the graph */
#ifndef DBFS_JOINED_GPU_H
#define DBFS_JOINED_GPU_H

#include "joined_rows.h"

#include "traverse/cuda/device/cuda_choose.h"
#include "traverse/cuda/device/cuda_error.h"
#include "traverse/programs/joined/joined_graph.h"

#include "formats/mpi/comm.h"

/* A joined graph on the GPU of a rank, the stream of a search, and the device memory of the search. */
struct joined_gpu {
    /* the rows to push and the rows to pull; the same rows in an undirected graph */
    struct gpu_rows push, pull;
    cudaStream_t stream;
    void *arrays[32];           /* [taken] all allocated arrays of device memory */
    int taken;
    char where[GPU_WHERE];      /* names the GPU in messages */
};

/* Opens *gpu, which must be all zeros: chooses the GPU of the rank of `comm`, and copies the graph to the GPU. ST_RESOURCE if the GPU
 * has no room for the graph and the `search_bytes` bytes that the caller allocates afterwards. The caller calls joined_gpu_close even
 * after a failure. */
enum status joined_gpu_open(struct joined_gpu *gpu, const struct joined_graph *graph, const struct comm *comm,
                            uint64_t search_bytes, struct error *e);
uint64_t joined_gpu_row_bytes(uint64_t vertices, uint64_t edges); /* returns the device memory of rows */
void joined_gpu_close(struct joined_gpu *gpu); /* Frees all device memory, and zeroes *gpu. *gpu may be all zeros. */

/* Allocates device memory for `count` elements of `width` bytes, and sets the pointer at the address `array`. Does nothing
 * if *e has failed before. joined_gpu_close frees the memory. */
enum status joined_gpu_take(struct joined_gpu *gpu, void *array, uint64_t count, uint64_t width, struct error *e);

/* Copies `bytes` bytes between host and device, in any direction, after all earlier work of the stream, and waits for it. */
enum status joined_gpu_copy(const struct joined_gpu *gpu, void *to, const void *from, uint64_t bytes, struct error *e);

/* Copies as joined_gpu_copy does, without waiting. Does nothing if *e has failed before. The caller waits for the stream before it changes
 * the bytes on the host. */
void joined_gpu_begin_copy(const struct joined_gpu *gpu, void *to, const void *from, uint64_t bytes, struct error *e);

/* Zeroes device memory after all earlier work of the stream, without waiting. Does nothing if *e has failed before. */
void joined_gpu_clear(const struct joined_gpu *gpu, void *array, uint64_t bytes, struct error *e);

/* Waits until the GPU has done all work of the stream. */
enum status joined_gpu_wait(const struct joined_gpu *gpu, struct error *e);

#endif

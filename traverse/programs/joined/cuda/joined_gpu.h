/* joined_gpu.h: a joined graph on a GPU, and device memory that is freed with it */
#ifndef DBFS_JOINED_GPU_H
#define DBFS_JOINED_GPU_H

#include "joined_rows.h"

#include "traverse/cuda/device/cuda_choose.h"
#include "traverse/cuda/device/cuda_error.h"
#include "traverse/programs/joined/joined_graph.h"

#include "formats/mpi/comm.h"

/* A joined graph on the GPU of a rank, a stream, and the device memory that was allocated for the search. */
struct joined_gpu {
    struct gpu_rows push, pull; /* the same rows, unless the graph has other rows to pull */
    cudaStream_t stream;
    void *arrays[24];           /* [taken] arrays of device memory to free */
    int taken;
    char where[GPU_WHERE];      /* names the GPU in messages */
};

/* Opens *gpu, which must be zeroed before: chooses the GPU of the rank of `comm`, and copies the graph to the GPU. After a
 * failure, too, joined_gpu_close is to be called. */
enum status joined_gpu_open(struct joined_gpu *gpu, const struct joined_graph *graph, const struct comm *comm,
                            struct error *e);
void joined_gpu_close(struct joined_gpu *gpu); /* frees all device memory, and zeroes *gpu, which may be all zeros */

/* Allocates device memory for `count` elements of `width` bytes, and sets the pointer whose address is `array`.
 * joined_gpu_close frees the memory. Does nothing if *e has failed before. */
enum status joined_gpu_take(struct joined_gpu *gpu, void *array, uint64_t count, uint64_t width, struct error *e);

/* Copies `bytes` bytes between host and device, in any direction, after all earlier work of the stream. Waits for the
 * end. */
enum status joined_gpu_copy(const struct joined_gpu *gpu, void *to, const void *from, uint64_t bytes, struct error *e);

/* Sets `bytes` bytes of device memory to zero after all earlier work of the stream. Does not wait. Does nothing if *e has
 * failed before. */
void joined_gpu_clear(const struct joined_gpu *gpu, void *array, uint64_t bytes, struct error *e);

/* Waits until the GPU has done all work of the stream. */
enum status joined_gpu_wait(const struct joined_gpu *gpu, struct error *e);

#endif

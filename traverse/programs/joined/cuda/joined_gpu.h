/* joined_gpu.h: a joined graph on a GPU, and device memory that is freed with it */
#ifndef DBFS_JOINED_GPU_H
#define DBFS_JOINED_GPU_H

#include "joined_rows.h"

#include "traverse/cuda/device/cuda_choose.h"
#include "traverse/cuda/device/cuda_error.h"
#include "traverse/programs/joined/joined_graph.h"

#include "formats/mpi/comm.h"

/* A joined graph on the GPU of a rank, a stream, and the device memory taken. */
struct joined_gpu {
    struct gpu_rows push, pull; /* the same rows unless the graph has others to pull */
    cudaStream_t stream;
    void *arrays[24];           /* [taken] device memory to free */
    int taken;
    char where[GPU_WHERE];      /* names the GPU in messages */
};

/* Chooses the GPU of a rank, and copies the graph to it. */
enum status joined_gpu_open(struct joined_gpu *gpu, const struct joined_graph *graph, const struct comm *comm,
                            struct error *e);
void joined_gpu_close(struct joined_gpu *gpu); /* a zeroed one is allowed */

/* Takes device memory for `count` elements of `width` bytes, until the GPU is closed. `array` is the address of a
 * pointer, which is set. Nothing happens after an error. */
enum status joined_gpu_take(struct joined_gpu *gpu, void *array, uint64_t count, uint64_t width, struct error *e);

/* Copies bytes between host and device, in any direction, after all earlier work of the stream, and waits for the end. */
enum status joined_gpu_copy(const struct joined_gpu *gpu, void *to, const void *from, uint64_t bytes, struct error *e);

/* Sets `bytes` bytes of device memory to zero after all earlier work of the stream; does not wait. Nothing happens
 * after an error. */
void joined_gpu_clear(const struct joined_gpu *gpu, void *array, uint64_t bytes, struct error *e);

/* Waits for all work of the stream. */
enum status joined_gpu_wait(const struct joined_gpu *gpu, struct error *e);

#endif

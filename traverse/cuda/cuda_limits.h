/* cuda_limits.h: sizes that the kernels and the plan of device memory share; C and CUDA */
#ifndef DBFS_CUDA_LIMITS_H
#define DBFS_CUDA_LIMITS_H

#include <stddef.h>
#include <stdint.h>

enum {
    GPU_CHUNK_EDGES = 512,                /* of a piece of a long row */
    GPU_LONG_ROW = 2 * GPU_CHUNK_EDGES,   /* rows from here on are cut into pieces */
    GPU_CHUNK_BYTES = 16,                 /* of struct gpu_chunk */
    GPU_COUNTER_BYTES = 1024,
    GPU_MOST_SHARDS = 4096                /* whose bins fit into shared memory */
};

/* Pieces that the long rows of a subgraph can have: a row that is cut leaves less than one piece
 * unfilled. */
static inline uint64_t gpu_chunk_room(uint64_t edges)
{
    return edges / GPU_CHUNK_EDGES + edges / GPU_LONG_ROW + 1;
}

/* More than CUB's scan of `count` words asks for. */
static inline uint64_t gpu_merge_scratch_bound(uint64_t count)
{
    return (UINT64_C(1) << 16) + count / 32;
}

#endif

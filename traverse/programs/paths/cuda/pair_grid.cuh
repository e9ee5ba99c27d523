/* pair_grid.cuh: the threads that search between a pair: those of one block, or of all blocks; see pair_kernels.h */
#ifndef DBFS_PAIR_TEAM_CUH
#define DBFS_PAIR_TEAM_CUH

#include "pair_kernels.h"
#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"

/* The threads of one block, which search between a pair by themselves. block() is the block's number among the blocks of
 * the search, blocks() how many these are; all threads of the search call barrier(). */
struct block_threads {
    static constexpr bool has_all = false;
    gpu_pair_live *live; /* shared memory */

    __device__ unsigned block() const
    {
        return 0;
    }

    __device__ unsigned blocks() const
    {
        return 1;
    }

    __device__ void barrier()
    {
        __syncthreads();
    }
};

/* The threads of all blocks, which search between one pair together; the functions are as in block_threads. */
struct grid_threads {
    static constexpr bool has_all = true;
    gpu_pair_live *live; /* device memory */
    unsigned arrivals;   /* the value of live->arrived after the barriers so far */

    __device__ unsigned block() const
    {
        return blockIdx.x;
    }

    __device__ unsigned blocks() const
    {
        return gridDim.x;
    }

    __device__ void barrier()
    {
        arrivals += gridDim.x;
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_of_gpu();
            atomicAdd(&live->arrived, 1u);
            while ((int)(load_acquire(&live->arrived) - arrivals) < 0)
                __nanosleep(32);
        }
        __syncthreads();
    }
};

#endif

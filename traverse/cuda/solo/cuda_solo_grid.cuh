/* cuda_solo_grid.cuh: all blocks of a kernel: their barrier, and the counters of a level; see cuda_solo.h */
#ifndef DBFS_CUDA_SOLO_GRID_CUH
#define DBFS_CUDA_SOLO_GRID_CUH

#include "cuda_solo_notes.cuh"

__device__ static inline uint32_t warp_of_grid()
{
    return blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
}

__device__ static inline uint32_t warps_of_grid()
{
    return gridDim.x * (blockDim.x / WARP);
}

/* Of all blocks. */
__device__ static inline void barrier()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned target = block.arrivals += gridDim.x;
        unsigned spins = 0;
        fence_of_gpu();
        atomicAdd(&search.state->arrived, 1u);
        while ((int)(load_acquire(&search.state->arrived) - target) < 0) {
            if (++spins > 256)
                __nanosleep(64);
        }
    }
    __syncthreads();
}

/* Adds what the warps of this block counted to the counters of the level, and clears it. */
__device__ static inline void add_counts()
{
    const unsigned warps = blockDim.x / WARP;
    __syncthreads();
    add_pulled();
    for (unsigned i = threadIdx.x / WARP; i < COUNTERS; i += warps) {
        const unsigned long long sum = sum_of_warps(i);
        if (lane_id() == 0 && sum != 0)
            atomicAdd(&search.state->counts[block.now.turn].count[i], sum);
    }
}

__device__ static inline void clear_counts(unsigned turn)
{
    unsigned *words = (unsigned *)&search.state->counts[turn];
    if (blockIdx.x == 0 && threadIdx.x < sizeof(solo_counts) / sizeof *words)
        words[threadIdx.x] = 0;
}

/* The counters of the turn after the next, which no block reads or writes now. */
__device__ static inline void clear_turn()
{
    clear_counts((block.now.turn + 1) % 3);
}

/* After a barrier. */
__device__ static inline void read_turn()
{
    const solo_counts *c = &search.state->counts[block.now.turn];
    if (threadIdx.x < COUNTERS)
        block.count[threadIdx.x] = ((const volatile unsigned long long *)c->count)[threadIdx.x];
    if (threadIdx.x == COUNTERS)
        block.pieces = *(const volatile unsigned *)&c->pieces;
    __syncthreads();
}

#endif

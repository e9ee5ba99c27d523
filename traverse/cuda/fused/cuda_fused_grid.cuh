/* cuda_fused_grid.cuh: all blocks of a kernel: their barrier, and the counters of a level; see cuda_fused.h */
#ifndef DBFS_CUDA_WHOLE_GRID_CUH
#define DBFS_CUDA_WHOLE_GRID_CUH

#include "traverse/cuda/visit/cuda_search_notes.cuh"

/* Neighbours are in different blocks: little work is then shared by all processors. */
__device__ static inline uint32_t warp_of_grid()
{
    return threadIdx.x / WARP * gridDim.x + blockIdx.x;
}

__device__ static inline uint32_t warps_of_grid()
{
    return gridDim.x * (blockDim.x / WARP);
}

/* Copies a struct. By all threads of a block. */
template <typename T> __device__ static inline void copy_words(T *to, const T *from)
{
    for (unsigned i = threadIdx.x; i < sizeof(T) / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)to)[i] = ((const unsigned *)from)[i];
}

/* The barrier of all blocks. */
template <class S> __device__ static inline void barrier(S &s)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned target = s.block.arrivals += gridDim.x;
        unsigned spins = 0;
        fence_of_gpu();
        atomicAdd(&s.state->arrived, 1u);
        while ((int)(load_acquire(&s.state->arrived) - target) < 0) {
            if (++spins > 256)
                __nanosleep(64);
        }
    }
    __syncthreads();
}

/* Adds the counts of the warps of this block to those of the level, and clears them. Counts for
 * other GPUs stay in `counted`, until meet() adds them to a tally. */
template <class S> __device__ static inline void add_counts(S &s)
{
    const unsigned warps = blockDim.x / WARP;
    __syncthreads();
    add_pulled(s);
    for (unsigned i = threadIdx.x / WARP; i < S::counters; i += warps) {
        const unsigned long long sum = sum_of_warps(s, i);
        if constexpr (S::together) {
            if (i < FUSED_COUNTS) {
                if (lane_id() == 0)
                    s.counted.word[i] = sum;
                continue;
            }
        }
        if (lane_id() == 0 && sum != 0)
            atomicAdd(&s.state->counts[s.block.now.turn].count[i], sum);
    }
}

template <class S> __device__ static inline void clear_counts(S &s, unsigned turn)
{
    unsigned *words = (unsigned *)&s.state->counts[turn];
    if (blockIdx.x == 0 && threadIdx.x < sizeof(fused_counts) / sizeof *words)
        words[threadIdx.x] = 0;
}

/* Whether this block does levels for its GPU while the others wait (cuda_peers_list.cuh). */
template <class S> __device__ static inline bool is_alone(S &s)
{
    if constexpr (S::together)
        return s.meeting.alone;
    else
        return false;
}

/* The number of pieces of the next list. A block that is alone leaves the counters of the grid as they
 * are. */
template <class S> __device__ static inline unsigned *count_of_pieces(S &s)
{
    if constexpr (S::together) {
        if (s.meeting.alone)
            return &s.pieces_alone;
    }
    return &s.state->counts[s.block.now.turn].pieces;
}

/* A level begins: the counters of the turn after the next, which no block reads or writes now, become zero. */
template <class S> __device__ static inline void begin_turn(S &s)
{
    if (!is_alone(s))
        clear_counts(s, (s.block.now.turn + 1) % 3);
    if constexpr (S::together)
        begin_tallies(s);
}

/* Reads the counters of the level, after a barrier. */
template <class S> __device__ static inline void read_turn(S &s)
{
    if (is_alone(s)) {
        if (threadIdx.x == 0)
            s.block.pieces = *count_of_pieces(s);
        __syncthreads();
        return;
    }
    const fused_counts *c = &s.state->counts[s.block.now.turn];
    if (threadIdx.x < S::counters)
        s.block.count[threadIdx.x] = ((const volatile unsigned long long *)c->count)[threadIdx.x];
    if (threadIdx.x == S::counters)
        s.block.pieces = *(const volatile unsigned *)&c->pieces;
    __syncthreads();
}

#endif

/* cuda_fused_grid.cuh: all blocks of a kernel: their barrier, and the counters of a level
 *
 * Three sets of counters are used in rounds, a round for each step that ends with a barrier of the grid: while blocks add
 * to one set, some may still read the set before, and the set of the next round is cleared.
 */
#ifndef DBFS_CUDA_FUSED_GRID_CUH
#define DBFS_CUDA_FUSED_GRID_CUH

#include "traverse/cuda/visit/cuda_frontier.cuh"

/* Returns the index of this warp among those of the grid. Neighbours are in different blocks: little work is then shared
 * by all processors. */
__device__ static inline uint32_t warp_of_grid()
{
    return threadIdx.x / WARP * gridDim.x + blockIdx.x;
}

__device__ static inline uint32_t warps_of_grid()
{
    return gridDim.x * (blockDim.x / WARP);
}

/* Copies a struct. All threads of a block call it. */
template <typename T> __device__ static inline void copy_words(T *to, const T *from)
{
    for (unsigned i = threadIdx.x; i < sizeof(T) / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)to)[i] = ((const unsigned *)from)[i];
}

/* The barrier of all blocks: each then sees what the others wrote. All threads call it. It uses
 * only s.block.arrivals and s.state->arrived. */
template <class S> __device__ static inline void grid_barrier(S &s)
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

/* Adds the counts of this block's warps to those of the level, and clears them. For several GPUs the counts of vertices go
 * to s.counted instead, from where peers_barrier adds them to a tally. All threads call it. */
template <class S> __device__ static inline void add_counts(S &s)
{
    fused_counts &counts = s.state->counts[s.block.now.round];
    const unsigned warps = blockDim.x / WARP;
    __syncthreads();
    if constexpr (S::noted) {
        if (threadIdx.x == 0 && s.notes.last_pulled != 0) {
            atomicMax(&counts.first_pulled, s.notes.first_pulled);
            atomicMax(&counts.last_pulled, s.notes.last_pulled);
            s.notes.first_pulled = s.notes.last_pulled = 0;
        }
    }
    for (unsigned i = threadIdx.x / WARP; i < S::counters; i += warps) {
        const unsigned long long sum = sum_of_warps<S>(i);
        if constexpr (S::together) {
            if (i < FUSED_COUNTS) {
                if (lane_id() == 0)
                    s.counted.word[i] = sum;
                continue;
            }
        }
        if (lane_id() == 0 && sum != 0)
            atomicAdd(&counts.count[i], sum);
    }
}

/* Whether this block does levels for its GPU while the other blocks wait (cuda_peers_sparse.cuh). */
template <class S> __device__ static inline bool is_single_block(S &s)
{
    if constexpr (S::together)
        return s.peers.single_block;
    else
        return false;
}

/* Clears the counters of a round, and the tallies of several GPUs. All threads of the first block call it; those of other
 * blocks may. */
template <class S> __device__ static inline void clear_round(S &s, unsigned round)
{
    unsigned *words = (unsigned *)&s.state->counts[round];
    if (blockIdx.x != 0)
        return;
    if (threadIdx.x < sizeof(fused_counts) / sizeof *words)
        words[threadIdx.x] = 0;
    if constexpr (S::together) {
        if (threadIdx.x < PEERS_TALLIES * PEERS_TALLY_WORDS)
            s.joint.state->tally[round][threadIdx.x / PEERS_TALLY_WORDS].word[threadIdx.x % PEERS_TALLY_WORDS] = 0;
    }
}

/* Begins a round: clears the counters and tallies of the next one, which no block reads or writes now, and this block's
 * own counters of the round. All threads call it. */
template <class S> __device__ static inline void begin_round(S &s)
{
    if (!is_single_block(s))
        clear_round(s, (s.block.now.round + 1) % 3);
    if constexpr (S::together) {
        if (s.peers.single_block && threadIdx.x < s.joint.count)
            s.counted.word[FUSED_COUNTS + threadIdx.x] = 0;
        if (threadIdx.x < PEERS_TALLIES)
            s.peers.rounds[threadIdx.x] = 0;
        if (threadIdx.x == 0)
            s.single_items = 0;
        __syncthreads();
    }
}

/* Reads the counters of the level, s.block.count and s.block.items, after a barrier. A single block has counted its items
 * by itself, and needs no counts. All threads call it. */
template <class S> __device__ static inline void read_counts(S &s)
{
    if constexpr (S::together) {
        if (s.peers.single_block) {
            if (threadIdx.x == 0)
                s.block.items = s.single_items;
            __syncthreads();
            return;
        }
    }
    const fused_counts *c = &s.state->counts[s.block.now.round];
    if (threadIdx.x < S::counters)
        s.block.count[threadIdx.x] = ((const volatile unsigned long long *)c->count)[threadIdx.x];
    if (threadIdx.x == S::counters)
        s.block.items = *(const volatile unsigned *)&c->items;
    __syncthreads();
}

#endif

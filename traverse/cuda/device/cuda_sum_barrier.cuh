/* cuda_sum_barrier.cuh: a barrier of blocks without a fence, which also adds up a value of each block
 *
 * A barrier that shows writes to other blocks waits until these writes are done, 1 us in a level that writes depths. Blocks that keep what
 * they found read nothing of each other but visited bits, and need no such barrier. An atomic that sets a bit has told its block
 * whether the bit was new. That answer comes from the L2 cache, where all atomics are done, so the bit is set there before its block
 * arrives. A caller that also needs other writes to be seen makes a fence before it arrives, and one when it has waited.
 *
 * One counter, to which each block adds once, takes .63 us on an H200; a flag of each block, which all others read, takes 1.3 us.
 */
#ifndef DBFS_CUDA_SUM_BARRIER_CUH
#define DBFS_CUDA_SUM_BARRIER_CUH

#include "cuda_common.cuh"
#include "cuda_ptx.cuh"

enum { ARRIVAL_BITS = 10 }; /* of a sum in device memory: the number of blocks that have arrived; their values stand above */

/* What a block keeps of its barriers. Sums only grow, so that nobody clears them, and the sum of a barrier is the difference to the sum
 * before. Barriers take two sums in turn: none is added to before all blocks have read it. */
struct block_barrier {
    unsigned long long before[2];
    unsigned turn;
};

/* Begins a search. One thread of each block calls it, before the first block may arrive. */
__device__ static inline void begin_sum_barriers(block_barrier &own, const barrier_sum (&sums)[2])
{
    for (unsigned turn = 0; turn < 2; turn++)
        own.before[turn] = *(const volatile unsigned long long *)&sums[turn].sum;
    own.turn = 0;
}

/* Returns whether this thread arrives and waits for its block. Its warp has work least often, and seldom waits for reads. */
__device__ static inline bool is_speaker()
{
    return threadIdx.x == blockDim.x - 1;
}

/* Arrives with the value of this block. The speaker calls it, when all threads of the block have done what comes before the barrier. */
__device__ static inline void arrive_with(const block_barrier &own, barrier_sum (&sums)[2], unsigned long long value)
{
    atomicAdd(&sums[own.turn].sum, value << ARRIVAL_BITS | 1);
}

/* Waits until `blocks` blocks have arrived, and returns the sum of their values. The speaker calls it. */
__device__ static inline unsigned long long await_sum(block_barrier &own, const barrier_sum (&sums)[2], unsigned blocks)
{
    const unsigned turn = own.turn;
    const unsigned long long before = own.before[turn], *from = &sums[turn].sum;
    unsigned long long sum;
    do
        sum = load_awaited(from) - before;
    while ((sum & ((1u << ARRIVAL_BITS) - 1)) != blocks);
    own.before[turn] = before + sum;
    own.turn = turn ^ 1;
    return sum >> ARRIVAL_BITS;
}

#endif

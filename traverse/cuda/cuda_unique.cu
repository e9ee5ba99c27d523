/* cuda_unique.cu: drops duplicates among vertices for one shard; see cuda_kernels.h and its twin, unique.c
 *
 * Ids become bits of a mask, and the bits become ids again (option U of Pan et al., section V-B). Bytes
 * moved: 8 to read an id and look at its word; 4 to write an id that is kept; for each vertex of the shard
 * 1/8 if its word stays zero, at most 1/4 otherwise.
 */
#include "cuda_common.cuh"

__global__ static void __launch_bounds__(BLOCK)
    mark_kernel(const uint32_t *ids, uint64_t count, uint32_t *seen)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * BLOCK)
        claim_bit(seen, ids[i]);
}

/* Clears the mask behind it. */
__global__ static void __launch_bounds__(BLOCK)
    collect_kernel(uint32_t *ids, uint32_t *seen, uint64_t words, unsigned long long *kept)
{
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < words;
         base += (uint64_t)gridDim.x * BLOCK) {
        uint64_t w = base + threadIdx.x;
        uint32_t bits = w < words ? seen[w] : 0;
        if (!__syncthreads_or(bits != 0))
            continue;
        if (bits != 0)
            seen[w] = 0;
        unsigned total, before = block_prefix(__popc(bits), &total);
        list_word(ids, w, bits, reserve(total, kept) + before);
        __syncthreads(); /* before the next reserve */
    }
}

void cuda_unique(uint32_t *ids, uint64_t count, uint32_t *seen, uint64_t words,
                 unsigned long long *kept, cudaStream_t stream)
{
    if (count == 0)
        return;
    mark_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(ids, count, seen);
    collect_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>(ids, seen, words, kept);
}

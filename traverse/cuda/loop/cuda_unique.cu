/* cuda_unique.cu: drops duplicates among vertices for one shard; see cuda_kernels.h and its twin, unique.c
 *
 * Ids become bits of a mask (option U of Pan et al., section V-B). If the list is shorter than the mask, the first id
 * to set a bit is kept, and takes it back later; otherwise the bits become ids again. Bytes moved: 8 to read an id and
 * look at its word, and 4 to write one that is kept; for a short list 12 more for that, for others, for each vertex of
 * the shard, 1/8 if its word stays zero, at most 1/4 otherwise.
 */
#include "traverse/cuda/cuda_common.cuh"

/* Of a short list. */
__global__ static void __launch_bounds__(BLOCK)
    keep_kernel(const uint32_t *ids, uint64_t count, gpu_seen seen, unsigned long long *kept)
{
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t i = base + threadIdx.x;
        const uint32_t id = i < count ? ids[i] : 0;
        const bool first = i < count && claim_bit(seen.mask, id);
        unsigned total, before = block_prefix(first, &total);
        const unsigned long long at = reserve(total, kept) + before;
        if (first)
            seen.kept[at] = id;
        __syncthreads(); /* before the next reserve */
    }
}

/* Makes the bits ids again, and clears the mask. */
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

/* Puts kept ids back and clears their words of the mask, whose bits all belong to kept ids. */
static void put_back(uint32_t *ids, uint64_t count, const gpu_seen &seen, const unsigned long long *kept, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        if (i < *kept) {
            ids[i] = seen.kept[i];
            seen.mask[seen.kept[i] / 32] = 0;
        }
    });
}

void cuda_unique(uint32_t *ids, uint64_t count, const gpu_seen *seen, unsigned long long *kept,
                 cudaStream_t stream)
{
    if (count == 0)
        return;
    if (count <= seen->words && count <= seen->room) {
        keep_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(ids, count, *seen, kept);
        put_back(ids, count, *seen, kept, stream);
        return;
    }
    each(count, stream, [=, mask = seen->mask] __device__(uint64_t i) { claim_bit(mask, ids[i]); });
    collect_kernel<<<blocks_for(seen->words, BLOCK), BLOCK, 0, stream>>>(ids, seen->mask, seen->words, kept);
}

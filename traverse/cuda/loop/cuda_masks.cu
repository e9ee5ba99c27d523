/* cuda_masks.cu: wakes links, combines masks of several devices, sets the root, and fills in results; see
 * cuda_kernels.h */
#include "traverse/cuda/cuda_common.cuh"

enum {
    WAKE_LINE = 32,       /* words of a cache line */
    WAKE_LINES = 1 << 13, /* at the beginning, each of which is read */
    WAKE_STEP = 1 << 10   /* words from one read to the next behind them */
};

int cuda_full_grid(void)
{
    static int grid = 0;
    int device = 0, processors = 0;
    if (grid == 0 && cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess)
        grid = 8 * processors; /* 8 blocks of 256 threads fill a multiprocessor */
    return grid > 0 ? grid : 1;
}

/* Reads near addresses and far ones, since the hardware does not say which of them share a link. */
__global__ static void __launch_bounds__(BLOCK) wake_kernel(const uint32_t *from, uint64_t words)
{
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x,
                   at = i < WAKE_LINES ? i * WAKE_LINE
                                       : WAKE_LINES * WAKE_LINE + (i - WAKE_LINES) * WAKE_STEP;
    if (at < words)
        (void)((const volatile uint32_t *)from)[at];
}

void cuda_wake_links(const uint32_t *from, uint64_t words, cudaStream_t stream)
{
    const uint64_t threads = WAKE_LINES + words / WAKE_STEP;
    if (words > 0)
        wake_kernel<<<blocks_for(threads, BLOCK), BLOCK, 0, stream>>>(from, words);
}

__global__ static void __launch_bounds__(BLOCK)
    or_kernel(uint32_t *to, gpu_mask_list from, uint64_t words, int keep)
{
    for (uint64_t w = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; w < words;
         w += (uint64_t)gridDim.x * BLOCK) {
        uint32_t sum = keep ? to[w] : 0;
        for (int i = 0; i < from.count; i++)
            sum |= from.mask[i][w];
        to[w] = sum;
    }
}

void cuda_or_masks(uint32_t *to, const gpu_mask_list *from, uint64_t words, int keep,
                   cudaStream_t stream)
{
    if (words > 0)
        or_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>(to, *from, words, keep);
}

__global__ static void __launch_bounds__(BLOCK)
    list_words_kernel(const unsigned long long *mask, uint64_t words, mask_word *list, uint64_t most,
                      unsigned long long *count)
{
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < words; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t w = base + threadIdx.x;
        const unsigned long long bits = w < words ? mask[w] : 0;
        if (!__syncthreads_or(bits != 0))
            continue;
        unsigned total, before = block_prefix(bits != 0, &total);
        const unsigned long long at = reserve(total, count) + before;
        if (bits != 0 && at < most)
            list[at] = {w, bits};
        __syncthreads(); /* before the next reserve */
    }
}

void cuda_list_words(const uint32_t *mask, uint64_t words, mask_word *list, uint64_t most,
                     unsigned long long *count, cudaStream_t stream)
{
    if (words > 0)
        list_words_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>((const unsigned long long *)mask, words,
                                                                          list, most, count);
}

__global__ static void __launch_bounds__(BLOCK)
    or_words_kernel(unsigned long long *mask, uint64_t words, const mask_word *list, uint64_t count)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (uint64_t)gridDim.x * BLOCK) {
        const mask_word word = list[i];
        if (word.at < words)
            atomicOr(&mask[word.at], (unsigned long long)word.bits);
    }
}

void cuda_or_words(uint32_t *mask, uint64_t words, const mask_word *list, uint64_t count, cudaStream_t stream)
{
    if (count > 0)
        or_words_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>((unsigned long long *)mask, words, list,
                                                                        count);
}

__global__ static void __launch_bounds__(BLOCK) invert_kernel(uint32_t *to, const uint32_t *from, uint64_t words)
{
    for (uint64_t w = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; w < words; w += (uint64_t)gridDim.x * BLOCK)
        to[w] = ~from[w];
}

void cuda_invert(uint32_t *to, const uint32_t *from, uint64_t words, cudaStream_t stream)
{
    if (words > 0)
        invert_kernel<<<blocks_for(words, BLOCK), BLOCK, 0, stream>>>(to, from, words);
}

__global__ static void root_kernel(uint32_t *mask, uint32_t vertex, uint32_t *parent,
                                   uint32_t value)
{
    mask[vertex / 32] |= 1u << (vertex % 32);
    if (parent != NULL)
        parent[vertex] = value;
}

void cuda_set_root(uint32_t *mask, uint32_t vertex, uint32_t *parent, uint32_t value,
                   cudaStream_t stream)
{
    root_kernel<<<1, 1, 0, stream>>>(mask, vertex, parent, value);
}

__global__ static void __launch_bounds__(BLOCK)
    blank_kernel(uint32_t *values, const uint32_t *visited, uint64_t count, uint32_t none)
{
    for (uint64_t v = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; v < count;
         v += (uint64_t)gridDim.x * BLOCK) {
        if (!test_bit(visited, (uint32_t)v))
            values[v] = none;
    }
}

void cuda_blank_unvisited(uint32_t *values, const uint32_t *visited, uint64_t count, uint32_t none,
                          cudaStream_t stream)
{
    if (count > 0)
        blank_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(values, visited, count, none);
}

/* cuda_masks.cu: wakes links, combines masks of several devices, sets the root, and fills in results; see
 * cuda_kernels.h */
#include "traverse/cuda/device/cuda_common.cuh"

enum {
    WAKE_LINE = 32,       /* words of a cache line */
    WAKE_LINES = 1 << 13, /* at the beginning, each of which is read */
    WAKE_STEP = 1 << 10   /* words from one read to the next behind them */
};

/* Blocks of 256 threads that fill the current GPU, asked for once. */
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
void cuda_wake_links(const uint32_t *from, uint64_t words, cudaStream_t stream)
{
    each(words > 0 ? WAKE_LINES + words / WAKE_STEP : 0, stream, [=] __device__(uint64_t i) {
        const uint64_t at = i < WAKE_LINES ? i * WAKE_LINE : WAKE_LINES * WAKE_LINE + (i - WAKE_LINES) * WAKE_STEP;
        if (at < words)
            (void)((const volatile uint32_t *)from)[at];
    });
}

/* Launches a thread for each word, which copies or ORs it. */
void cuda_or_mask(uint32_t *to, const uint32_t *from, uint64_t words, int keep, cudaStream_t stream)
{
    each(words, stream, [=] __device__(uint64_t w) { to[w] = (keep ? to[w] : 0) | from[w]; });
}

/* The bits of a word that `known` does not have. */
__device__ static inline unsigned long long word_without(const uint32_t *mask, const uint32_t *known, uint64_t w)
{
    const unsigned long long less = known != NULL ? ((const unsigned long long *)known)[w] : 0;
    return ((const unsigned long long *)mask)[w] & ~less;
}

/* Launches the listing of words that are not zero without the known bits. */
void cuda_list_words(const uint32_t *mask, const uint32_t *known, uint64_t words, mask_word *list, uint64_t most,
                     unsigned long long *count, cudaStream_t stream)
{
    list_each(
        words, count, stream, [=] __device__(uint64_t w) { return word_without(mask, known, w) != 0; },
        [=] __device__(uint64_t w, unsigned long long at) {
            if (at < most)
                list[at] = {w, word_without(mask, known, w)};
        });
}

/* Launches a thread for each listed word, which ORs it into the mask. */
void cuda_or_words(uint32_t *mask, uint64_t words, const mask_word *list, uint64_t count, cudaStream_t stream)
{
    unsigned long long *to = (unsigned long long *)mask;
    each(count, stream, [=] __device__(uint64_t i) {
        const mask_word word = list[i];
        if (word.at < words)
            atomicOr(&to[word.at], (unsigned long long)word.bits);
    });
}

/* Launches a thread for each word, which inverts it. */
void cuda_invert(uint32_t *to, const uint32_t *from, uint64_t words, cudaStream_t stream)
{
    each(words, stream, [=] __device__(uint64_t w) { to[w] = ~from[w]; });
}

/* Launches one thread, which sets the bit and the parent of the root. */
void cuda_set_root(uint32_t *mask, uint32_t vertex, uint32_t *parent, uint32_t value, cudaStream_t stream)
{
    each(1, stream, [=] __device__(uint64_t) {
        mask[vertex / 32] |= 1u << (vertex % 32);
        if (parent != NULL)
            parent[vertex] = value;
    });
}

/* Launches a thread for each vertex, which blanks its value if it was not visited. */
void cuda_blank_unvisited(uint32_t *values, const uint32_t *visited, uint64_t count, uint32_t none, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t v) {
        if (!test_bit(visited, (uint32_t)v))
            values[v] = none;
    });
}

/* cuda_masks.cu: kernels for whole bitmaps and arrays of values: they wake links to other GPUs, combine bitmaps of several
 * devices, set the root of a search, and overwrite values of unvisited vertices. See cuda_kernels.h. */
#include "traverse/cuda/device/cuda_common.cuh"

enum {
    WAKE_LINE = 32,       /* the number of words of a cache line */
    WAKE_LINES = 1 << 13, /* the number of cache lines, from the beginning of an array, of which one word each is read */
    WAKE_STEP = 1 << 10   /* behind these lines, one word in WAKE_STEP words is read */
};

/* Returns the number of blocks of 256 threads that fill the current GPU: as many as a multiprocessor runs at a time, or 1 if the GPU does
 * not answer. Asks the GPU once, and keeps the number for later calls. */
int cuda_full_grid(void)
{
    static int grid = 0;
    int device = 0, processors = 0, threads = 0;
    if (grid == 0 && cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device) == cudaSuccess)
        grid = threads / 256 * processors;
    return grid > 0 ? grid : 1;
}

/* Launches reads of an array of another GPU, so that the links to it wake. The reads lie both close together and far
 * apart, since the hardware does not say which addresses share a link. */
void cuda_wake_links(const uint32_t *from, uint64_t words, cudaStream_t stream)
{
    each(words > 0 ? WAKE_LINES + words / WAKE_STEP : 0, stream, [=] __device__(uint64_t i) {
        const uint64_t at = i < WAKE_LINES ? i * WAKE_LINE : WAKE_LINES * WAKE_LINE + (i - WAKE_LINES) * WAKE_STEP;
        if (at < words)
            (void)((const volatile uint32_t *)from)[at];
    });
}

/* Launches a kernel that sets `to` to the bitmap `from` or, with `keep`, adds the bits of `from` to those of `to`. A thread
 * does a word; there are `words` words. */
void cuda_or_mask(uint32_t *to, const uint32_t *from, uint64_t words, int keep, cudaStream_t stream)
{
    each(words, stream, [=] __device__(uint64_t w) { to[w] = (keep ? to[w] : 0) | from[w]; });
}

/* Returns 64-bit word w of `mask` without the bits that are set in `known`, which may be NULL. */
__device__ static inline unsigned long long word_without(const uint32_t *mask, const uint32_t *known, uint64_t w)
{
    const unsigned long long less = known != NULL ? ((const unsigned long long *)known)[w] : 0;
    return ((const unsigned long long *)mask)[w] & ~less;
}

/* Launches the listing of the words of `mask` that are not zero when the bits of `known` are left out. An element of the list
 * has the index and the bits of a word. Words without room in list[most] are only counted. */
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

/* Launches the OR of listed words into a bitmap, by atomics, because the list may have a word several times. */
void cuda_or_words(uint32_t *mask, uint64_t words, const mask_word *list, uint64_t count, cudaStream_t stream)
{
    unsigned long long *to = (unsigned long long *)mask;
    each(count, stream, [=] __device__(uint64_t i) {
        const mask_word word = list[i];
        if (word.at < words)
            atomicOr(&to[word.at], (unsigned long long)word.bits);
    });
}

/* Launches to = ~from for bitmaps of `words` words. */
void cuda_invert(uint32_t *to, const uint32_t *from, uint64_t words, cudaStream_t stream)
{
    each(words, stream, [=] __device__(uint64_t w) { to[w] = ~from[w]; });
}

/* Launches a thread for each root, which sets its bit in `next` of its kind and, if parents are recorded, its parent to
 * `value`. */
void cuda_set_roots(const gpu_roots *roots, const gpu_vertices of[VERTEX_KINDS], uint32_t value, cudaStream_t stream)
{
    const gpu_roots all = *roots;
    const gpu_vertices kinds[VERTEX_KINDS] = {of[0], of[1]};
    each(all.count, stream, [=] __device__(uint64_t i) {
        const uint32_t v = root_at(all, kinds, (uint32_t)i), id = v & ~KIND_BIT;
        const gpu_vertices &kind = kinds[v >> 31];
        atomicOr(&kind.next[id / 32], 1u << (id % 32));
        if (kind.parent != NULL)
            kind.parent[id] = value;
    });
}

/* Launches a kernel that sets values[v] to `none` for each unvisited vertex v below `count`. */
void cuda_blank_unvisited(uint32_t *values, const uint32_t *visited, uint64_t count, uint32_t none, cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t v) {
        if (!test_bit(visited, (uint32_t)v))
            values[v] = none;
    });
}

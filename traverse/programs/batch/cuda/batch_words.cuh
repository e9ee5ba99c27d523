/* batch_words.cuh: words of bits of a vertex, a bit for each root, and counts of set bits */
#ifndef DBFS_BATCH_WORDS_CUH
#define DBFS_BATCH_WORDS_CUH

#include "batch_kernels.h"
#include "traverse/cuda/device/cuda_common.cuh"

/* Does what is given, such as a launch, with W as the number of words of a vertex. */
#define BATCH_BY_WORDS(b, ...)   \
    do {                         \
        if ((b)->words == 1) {   \
            constexpr int W = 1; \
            __VA_ARGS__;         \
        } else if ((b)->words == 2) { \
            constexpr int W = 2; \
            __VA_ARGS__;         \
        } else {                 \
            constexpr int W = 4; \
            __VA_ARGS__;         \
        }                        \
    } while (0)

/* Load and store with as few instructions as possible. */
template <int W> struct __align__(W == 1 ? 8 : 16) batch_words {
    unsigned long long of[W];
};

template <int W> __device__ static inline batch_words<W> load_words(const uint64_t *words, uint64_t v)
{
    return ((const batch_words<W> *)words)[v];
}

template <int W> __device__ static inline void store_words(uint64_t *words, uint64_t v, const batch_words<W> &value)
{
    ((batch_words<W> *)words)[v] = value;
}

template <int W> __device__ static inline bool is_any(const batch_words<W> &words)
{
    unsigned long long any = 0;
    for (int j = 0; j < W; j++)
        any |= words.of[j];
    return any != 0;
}

/* The bits of `of` that are not in `has`. */
template <int W>
__device__ static inline batch_words<W> words_without(const batch_words<W> &of, const batch_words<W> &has)
{
    batch_words<W> rest;
    for (int j = 0; j < W; j++)
        rest.of[j] = of.of[j] & ~has.of[j];
    return rest;
}

/* The bits of some roots that are not in `has`. */
template <int W>
__device__ static inline batch_words<W> missing_in(const uint64_t roots[4], const batch_words<W> &has)
{
    batch_words<W> missing;
    for (int j = 0; j < W; j++)
        missing.of[j] = roots[j] & ~has.of[j];
    return missing;
}

/* The frontier's bits of a vertex, of roots that push. */
template <int W> __device__ static inline batch_words<W> pushed_words(const gpu_batch &b, uint64_t v)
{
    batch_words<W> bits = load_words<W>(b.now, v);
    for (int j = 0; j < W; j++)
        bits.of[j] &= ~b.pulls[j];
    return bits;
}

/* ---- words in brief ---- */

/* The numbers of the bits of a word or several, a byte for each, and how many there are. Where roots have met few vertices,
 * most words are that brief, and an array of them fits a cache when one of words does not. */
enum { BRIEF_MOST = 3, BRIEF_COUNT = 24 };

template <int W> __device__ static inline uint32_t brief_of(const batch_words<W> &words)
{
    unsigned count = 0, numbers = 0;
    for (int j = 0; j < W; j++)
        count += __popcll(words.of[j]);
    if (count > BRIEF_MOST)
        return (BRIEF_MOST + 1u) << BRIEF_COUNT;
    for (int j = 0; j < W; j++) {
        for (unsigned long long bits = words.of[j]; bits != 0; bits &= bits - 1)
            numbers = numbers << 8 | (64 * j + __ffsll(bits) - 1);
    }
    return count << BRIEF_COUNT | numbers;
}

__device__ static inline bool is_whole(uint32_t brief)
{
    return brief >> BRIEF_COUNT <= BRIEF_MOST;
}

/* Adds the bits to words first, first + 1, ... of a vertex. */
template <int W> __device__ static inline void add_brief(batch_words<W> &words, uint32_t brief, int first)
{
    for (unsigned count = brief >> BRIEF_COUNT; count > 0; count--, brief >>= 8) {
        for (int j = 0; j < W; j++)
            words.of[j] |= (brief & 0xff) / 64 == (unsigned)(first + j) ? 1ull << (brief % 64) : 0;
    }
}

/* ---- counts by root ---- */

/* Transposes a matrix of bits whose rows are a warp's words: bit i of lane k becomes bit k of lane i. */
__device__ static inline unsigned transpose_bits(unsigned row)
{
    const unsigned low[5] = {0x55555555u, 0x33333333u, 0x0f0f0f0fu, 0x00ff00ffu, 0x0000ffffu};
#pragma unroll
    for (int k = 4; k >= 0; k--) {
        const unsigned step = 1u << k, other = __shfl_xor_sync(ALL_LANES, row, (int)step);
        row = lane_id() & step ? (row & ~low[k]) | (other & ~low[k]) >> step : (row & low[k]) | (other & low[k]) << step;
    }
    return row;
}

/* Of lane i: how often bits i, 32 + i, ... were set, and how many edges that makes. */
template <int W> struct bit_counts {
    unsigned of[2 * W];
    float edges[2 * W];
};

/* Counts the words of a warp's lanes, whose vertices have so many edges on average. All lanes call it. */
template <int W>
__device__ static inline void count_bits(bit_counts<W> &counts, const batch_words<W> &words, float mean)
{
#pragma unroll
    for (int k = 0; k < 2 * W; k++) {
        const unsigned half = (unsigned)(words.of[k / 2] >> (k % 2 * 32));
        if (__any_sync(ALL_LANES, half != 0)) {
            const unsigned set = __popc(transpose_bits(half));
            counts.of[k] += set;
            counts.edges[k] += (float)set * mean;
        }
    }
}

/* Adds what lanes counted by root to a counter of each. All threads of the block call it. */
template <int W, typename T>
__device__ static inline void add_by_root(const T counts[2 * W], unsigned long long *counter)
{
    __shared__ unsigned long long sum[64 * W];
    for (unsigned i = threadIdx.x; i < 64 * W; i += BLOCK)
        sum[i] = 0;
    __syncthreads();
    for (int k = 0; k < 2 * W; k++)
        atomicAdd(&sum[32 * k + lane_id()], (unsigned long long)counts[k]);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 64 * W; i += BLOCK) {
        if (sum[i] != 0)
            atomicAdd(&counter[i], sum[i]);
    }
}

/* ---- lists ---- */

/* Puts the row of vertex v, which has so many edges, among the pieces of the frontier, if `is_here`. A row without
 * edges is a piece, too, as the words of the vertex must be cleared. All threads of a block call it. */
__device__ static inline void put_pieces(const gpu_batch &b, bool is_here, uint32_t v, uint64_t edges)
{
    const unsigned full = (unsigned)((edges + BATCH_PUSH_PIECE - 1) / BATCH_PUSH_PIECE);
    const unsigned own = !is_here ? 0 : full > 0 ? full : 1;
    unsigned total, before = block_prefix(own, &total);
    if (total == 0)
        return;
    const unsigned long long at = reserve(total, &b.level->pieces) + before;
    for (unsigned i = 0; i < own; i++)
        b.list.pieces[at + i] = gpu_batch_piece{v, i};
}

#endif

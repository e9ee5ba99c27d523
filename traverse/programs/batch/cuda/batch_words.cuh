/* batch_words.cuh: the words of a vertex, which have a bit for each root, and counts of set bits */
#ifndef DBFS_BATCH_WORDS_CUH
#define DBFS_BATCH_WORDS_CUH

#include "batch_kernels.h"
#include "traverse/cuda/device/cuda_common.cuh"

/* Runs a statement, such as a launch, in which W is a constant: the number of words per vertex (1, 2 or 4). */
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

#define NO_COLUMN UINT32_MAX /* stands for a column that is not to be read; no vertex has this number */

/* The W words of a vertex. The alignment lets few instructions load and store them. */
template <int W> struct __align__(W == 1 ? 8 : 16) batch_words {
    unsigned long long of[W];
};

/* Returns the words of vertex v from an array [vertices][W]. Any thread may call it. */
template <int W> __device__ static inline batch_words<W> load_words(const uint64_t *words, uint64_t v)
{
    return ((const batch_words<W> *)words)[v];
}

/* Stores the words of vertex v in an array [vertices][W]. Any thread may call it. */
template <int W> __device__ static inline void store_words(uint64_t *words, uint64_t v, const batch_words<W> &value)
{
    ((batch_words<W> *)words)[v] = value;
}

/* Returns whether any bit of the words is set. */
template <int W> __device__ static inline bool is_any(const batch_words<W> &words)
{
    unsigned long long any = 0;
    for (int j = 0; j < W; j++)
        any |= words.of[j];
    return any != 0;
}

/* Returns the bits of `of` that are not in `has`. */
template <int W>
__device__ static inline batch_words<W> words_without(const batch_words<W> &of, const batch_words<W> &has)
{
    batch_words<W> rest;
    for (int j = 0; j < W; j++)
        rest.of[j] = of.of[j] & ~has.of[j];
    return rest;
}

/* Returns the bits of `roots` that are not in `has`, the seen words of a vertex: the roots that have not seen the vertex. */
template <int W>
__device__ static inline batch_words<W> missing_in(const uint64_t roots[4], const batch_words<W> &has)
{
    batch_words<W> missing;
    for (int j = 0; j < W; j++)
        missing.of[j] = roots[j] & ~has.of[j];
    return missing;
}

/* Returns the bits that vertex v pushes: the frontier words of v without the bits of roots that pull. */
template <int W> __device__ static inline batch_words<W> pushed_words(const gpu_batch &b, uint64_t v)
{
    batch_words<W> bits = load_words<W>(b.now, v);
    for (int j = 0; j < W; j++)
        bits.of[j] &= ~b.pulls[j];
    return bits;
}

/* ORs `bits`, without those that vertex v has seen, into the next words of v. Appends v to the list if this thread sets its
 * first new bit. Most edges bring no new bit, so words are read first, and atomics are used only for new bits. May be
 * called by any lanes, each with its own vertex. */
template <int W> __device__ static inline void push_to(const gpu_batch &b, uint32_t v, const batch_words<W> &bits)
{
    const batch_words<W> seen = load_words<W>(b.seen, v);
    unsigned long long *next = (unsigned long long *)b.next + (uint64_t)v * W, before = ~0ull;
    bool any = false;
    for (int j = 0; j < W; j++) {
        const unsigned long long fresh = bits.of[j] & ~seen.of[j];
        any |= fresh != 0;
        if ((fresh & ~((volatile unsigned long long *)next)[j]) != 0)
            before = atomicOr(&next[j], fresh);
    }
    if (W == 1 ? before == 0 : any && claim_bit(b.listed, v))
        b.list[reserve_for_lanes(__activemask(), &b.level->listed)] = v;
}

/* ---- briefs ---- */

/* The brief of a vertex has the set bits of its W words in 4 bytes, if they are few: a byte for the number of each bit, and
 * from bit BRIEF_COUNT on, how many bits there are. At most BRIEF_MOST bits fit, which are enough for most words as long as
 * roots have found few vertices in common. An array of briefs may fit a cache that is too small for the words. */
enum { BRIEF_MOST = 3, BRIEF_COUNT = 24 };

/* Returns the brief of `words`. If more than BRIEF_MOST bits are set, is_whole returns false for the result. */
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

/* Returns whether a brief has all set bits of the words. If it does not, the words themselves must be read. */
__device__ static inline bool is_whole(uint32_t brief)
{
    return brief >> BRIEF_COUNT <= BRIEF_MOST;
}

/* ORs the bits of a brief into `words`, which is a part of the words of the vertex: the words `first` to `first` + W - 1.
 * Leaves out bits of other words. is_whole(brief) must be true. */
template <int W> __device__ static inline void add_brief(batch_words<W> &words, uint32_t brief, int first)
{
    for (unsigned count = brief >> BRIEF_COUNT; count > 0; count--, brief >>= 8) {
        for (int j = 0; j < W; j++)
            words.of[j] |= (brief & 0xff) / 64 == (unsigned)(first + j) ? 1ull << (brief % 64) : 0;
    }
}

/* ---- counts by root ---- */

/* Transposes a matrix of 32 * 32 bits. Lane k passes row k, and receives column k. Called by all lanes of the warp. */
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

/* Counts of how often bits are set, which the lanes of a warp share: lane i counts the bits 32 * k + i. of[k] is how often that
 * bit was set, and edges[k] is the estimated number of edges of the vertices with the bit. */
template <int W> struct bit_counts {
    unsigned of[2 * W];
    float edges[2 * W];
};

/* Counts the set bits of 32 vertices in the counts of the warp. Each lane passes the words of one vertex. `mean` is the mean
 * number of edges of these vertices, which counts as the edges of each. Called by all lanes of the warp. */
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

/* Adds the counts of all lanes of a block to counter[64 * W], which has a counter for each root. `counts` is the member `of` or
 * `edges` of a lane's bit_counts. Called by all threads of the block. */
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

/* ---- pieces of rows to push ---- */

/* Returns the number of pieces of a row with `edges` edges. A row without edges also gets a piece, so that the words of its vertex are
 * zeroed later. */
__device__ static inline unsigned pieces_of(uint64_t edges)
{
    return edges > 0 ? (unsigned)((edges + BATCH_PUSH_PIECE - 1) / BATCH_PUSH_PIECE) : 1;
}

/* Writes the `count` pieces of the row of vertex v to b.pieces[at] and on. A row may have thousands of pieces, so all lanes of the warp
 * write those of a long row. Called by all lanes of the warp, each with its own vertex. */
__device__ static inline void write_pieces(const gpu_batch &b, uint32_t v, unsigned count, unsigned long long at)
{
    enum { OWN = 4 };
    for (unsigned i = 0; i < OWN && i < count; i++)
        b.pieces[at + i] = gpu_batch_piece{v, i};
    for (unsigned left = __ballot_sync(ALL_LANES, count > OWN); left != 0; left &= left - 1) {
        const int lane = __ffs(left) - 1;
        const unsigned row_count = __shfl_sync(ALL_LANES, count, lane);
        const uint32_t row = __shfl_sync(ALL_LANES, v, lane);
        const unsigned long long row_at = __shfl_sync(ALL_LANES, at, lane);
        for (unsigned i = OWN + lane_id(); i < row_count; i += WARP)
            b.pieces[row_at + i] = gpu_batch_piece{row, i};
    }
}

#endif

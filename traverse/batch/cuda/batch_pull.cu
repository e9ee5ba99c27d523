/* batch_pull.cu: levels of a batch by all vertices on a GPU; see batch_kernels.h, twin in batch_all.c
 *
 * Eight lanes pull a short row, and a warp a piece of a long one, until the vertex has all missing bits. Bytes
 * that must move: the seen words of a vertex, its next words, and its offsets; for each edge that is read the
 * column and, as random reads, the neighbour's words. */
#include "batch_words.cuh"

enum { PULL_LANES = 8, PULL_STEP = 2 * PULL_LANES, LONG_STEP = 4 * WARP };

/* ORs words over neighbouring lanes: LANES of them, which are all in `mask`. */
template <int W, int LANES> __device__ static inline void or_lanes(batch_words<W> &words, unsigned mask)
{
    for (int j = 0; j < W; j++) {
        for (int step = LANES / 2; step > 0; step /= 2)
            words.of[j] |= __shfl_xor_sync(mask, words.of[j], step);
    }
}

/* ORs the words of the columns from `begin` on into `got`, LANES at a time, until that has all missing bits.
 * Returns the number of columns that this lane read. */
template <int W, int LANES, int STEP>
__device__ static inline unsigned pull_columns(const gpu_batch &b, row_rest row, const batch_words<W> &missing,
                                               batch_words<W> &got, unsigned mask)
{
    unsigned read = 0;
    for (uint64_t at = row.begin; at < row.end; at += STEP) {
#pragma unroll
        for (int k = 0; k < STEP; k += LANES) {
            const uint64_t i = at + k + threadIdx.x % LANES;
            if (i >= row.end)
                continue;
            const batch_words<W> found = load_words<W>(b.now, b.pull.columns[i]);
            for (int j = 0; j < W; j++)
                got.of[j] |= found.of[j];
            read++;
        }
        or_lanes<W, LANES>(got, mask);
        unsigned long long lacks = 0;
        for (int j = 0; j < W; j++)
            lacks |= missing.of[j] & ~got.of[j];
        if (lacks == 0)
            break;
    }
    return read;
}

template <int W> __global__ static void __launch_bounds__(BLOCK) batch_pull_kernel(gpu_batch b)
{
    __shared__ unsigned long long shared[WARPS];
    const unsigned mask = 0xffu << (lane_id() / PULL_LANES * PULL_LANES);
    unsigned long long read = 0;
    for (uint64_t v = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / PULL_LANES; v < b.vertices;
         v += (uint64_t)gridDim.x * (BLOCK / PULL_LANES)) {
        const batch_words<W> missing = missing_in<W>(b, load_words<W>(b.seen, v));
        const row_rest row = {b.pull.offsets[v], b.pull.offsets[v + 1]};
        batch_words<W> got = {};
        if (!is_any<W>(missing) || row.end - row.begin > BATCH_SHORT_ROW)
            continue;
        read += pull_columns<W, PULL_LANES, PULL_STEP>(b, row, missing, got, mask);
        for (int j = 0; j < W; j++)
            got.of[j] &= missing.of[j];
        if (threadIdx.x % PULL_LANES == 0 && is_any<W>(got))
            store_words<W>(b.next, v, got);
    }
    block_add(read, shared, &b.level->read);
}

/* Bits that other pieces of the row have found are not missing. All lanes take the bits that lane 0 reads. */
template <int W> __global__ static void __launch_bounds__(BLOCK) batch_pull_long_kernel(gpu_batch b)
{
    __shared__ unsigned long long shared[WARPS];
    unsigned long long read = 0;
    for (uint64_t i = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / WARP; i < b.long_pieces;
         i += (uint64_t)gridDim.x * WARPS) {
        const gpu_batch_piece piece = b.long_rows[i];
        const uint64_t v = piece.vertex, row_end = b.pull.offsets[v + 1];
        unsigned long long *next = (unsigned long long *)b.next + v * W;
        batch_words<W> missing = missing_in<W>(b, load_words<W>(b.seen, v)), got = {};
        for (int j = 0; j < W; j++)
            missing.of[j] &= ~__shfl_sync(ALL_LANES, ((volatile unsigned long long *)next)[j], 0);
        row_rest row = {b.pull.offsets[v] + (uint64_t)piece.number * BATCH_PULL_PIECE, row_end};
        if (row.end > row.begin + BATCH_PULL_PIECE)
            row.end = row.begin + BATCH_PULL_PIECE;
        if (!is_any<W>(missing))
            continue;
        read += pull_columns<W, WARP, LONG_STEP>(b, row, missing, got, ALL_LANES);
        for (int j = 0; j < W; j++) {
            if (lane_id() == 0 && (got.of[j] & missing.of[j]) != 0)
                atomicOr(&next[j], got.of[j] & missing.of[j]);
        }
    }
    block_add(read, shared, &b.level->read);
}

template <int W> __global__ static void __launch_bounds__(BLOCK) batch_take_all_kernel(gpu_batch b)
{
    __shared__ unsigned long long shared[WARPS];
    bit_counts<W> counts = {};
    unsigned long long vertices = 0, edges = 0, left = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < b.vertices; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t v = base + threadIdx.x;
        batch_words<W> found = {};
        if (v < b.vertices) {
            batch_words<W> seen = load_words<W>(b.seen, v);
            found = load_words<W>(b.next, v);
            for (int j = 0; j < W; j++)
                seen.of[j] |= found.of[j];
            if (is_any<W>(found)) {
                store_words<W>(b.seen, v, seen);
                vertices++;
                edges += row_edges(b.push, v);
            }
            left += is_any<W>(missing_in<W>(b, seen)) ? row_edges(b.pull, v) : 0;
        }
        count_bits<W>(counts, found);
    }
    add_bit_counts<W>(b, counts);
    block_add(vertices, shared, &b.level->vertices);
    block_add(edges, shared, &b.level->edges);
    block_add(left, shared, &b.level->left);
}

template <int W> __global__ static void __launch_bounds__(BLOCK) batch_list_kernel(gpu_batch b)
{
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < b.vertices; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t v = base + threadIdx.x;
        const bool is_found = v < b.vertices && is_any<W>(load_words<W>(b.now, v));
        unsigned total, before = block_prefix(is_found, &total);
        if (total == 0)
            continue;
        const unsigned long long at = reserve(total, &b.level->listed) + before;
        if (is_found)
            b.fresh[at] = (uint32_t)v;
        put_pieces(b, is_found, (uint32_t)v, is_found ? row_edges(b.push, v) : 0);
    }
}

/* ---- launches ---- */

template <int W> static void launch_pull(const gpu_batch *b, cudaStream_t stream)
{
    if (b->long_pieces > 0)
        batch_pull_long_kernel<W><<<blocks_for(b->long_pieces, WARPS), BLOCK, 0, stream>>>(*b);
    batch_pull_kernel<W><<<blocks_for(b->vertices, BLOCK / PULL_LANES), BLOCK, 0, stream>>>(*b);
}

template <int W> static void launch_take_all(const gpu_batch *b, cudaStream_t stream)
{
    batch_take_all_kernel<W><<<blocks_for(b->vertices, BLOCK), BLOCK, 0, stream>>>(*b);
}

template <int W> static void launch_list(const gpu_batch *b, cudaStream_t stream)
{
    batch_list_kernel<W><<<blocks_for(b->vertices, BLOCK), BLOCK, 0, stream>>>(*b);
}

void cuda_batch_pull(const struct gpu_batch *b, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, launch_pull, b, stream);
}

void cuda_batch_take_all(const struct gpu_batch *b, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, launch_take_all, b, stream);
}

void cuda_batch_list(const struct gpu_batch *b, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, launch_list, b, stream);
}

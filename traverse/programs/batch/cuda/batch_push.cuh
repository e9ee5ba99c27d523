/* batch_push.cuh: sparse levels of a batch on a GPU, and the pushes of dense levels. Kernels for one step (batch_steps.cu) and for many
 * levels (batch_levels.cu) are made of these functions.
 *
 * PUSH_LANES lanes push along a piece of a row. For each edge, a lane reads the column, and words of the neighbour, which lie
 * at a random place. In a dense level these are the next words. In a sparse level they are the seen words and, if a bit is new,
 * the next words, too. batch_sparse.c and batch_dense.c do the same on a CPU. */
#ifndef DBFS_BATCH_PUSH_CUH
#define DBFS_BATCH_PUSH_CUH

#include "batch_words.cuh"

enum { PUSH_LANES = 8 }; /* lanes that push along a piece of a row */

/* Pushes `bits` along the columns begin, begin + PUSH_LANES, ... below `end`: ORs them into the next words of these neighbours, even bits
 * that a neighbour has seen. Loads several columns and their words before it changes any, so that these loads overlap. Most words
 * of hubs have all bits already, so these words are read first, and atomics are used only for new bits. Most bits are new to other
 * vertices, so their words are not read. */
template <int W>
__device__ static inline void scatter_bits(const gpu_batch &b, const batch_words<W> &bits, uint64_t begin, uint64_t end)
{
    constexpr int DEEP = W == 4 ? 2 : 4;
    for (uint64_t at = begin; at < end; at += DEEP * PUSH_LANES) {
        unsigned long long *next = (unsigned long long *)b.next, has[DEEP][W];
        uint32_t column[DEEP];
#pragma unroll
        for (int k = 0; k < DEEP; k++)
            column[k] = at + k * PUSH_LANES < end ? b.push.columns[at + k * PUSH_LANES] : NO_COLUMN;
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            for (int j = 0; j < W; j++)
                has[k][j] = column[k] < b.hubs && bits.of[j] != 0 ? ((volatile unsigned long long *)next)[(uint64_t)column[k] * W + j] : 0;
        }
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            for (int j = 0; j < W; j++) {
                if (column[k] != NO_COLUMN && (bits.of[j] & ~has[k][j]) != 0)
                    atomicOr(&next[(uint64_t)column[k] * W + j], bits.of[j]);
            }
        }
    }
}

/* Pushes the frontier words of vertices along the first `count` pieces of their rows, with PUSH_LANES lanes for each piece. If
 * SPARSE, sets only the bits that are new to a neighbour, and lists the found neighbours. Otherwise leaves out roots that
 * pull, and sets all bits; pull_vertices later drops those that are not new. Adds the number of edges read to
 * b.level->read. */
template <int W, bool SPARSE> __device__ static inline void push_pieces(const gpu_batch &b, uint64_t count)
{
    __shared__ unsigned long long shared[WARPS];
    unsigned long long read = 0;
    const uint64_t first = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / PUSH_LANES;
    for (uint64_t i = first; i < count; i += (uint64_t)gridDim.x * (BLOCK / PUSH_LANES)) {
        const gpu_batch_piece piece = b.pieces[i];
        const batch_words<W> bits = pushed_words<W>(b, piece.vertex);
        const uint64_t begin = b.push.offsets[piece.vertex] + (uint64_t)piece.number * BATCH_PUSH_PIECE;
        const uint64_t row_end = b.push.offsets[piece.vertex + 1ull];
        const uint64_t end = row_end < begin + BATCH_PUSH_PIECE ? row_end : begin + BATCH_PUSH_PIECE;
        if (threadIdx.x % PUSH_LANES == 0)
            read += end - begin;
        if (!SPARSE)
            scatter_bits<W>(b, bits, begin + threadIdx.x % PUSH_LANES, end);
        for (uint64_t at = begin + threadIdx.x % PUSH_LANES; SPARSE && at < end; at += PUSH_LANES)
            push_to<W>(b, b.push.columns[at], bits);
    }
    block_add(read, shared, &b.level->read);
}

/* Makes the listed vertices the next frontier, with a thread for each vertex: adds the next words to the seen words, counts
 * the vertices that the rank notes and the edges of all in *b.level, and cuts their rows into pieces. Listed ghosts have no row, and
 * their words have gone to their owners. Zeroes whole words of the bitmap b.listed, because all its set bits belong to listed
 * vertices. */
template <int W> __device__ static inline void take_list(const gpu_batch &b)
{
    __shared__ unsigned long long shared[WARPS];
    const uint64_t count = b.level->listed, share = (count + gridDim.x - 1) / gridDim.x;
    /* vertices that a block takes at a time: few if the list is short, so that many blocks write the pieces of long rows */
    const uint64_t step = share >= BLOCK ? BLOCK : (share + WARP - 1) / WARP * WARP;
    bit_counts<W> counts = {};
    unsigned long long vertices = 0, edges = 0;
    for (uint64_t base = blockIdx.x * step; base < count; base += gridDim.x * step) {
        const bool is_listed = threadIdx.x < step && base + threadIdx.x < count;
        const uint32_t v = is_listed ? b.list[base + threadIdx.x] : 0;
        const bool is_here = is_listed && v < b.vertices;
        batch_words<W> found = {};
        uint64_t own = 0;
        if (is_here) {
            batch_words<W> seen = load_words<W>(b.seen, v);
            found = load_words<W>(b.next, v);
            own = row_edges(b.push, v);
            for (int j = 0; j < W; j++)
                seen.of[j] |= found.of[j];
            store_words<W>(b.seen, v, seen);
        }
        if (W > 1 && is_listed)
            b.listed[v / 32] = 0;
        edges += own;
        if (v < b.noted)
            found = {};
        vertices += is_here && v >= b.noted;
        count_bits<W>(counts, found, 0);
        unsigned total;
        const unsigned pieces = is_here ? pieces_of(own) : 0, before = block_prefix(pieces, &total);
        write_pieces(b, v, pieces, reserve(total, &b.level->pieces) + before);
    }
    add_by_root<W>(counts.of, b.level->count);
    block_add(vertices, shared, &b.level->vertices);
    block_add(edges, shared, &b.level->edges);
}

#endif

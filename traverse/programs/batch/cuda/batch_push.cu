/* batch_push.cu: sparse levels of a batch on a GPU, and the pushes of dense levels (batch_kernels.h)
 *
 * PUSH_LANES lanes push along a piece of a row. For each edge, a lane reads the column, and words of the neighbour, which lie
 * at a random place. In a dense level these are the next words. In a sparse level they are the seen words and, if a bit is new,
 * the next words, too. batch_sparse.c and batch_dense.c do the same on a CPU. */
#include "batch_words.cuh"

enum { PUSH_LANES = 8 }; /* lanes that push along a piece of a row */

/* Lists the roots, with a single block: thread i sets bit i in the next words of vertex root[i], and appends the vertex to
 * b.list. Threads from `count` on, and threads of roots without edges (BATCH_NO_ROOT), do nothing. */
template <int W>
__global__ static void __launch_bounds__(BLOCK) batch_roots_kernel(gpu_batch b, const uint32_t *root, uint32_t count)
{
    batch_words<W> bits = {};
    if (threadIdx.x >= count || root[threadIdx.x] == BATCH_NO_ROOT)
        return;
    for (int j = 0; j < W; j++)
        bits.of[j] = j == (int)(threadIdx.x / 64) ? 1ull << (threadIdx.x % 64) : 0;
    push_to<W>(b, root[threadIdx.x], bits);
}

/* Pushes the frontier words of vertices along `pieces` pieces of their rows, with PUSH_LANES lanes for each piece. If
 * SPARSE, sets only the bits that are new to a neighbour, and lists the found neighbours. Otherwise leaves out roots that
 * pull, and sets all bits; batch_pull_kernel later drops those that are not new. Adds the number of edges read to
 * b.level->read. */
template <int W, bool SPARSE>
__global__ static void __launch_bounds__(BLOCK) batch_push_kernel(gpu_batch b, uint64_t pieces)
{
    __shared__ unsigned long long shared[WARPS];
    unsigned long long read = 0;
    const uint64_t first = ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) / PUSH_LANES;
    const uint64_t count = pieces == BATCH_AS_LISTED ? b.level->pieces : pieces;
    for (uint64_t i = first; i < count; i += (uint64_t)gridDim.x * (BLOCK / PUSH_LANES)) {
        const gpu_batch_piece piece = b.pieces[i];
        const batch_words<W> bits = pushed_words<W>(b, piece.vertex);
        const uint64_t begin = b.push.offsets[piece.vertex] + (uint64_t)piece.number * BATCH_PUSH_PIECE;
        const uint64_t row_end = b.push.offsets[piece.vertex + 1ull];
        const uint64_t end = row_end < begin + BATCH_PUSH_PIECE ? row_end : begin + BATCH_PUSH_PIECE;
        for (uint64_t at = begin + threadIdx.x % PUSH_LANES; at < end; at += PUSH_LANES, read++) {
            const uint32_t v = b.push.columns[at];
            unsigned long long *next = (unsigned long long *)b.next + (uint64_t)v * W;
            if (SPARSE)
                push_to<W>(b, v, bits);
            for (int j = 0; j < W && !SPARSE; j++) {
                if (bits.of[j] != 0 && (bits.of[j] & ~((volatile unsigned long long *)next)[j]) != 0)
                    atomicOr(&next[j], bits.of[j]);
            }
        }
    }
    block_add(read, shared, &b.level->read);
}

/* Zeroes the words, in the array `words`, of the vertices of the first `count` pieces. A thread whose piece is the first of
 * a row zeroes the words of the row's vertex. */
template <int W>
__global__ static void __launch_bounds__(BLOCK)
    batch_clear_kernel(uint64_t *words, const gpu_batch_piece *pieces, uint64_t count)
{
    const batch_words<W> none = {};
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (uint64_t)gridDim.x * BLOCK) {
        if (pieces[i].number == 0)
            store_words<W>(words, pieces[i].vertex, none);
    }
}

/* Makes the listed vertices the next frontier, with a thread for each vertex: adds the next words to the seen words, counts
 * the vertices that the rank notes and the edges of all in *b.level, and cuts their rows into pieces. Listed ghosts have no row, and
 * their words have gone to their owners. Zeroes whole words of the bitmap b.listed, because all its set bits belong to listed
 * vertices. */
template <int W> __global__ static void __launch_bounds__(BLOCK) batch_take_list_kernel(gpu_batch b)
{
    __shared__ unsigned long long shared[WARPS];
    const uint64_t count = b.level->listed;
    bit_counts<W> counts = {};
    unsigned long long vertices = 0, edges = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count; base += (uint64_t)gridDim.x * BLOCK) {
        const bool is_listed = base + threadIdx.x < count;
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
        append_pieces(b, is_here, v, own);
    }
    add_by_root<W>(counts.of, b.level->count);
    block_add(vertices, shared, &b.level->vertices);
    block_add(edges, shared, &b.level->edges);
}

/* Copies the frontier words of list entries `first` to `first` + `count` - 1 to `to` [count][W], with a thread for each. */
template <int W>
__global__ static void __launch_bounds__(BLOCK)
    batch_gather_kernel(gpu_batch b, uint64_t first, uint64_t count, uint64_t *to)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (uint64_t)gridDim.x * BLOCK)
        store_words<W>(to, i, load_words<W>(b.now, b.list[first + i]));
}

/* Launches the kernel that sets bit i in the next words of vertex root[i], and lists the vertex, for each i below
 * `count`. */
void cuda_batch_roots(const struct gpu_batch *b, const uint32_t *root, uint32_t count, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_roots_kernel<W><<<1, BLOCK, 0, stream>>>(*b, root, count));
}

/* Launches the push of a sparse level along the first `pieces` pieces of the rows of the frontier. */
void cuda_batch_push(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream)
{
    const int blocks = blocks_for(pieces, BLOCK / PUSH_LANES);
    BATCH_BY_WORDS(b, batch_push_kernel<W, true><<<blocks, BLOCK, 0, stream>>>(*b, pieces));
}

/* Launches the push of a dense level, for the roots that do not pull. With BATCH_AS_LISTED, the kernel reads the number of
 * pieces, which the host does not know. */
void cuda_batch_scatter(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream)
{
    const int blocks = blocks_for(pieces == BATCH_AS_LISTED ? b->vertices : pieces, BLOCK / PUSH_LANES);
    BATCH_BY_WORDS(b, batch_push_kernel<W, false><<<blocks, BLOCK, 0, stream>>>(*b, pieces));
}

/* Launches the kernel that zeroes the words of each vertex that has one of the first `count` pieces. */
void cuda_batch_clear(const struct gpu_batch *b, uint64_t *words, const struct gpu_batch_piece *pieces, uint64_t count,
                      cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_clear_kernel<W><<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(words, pieces, count));
}

/* Launches a kernel that makes the listed vertices the next frontier. The list has at most `most` vertices. */
void cuda_batch_take_list(const struct gpu_batch *b, uint64_t most, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_take_list_kernel<W><<<blocks_for(most, BLOCK), BLOCK, 0, stream>>>(*b));
}

/* Launches the kernel that copies the frontier words of `count` listed vertices, from entry `first` of the list on, to
 * `to`. */
void cuda_batch_gather(const struct gpu_batch *b, uint64_t first, uint64_t count, uint64_t *to, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_gather_kernel<W><<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(*b, first, count, to));
}

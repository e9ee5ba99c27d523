/* batch_push.cu: sparse levels of a batch on a GPU, and the pushes of dense levels (batch_kernels.h)
 *
 * Twins are in batch_sparse.c and batch_dense.c. PUSH_LANES lanes push a piece of a row. For each edge the column is read,
 * and, at a random place, the next words of the neighbour; in a sparse level its seen words are read, and the next words
 * only if a bit is new. */
#include "batch_words.cuh"

enum { PUSH_LANES = 8 };

/* Sets those of `bits` that vertex v has not seen in the next words of v. Lists v if this thread is the first to set one.
 * Any lanes may call it, each for its own vertex. Most edges bring nothing new. */
template <int W> __device__ static inline void offer(const gpu_batch &b, uint32_t v, const batch_words<W> &bits)
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

/* Lists the roots, a thread of the single block for each: thread i sets bit i in the next words of vertex root[i], and lists
 * the vertex. */
template <int W>
__global__ static void __launch_bounds__(BLOCK) batch_roots_kernel(gpu_batch b, const uint32_t *root, uint32_t count)
{
    batch_words<W> bits = {};
    if (threadIdx.x >= count || root[threadIdx.x] == BATCH_NO_ROOT)
        return;
    for (int j = 0; j < W; j++)
        bits.of[j] = j == (int)(threadIdx.x / 64) ? 1ull << (threadIdx.x % 64) : 0;
    offer<W>(b, root[threadIdx.x], bits);
}

/* Pushes pieces of rows, PUSH_LANES lanes for each. SPARSE: a sparse level, where found vertices are listed. Otherwise the
 * roots of a dense level that do not pull set their bits in the next words of all neighbours, seen or not, and
 * batch_pull_kernel drops seen bits later. */
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
                offer<W>(b, v, bits);
            for (int j = 0; j < W && !SPARSE; j++) {
                if (bits.of[j] != 0 && (bits.of[j] & ~((volatile unsigned long long *)next)[j]) != 0)
                    atomicOr(&next[j], bits.of[j]);
            }
        }
    }
    block_add(read, shared, &b.level->read);
}

/* Zeroes the words of the vertices of pieces[0..count): a thread for each piece. */
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

/* Makes the listed vertices the next frontier, a thread for each: adds their next words to the seen words, counts them, and
 * cuts their rows into pieces. All bits that are set in the bitmap `listed` are of listed vertices, so a thread may zero the
 * whole word of its vertex. */
template <int W> __global__ static void __launch_bounds__(BLOCK) batch_take_list_kernel(gpu_batch b)
{
    __shared__ unsigned long long shared[WARPS];
    const uint64_t count = b.level->listed;
    bit_counts<W> counts = {};
    unsigned long long edges = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count; base += (uint64_t)gridDim.x * BLOCK) {
        const bool is_here = base + threadIdx.x < count;
        const uint32_t v = is_here ? b.list[base + threadIdx.x] : 0;
        batch_words<W> found = {};
        uint64_t own = 0;
        if (is_here) {
            batch_words<W> seen = load_words<W>(b.seen, v);
            found = load_words<W>(b.next, v);
            own = row_edges(b.push, v);
            for (int j = 0; j < W; j++)
                seen.of[j] |= found.of[j];
            store_words<W>(b.seen, v, seen);
            if (W > 1)
                b.listed[v / 32] = 0;
        }
        edges += own;
        count_bits<W>(counts, found, 0);
        put_pieces(b, is_here, v, own);
    }
    add_by_root<W>(counts.of, b.level->count);
    block_add(edges, shared, &b.level->edges);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        b.level->vertices = count;
}

/* Copies the frontier words of listed vertices first..first+count to `to` [count][W], a thread for each vertex. */
template <int W>
__global__ static void __launch_bounds__(BLOCK)
    batch_gather_kernel(gpu_batch b, uint64_t first, uint64_t count, uint64_t *to)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (uint64_t)gridDim.x * BLOCK)
        store_words<W>(to, i, load_words<W>(b.now, b.list[first + i]));
}

/* Launches the start: roots 0..count set their bits in the next words of their vertices root[i], and list them. */
void cuda_batch_roots(const struct gpu_batch *b, const uint32_t *root, uint32_t count, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_roots_kernel<W><<<1, BLOCK, 0, stream>>>(*b, root, count));
}

/* Launches the pushes of a sparse level, of the first `pieces` pieces of the frontier. */
void cuda_batch_push(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream)
{
    const int blocks = blocks_for(pieces, BLOCK / PUSH_LANES);
    BATCH_BY_WORDS(b, batch_push_kernel<W, true><<<blocks, BLOCK, 0, stream>>>(*b, pieces));
}

/* Launches the pushes of a dense level, for roots that do not pull: of `pieces` pieces, or BATCH_AS_LISTED. */
void cuda_batch_scatter(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream)
{
    const int blocks = blocks_for(pieces == BATCH_AS_LISTED ? b->vertices : pieces, BLOCK / PUSH_LANES);
    BATCH_BY_WORDS(b, batch_push_kernel<W, false><<<blocks, BLOCK, 0, stream>>>(*b, pieces));
}

/* Launches the zeroing of the words, an array such as `now`, of the vertices of pieces[0..count). */
void cuda_batch_clear(const struct gpu_batch *b, uint64_t *words, const struct gpu_batch_piece *pieces, uint64_t count,
                      cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_clear_kernel<W><<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(words, pieces, count));
}

/* Launches a kernel that makes the listed vertices, `most` at most, the next frontier. */
void cuda_batch_take_list(const struct gpu_batch *b, uint64_t most, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_take_list_kernel<W><<<blocks_for(most, BLOCK), BLOCK, 0, stream>>>(*b));
}

/* Launches a copy of the frontier words of `count` listed vertices, from entry `first` on, to `to` [count][words]. */
void cuda_batch_gather(const struct gpu_batch *b, uint64_t first, uint64_t count, uint64_t *to, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_gather_kernel<W><<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(*b, first, count, to));
}

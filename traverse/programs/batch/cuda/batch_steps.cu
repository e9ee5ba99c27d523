/* batch_steps.cu: a kernel for each step of a level (batch_kernels.h), for the start of a batch and for ranks that divide the graph */
#include "batch_pull.cuh"
#include "batch_push.cuh"

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

template <int W, bool SPARSE> __global__ static void __launch_bounds__(BLOCK) batch_push_kernel(gpu_batch b, uint64_t pieces)
{
    push_pieces<W, SPARSE>(b, pieces == BATCH_AS_LISTED ? b.level->pieces : pieces);
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

template <int W> __global__ static void __launch_bounds__(BLOCK) batch_take_list_kernel(gpu_batch b)
{
    take_list<W>(b);
}

template <int W> __global__ static void __launch_bounds__(BLOCK) batch_pull_long_kernel(gpu_batch b)
{
    pull_long_rows<W>(b);
}

template <int W> __global__ static void __launch_bounds__(BLOCK, 3) batch_pull_kernel(gpu_batch b)
{
    pull_vertices<W>(b);
}

template <int W> __global__ static void __launch_bounds__(BLOCK) batch_list_kernel(gpu_batch b)
{
    list_frontier<W>(b, b.list, &b.level->listed, &b.level->pieces);
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

/* Launches the kernel that pulls along long rows, if there are any and a root pulls. */
void cuda_batch_pull_long(const struct gpu_batch *b, cudaStream_t stream)
{
    const int blocks = blocks_for(b->long_pieces, WARPS);
    if (b->long_pieces > 0 && (b->pulls[0] | b->pulls[1] | b->pulls[2] | b->pulls[3]) != 0)
        BATCH_BY_WORDS(b, batch_pull_long_kernel<W><<<blocks, BLOCK, 0, stream>>>(*b));
}

/* Launches the kernel that pulls for the vertices pull_from to pull_end - 1, and adds the bits that roots have pushed. */
void cuda_batch_pull(const struct gpu_batch *b, cudaStream_t stream)
{
    const int blocks = blocks_for(b->pull_end - b->pull_from, BLOCK);
    BATCH_BY_WORDS(b, batch_pull_kernel<W><<<blocks, BLOCK, 0, stream>>>(*b));
}

/* Launches the kernel that makes a list of a dense frontier, for the roots that push. */
void cuda_batch_list(const struct gpu_batch *b, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_list_kernel<W><<<blocks_for(b->vertices, BLOCK), BLOCK, 0, stream>>>(*b));
}

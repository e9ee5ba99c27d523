/* batch_levels.cu: levels of a batch, one after the other, in one cooperative kernel (batch_kernels.h)
 *
 * A level that the host launches costs 27 to 37 us of launches and of waiting for its counts. Here it costs two to four barriers of all
 * blocks. Each block chooses the kind of a level by itself, from the counts of the last one and by the rules of batch_choose.h, so all
 * blocks, and the host later, choose the same. The counts of each level stay in the log, which the host reads when the kernel has ended.
 * The functions of a level are those of batch_push.cuh and batch_pull.cuh, which say what bytes must move. */
#include "batch_pull.cuh"
#include "batch_push.cuh"

#include "traverse/cuda/device/cuda_ptx.cuh"
#include "traverse/programs/batch/batch_choose.h"

/* The state of a block, in its shared memory. All blocks have the same. */
struct block_state {
    gpu_batch b;
    uint32_t *brief[2];  /* briefs of the frontier words (0) and of the next words (1) */
    uint64_t pull_edges_left;
    unsigned arrivals;   /* log->arrived when all blocks have arrived at the last barrier */
    unsigned active[BLOCK / WARP], pulls[BLOCK / WARP]; /* a bit for each root */
    unsigned long long sum[2];
};

/* Waits until all blocks of the grid have called it. All threads then see the earlier writes of all blocks. */
__device__ static inline void grid_barrier(block_state &s, gpu_batch_log *log)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        s.arrivals += gridDim.x;
        fence_of_gpu();
        atomicAdd(&log->arrived, 1u);
        for (unsigned spins = 0; (int)(load_acquire(&log->arrived) - s.arrivals) < 0; spins++) {
            if (spins > 256)
                __nanosleep(32);
        }
    }
    __syncthreads();
}

/* Calls item(i) for each i below `count`, with one thread of the grid. */
template <typename Item> __device__ static inline void each_of_grid(uint64_t count, Item item)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (uint64_t)gridDim.x * BLOCK)
        item(i);
}

/* Chooses which roots pull in a dense level, as choose_pulls of batch_search.c does, with a thread for each root: sets s.b.active,
 * s.b.pulls, s.b.is_pushed, s.b.brief and s.b.next_brief. Before, if `is_counted`, lowers edges_left by the edges that the root of the
 * thread has found in the last level. */
template <int W>
__device__ static inline void choose_roots(const gpu_batch_walk &walk, block_state &s, const gpu_batch_level &last, bool was_sparse,
                                           bool is_counted, uint64_t &edges_left)
{
    const bool is_root = threadIdx.x < walk.roots;
    const unsigned long long count = is_root ? last.count[threadIdx.x] : 0, weight = is_root ? last.weight[threadIdx.x] : 0;
    if (is_counted)
        edges_left -= weight < edges_left ? weight : edges_left;
    const bool pulls = batch_root_pulls(count, weight, edges_left, walk.mean_edges);
    const unsigned active = __ballot_sync(ALL_LANES, count > 0), pulling = __ballot_sync(ALL_LANES, pulls);
    const unsigned long long pushed = warp_sum(pulls ? 0 : weight), finds = warp_sum(count);
    if (threadIdx.x < 2)
        s.sum[threadIdx.x] = 0;
    __syncthreads();
    if (lane_id() == 0) {
        s.active[threadIdx.x / WARP] = active;
        s.pulls[threadIdx.x / WARP] = pulling;
        atomicAdd(&s.sum[0], pushed);
        atomicAdd(&s.sum[1], finds);
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const unsigned long long edges = was_sparse || s.sum[0] > last.edges ? last.edges : s.sum[0];
    const bool all_pull = batch_all_pull(edges, walk.push_cost, walk.list_cost * walk.all_vertices, s.pull_edges_left);
    s.b.is_pushed = 0;
    for (int j = 0; j < 4; j++) {
        s.b.active[j] = (uint64_t)s.active[2 * j + 1] << 32 | s.active[2 * j];
        s.b.pulls[j] = s.b.active[j] & (all_pull ? ~0ull : (uint64_t)s.pulls[2 * j + 1] << 32 | s.pulls[2 * j]);
        s.b.is_pushed |= s.b.pulls[j] != s.b.active[j];
    }
    s.b.brief = W > 1 && !was_sparse && batch_reads_briefs(s.sum[1], last.vertices) ? s.brief[0] : NULL;
    s.b.next_brief = s.brief[1];
}

/* Runs a sparse level: its frontier pushes, and what it finds is listed. A dense frontier is listed first. */
template <int W>
__device__ static inline void run_sparse(const gpu_batch_walk &walk, block_state &s, gpu_batch_log *log, const gpu_batch_level &last,
                                         bool was_sparse)
{
    const batch_words<W> none = {};
    gpu_batch_level &level = *s.b.level;
    if (!was_sparse) {
        each_of_grid(walk.words_of, [&](uint64_t v) { store_words<W>(s.b.next, v, none); });
        list_frontier<W>(s.b, s.b.frontier, &level.frontier_listed, &level.frontier_pieces);
        grid_barrier(s, log);
    }
    const uint64_t listed = was_sparse ? last.listed : level.frontier_listed;
    push_pieces<W, true>(s.b, was_sparse ? last.pieces : level.frontier_pieces);
    grid_barrier(s, log);
    each_of_grid(listed, [&](uint64_t i) { store_words<W>(s.b.now, s.b.frontier[i], none); });
    take_list<W>(s.b);
}

/* Runs a dense level: roots that do not pull push from a list of their frontiers, and then all vertices pull. */
template <int W>
__device__ static inline void run_dense(const gpu_batch_walk &walk, block_state &s, gpu_batch_log *log, const gpu_batch_level &last,
                                        bool was_sparse)
{
    const batch_words<W> none = {};
    gpu_batch_level &level = *s.b.level;
    const bool pulls = (s.b.pulls[0] | s.b.pulls[1] | s.b.pulls[2] | s.b.pulls[3]) != 0;
    if (s.b.is_pushed && !was_sparse) {
        each_of_grid(walk.words_of, [&](uint64_t v) { store_words<W>(s.b.next, v, none); });
        list_frontier<W>(s.b, s.b.frontier, &level.frontier_listed, &level.frontier_pieces);
        grid_barrier(s, log);
    } else if (!s.b.is_pushed && s.b.long_pieces > 0) {
        each_of_grid(s.b.long_pieces, [&](uint64_t i) { store_words<W>(s.b.next, s.b.long_rows[i].vertex, none); });
        grid_barrier(s, log);
    }
    if (s.b.is_pushed) {
        push_pieces<W, false>(s.b, was_sparse ? last.pieces : level.frontier_pieces);
        grid_barrier(s, log);
    }
    if (pulls && s.b.long_pieces > 0) {
        pull_long_rows<W>(s.b);
        grid_barrier(s, log);
    }
    pull_vertices<W>(s.b);
}

/* Exchanges two pointers. */
template <typename T> __device__ static inline void exchange(T *&a, T *&b)
{
    T *before = a;
    a = b;
    b = before;
}

/* Runs levels from the frontier whose counts are log->level[0] on, until one finds nothing, or walk.most_levels have run. Sets
 * log->levels to their number, and log->level[1] and on to their counts. */
template <int W>
__global__ static void __launch_bounds__(BLOCK, W == 1 ? 4 : 3)
    batch_levels_kernel(const __grid_constant__ gpu_batch_walk walk)
{
    __shared__ block_state s;
    gpu_batch_log *log = walk.log;
    uint64_t edges_left = walk.edges_left[threadIdx.x];
    bool was_sparse = walk.is_sparse;
    uint32_t n = 0;
    if (threadIdx.x == 0) {
        s.b = walk.b;
        s.brief[0] = walk.brief[0];
        s.brief[1] = walk.brief[1];
        s.pull_edges_left = walk.pull_edges_left;
        s.arrivals = 0;
        if (blockIdx.x == 0)
            log->level[0].end_ns = device_nanoseconds();
    }
    __syncthreads();
    for (; n < walk.most_levels && log->level[n].vertices > 0; n++) {
        const gpu_batch_level &last = log->level[n];
        const bool sparse = batch_is_sparse(last.edges, walk.all_vertices);
        if (!sparse || !was_sparse)
            choose_roots<W>(walk, s, last, was_sparse, n > 0, edges_left);
        __syncthreads();
        if (threadIdx.x == 0) {
            s.b.level = &log->level[n + 1];
            if (sparse)
                exchange(s.b.list, s.b.frontier);
            for (int j = 0; j < 4 && sparse; j++)
                s.b.pulls[j] = 0;
            if (blockIdx.x == 0) {
                log->level[n + 1].is_sparse = sparse;
                for (int j = 0; j < 4; j++)
                    log->level[n + 1].pulls[j] = s.b.pulls[j];
            }
        }
        __syncthreads();
        if (sparse)
            run_sparse<W>(walk, s, log, last, was_sparse);
        else
            run_dense<W>(walk, s, log, last, was_sparse);
        grid_barrier(s, log);
        if (threadIdx.x == 0) { /* what the level has found becomes the frontier */
            exchange(s.b.now, s.b.next);
            if (!sparse) {
                exchange(s.brief[0], s.brief[1]);
                s.pull_edges_left = s.b.level->pull_edges_left;
            }
            if (blockIdx.x == 0)
                s.b.level->end_ns = device_nanoseconds();
        }
        was_sparse = sparse;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        log->levels = n;
}

/* Returns the number of blocks that run at the same time, and no more than have work in a dense level. */
template <int W> static int blocks_together(uint64_t vertices)
{
    int device = 0, processors = 0, each = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, batch_levels_kernel<W>, BLOCK, 0) != cudaSuccess || each * processors < 1)
        return 1;
    const uint64_t most = (uint64_t)(each * processors), useful = (vertices + BLOCK - 1) / BLOCK;
    return (int)(useful < 1 ? 1 : useful < most ? useful : most);
}

/* Returns the number of blocks of the kernel, which does not change from batch to batch. */
int cuda_batch_levels_blocks(const struct gpu_batch *b)
{
    int blocks = 1;
    BATCH_BY_WORDS(b, blocks = blocks_together<W>(b->vertices));
    return blocks;
}

/* Launches the kernel with blocks that all run at the same time, as they wait for each other. */
cudaError_t cuda_batch_levels(const struct gpu_batch_walk *walk, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    BATCH_BY_WORDS(&walk->b, error = launch_together((const void *)batch_levels_kernel<W>, walk->blocks, BLOCK, 0, walk, stream));
    return error;
}

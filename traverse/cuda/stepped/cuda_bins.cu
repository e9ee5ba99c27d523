/* cuda_bins.cu: sorts the vertices of other shards that pushes of nn found into a bin for each shard, and receives arriving
 * vertices; see cuda_kernels.h
 *
 * A found vertex is a code of up to 64 bits: the number of its shard from bit local_bits on, and its local id below. A bin
 * is a list of the local ids (32 bits each) of one shard, and all bins lie in one array (Pan et al., section V-B). Sorting
 * counts the codes of each shard, makes a prefix sum of the counts, which says where each bin begins, and writes the ids
 * into the bins. If there are few codes, one block does all this, because launches take most of the time of a small level.
 *
 * Twin: the bins of cpu_push.c. Bytes moved for each code: 16 to read the code twice, and 4 to write the id.
 */
#include "traverse/cuda/device/cuda_common.cuh"

enum { TILE_CODES = 4096 }; /* the number of codes that a block sorts at a time */

/* Counts the codes begin, ..., end - 1 by shard, in count[p], shared memory. All threads of the block call it and see all
 * counts. */
__device__ static void count_tile(const gpu_bins &b, unsigned *count, uint64_t begin, uint64_t end)
{
    for (uint32_t s = threadIdx.x; s < b.p; s += BLOCK)
        count[s] = 0;
    __syncthreads();
    for (uint64_t i = begin + threadIdx.x; i < end; i += BLOCK)
        atomicAdd(&count[b.codes[i] >> b.local_bits], 1u);
    __syncthreads();
}

/* Kernel: adds the number of codes of each shard s to cursor[s], which is zero before. */
__global__ static void __launch_bounds__(BLOCK) count_kernel(gpu_bins b)
{
    __shared__ unsigned count[GPU_MOST_SHARDS];
    uint64_t total = *b.sent;
    for (uint64_t begin = (uint64_t)blockIdx.x * TILE_CODES; begin < total;
         begin += (uint64_t)gridDim.x * TILE_CODES) {
        count_tile(b, count, begin, begin + TILE_CODES < total ? begin + TILE_CODES : total);
        for (uint32_t s = threadIdx.x; s < b.p; s += BLOCK) {
            if (count[s] != 0)
                atomicAdd(&b.cursor[s], (unsigned long long)count[s]);
        }
        __syncthreads();
    }
}

/* Computes where the bin of each shard begins, by a prefix sum of the numbers of codes in cursor[p]. Writes the
 * beginnings to cursor[], to begin[], and to published[], memory of the host. begin[p] and published[p] become the number
 * of all ids. All lanes of one warp call it. */
__device__ static void begin_bins(const gpu_bins &b)
{
    unsigned long long base = 0;
    for (uint32_t s = 0; s < b.p; s += WARP) {
        unsigned long long own = s + lane_id() < b.p ? b.cursor[s + lane_id()] : 0, sum = own;
        for (int step = 1; step < WARP; step *= 2) {
            unsigned long long other = __shfl_up_sync(ALL_LANES, sum, step);
            if (lane_id() >= step)
                sum += other;
        }
        if (s + lane_id() < b.p) {
            b.cursor[s + lane_id()] = b.begin[s + lane_id()] = base + sum - own;
            b.published[s + lane_id()] = base + sum - own;
        }
        base += __shfl_sync(ALL_LANES, sum, WARP - 1);
    }
    if (lane_id() == 0)
        b.begin[b.p] = b.published[b.p] = base;
    __threadfence_system();
}

/* Kernel of one warp: replaces the counts in cursor[] by the beginnings of the bins (begin_bins). */
__global__ static void begin_kernel(gpu_bins b)
{
    begin_bins(b);
}

/* Writes the ids of the codes begin, ..., end - 1 into the bins of their shards. For each shard s the block first reserves
 * count[s] places in the bin, the number of these codes that belong to s. They begin at cursor[s], the next free place, which
 * is copied to at[s]. count[], which is overwritten, and at[] are shared memory. All threads of the block call it. */
__device__ static void scatter_tile(const gpu_bins &b, unsigned *count, unsigned long long *at, uint64_t begin,
                                    uint64_t end)
{
    const uint64_t mask = ((uint64_t)1 << b.local_bits) - 1;
    for (uint32_t s = threadIdx.x; s < b.p; s += BLOCK) {
        if (count[s] != 0)
            at[s] = atomicAdd(&b.cursor[s], (unsigned long long)count[s]);
        count[s] = 0; /* from now on count[s] is the number of reserved places that have an id */
    }
    __syncthreads();
    for (uint64_t i = begin + threadIdx.x; i < end; i += BLOCK) {
        uint32_t s = (uint32_t)(b.codes[i] >> b.local_bits);
        b.ids[at[s] + atomicAdd(&count[s], 1u)] = (uint32_t)(b.codes[i] & mask);
    }
    __syncthreads();
}

/* Kernel: writes the local id of each code into the bin of its shard s, at cursor[s], the next free place of the bin. */
__global__ static void __launch_bounds__(BLOCK) scatter_kernel(gpu_bins b)
{
    __shared__ unsigned count[GPU_MOST_SHARDS];
    __shared__ unsigned long long at[GPU_MOST_SHARDS];
    uint64_t total = *b.sent;
    for (uint64_t begin = (uint64_t)blockIdx.x * TILE_CODES; begin < total;
         begin += (uint64_t)gridDim.x * TILE_CODES) {
        uint64_t end = begin + TILE_CODES < total ? begin + TILE_CODES : total;
        count_tile(b, count, begin, end);
        scatter_tile(b, count, at, begin, end);
    }
}

/* Kernel of one block: sorts at most TILE_CODES codes into bins. */
__global__ static void __launch_bounds__(BLOCK) bin_few_kernel(gpu_bins b)
{
    __shared__ unsigned count[GPU_MOST_SHARDS];
    __shared__ unsigned long long at[GPU_MOST_SHARDS];
    const uint64_t total = *b.sent;
    count_tile(b, count, 0, total);
    for (uint32_t s = threadIdx.x; s < b.p; s += BLOCK)
        b.cursor[s] = count[s];
    __syncthreads();
    if (threadIdx.x < WARP)
        begin_bins(b);
    __syncthreads();
    scatter_tile(b, count, at, 0, total);
}

/* Launches the sorting of codes into bins, and returns at once: one kernel for up to TILE_CODES codes, otherwise three. */
void cuda_bin(const gpu_bins *bins, uint64_t most, cudaStream_t stream)
{
    int grid = cuda_full_grid() / 4;
    if (most <= TILE_CODES) {
        bin_few_kernel<<<1, BLOCK, 0, stream>>>(*bins);
        return;
    }
    cudaMemsetAsync(bins->cursor, 0, bins->p * sizeof *bins->cursor, stream);
    count_kernel<<<grid, BLOCK, 0, stream>>>(*bins);
    begin_kernel<<<1, WARP, 0, stream>>>(*bins);
    scatter_kernel<<<grid, BLOCK, 0, stream>>>(*bins);
}

/* ---- arrival ---- */

/* Takes in vertices that arrive as ids, with a thread for each id. The same id may be sent several times. */
void cuda_receive(const gpu_vertices *vertices, const uint32_t *ids, uint64_t count, uint32_t parent, unsigned int *bad,
                  cudaStream_t stream)
{
    each(count, stream, [=, v = *vertices] __device__(uint64_t i) {
        const uint32_t id = ids[i];
        if (id >= v.count)
            *bad = 1;
        else if (!test_bit(v.visited, id) && claim_bit(v.next, id) && v.parent != NULL)
            v.parent[id] = parent;
    });
}

/* Takes in vertices that arrive as a bitmap, with a thread for each word. It needs no atomic, because between two levels
 * only kernels like this one change `next`, one after the other. */
void cuda_receive_mask(const gpu_vertices *vertices, const uint32_t *mask, uint64_t first, uint64_t words, uint32_t parent,
                       unsigned int *bad, cudaStream_t stream)
{
    each(words, stream, [=, v = *vertices] __device__(uint64_t i) {
        const uint64_t w = first + i;
        uint32_t bits = mask[i];
        if (bits == 0)
            return;
        if (w * 32 + 32 - __clz(bits) > v.count) {
            *bad = 1;
            return;
        }
        bits &= ~v.visited[w] & ~v.next[w];
        if (bits != 0)
            v.next[w] |= bits;
        for (; v.parent != NULL && bits != 0; bits &= bits - 1)
            v.parent[w * 32 + __ffs(bits) - 1] = parent;
    });
}

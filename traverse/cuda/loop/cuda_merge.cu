/* cuda_merge.cu: merge-based push (Pan et al., section IV-A); see cuda_kernels.h, twin in cpu_rows.c
 *
 * A prefix sum over the lengths of the rows lays all edges of the frontier end to end. Every block takes
 * tiles of equal size, and finds the rows of a tile by bisection. Bytes moved: 28 + 4k for each row; 4
 * (column) and a probe of the visited mask for each edge.
 */
#include "cuda_push.cuh"

enum { TILE_EDGES = 4096, TILE_ROWS = 2048 };

struct merge {
    gpu_csr csr;
    const uint32_t *queue;
    uint64_t count;
    gpu_target target;
    uint64_t *prefix; /* [count + 1] */
};

/* Takes the length of each row behind its heads; the heads are visited right here. */
__global__ static void __launch_bounds__(BLOCK) length_kernel(merge m)
{
    bool found = false;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i <= m.count;
         i += (uint64_t)gridDim.x * BLOCK) {
        uint64_t length = 0;
        if (i < m.count) {
            uint32_t row = m.queue[i];
            row_rest rest = rest_of_row(m.csr, row);
            length = rest.end - rest.begin;
            found |= visit_heads<uint32_t>(m.csr, m.target, row);
        }
        m.prefix[i] = length;
    }
    note_found(m.target, found);
}

/* The last of `count` rows whose prefix is at most `edge`. */
template <typename T, typename I> __device__ static I find_row(const T *prefix, I count, T edge)
{
    I low = 0, high = count;
    while (low < high) {
        const I middle = (low + high) / 2;
        if (prefix[middle] <= edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* A tile, with its rows' beginnings, relative to it, if they are few enough for shared memory. */
struct tile {
    uint64_t first, last; /* rows */
    int32_t start[TILE_ROWS + 1];
};

__device__ static uint64_t row_in_tile(const merge &m, const tile &t, uint64_t begin, uint32_t e)
{
    if (t.last - t.first > TILE_ROWS)
        return t.first + find_row(m.prefix + t.first, t.last - t.first + 1, begin + e);
    return t.first + find_row(t.start, (int)(t.last - t.first) + 1, (int32_t)e);
}

template <bool PACKED>
__global__ static void __launch_bounds__(BLOCK) expand_kernel(merge m)
{
    __shared__ tile t;
    uint64_t total = m.prefix[m.count];
    bool found = false;
    for (uint64_t begin = (uint64_t)blockIdx.x * TILE_EDGES; begin < total;
         begin += (uint64_t)gridDim.x * TILE_EDGES) {
        uint32_t edges = (uint32_t)(total - begin < TILE_EDGES ? total - begin : TILE_EDGES);
        __syncthreads();
        if (threadIdx.x == 0)
            t.first = find_row(m.prefix, m.count, begin);
        if (threadIdx.x == WARP)
            t.last = find_row(m.prefix, m.count, begin + edges - 1);
        __syncthreads();
        for (uint64_t i = threadIdx.x; t.last - t.first <= TILE_ROWS && i <= t.last - t.first;
             i += BLOCK) {
            uint64_t start = m.prefix[t.first + i];
            t.start[i] = start < begin ? -1 : (int32_t)(start - begin);
        }
        __syncthreads();
        for (uint32_t e = threadIdx.x; e < edges; e += BLOCK) {
            uint64_t i = row_in_tile(m, t, begin, e);
            uint32_t row = m.queue[i];
            uint64_t first = offset_of(m.csr, row);
            uint64_t at = first + (begin + e - m.prefix[i]);
            found |= visit<uint32_t>(m.target, column_of_row<uint32_t, PACKED>(m.csr, row, first, at), row);
        }
    }
    note_found(m.target, found);
}

/* Launches one kernel for the lengths of rows, and one for their edges. */
template <bool PACKED>
static void push_by_shares(const merge &m, const gpu_scan &scan, cudaStream_t stream)
{
    length_kernel<<<blocks_for(m.count + 1, BLOCK), BLOCK, 0, stream>>>(m);
    cuda_scan_u64(m.prefix, m.count + 1, scan.scratch, scan.scratch_bytes, stream);
    expand_kernel<PACKED><<<cuda_full_grid(), BLOCK, 0, stream>>>(m);
}

void cuda_push_merged(const gpu_csr *csr, const gpu_queue *queue, const gpu_target *target,
                      const gpu_scan *scan, cudaStream_t stream)
{
    merge m = {*csr, queue->rows, queue->count, *target, scan->prefix};
    if (queue->count == 0 || csr->edges == 0)
        return;
    if (gpu_csr_is_packed(csr))
        push_by_shares<true>(m, *scan, stream);
    else
        push_by_shares<false>(m, *scan, stream);
}

/* cuda_push.cu: pushes along the rows of a queue; see cuda_kernels.h and its twins, cpu_rows.c and cpu_push.c
 *
 * A warp takes 32 rows, or fewer if there are not enough for all warps. It treats them by length:
 * - Short rows are laid end to end, and their edges are shared out among the lanes.
 * - Longer rows are visited by the whole warp, one after the other.
 * - Very long rows are cut into chunks, which the blocks of a second kernel visit. So no hub keeps one warp
 *   busy.
 * Bytes moved: 4 (queue), 8 to 16 (offsets) and 4k (heads) for each row; 4 or 8 (column) and a probe of the
 * visited mask for each edge.
 */
#include "cuda_push.cuh"

enum { SHORT_ROW = 64 };

struct push {
    gpu_csr csr;
    const uint32_t *queue;
    uint64_t count;
    gpu_target target;
    gpu_chunk *chunks;
    unsigned int *chunk_count;
    unsigned rows_per_warp;
};

/* The row lengths of a warp, end to end. */
struct warp_rows {
    uint64_t begin[WARP];
    uint32_t row[WARP];
    uint32_t prefix[WARP]; /* edges before the row */
};

__device__ static void cut_row(const push &p, uint32_t row, uint64_t begin, uint64_t length)
{
    unsigned pieces = (unsigned)((length + GPU_CHUNK_EDGES - 1) / GPU_CHUNK_EDGES);
    unsigned at = atomicAdd(p.chunk_count, pieces);
    for (unsigned i = 0; i < pieces; i++) {
        uint64_t done = (uint64_t)i * GPU_CHUNK_EDGES, left = length - done;
        p.chunks[at + i] = {begin + done, row,
                            (uint32_t)(left < GPU_CHUNK_EDGES ? left : GPU_CHUNK_EDGES)};
    }
}

template <typename Column, bool PACKED>
__device__ static bool visit_short_rows(const push &p, warp_rows &rows, uint64_t begin,
                                        uint32_t length, uint32_t row)
{
    unsigned lane = lane_id(), before = warp_prefix(length);
    uint32_t total = __shfl_sync(ALL_LANES, before + length, WARP - 1);
    bool found = false;
    __syncwarp();
    rows.begin[lane] = begin;
    rows.row[lane] = row;
    rows.prefix[lane] = before;
    __syncwarp();
    for (uint32_t e = lane; e < total; e += WARP) {
        int r = row_of_edge(rows.prefix, e);
        uint64_t at = rows.begin[r] + e - rows.prefix[r];
        found |= visit<Column>(p.target, column_of_row<Column, PACKED>(p.csr, rows.row[r], rows.begin[r], at),
                               rows.row[r]);
    }
    return found;
}

template <typename Column, bool PACKED>
__device__ static bool visit_by_warp(const push &p, uint64_t begin, uint64_t length, uint32_t row,
                                     bool long_one)
{
    bool found = false;
    for (unsigned rows = __ballot_sync(ALL_LANES, long_one); rows != 0; rows &= rows - 1) {
        int source = __ffs(rows) - 1;
        uint64_t from = __shfl_sync(ALL_LANES, begin, source);
        uint64_t count = __shfl_sync(ALL_LANES, length, source);
        uint32_t r = __shfl_sync(ALL_LANES, row, source);
        for (uint64_t i = lane_id(); i < count; i += WARP)
            found |= visit<Column>(p.target, column_of_row<Column, PACKED>(p.csr, r, from, from + i), r);
    }
    return found;
}

template <typename Column, bool PACKED>
__global__ static void __launch_bounds__(BLOCK) push_kernel(push p)
{
    __shared__ warp_rows shared[WARPS];
    bool found = false;
    uint64_t warp = (uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    for (uint64_t first = warp * p.rows_per_warp; first < p.count;
         first += (uint64_t)gridDim.x * WARPS * p.rows_per_warp) {
        uint64_t begin = 0, length = 0, i = first + lane_id();
        uint32_t row = 0;
        if (lane_id() < p.rows_per_warp && i < p.count) {
            row = p.queue[i];
            row_rest rest = rest_of_row(p.csr, row);
            begin = rest.begin;
            length = rest.end - begin;
            found |= visit_heads<Column>(p.csr, p.target, row);
            if (length >= GPU_LONG_ROW) {
                cut_row(p, row, begin, length);
                length = 0;
            }
        }
        __syncwarp();
        bool long_one = length > SHORT_ROW;
        found |= visit_by_warp<Column, PACKED>(p, begin, length, row, long_one);
        __syncwarp();
        found |= visit_short_rows<Column, PACKED>(p, shared[threadIdx.x / WARP], begin,
                                                  long_one ? 0 : (uint32_t)length, row);
    }
    note_found(p.target, found);
}

template <typename Column, bool PACKED>
__global__ static void __launch_bounds__(BLOCK) chunk_kernel(push p)
{
    unsigned chunks = *p.chunk_count;
    bool found = false;
    for (unsigned c = blockIdx.x; c < chunks; c += gridDim.x) {
        gpu_chunk chunk = p.chunks[c];
        uint64_t begin = PACKED ? offset_of(p.csr, chunk.row) : 0;
        for (uint32_t i = threadIdx.x; i < chunk.count; i += BLOCK)
            found |= visit<Column>(
                p.target, column_of_row<Column, PACKED>(p.csr, chunk.row, begin, chunk.begin + i), chunk.row);
    }
    note_found(p.target, found);
}

template <typename Column, bool PACKED>
static void push_queue(const push &p, int grid, bool has_chunks, cudaStream_t stream)
{
    push_kernel<Column, PACKED><<<grid, BLOCK, 0, stream>>>(p);
    if (has_chunks)
        chunk_kernel<Column, PACKED><<<cuda_full_grid(), BLOCK, 0, stream>>>(p);
}

void cuda_push_rows(const gpu_csr *csr, const gpu_queue *queue, const gpu_target *target,
                    const gpu_chunk_list *chunks, cudaStream_t stream)
{
    uint64_t count = queue->count;
    uint64_t share = count / ((uint64_t)cuda_full_grid() * WARPS);
    unsigned rows = (unsigned)(share < 1 ? 1 : share < 32 ? share : 32);
    push p = {*csr, queue->rows, count, *target, chunks->chunks, chunks->count, rows};
    int grid = blocks_for(count, (uint64_t)rows * WARPS);
    if (count == 0 || csr->edges == 0)
        return;
    if (gpu_csr_is_packed(csr))
        push_queue<uint32_t, true>(p, grid, chunks->expected, stream);
    else if (csr->column_width == 4)
        push_queue<uint32_t, false>(p, grid, chunks->expected, stream);
    else
        push_queue<uint64_t, false>(p, grid, chunks->expected, stream);
}

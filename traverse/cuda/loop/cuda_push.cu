/* cuda_push.cu: pushes along the rows of a queue; see cuda_kernels.h and its twins, cpu_rows.c and cpu_push.c
 *
 * A warp lays parts of rows end to end, one a lane, and its lanes share their edges. There are two ways to share rows:
 * - By rows: a warp takes 32 rows, or fewer if there are not enough for all warps. Very long rows are cut into chunks, which
 *   the warps of a second kernel visit. So no hub keeps one warp busy.
 * - By edges (merge-based: Pan et al., section IV-A): a prefix sum over the lengths of the rows lays all edges of the frontier
 *   end to end. Warps take tiles of equal size, and find the rows of a tile by bisection.
 * Bytes moved: 4 (queue), 8 to 16 (offsets) and 4k (heads) for each row, and 16 more by edges; 4 or 8 (column) and a probe
 * of the visited mask for each edge.
 */
#include "traverse/cuda/cuda_common.cuh"

enum { TILE_EDGES = 1024 };

struct push {
    gpu_csr csr;
    const uint32_t *queue;
    uint64_t count;
    gpu_target target;
    gpu_chunk *chunks;
    unsigned int *chunk_count;
    unsigned rows_per_warp;
    uint64_t *prefix; /* [count + 1] edges behind the heads of earlier rows */
};

/* ---- an edge ---- */

__device__ static inline bool reach(const gpu_target &t, uint32_t id, uint32_t row)
{
    if (test_bit(t.visited, id) || !claim_bit(t.next, id))
        return false;
    if (t.parent != NULL)
        t.parent[id] = t.tag | row;
    return true;
}

/* Visits an edge: marks its destination, or sends it to its shard. True if it found a vertex of this device. */
template <typename Column> __device__ static inline bool visit(const gpu_target &t, Column column, uint32_t row)
{
    if (!t.coded)
        return reach(t, (uint32_t)column, row);
    uint64_t shard = (uint64_t)column >> t.local_bits;
    if (shard == t.own_shard)
        return reach(t, (uint32_t)(column & (((uint64_t)1 << t.local_bits) - 1)), row);
    if (t.out_mask != NULL)
        claim_bit(t.out_mask, (uint32_t)column);
    else
        t.out[reserve_for_lanes(__activemask(), t.sent)] = column;
    return false;
}

/* The head columns of a row. */
template <typename Column> __device__ static inline bool visit_heads(const push &p, uint32_t row)
{
    bool found = false;
    for (uint32_t j = 0; j < p.csr.head_columns; j++) {
        uint32_t head = p.csr.heads[j * p.csr.rows + row];
        if (head == NO_HEAD)
            break;
        found |= visit<Column>(p.target, (Column)head, row);
    }
    return found;
}

/* Notes, once per block, that a vertex was found. All threads of the block call it. */
__device__ static inline void note_found(const gpu_target &t, bool found)
{
    if (__syncthreads_or(found) && threadIdx.x == 0)
        *t.found = 1;
}

/* ---- parts of rows ---- */

struct row_part {
    uint64_t begin, at; /* of the row; of the part */
    uint32_t row, length;
};

/* Parts of a warp, end to end. */
struct laid_parts {
    row_part part[WARP];
    uint32_t prefix[WARP]; /* edges before the part */
};

__device__ static inline laid_parts &parts_of_warp()
{
    __shared__ laid_parts parts[WARPS];
    return parts[threadIdx.x / WARP];
}

/* Visits the parts of the lanes. All lanes of the warp call it. */
template <typename Column, bool PACKED> __device__ static bool visit_parts(const push &p, const row_part &own)
{
    laid_parts &laid = parts_of_warp();
    const uint32_t before = warp_prefix(own.length), total = __shfl_sync(ALL_LANES, before + own.length, WARP - 1);
    bool found = false;
    __syncwarp();
    laid.part[lane_id()] = own;
    laid.prefix[lane_id()] = before;
    __syncwarp();
    for (uint32_t e = lane_id(); e < total; e += WARP) {
        const int r = row_of_edge(laid.prefix, e);
        const row_part &part = laid.part[r];
        const uint64_t at = part.at + e - laid.prefix[r];
        found |= visit<Column>(p.target, column_of_row<Column, PACKED>(p.csr, part.row, part.begin, at), part.row);
    }
    __syncwarp();
    return found;
}

/* ---- by rows ---- */

__device__ static void cut_row(const push &p, uint32_t row, uint64_t begin, uint64_t length)
{
    unsigned pieces = (unsigned)((length + GPU_CHUNK_EDGES - 1) / GPU_CHUNK_EDGES);
    unsigned at = atomicAdd(p.chunk_count, pieces);
    for (unsigned i = 0; i < pieces; i++) {
        uint64_t done = (uint64_t)i * GPU_CHUNK_EDGES, left = length - done;
        p.chunks[at + i] = {begin + done, row, (uint32_t)(left < GPU_CHUNK_EDGES ? left : GPU_CHUNK_EDGES)};
    }
}

template <typename Column, bool PACKED> __global__ static void __launch_bounds__(BLOCK) push_kernel(push p)
{
    bool found = false;
    uint64_t warp = (uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    for (uint64_t first = warp * p.rows_per_warp; first < p.count;
         first += (uint64_t)gridDim.x * WARPS * p.rows_per_warp) {
        row_part own = {};
        if (lane_id() < p.rows_per_warp && first + lane_id() < p.count) {
            own.row = p.queue[first + lane_id()];
            const row_rest rest = rest_of_row(p.csr, own.row);
            const uint64_t length = rest.end - rest.begin;
            own.begin = own.at = rest.begin;
            found |= visit_heads<Column>(p, own.row);
            if (length >= GPU_LONG_ROW)
                cut_row(p, own.row, rest.begin, length);
            else
                own.length = (uint32_t)length;
        }
        found |= visit_parts<Column, PACKED>(p, own);
    }
    note_found(p.target, found);
}

/* Visits the chunks, a warp each. */
template <typename Column, bool PACKED> __global__ static void __launch_bounds__(BLOCK) chunk_kernel(push p)
{
    const unsigned chunks = *p.chunk_count;
    bool found = false;
    for (unsigned c = blockIdx.x * WARPS + threadIdx.x / WARP; c < chunks; c += gridDim.x * WARPS) {
        const gpu_chunk chunk = p.chunks[c];
        const uint64_t begin = PACKED ? offset_of(p.csr, chunk.row) : 0;
        found |= visit_parts<Column, PACKED>(
            p, row_part{begin, chunk.begin, chunk.row, lane_id() == 0 ? chunk.count : 0});
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
    push p = {*csr, queue->rows, count, *target, chunks->chunks, chunks->count, rows, NULL};
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

/* ---- by edges ---- */

/* Takes the length of each row behind its heads; the heads are visited right here. */
__global__ static void __launch_bounds__(BLOCK) length_kernel(push p)
{
    bool found = false;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i <= p.count; i += (uint64_t)gridDim.x * BLOCK) {
        uint64_t length = 0;
        if (i < p.count) {
            const row_rest rest = rest_of_row(p.csr, p.queue[i]);
            length = rest.end - rest.begin;
            found |= visit_heads<uint32_t>(p, p.queue[i]);
        }
        p.prefix[i] = length;
    }
    note_found(p.target, found);
}

/* The last row of the queue that begins at or before `edge`. */
__device__ static uint64_t find_row(const push &p, uint64_t edge)
{
    uint64_t low = 0, high = p.count;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (p.prefix[middle] <= edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* The part of row number i that has some of the edges begin..end. */
__device__ static row_part part_in_tile(const push &p, uint64_t i, uint64_t begin, uint64_t end)
{
    if (i >= p.count || p.prefix[i] >= end)
        return row_part{};
    const uint64_t first = p.prefix[i], from = max(first, begin), to = min(p.prefix[i + 1], end);
    const uint64_t row_begin = offset_of(p.csr, p.queue[i]);
    return row_part{row_begin, row_begin + (from - first), p.queue[i], (uint32_t)(to - from)};
}

template <bool PACKED> __global__ static void __launch_bounds__(BLOCK) tile_kernel(push p)
{
    const uint64_t total = p.prefix[p.count], step = (uint64_t)gridDim.x * WARPS * TILE_EDGES;
    bool found = false;
    for (uint64_t begin = ((uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP) * TILE_EDGES; begin < total; begin += step) {
        const uint64_t end = min(begin + TILE_EDGES, total);
        for (uint64_t i = find_row(p, begin); i < p.count && p.prefix[i] < end; i += WARP)
            found |= visit_parts<uint32_t, PACKED>(p, part_in_tile(p, i + lane_id(), begin, end));
    }
    note_found(p.target, found);
}

void cuda_push_merged(const gpu_csr *csr, const gpu_queue *queue, const gpu_target *target,
                      const gpu_scan *scan, cudaStream_t stream)
{
    push p = {*csr, queue->rows, queue->count, *target, NULL, NULL, 0, scan->prefix};
    if (queue->count == 0 || csr->edges == 0)
        return;
    length_kernel<<<blocks_for(p.count + 1, BLOCK), BLOCK, 0, stream>>>(p);
    cuda_scan_u64(p.prefix, p.count + 1, scan->scratch, scan->scratch_bytes, stream);
    if (gpu_csr_is_packed(csr))
        tile_kernel<true><<<cuda_full_grid(), BLOCK, 0, stream>>>(p);
    else
        tile_kernel<false><<<cuda_full_grid(), BLOCK, 0, stream>>>(p);
}

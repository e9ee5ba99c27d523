/* cuda_push.cu: pushes along the rows of a sparse frontier; see cuda_kernels.h and its twins, cpu_rows.c and cpu_push.c
 *
 * cuda_expand.cuh visits the edges. Warps share the work in one of two ways:
 * - By rows: a warp does 32 rows at a time, or fewer if there are not 32 for all warps. Very long rows are cut into
 *   pieces, which the warps of a second kernel visit, so that no warp works on the row of a hub for long.
 * - By edges (merge-based: Pan et al., section IV-A): warps do tiles of equally many items. All head columns of a row
 *   together are one item, and each other column is one. A prefix sum over the lengths of the rows numbers the items, and
 *   a warp finds the rows of a tile by bisection.
 *
 * Bytes moved for each row: 4 (work item), 8 to 16 (offsets), and 4k (k heads). By edges, 16 more. Bytes moved for each
 * edge: 4 or 8 (column), and a probe of the visited bitmap.
 */
#include "traverse/cuda/visit/cuda_push_words.cuh"

enum { TILE_EDGES = 1024 }; /* the number of items of a tile */

/* The state of a push of one subgraph, which functions of visit/ get as argument `s`. Number is the type of raw columns. */
template <typename Number, bool PACKED> struct row_push {
    static constexpr bool noted = false, packed = PACKED, together = true, stepped = true;
    static constexpr uint32_t longest_uncut_row = GPU_LONG_ROW - 1, piece_edges = GPU_CHUNK_EDGES;
    typedef row_columns<PACKED, Number> columns;
    union space {
        laid_pieces<columns, 1> push;
        uint16_t bits[PACKED_BLOCK];
    };
    only<gpu_csr> csr;
    only<gpu_vertices> of;
    gpu_target target;
    bool found; /* this thread has found a vertex */
};

/* Keeps only reached vertices of this shard in e.end[], the columns that the lanes have reached, if columns are codes of nn.
 * Codes of this shard become local ids. Codes of other shards are kept for sending, in the bitmap target.out_mask or, if that
 * is NULL, in the list target.out, and their places in e.end[] become Slots::none. expand calls it before it sets visited bits.
 * All lanes of the warp call it. */
template <typename Number, bool PACKED, class Slots>
__device__ static inline void keep_own(row_push<Number, PACKED> &s, Slots &e, bool)
{
    const gpu_target &t = s.target;
    if (!t.coded)
        return;
    const auto leaves = [&](int j) {
        return e.end[j] != Slots::none && (uint64_t)e.end[j] >> t.local_bits != t.own_shard;
    };
    if (t.out_mask == NULL)
        append_ends<unsigned long long>(t.sent, leaves, [&](int j, uint64_t at) { t.out[at] = e.end[j]; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (t.out_mask != NULL && leaves(j))
            claim_bit(t.out_mask, (uint32_t)e.end[j]);
        if (e.end[j] != Slots::none)
            e.end[j] = leaves(j) ? Slots::none : e.end[j] & (Number)(((uint64_t)1 << t.local_bits) - 1);
    }
}

/* Sets *s.target.found if any thread of the block has found a vertex. All threads call it at the end of a kernel. */
template <class S> __device__ static inline void note_found(const S &s)
{
    if (__syncthreads_or(s.found) && threadIdx.x == 0)
        *s.target.found = 1;
}

/* Returns the number of this thread's warp among all warps of the grid. */
__device__ static inline uint64_t own_warp()
{
    return (uint64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
}

/* ---- by rows ---- */

/* Kernel: pushes the rows of a sparse frontier, `rows` rows at a time in a warp, one for each lane. Long rows are not
 * pushed but cut into pieces, which are appended to `cut`. */
template <typename Number, bool PACKED>
__global__ static void __launch_bounds__(BLOCK)
    push_kernel(row_push<Number, PACKED> s, gpu_sparse_frontier sparse, unsigned rows, cut_list cut)
{
    const uint64_t step = (uint64_t)gridDim.x * WARPS * rows;
    for (uint64_t first = own_warp() * rows; first < sparse.count; first += step) {
        const bool has = lane_id() < rows && first + lane_id() < sparse.count;
        push_rows(s, s.target.g, has ? sparse.rows[first + lane_id()] : 0, has, cut);
    }
    note_found(s);
}

/* Kernel: pushes the pieces of long rows that push_kernel has appended to `cut`, one at a time in a warp. */
template <typename Number, bool PACKED>
__global__ static void __launch_bounds__(BLOCK) piece_kernel(row_push<Number, PACKED> s, cut_list cut)
{
    const unsigned count = *cut.count;
    for (uint64_t i = own_warp(); i < count; i += (uint64_t)gridDim.x * WARPS)
        expand_one<REACH_NEXT>(s, cut.pieces[i]);
    note_found(s);
}

/* ---- by edges ---- */

/* Returns a part of a row as a work item, with `items` items from item number `from` on. All head columns of a row together are
 * item 0, and each other column is one item more. */
__device__ static inline work_item part_of_row(const gpu_csr &csr, int g, uint32_t row, uint64_t from, uint32_t items)
{
    const uint64_t heads = from == 0 && csr.head_columns > 0 ? ITEM_HEADS : 0;
    return work_item{(offset_of(csr, row) + from - (from > 0)) | (uint64_t)g << ITEM_SUBGRAPH_SHIFT | heads,
                       items - (from == 0), row};
}

/* Kernel: pushes the rows of a sparse frontier by equal shares of edges. A warp does a tile of TILE_EDGES items at a
 * time: it finds the tile's first row by bisection in prefix[], where prefix[i] is the number of items before row i, and
 * then pushes the parts of rows in the tile, 32 rows at a time. */
template <typename Number, bool PACKED>
__global__ static void __launch_bounds__(BLOCK)
    tile_kernel(row_push<Number, PACKED> s, gpu_sparse_frontier sparse, const uint64_t *prefix)
{
    const uint64_t total = prefix[sparse.count], step = (uint64_t)gridDim.x * WARPS * TILE_EDGES;
    for (uint64_t begin = own_warp() * TILE_EDGES; begin < total; begin += step) {
        const uint64_t end = min(begin + TILE_EDGES, total);
        uint64_t first = last_not_above(0, sparse.count, begin, [=](uint64_t i) { return prefix[i]; });
        for (; first < sparse.count && prefix[first] < end; first += WARP) {
            const uint64_t i = first + lane_id();
            const bool has = i < sparse.count && prefix[i] < end;
            work_item part = {0, 0, 0};
            if (has) {
                const uint64_t from = max(prefix[i], begin);
                part = part_of_row(s.csr[0], s.target.g, sparse.rows[i], from - prefix[i],
                                   (uint32_t)(min(prefix[i + 1], end) - from));
            }
            expand<REACH_NEXT>(s, part, has);
        }
    }
    note_found(s);
}

/* Launches the kernels that set scan.prefix[i] to the number of items before row i of a sparse frontier; the last element
 * is the number of all items. A row has one item for all its head columns, and one for each other column. */
static void lay_rows(const gpu_csr &csr, const gpu_sparse_frontier &sparse, const gpu_scan &scan, cudaStream_t stream)
{
    each(sparse.count + 1, stream, [csr, sparse, prefix = scan.prefix] __device__(uint64_t i) {
        const row_rest rest = i < sparse.count ? rest_of_row(csr, sparse.rows[i]) : row_rest{0, 0};
        prefix[i] = 1 + rest.end - rest.begin;
    });
    cuda_scan_u64(scan.prefix, sparse.count + 1, scan.scratch, scan.scratch_bytes, stream);
}

/* ---- both ---- */

/* Launches a push: by equal shares of edges if by->scan is not NULL, otherwise by rows. By rows, a second kernel pushes the
 * pieces of long rows if by->has_long. */
template <typename Number, bool PACKED>
static void push(const row_push<Number, PACKED> &s, const gpu_sparse_frontier *sparse, const gpu_sharing *by,
                 cudaStream_t stream)
{
    const size_t shared = WARPS * sizeof(typename row_push<Number, PACKED>::space);
    if (by->scan != NULL) {
        lay_rows(s.csr.one, *sparse, *by->scan, stream);
        tile_kernel<Number, PACKED><<<cuda_full_grid(), BLOCK, shared, stream>>>(s, *sparse, by->scan->prefix);
        return;
    }
    const uint64_t share = sparse->count / ((uint64_t)cuda_full_grid() * WARPS);
    const unsigned rows = (unsigned)(share < 1 ? 1 : share < 32 ? share : 32);
    const int blocks = blocks_for(sparse->count, rows * WARPS);
    push_kernel<Number, PACKED><<<blocks, BLOCK, shared, stream>>>(s, *sparse, rows, by->cut);
    if (by->has_long)
        piece_kernel<Number, PACKED><<<cuda_full_grid(), BLOCK, shared, stream>>>(s, by->cut);
}

/* Launches a push by a kernel for packed columns, for raw columns of 4 bytes, or for raw columns of 8 bytes. */
void cuda_push(const gpu_csr *csr, const gpu_sparse_frontier *sparse, const gpu_target *target, const gpu_sharing *by,
               cudaStream_t stream)
{
    if (sparse->count == 0 || csr->edges == 0)
        return;
    if (gpu_csr_is_packed(csr))
        push<uint32_t, true>({*csr, target->to, *target, false}, sparse, by, stream);
    else if (csr->column_width == 4)
        push<uint32_t, false>({*csr, target->to, *target, false}, sparse, by, stream);
    else
        push<uint64_t, false>({*csr, target->to, *target, false}, sparse, by, stream);
}

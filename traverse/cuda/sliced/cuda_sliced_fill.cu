/* cuda_sliced_fill.cu: makes the rows of all subgraphs one list of slices; see cuda_sliced.h */
#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_sliced.h"

struct all_rows {
    gpu_csr csr[SUBGRAPHS];
};

static all_rows rows_of(const gpu_csr csr[SUBGRAPHS])
{
    all_rows rows;
    for (int g = 0; g < SUBGRAPHS; g++)
        rows.csr[g] = csr[g];
    return rows;
}

/* The rows of a vertex in the two subgraphs of its kind, as one row. */
struct joint_row {
    int kind;
    uint32_t id;
    uint64_t length[VERTEX_KINDS]; /* by the kind of columns */
};

__device__ static inline joint_row row_of(const gpu_sliced &s, const all_rows &rows, uint32_t v)
{
    joint_row r = {v < s.normals ? DELEGATES : NORMALS, v < s.normals ? v : v - s.normals, {0, 0}};
    for (int to = 0; to < VERTEX_KINDS && r.id < s.of[r.kind].count; to++) {
        const gpu_csr &csr = rows.csr[r.kind << 1 | to];
        r.length[to] = csr.edges != 0 ? row_length(csr, r.id) : 0;
    }
    return r;
}

/* first[v] becomes the number of slices of v, and then of all before it. */
cudaError_t cuda_sliced_count(const gpu_sliced *sliced, const gpu_csr csr[SUBGRAPHS], uint32_t least, uint32_t *first,
                             void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
    const uint32_t count = 32 * sliced->words + 1;
    each(count, stream, [=, s = *sliced, rows = rows_of(csr)] __device__(uint64_t v) {
        uint32_t slices = 0;
        if (v < 32 * s.words) {
            const joint_row r = row_of(s, rows, (uint32_t)v);
            slices = (uint32_t)((r.length[NORMALS] + r.length[DELEGATES] + SLICED_COLUMNS - 1) / SLICED_COLUMNS);
            slices = r.id < s.of[r.kind].count ? max(slices, least) : slices;
        }
        first[v] = slices;
    });
    return cuda_scan_u32(first, count, scratch, scratch_bytes, stream);
}

/* Column j of a joint row. Those of delegates come first, so that a row lists hubs first. */
__device__ static inline uint32_t column_of(const gpu_sliced &s, const all_rows &rows, const joint_row &r, uint64_t j)
{
    const int to = j < r.length[DELEGATES] ? DELEGATES : NORMALS;
    const gpu_csr &csr = rows.csr[r.kind << 1 | to];
    const uint64_t at = to == DELEGATES ? j : j - r.length[DELEGATES];
    const uint64_t column = column_at<false>(csr, r.id, at);
    return (uint32_t)column + (to == NORMALS ? s.normals : 0);
}

__device__ static inline uint32_t slices_of(const gpu_sliced &s, uint32_t v)
{
    const uint32_t first = s.first[v], count = s.first[v + 1] - first;
    return first | min(count, SLICED_MANY) << SLICED_FIRST_BITS;
}

/* Puts a head, by lanes 0 to SLICED_COLUMNS - 1, each with its column of the row. */
__device__ static inline void put_head(const gpu_sliced_arrays &to, uint32_t v, uint32_t column, uint32_t slices)
{
    const unsigned j = lane_id();
    to.heads[v].column[j] = column | (j * SLICED_WEIGHT_BITS < 32 ? slices >> j * SLICED_WEIGHT_BITS : 0) << SLICED_ROW_BITS;
}

/* Puts the pieces of a long row, by a warp. */
__device__ static inline void put_pieces(const gpu_sliced_arrays &to, uint32_t v, uint32_t first, uint32_t slices)
{
    const uint32_t pieces = (slices + SLICED_PIECE - 1) / SLICED_PIECE;
    const uint32_t at = __shfl_sync(ALL_LANES, lane_id() == 0 ? atomicAdd(&to.state->pieces, pieces) : 0, 0);
    for (uint32_t i = lane_id(); i < pieces; i += WARP) {
        const uint32_t count = min((uint32_t)SLICED_PIECE, slices - i * SLICED_PIECE);
        to.pieces[at + i] = slice_piece{v | count << SLICED_ROW_BITS, first + i * SLICED_PIECE};
    }
}

/* Fills the slices of a row, by a warp. */
__device__ static inline void fill_row(const gpu_sliced &s, const all_rows &rows, const gpu_sliced_arrays &to, uint32_t v,
                                       uint32_t first, uint32_t count)
{
    const joint_row r = row_of(s, rows, v);
    const uint64_t edges = r.length[NORMALS] + r.length[DELEGATES];
    const uint32_t weight = count < SLICED_MOST_WEIGHT ? count : SLICED_MOST_WEIGHT;
    for (uint64_t j = lane_id(); j < (uint64_t)count * SLICED_COLUMNS; j += WARP) {
        const uint32_t u = j < edges ? column_of(s, rows, r, j) : v, slice = first + (uint32_t)(j / SLICED_COLUMNS);
        if (to.slices != NULL)
            to.slices[slice].column[j % SLICED_COLUMNS] = u;
        if (to.links != NULL) {
            to.links[slice].of[j % SLICED_COLUMNS].vertex = u;
            to.links[slice].of[j % SLICED_COLUMNS].slices = slices_of(s, u);
        }
        if (to.heads != NULL && j < SLICED_COLUMNS)
            put_head(to, v, u, count);
    }
    for (uint32_t i = lane_id(); i < count; i += WARP)
        to.row[first + i] = v | weight << SLICED_ROW_BITS;
    if (to.heads != NULL && count > SLICED_PIECE)
        put_pieces(to, v, first, count);
}

/* Fills the rows of all vertices, a warp each. */
__global__ static void __launch_bounds__(BLOCK) fill_slices(gpu_sliced s, all_rows rows, gpu_sliced_arrays to)
{
    const uint32_t warps = gridDim.x * WARPS;
    for (uint32_t v = (blockIdx.x * BLOCK + threadIdx.x) / WARP; v < 32 * s.words; v += warps) {
        const uint32_t first = s.first[v], count = s.first[v + 1] - first;
        if (count > 0)
            fill_row(s, rows, to, v, first, count);
        else if (to.heads != NULL && lane_id() < SLICED_COLUMNS)
            put_head(to, v, 0, 0);
    }
}

void cuda_sliced_fill(const gpu_sliced *sliced, const gpu_csr csr[SUBGRAPHS], const gpu_sliced_arrays *arrays,
                      cudaStream_t stream)
{
    fill_slices<<<blocks_for(32ull * sliced->words, WARPS), BLOCK, 0, stream>>>(*sliced, rows_of(csr), *arrays);
}

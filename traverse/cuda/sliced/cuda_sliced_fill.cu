/* cuda_sliced_fill.cu: makes slices from the rows of all subgraphs when a device is opened; see cuda_sliced.h. Columns may be raw,
 * packed or in memory of the host. A lane decodes a packed column by itself, because a graph is filled only once. */
#include "traverse/cuda/device/cuda_common.cuh"
#include "cuda_sliced.h"

/* The rows of all subgraphs, in a struct, because a kernel cannot have an array as an argument. */
struct all_rows {
    gpu_csr csr[SUBGRAPHS];
};

/* Returns the descriptions of the rows of all subgraphs as a struct. The rows themselves are not copied. */
static all_rows rows_of(const gpu_csr csr[SUBGRAPHS])
{
    all_rows rows;
    for (int g = 0; g < SUBGRAPHS; g++)
        rows.csr[g] = csr[g];
    return rows;
}

/* The joint row of a vertex: its rows in the two subgraphs of its kind, one behind the other. Columns that are delegates
 * come first, then those that are normals. */
struct joint_row {
    int kind;    /* the kind of the vertex */
    uint32_t id; /* the number of the vertex among the vertices of its kind */
    uint64_t length[VERTEX_KINDS]; /* for each kind, the number of columns of this kind */
};

/* Returns the joint row of the vertex with number v in a sliced search. It is empty if no vertex has this number; there
 * are such numbers between delegates and normals, and behind the normals. */
__device__ static inline joint_row row_of(const gpu_sliced &s, const all_rows &rows, uint32_t v)
{
    joint_row r = {v < s.first_normal ? DELEGATES : NORMALS, v < s.first_normal ? v : v - s.first_normal, {0, 0}};
    for (int to = 0; to < VERTEX_KINDS && r.id < s.of[r.kind].count; to++) {
        const gpu_csr &csr = rows.csr[r.kind << 1 | to];
        r.length[to] = csr.edges != 0 ? row_length(csr, r.id) : 0;
    }
    return r;
}

/* Launches the numbering of slices. First sliced->first[v] gets the number of slices of vertex v, and then an exclusive
 * prefix sum turns these numbers into the numbers of first slices. One more element becomes the number of all slices. */
cudaError_t cuda_sliced_count(const gpu_sliced *sliced, const gpu_csr csr[SUBGRAPHS], uint32_t least, void *scratch,
                              size_t scratch_bytes, cudaStream_t stream)
{
    const uint32_t count = 32 * sliced->words + 1;
    each(count, stream, [=, s = *sliced, rows = rows_of(csr)] __device__(uint64_t v) {
        uint32_t slices = 0;
        if (v < 32 * s.words) {
            const joint_row r = row_of(s, rows, (uint32_t)v);
            slices = (uint32_t)((r.length[NORMALS] + r.length[DELEGATES] + SLICED_COLUMNS - 1) / SLICED_COLUMNS);
            slices = r.id < s.of[r.kind].count ? max(slices, least) : slices;
        }
        s.first[v] = slices;
    });
    return cuda_scan_u32(sliced->first, count, scratch, scratch_bytes, stream);
}

/* Writes the head of v: a copy of its first slice, with the number of slices (`slices`) in the upper bits of the columns. Lanes
 * 0 to SLICED_COLUMNS - 1 call it. Each writes its `column`, and SLICED_WEIGHT_BITS bits of the number. */
__device__ static inline void put_head(const gpu_sliced &s, uint32_t v, uint32_t column, uint32_t slices)
{
    const unsigned j = lane_id();
    s.heads[v].column[j] = column | (j * SLICED_WEIGHT_BITS < 32 ? slices >> j * SLICED_WEIGHT_BITS : 0) << SLICED_ROW_BITS;
}

/* Writes everything that a search needs of row v, which has the slices first, ..., first + count - 1 (at least one), by
 * the lanes of one warp: the columns, the links and s.row of each slice, and the head of the row. If the row is long,
 * also appends its pieces to s.pieces, whose length is s.state->pieces. Arrays of `s` that are NULL are left out. All
 * lanes of the warp call it. */
__device__ static inline void fill_row(const gpu_sliced &s, const all_rows &rows, uint32_t v, uint32_t first, uint32_t count)
{
    const joint_row r = row_of(s, rows, v);
    const uint64_t edges = r.length[NORMALS] + r.length[DELEGATES];
    const uint32_t weight = count < SLICED_MOST_WEIGHT ? count : SLICED_MOST_WEIGHT;
    for (uint64_t j = lane_id(); j < (uint64_t)count * SLICED_COLUMNS; j += WARP) {
        const uint32_t slice = first + (uint32_t)(j / SLICED_COLUMNS);
        uint32_t u = v; /* the row itself fills up its last slice */
        if (j < edges) {
            const int to = j < r.length[DELEGATES] ? DELEGATES : NORMALS;
            const uint64_t at = to == DELEGATES ? j : j - r.length[DELEGATES];
            u = (uint32_t)column_at<true>(rows.csr[r.kind << 1 | to], r.id, at) + (to == NORMALS ? s.first_normal : 0);
        }
        if (s.slices != NULL)
            s.slices[slice].column[j % SLICED_COLUMNS] = u;
        if (s.links != NULL) {
            const uint32_t first_of_u = s.first[u], slices = s.first[u + 1] - first_of_u;
            s.links[slice].of[j % SLICED_COLUMNS].vertex = u;
            s.links[slice].of[j % SLICED_COLUMNS].slices = first_of_u | min(slices, SLICED_MANY) << SLICED_FIRST_BITS;
        }
        if (s.heads != NULL && j < SLICED_COLUMNS)
            put_head(s, v, u, count);
    }
    for (uint32_t i = lane_id(); i < count; i += WARP)
        s.row[first + i] = v | weight << SLICED_ROW_BITS;
    if (s.heads == NULL || count <= SLICED_PIECE)
        return;
    const uint32_t pieces = (count + SLICED_PIECE - 1) / SLICED_PIECE;
    const uint32_t at = __shfl_sync(ALL_LANES, lane_id() == 0 ? atomicAdd(&s.state->pieces, pieces) : 0, 0);
    for (uint32_t i = lane_id(); i < pieces; i += WARP) {
        const uint32_t slices = min((uint32_t)SLICED_PIECE, count - i * SLICED_PIECE);
        s.pieces[at + i] = slice_piece{v | slices << SLICED_ROW_BITS, first + i * SLICED_PIECE};
    }
}

/* Kernel, any grid: makes slices, links, heads and pieces of all vertices, a vertex at a time in a warp. s.first says
 * which slices a vertex has. If the graph has heads, a vertex without slices gets an empty head. */
__global__ static void __launch_bounds__(BLOCK) fill_slices(gpu_sliced s, all_rows rows)
{
    const uint32_t warps = gridDim.x * WARPS;
    for (uint32_t v = (blockIdx.x * BLOCK + threadIdx.x) / WARP; v < 32 * s.words; v += warps) {
        const uint32_t first = s.first[v], count = s.first[v + 1] - first;
        if (count > 0)
            fill_row(s, rows, v, first, count);
        else if (s.heads != NULL && lane_id() < SLICED_COLUMNS)
            put_head(s, v, 0, 0);
    }
}

/* Launches the kernel that makes the slices of all rows. CUDA_LAUNCHED finds errors of the launch. */
void cuda_sliced_fill(const gpu_sliced *sliced, const gpu_csr csr[SUBGRAPHS], cudaStream_t stream)
{
    fill_slices<<<blocks_for(32ull * sliced->words, WARPS), BLOCK, 0, stream>>>(*sliced, rows_of(csr));
}

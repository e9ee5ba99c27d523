/* cuda_ranges.cu: the ranges of a subgraph on the device; see cuda_kernels.h, twin in formats/graph/shard_ranges.c
 *
 * A warp looks at 32 rows, whose bits of the source mask are a word; then every thread strides over columns.
 * Bytes that must move: offsets, heads, columns and the mask once.
 */
#include "cuda_common.cuh"

/* Whether a column is one that the graph has: column_in_bounds of formats/graph, on the device. */
__device__ static inline bool is_in_bounds(const column_bounds &b, uint64_t column)
{
    uint64_t owner = column >> b.local_bits;
    if (b.locals == NULL)
        return column < b.bound;
    return owner < b.p && (column & (((uint64_t)1 << b.local_bits) - 1)) < b.locals[owner];
}

/* The findings of a thread in its rows. */
struct row_faults {
    unsigned long long first[RANGE_FAULTS]; /* the first row with each fault, or NO_FAULT */
    unsigned long long edges, sources;      /* heads, and rows that are not empty */
};

/* Lowers *least to `at`, unless that is NO_FAULT. */
__device__ static inline void keep_least(uint64_t *least, unsigned long long at)
{
    if (at != NO_FAULT)
        atomicMin((unsigned long long *)least, at);
}

/* Lowers `first` to a row. */
__device__ static inline void note(unsigned long long &first, uint64_t row)
{
    if (row < first)
        first = row;
}

/* Counts the heads of a row in `faults`, and notes the row if a head is out of range, or missing though another head or the
 * rest of the row follows. Returns whether the row has a head. */
__device__ static bool look_at_heads(const gpu_csr &csr, const column_bounds &bounds, uint64_t row, bool has_rest,
                                     row_faults &faults)
{
    bool before = true, any = false, wrong = false;
    for (uint32_t j = 0; j < csr.head_columns; j++) {
        uint32_t head = csr.heads[j * csr.rows + row];
        bool present = head != NO_HEAD;
        wrong |= present && (!before || !is_in_bounds(bounds, head));
        wrong |= has_rest && !present;
        faults.edges += present;
        any |= present;
        before = present;
    }
    if (wrong)
        note(faults.first[FAULT_HEADS], row);
    return any;
}

/* Checks offsets, heads and the source bitmap, a row a thread; *found gets first faults and counts. */
__global__ static void find_in_rows(gpu_csr csr, column_bounds bounds, csr_ranges *found)
{
    __shared__ unsigned long long shared[WARPS];
    uint64_t step = (uint64_t)gridDim.x * BLOCK;
    row_faults faults = {{NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT}, 0, 0};
    /* whole warps stay together: the words of the mask are complete */
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK + threadIdx.x / WARP * WARP; base < csr.rows; base += step) {
        uint64_t row = base + lane_id();
        bool source = false;
        if (row < csr.rows) {
            const uint64_t begin = offset_of(csr, row), end = offset_of(csr, row + 1);
            if (end < begin)
                note(faults.first[FAULT_OFFSETS], row);
            source = look_at_heads(csr, bounds, row, end != begin, faults) || end != begin;
        }
        uint32_t wrong = __ballot_sync(ALL_LANES, source) ^ csr.sources[base / WARP];
        if (wrong != 0)
            note(faults.first[FAULT_SOURCES], base + __ffs(wrong) - 1);
        faults.sources += source;
    }
    for (int f = 0; f < FAULT_COLUMNS; f++)
        keep_least(&found->first[f], faults.first[f]);
    block_add(faults.edges, shared, (unsigned long long *)&found->edges);
    block_add(faults.sources, shared, (unsigned long long *)&found->source_rows);
}

/* Checks the columns behind the heads, and counts them in *found. */
template <typename Column>
__global__ static void find_in_columns(const Column *columns, uint64_t count, column_bounds bounds, csr_ranges *found)
{
    uint64_t step = (uint64_t)gridDim.x * BLOCK;
    unsigned long long first = NO_FAULT;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += step) {
        if (!is_in_bounds(bounds, columns[i]) && i < first)
            first = i;
    }
    keep_least(&found->first[FAULT_COLUMNS], first);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        atomicAdd((unsigned long long *)&found->edges, (unsigned long long)count);
}

void cuda_find_ranges(const struct gpu_csr *csr, uint64_t columns, const struct column_bounds *bounds,
                      struct csr_ranges *found, cudaStream_t stream)
{
    int grid = blocks_for(csr->rows, BLOCK);
    cudaMemsetAsync(found, 0, sizeof *found, stream);
    cudaMemsetAsync(found->first, 0xff, sizeof found->first, stream);
    if (csr->rows > 0)
        find_in_rows<<<grid, BLOCK, 0, stream>>>(*csr, *bounds, found);
    grid = blocks_for(columns, 8 * BLOCK);
    if (columns > 0 && csr->column_width == 4)
        find_in_columns<<<grid, BLOCK, 0, stream>>>((const uint32_t *)csr->columns, columns, *bounds, found);
    else if (columns > 0)
        find_in_columns<<<grid, BLOCK, 0, stream>>>((const uint64_t *)csr->columns, columns, *bounds, found);
}

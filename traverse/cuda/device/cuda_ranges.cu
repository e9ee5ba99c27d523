/* cuda_ranges.cu: checks on the device that the indices of a subgraph are in range; see cuda_kernels.h. The twin is
 * formats/graph/shard_ranges.c.
 *
 * One kernel checks rows, 32 at a time in a warp, so that a warp compares whole words of the source bitmap (the rows that
 * are not empty). Another kernel checks columns. The result names the first row or column with each fault. Bytes moved:
 * offsets, heads, columns and the bitmap, each once.
 */
#include "cuda_common.cuh"

/* Returns whether a column is a vertex of the graph. The twin is column_in_bounds of formats/graph/shard_ranges.h. */
__device__ static inline bool is_in_bounds(const column_bounds &b, uint64_t column)
{
    uint64_t owner = column >> b.local_bits;
    if (b.locals == NULL)
        return column < b.bound;
    return owner < b.p && (column & (((uint64_t)1 << b.local_bits) - 1)) < b.locals[owner];
}

/* The faults and counts that a thread has found in its rows. */
struct row_faults {
    unsigned long long first[RANGE_FAULTS]; /* the first row with each fault; NO_FAULT: there is none */
    unsigned long long edges;               /* the number of head columns that are not empty */
    unsigned long long sources;             /* the number of rows that are not empty */
};

/* Sets *least, in device memory, to `at` if `at` is smaller, by an atomic. Does nothing if `at` is NO_FAULT. */
__device__ static inline void lower_in_memory(uint64_t *least, unsigned long long at)
{
    if (at != NO_FAULT)
        atomicMin((unsigned long long *)least, at);
}

/* Records a row with a fault. `first` is the first such row so far, and becomes `row` if `row` is smaller. */
__device__ static inline void keep_first_row(unsigned long long &first, uint64_t row)
{
    if (row < first)
        first = row;
}

/* Checks the head columns of a row, and adds their number to faults.edges. A row has the fault FAULT_HEADS if a head is
 * out of range or follows an empty place, or if a place is empty although the row has columns behind its heads
 * (`has_rest`). Returns whether the row has a head. */
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
        keep_first_row(faults.first[FAULT_HEADS], row);
    return any;
}

/* Kernel: checks offsets, heads and the source bitmap, with a thread for each row. Lowers found->first[] to the first
 * rows with faults. Adds the number of heads to found->edges, and that of rows that are not empty to found->source_rows. */
__global__ static void find_in_rows(gpu_csr csr, column_bounds bounds, csr_faults *found)
{
    __shared__ unsigned long long shared[WARPS];
    uint64_t step = (uint64_t)gridDim.x * BLOCK;
    row_faults faults = {{NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT}, 0, 0};
    /* all lanes of a warp do each turn of the loop together, so that a ballot returns a whole word of the bitmap */
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK + threadIdx.x / WARP * WARP; base < csr.rows; base += step) {
        uint64_t row = base + lane_id();
        bool source = false;
        if (row < csr.rows) {
            const uint64_t begin = offset_of(csr, row), end = offset_of(csr, row + 1);
            if (end < begin)
                keep_first_row(faults.first[FAULT_OFFSETS], row);
            source = look_at_heads(csr, bounds, row, end != begin, faults) || end != begin;
        }
        uint32_t wrong = __ballot_sync(ALL_LANES, source) ^ csr.sources[base / WARP];
        if (wrong != 0)
            keep_first_row(faults.first[FAULT_SOURCES], base + __ffs(wrong) - 1);
        faults.sources += source;
    }
    for (int f = 0; f < FAULT_COLUMNS; f++)
        lower_in_memory(&found->first[f], faults.first[f]);
    block_add(faults.edges, shared, (unsigned long long *)&found->edges);
    block_add(faults.sources, shared, (unsigned long long *)&found->source_rows);
}

/* Kernel: checks the `count` columns behind the heads. Lowers found->first[FAULT_COLUMNS] to the index of the first
 * column that is out of range. Adds `count` to found->edges. */
template <typename Column>
__global__ static void find_in_columns(const Column *columns, uint64_t count, column_bounds bounds, csr_faults *found)
{
    uint64_t step = (uint64_t)gridDim.x * BLOCK;
    unsigned long long first = NO_FAULT;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += step) {
        if (!is_in_bounds(bounds, columns[i]) && i < first)
            first = i;
    }
    lower_in_memory(&found->first[FAULT_COLUMNS], first);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        atomicAdd((unsigned long long *)&found->edges, (unsigned long long)count);
}

/* Launches the kernels that look for indices out of range in a subgraph with `columns` columns behind its heads. Sets all of *found, which
 * is device memory. */
void cuda_find_faults(const struct gpu_csr *csr, uint64_t columns, const struct column_bounds *bounds,
                      struct csr_faults *found, cudaStream_t stream)
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

/* cuda_common.cuh: functions that the kernels share: launches with a thread for each item, bits of bitmaps, sums over a
 * warp or a block, reserved places in lists, and columns of rows */
#ifndef DBFS_CUDA_COMMON_CUH
#define DBFS_CUDA_COMMON_CUH

#include "cuda_kernels.h"

enum { BLOCK = 256, WARP = 32, WARPS = BLOCK / WARP };
/* Constants of shard files and of engine.h as 32-bit numbers. Behind each stands its name there. */
#define NO_HEAD 0xffffffffu       /* HEAD_NONE */
#define REMOTE_PARENT 0xfffffffeu /* PARENT_REMOTE */
#define ROOT_PARENT 0xfffffffdu   /* PARENT_SELF */
#define KIND_BIT 0x80000000u      /* PARENT_DELEGATE_BIT: the vertex is a delegate */
#define ALL_LANES 0xffffffffu

/* Returns the number of blocks of BLOCK threads that fill the current GPU (cuda_masks.cu). Kernels of this many blocks
 * stride over their work. */
int cuda_full_grid(void);

/* Returns how many blocks to launch for `items` items if a block does `per_block` items at a time: at least 1, and at most
 * cuda_full_grid(), so that blocks stride over more items. */
static inline int blocks_for(uint64_t items, uint64_t per_block)
{
    uint64_t blocks = (items + per_block - 1) / per_block, most = (uint64_t)cuda_full_grid();
    return (int)(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

/* Launches a kernel whose blocks wait for each other, so that all of them run at the same time. Its argument is *parameters, which is
 * copied. Does not wait for the kernel. Returns the error of the launch. */
static inline cudaError_t launch_together(const void *kernel, int blocks, int threads, size_t shared_bytes, const void *parameters,
                                          cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cooperative;
    void *arguments[] = {(void *)parameters};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

/* The kernel of each(): the threads stride over the numbers i below `count`, and call item(i) for each. */
template <typename Item>
__global__ static void __launch_bounds__(BLOCK) each_kernel(uint64_t count, Item item)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (uint64_t)gridDim.x * BLOCK)
        item(i);
}

/* Launches a kernel that calls item(i) once for each i below `count`, and returns at once. Launches nothing if `count` is
 * 0. An emulated GPU shows the launch as `name`, the function that calls each(). */
template <typename Item>
static void each(uint64_t count, cudaStream_t stream, Item item, const char *name = __builtin_FUNCTION())
{
    (void)name;
    if (count > 0)
        each_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(count, item);
}

/* Returns the number of this thread in its warp, below WARP. */
__device__ static inline unsigned lane_id()
{
    return threadIdx.x % WARP;
}

/* Returns 1 if bit i of a bitmap is set, otherwise 0. */
__device__ static inline int test_bit(const uint32_t *mask, uint32_t i)
{
    return mask[i / 32] >> (i % 32) & 1;
}

/* Sets bit i of a bitmap by an atomic. Returns true if the bit was clear before, so exactly one of the threads that set
 * the same bit gets true. Looks at the bit before the atomic, because most bits are set already. */
__device__ static inline bool claim_bit(uint32_t *mask, uint32_t i)
{
    uint32_t bit = 1u << (i % 32);
    if (((volatile uint32_t *)mask)[i / 32] & bit)
        return false;
    return !(atomicOr(&mask[i / 32], bit) & bit);
}

/* Returns the sum of the values of all lanes. Every lane gets the sum. All lanes of the warp call it. */
template <typename T> __device__ static inline T warp_sum(T value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

/* Returns the sum of the 32-bit values of all lanes to every lane, by one instruction from sm_80 on. All lanes call it. */
__device__ static inline unsigned sum_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    return warp_sum(value);
#endif
}

/* Returns the sum of the values of all lanes before this lane (an exclusive prefix sum). All lanes of the warp call it. */
__device__ static inline unsigned warp_prefix(unsigned value)
{
    unsigned sum = value;
    for (int step = 1; step < WARP; step *= 2) {
        unsigned other = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane_id() >= step)
            sum += other;
    }
    return sum - value;
}

/* Adds the sum of the values of all threads of a block to *counter, by one atomic. Makes no atomic if the sum is 0.
 * shared[WARPS] is scratch in shared memory. All threads of the block call it. */
__device__ static inline void block_add(unsigned long long value, unsigned long long *shared, unsigned long long *counter)
{
    value = warp_sum(value);
    __syncthreads();
    if (lane_id() == 0)
        shared[threadIdx.x / WARP] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long sum = 0;
        for (int i = 0; i < WARPS; i++)
            sum += shared[i];
        if (sum != 0)
            atomicAdd(counter, sum);
    }
}

/* Returns the sum of `own` over all threads of the block with lower numbers (an exclusive prefix sum). *total becomes the sum
 * over all threads. All threads of the block call it. */
__device__ static inline unsigned block_prefix(unsigned own, unsigned *total)
{
    __shared__ unsigned warp_total[WARPS];
    unsigned before = warp_prefix(own);
    __syncthreads();
    if (lane_id() == WARP - 1)
        warp_total[threadIdx.x / WARP] = before + own;
    __syncthreads();
    *total = 0;
    for (unsigned i = 0; i < WARPS; i++) {
        before += i < threadIdx.x / WARP ? warp_total[i] : 0;
        *total += warp_total[i];
    }
    return before;
}

/* Reserves `total` places in a list for a block, by one atomic on *counter, the length of the list. Returns the index of
 * the first place to every thread. All threads of the block call it with the same `total`, and pass a barrier before the
 * next call. */
__device__ static inline unsigned long long reserve(unsigned total, unsigned long long *counter)
{
    __shared__ unsigned long long base;
    if (threadIdx.x == 0)
        base = atomicAdd(counter, (unsigned long long)total);
    __syncthreads();
    return base;
}

/* The kernel of list_each(). A block does BLOCK items at a time: the threads count the elements of their items, the block
 * reserves places for all of them at once, and then the threads write the elements by put(). */
template <typename Count, typename Put>
__global__ static void __launch_bounds__(BLOCK)
    list_each_kernel(uint64_t count, unsigned long long *listed, Count count_of, Put put)
{
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t i = base + threadIdx.x;
        const unsigned own = i < count ? count_of(i) : 0;
        if (!__syncthreads_or(own != 0))
            continue;
        unsigned total, before = block_prefix(own, &total);
        const unsigned long long at = reserve(total, listed) + before;
        if (own != 0)
            put(i, at);
        __syncthreads(); /* all threads have read the place before reserve() writes the next place */
    }
}

/* Launches a kernel that makes a list. Item i adds count_of(i) elements to the list, for each i below `count`. put(i, at)
 * writes them to the places at, at + 1, ... of the list, and is called only if there are any. The order of the items in
 * the list is not fixed. *listed, in device memory, must be zero, and becomes the length of the list. Launches nothing if
 * `count` is 0. An emulated GPU shows the launch as `name`, the function that calls list_each(). */
template <typename Count, typename Put>
static void list_each(uint64_t count, unsigned long long *listed, cudaStream_t stream, Count count_of, Put put,
                      const char *name = __builtin_FUNCTION())
{
    (void)name;
    if (count > 0)
        list_each_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(count, listed, count_of, put);
}

/* Reserves a place in a list for each lane of the set `lanes` (bit i: lane i), by one atomic on *counter, the length of
 * the list. Returns the index of the calling lane's place. Exactly the lanes of the set call it, together. */
__device__ static inline unsigned long long reserve_for_lanes(unsigned lanes, unsigned long long *counter)
{
    const int first = __ffs(lanes) - 1;
    unsigned long long base = 0;
    if ((int)lane_id() == first)
        base = atomicAdd(counter, (unsigned long long)__popc(lanes));
    return __shfl_sync(lanes, base, first) + __popc(lanes & ((1u << lane_id()) - 1));
}

/* Returns root number i of a search, below roots.count, with KIND_BIT if it is a delegate. of[] are the vertices of both kinds. */
__device__ static inline uint32_t root_at(const gpu_roots &roots, const gpu_vertices *of, uint32_t i)
{
    if (roots.count == 1)
        return roots.first;
    return i < roots.delegates ? of[DELEGATES].queue[i] | KIND_BIT : of[NORMALS].queue[i - roots.delegates];
}

/* Writes the numbers of the vertices whose bits are set in `bits`, word w of a bitmap, to queue[at], queue[at + 1], and so
 * on. */
__device__ static inline void list_word(uint32_t *queue, uint64_t w, uint32_t bits, unsigned long long at)
{
    for (; bits != 0; bits &= bits - 1)
        queue[at++] = (uint32_t)(w * 32 + __ffs(bits) - 1);
}

/* Sets to[v] to `value` for each vertex v whose bit is set in 32 words of a bitmap. Each lane brings one of the words as
 * `bits`: word base + l for lane l. All lanes then do one word together, and then the next, so that they write neighbouring
 * elements at the same time. All lanes of the warp call it. */
template <typename T> __device__ static inline void fill(T *to, uint64_t base, uint32_t bits, T value)
{
    for (unsigned full = __ballot_sync(ALL_LANES, bits != 0); full != 0; full &= full - 1) {
        const int source = __ffs(full) - 1;
        if (__shfl_sync(ALL_LANES, bits, source) >> lane_id() & 1)
            to[(base + source) * 32 + lane_id()] = value;
    }
}

/* Returns which of a warp's 32 rows has edge e. The edges of the rows are counted from one row to the next, and prefix[i]
 * is the number of edges before row i. So the result is the last row with prefix[row] <= e. */
__device__ static inline int row_of_edge(const uint32_t (&prefix)[WARP], uint32_t e)
{
    int row = 0;
    for (int step = WARP / 2; step > 0; step /= 2) {
        if (prefix[row + step] <= e)
            row += step;
    }
    return row;
}

/* Returns the last i with low <= i < high and at(i) <= most, by bisection; `low` if there is none. at() must not decrease. */
template <typename At>
__device__ static inline uint64_t last_not_above(uint64_t low, uint64_t high, uint64_t most, At at)
{
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (at(middle) <= most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns element i of an array of input ids. Each id has `bytes` bytes: 4 or 8. */
__device__ static inline int64_t id_at(const void *ids, uint32_t bytes, uint64_t i)
{
    return bytes == 4 ? ((const int32_t *)ids)[i] : ((const int64_t *)ids)[i];
}

/* Returns the number of the parent of vertex `number` (locals, and behind them delegates), from what the search recorded, which is at
 * most ROOT_PARENT. The root is its own parent. */
template <typename Number> __device__ static inline Number parent_number(uint32_t record, Number number, Number locals)
{
    if (record == ROOT_PARENT)
        return number;
    return (record & KIND_BIT) != 0 ? locals + (record & ~KIND_BIT) : record;
}

/* Sets element i of an array of input ids to `id`. Each id of the array has `bytes` bytes: 4 or 8. */
__device__ static inline void put_id(void *ids, uint32_t bytes, uint64_t i, int64_t id)
{
    if (bytes == 4)
        ((int32_t *)ids)[i] = (int32_t)id;
    else
        ((int64_t *)ids)[i] = id;
}

/* The range begin, ..., end - 1 of a row's elements in csr.columns. This array has all columns of a row except its head
 * columns, the first csr.head_columns ones, which lie in csr.heads. */
struct row_rest {
    uint64_t begin, end;
};

/* Returns the index in csr.columns at which row i begins or, if `i` is the number of rows, at which the last row ends. CSR is
 * the type gpu_csr or packed_rows. */
template <class CSR> __device__ static inline uint64_t offset_of(const CSR &csr, uint64_t i)
{
    return csr.offset_width == 4 ? ((const uint32_t *)csr.offsets)[i] : ((const uint64_t *)csr.offsets)[i];
}

/* Returns the range of a row in csr.columns, which has no head columns. */
__device__ static inline row_rest rest_of_row(const gpu_csr &csr, uint64_t row)
{
    return row_rest{offset_of(csr, row), offset_of(csr, row + 1)};
}

/* Returns the number of edges of a row, including its head columns. */
__device__ static inline uint64_t row_length(const gpu_csr &csr, uint32_t row)
{
    const row_rest r = rest_of_row(csr, row);
    if (r.end > r.begin)
        return r.end - r.begin + csr.head_columns;
    /* only a row without elements in csr.columns may have empty places for head columns, at the end */
    uint32_t heads = csr.head_columns;
    while (heads > 0 && csr.heads[(heads - 1) * csr.rows + row] == NO_HEAD)
        heads--;
    return heads;
}

/* Describes element `at` of packed columns for packed_open_row, which decodes it. The element belongs to `row`, whose elements
 * begin at `begin`. A decoder adds gaps to a column that is known. The block has one for a row that began before it. For a row
 * that begins behind the block's first element, the gaps count from the row's last head column + 1, or from 0 without heads. */
__device__ static inline packed_span span_of(const gpu_csr &csr, uint32_t row, uint64_t begin, uint64_t at)
{
    const bool begins_in_block = begin > at / PACKED_BLOCK * PACKED_BLOCK;
    const uint32_t k = csr.head_columns;
    return packed_span{begin, at, begins_in_block && k > 0 ? csr.heads[(k - 1) * csr.rows + row] + 1 : 0};
}

/* Returns element `at` of csr.columns. The element belongs to row `row`, whose elements begin at `begin`. With PACKED the
 * columns may be packed; without PACKED they are raw, and the kernel contains no code that decodes. */
template <typename Column, bool PACKED>
__device__ static inline Column column_of_row(const gpu_csr &csr, uint32_t row, uint64_t begin, uint64_t at)
{
    if (!PACKED || csr.packed.words == NULL)
        return ((const Column *)csr.columns)[at];
    const packed_span span = span_of(csr, row, begin, at);
    const packed_reader reader = packed_open_row(&csr.packed, &span);
    return (Column)packed_element(&reader, (uint32_t)(at % PACKED_BLOCK));
}

/* Returns column j of a row, counted from the row's first head column. With PACKED the columns may be packed. */
template <bool PACKED> __device__ static inline uint64_t column_at(const gpu_csr &csr, uint32_t row, uint64_t j)
{
    if (j < csr.head_columns)
        return csr.heads[j * csr.rows + row];
    const uint64_t begin = offset_of(csr, row), at = begin + j - csr.head_columns;
    return csr.column_width == 4 ? column_of_row<uint32_t, PACKED>(csr, row, begin, at)
                                 : column_of_row<uint64_t, PACKED>(csr, row, begin, at);
}

#endif

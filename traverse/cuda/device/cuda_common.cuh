/* cuda_common.cuh: functions that the kernels share: launches for each item, bits, sums and reservations of a warp or block,
 * columns of rows */
#ifndef DBFS_CUDA_COMMON_CUH
#define DBFS_CUDA_COMMON_CUH

#include "cuda_kernels.h"

enum { BLOCK = 256, WARP = 32, WARPS = BLOCK / WARP };
/* constants of shard files and of engine.h, as numbers of 32 bits */
#define NO_HEAD 0xffffffffu       /* HEAD_NONE */
#define REMOTE_PARENT 0xfffffffeu /* PARENT_REMOTE */
#define ROOT_PARENT 0xfffffffdu   /* PARENT_SELF */
#define KIND_BIT 0x80000000u      /* PARENT_DELEGATE_BIT: the vertex is a delegate */
#define ALL_LANES 0xffffffffu

/* Returns how many blocks fill the device, for kernels that stride over their work. */
int cuda_full_grid(void);

/* Returns the blocks of a launch in which a block does `per_block` items at a time: at least 1, at most cuda_full_grid(). */
static inline int blocks_for(uint64_t items, uint64_t per_block)
{
    uint64_t blocks = (items + per_block - 1) / per_block, most = (uint64_t)cuda_full_grid();
    return (int)(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

/* The kernel of each(). */
template <typename Item>
__global__ static void __launch_bounds__(BLOCK) each_kernel(uint64_t count, Item item)
{
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += (uint64_t)gridDim.x * BLOCK)
        item(i);
}

/* Calls item(i) for every i below `count`, each in a thread of its own. `name`, of the function that calls this, is the name
 * of the launch on an emulated GPU. */
template <typename Item>
static void each(uint64_t count, cudaStream_t stream, Item item, const char *name = __builtin_FUNCTION())
{
    (void)name;
    if (count > 0)
        each_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(count, item);
}

/* Returns the thread's number in its warp. */
__device__ static inline unsigned lane_id()
{
    return threadIdx.x % WARP;
}

/* Whether bit i of a bitmap is set. */
__device__ static inline int test_bit(const uint32_t *mask, uint32_t i)
{
    return mask[i / 32] >> (i % 32) & 1;
}

/* Sets bit i of a bitmap. Returns whether this thread set it, and no other one before. Reads the bit first, as most are set
 * already. */
__device__ static inline bool claim_bit(uint32_t *mask, uint32_t i)
{
    uint32_t bit = 1u << (i % 32);
    if (((volatile uint32_t *)mask)[i / 32] & bit)
        return false;
    return !(atomicOr(&mask[i / 32], bit) & bit);
}

/* Returns the sum of all lanes' values to all lanes. All lanes of the warp call it, and the next two. */
template <typename T> __device__ static inline T warp_sum(T value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

/* Returns the same sum of values of 32 bits, by one instruction. */
__device__ static inline unsigned sum_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    return warp_sum(value);
#endif
}

/* Returns the sum of the values of the lanes before this one. */
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

/* Adds the values of all threads of a block to *counter by one atomic. `shared`: [WARPS], shared memory. All threads of the
 * block call it. */
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

/* Returns the sum of `own` of the threads before this one in the block; *total becomes that of all threads. All threads of
 * the block call it. */
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

/* Reserves `total` places for a block in a list whose length is *counter, by one atomic. Returns the first place to all
 * threads. All threads of the block call it, with a barrier before the next call. */
__device__ static inline unsigned long long reserve(unsigned total, unsigned long long *counter)
{
    __shared__ unsigned long long base;
    if (threadIdx.x == 0)
        base = atomicAdd(counter, (unsigned long long)total);
    __syncthreads();
    return base;
}

/* The kernel of list_each(). */
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
        __syncthreads(); /* before the next reserve */
    }
}

/* Makes a list of elements that the items i below `count` give, a thread for each item: count_of(i) returns how many, and
 * put(i, at) writes them to places `at` and following. *listed, zero before, becomes the length of the list. `name`: as of
 * each(). */
template <typename Count, typename Put>
static void list_each(uint64_t count, unsigned long long *listed, cudaStream_t stream, Count count_of, Put put,
                      const char *name = __builtin_FUNCTION())
{
    (void)name;
    if (count > 0)
        list_each_kernel<<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(count, listed, count_of, put);
}

/* Reserves a place for each of the lanes in the set `lanes` in a list whose length is *counter, by one atomic. Returns the
 * lane's place. These lanes call it together. */
__device__ static inline unsigned long long reserve_for_lanes(unsigned lanes, unsigned long long *counter)
{
    const int first = __ffs(lanes) - 1;
    unsigned long long base = 0;
    if ((int)lane_id() == first)
        base = atomicAdd(counter, (unsigned long long)__popc(lanes));
    return __shfl_sync(lanes, base, first) + __popc(lanes & ((1u << lane_id()) - 1));
}

/* Writes the vertices of the set bits of word w to queue[at], queue[at + 1], ... */
__device__ static inline void list_word(uint32_t *queue, uint64_t w, uint32_t bits, unsigned long long at)
{
    for (; bits != 0; bits &= bits - 1)
        queue[at++] = (uint32_t)(w * 32 + __ffs(bits) - 1);
}

/* Writes `value` to to[v] for each vertex v whose bit is set. `bits` of a lane is word base + lane_id() of the bitmap. All
 * lanes of the warp call it, as all of them write for each word. */
template <typename T> __device__ static inline void fill(T *to, uint64_t base, uint32_t bits, T value)
{
    for (unsigned full = __ballot_sync(ALL_LANES, bits != 0); full != 0; full &= full - 1) {
        const int source = __ffs(full) - 1;
        if (__shfl_sync(ALL_LANES, bits, source) >> lane_id() & 1)
            to[(base + source) * 32 + lane_id()] = value;
    }
}

/* Returns the last row that begins at or before edge e. Rows of a warp lie end to end, with prefix[i] edges before row i. */
__device__ static inline int row_of_edge(const uint32_t (&prefix)[WARP], uint32_t e)
{
    int row = 0;
    for (int step = WARP / 2; step > 0; step /= 2) {
        if (prefix[row + step] <= e)
            row += step;
    }
    return row;
}

/* Returns the last i of low..high - 1 for which at(i) is not above `most`; low if there is none. at() does not decrease. */
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

/* Returns input id i of an array of ids of `bytes` bytes, 4 or 8. */
__device__ static inline int64_t id_at(const void *ids, uint32_t bytes, uint64_t i)
{
    return bytes == 4 ? ((const int32_t *)ids)[i] : ((const int64_t *)ids)[i];
}

/* Writes input id i of such an array. */
__device__ static inline void put_id(void *ids, uint32_t bytes, uint64_t i, int64_t id)
{
    if (bytes == 4)
        ((int32_t *)ids)[i] = (int32_t)id;
    else
        ((int64_t *)ids)[i] = id;
}

/* The columns of a row behind its heads: elements begin to end - 1 of csr.columns. */
struct row_rest {
    uint64_t begin, end;
};

/* Returns where the columns of row i begin; i may be the number of rows. CSR: gpu_csr or packed_rows. */
template <class CSR> __device__ static inline uint64_t offset_of(const CSR &csr, uint64_t i)
{
    return csr.offset_width == 4 ? ((const uint32_t *)csr.offsets)[i] : ((const uint64_t *)csr.offsets)[i];
}

/* Returns where the columns of a row behind its heads lie. */
__device__ static inline row_rest rest_of_row(const gpu_csr &csr, uint64_t row)
{
    return row_rest{offset_of(csr, row), offset_of(csr, row + 1)};
}

/* Returns how many edges a row has, in and behind the head columns. */
__device__ static inline uint64_t row_length(const gpu_csr &csr, uint32_t row)
{
    const row_rest r = rest_of_row(csr, row);
    if (r.end > r.begin)
        return r.end - r.begin + csr.head_columns;
    uint32_t heads = csr.head_columns;
    while (heads > 0 && csr.heads[(heads - 1) * csr.rows + row] == NO_HEAD)
        heads--;
    return heads;
}

/* Returns from where packed columns are decoded for element `at` of a row, whose columns behind the heads begin at element
 * `begin`: from the row's last head, if the row begins within the block of the element. */
__device__ static inline packed_span span_of(const gpu_csr &csr, uint32_t row, uint64_t begin, uint64_t at)
{
    const bool begins_in_block = begin > at / PACKED_BLOCK * PACKED_BLOCK;
    const uint32_t k = csr.head_columns;
    return packed_span{begin, at, begins_in_block && k > 0 ? csr.heads[(k - 1) * csr.rows + row] + 1 : 0};
}

/* Returns element `at` of the columns behind the heads, which is of this row. The row's columns there begin at element
 * `begin`. PACKED: columns may be packed. */
template <typename Column, bool PACKED>
__device__ static inline Column column_of_row(const gpu_csr &csr, uint32_t row, uint64_t begin, uint64_t at)
{
    if (!PACKED || csr.packed.words == NULL)
        return ((const Column *)csr.columns)[at];
    const packed_span span = span_of(csr, row, begin, at);
    const packed_reader reader = packed_open_row(&csr.packed, &span);
    return (Column)packed_element(&reader, (uint32_t)(at % PACKED_BLOCK));
}

/* Returns column j of a row, in or behind the heads. */
template <bool PACKED> __device__ static inline uint64_t column_at(const gpu_csr &csr, uint32_t row, uint64_t j)
{
    if (j < csr.head_columns)
        return csr.heads[j * csr.rows + row];
    const uint64_t begin = offset_of(csr, row), at = begin + j - csr.head_columns;
    return csr.column_width == 4 ? column_of_row<uint32_t, PACKED>(csr, row, begin, at)
                                 : column_of_row<uint64_t, PACKED>(csr, row, begin, at);
}

#endif

/* cuda_sliced_lists.cuh: sparse levels of all blocks; see cuda_sliced.h
 *
 * For frontiers of thousands of vertices over many levels: no block reads a whole bitmap. The slices of the frontier are
 * a list, to which each block has added its part, and the warps of all blocks share them. A level costs one barrier, at
 * which each block also tells the length of its part, and three reads that wait for each other: of the list, of the
 * links, and of the visited bits, which lie in a `found` bitmap meanwhile. Bytes moved: 4 and 32 for each slice, and 4
 * for the bit of each link.
 */
#ifndef DBFS_CUDA_SLICED_LISTS_CUH
#define DBFS_CUDA_SLICED_LISTS_CUH

#include "cuda_sliced_one.cuh"

enum {
    TOLD_BITS = 24,        /* of the length of a part in sliced_state.told; above them is a tag */
    LINK_A_LANE = 1 << 15, /* slices of a frontier, at most, that are pushed a link a lane; more: a slice a lane */
    LOOK_FROM = 1 << 14    /* slices of a frontier from which on visited bits are read before atomics */
};

/* The visited bits for pushes of all blocks (push_links): one bitmap in global memory. */
struct grid_bits {
    const gpu_sliced &s;
    uint32_t *bits;
    bool looks, prefetches;

    __device__ bool may_be_new(uint32_t v, bool has) const
    {
        return has && (!looks || !(((const volatile uint32_t *)bits)[v / 32] >> (v % 32) & 1));
    }

    __device__ bool claim(uint32_t) const
    {
        return true;
    }

    __device__ bool set(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&bits[v / 32], bit) & bit);
    }

    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        put_depth(s, link.x, depth, parent);
        if (prefetches) /* the next level reads it */
            prefetch(&s.links[link.y & SLICED_FIRST]);
    }
};

/* A sparse frontier of all blocks, as each block knows it. */
struct sparse_frontier {
    unsigned number; /* among all sparse frontiers of a search; the list is s.list[number % 2] */
    unsigned total;  /* slices of all parts */
    bool fits;       /* no part is longer than s.list_capacity */
};

/* ---- lengths of all parts ---- */

/* Returns the tag of frontier `number`, which differs from all tags that a block has written to the same word before. */
__device__ static inline unsigned long long tag_of(const gpu_sliced &s, unsigned number)
{
    return (unsigned long long)s.order.number << 8 | (number & 0xff);
}

/* Tells all blocks the length of this block's part of frontier `number`, and that all its writes of the level are done. */
template <class B> __device__ static inline void tell_part(B &block, const gpu_sliced &s, unsigned number)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const unsigned own = min(block.count[number % SLICED_ROUNDS], (1u << TOLD_BITS) - 1);
    fence_of_gpu();
    *(volatile unsigned long long *)&s.state->told[number % 2][blockIdx.x] = tag_of(s, number) << TOLD_BITS | own;
}

/* Returns how many groups of WARP blocks there are. */
__device__ static inline unsigned groups_of_blocks()
{
    return (gridDim.x + WARP - 1) / WARP;
}

/* Returns where a block keeps the ends of all blocks' parts in a sparse frontier, counted in slices from the first part of a
 * group of WARP blocks. */
template <class B> __device__ static inline uint32_t *part_ends(B &block)
{
    return block.slice[1];
}

/* Writes part_ends and block.told from the lengths of all blocks' parts: `own` of thread i is that of block i. Whole warps
 * call it. */
template <class B> __device__ static inline void keep_part(B &block, unsigned own)
{
    const unsigned before = warp_prefix(own);
    part_ends(block)[threadIdx.x] = before + own;
    if (lane_id() == WARP - 1)
        block.told[threadIdx.x / WARP] = before + own;
}

/* Waits until all blocks have told their parts of frontier `number`, and returns that frontier: the barrier of a sparse
 * level. */
template <class B>
__device__ static inline sparse_frontier gather_parts(B &block, const gpu_sliced &s, unsigned number)
{
    sparse_frontier f = {number, 0, true};
    unsigned own = 0;
    if (threadIdx.x < gridDim.x) {
        unsigned long long told;
        do
            told = load_acquire(&s.state->told[number % 2][threadIdx.x]);
        while (told >> TOLD_BITS != tag_of(s, number));
        own = (unsigned)told & ((1u << TOLD_BITS) - 1);
    }
    if (threadIdx.x / WARP < groups_of_blocks())
        keep_part(block, own);
    f.fits = !__syncthreads_or(own > s.list_capacity);
    for (unsigned i = 0; i < groups_of_blocks(); i++)
        f.total += block.told[i];
    return f;
}

/* Returns frontier `number` of `slices` slices, all of them the part of the first block (run_first_block). */
template <class B>
__device__ static inline sparse_frontier frontier_of_first_block(B &block, unsigned number, unsigned slices)
{
    __syncthreads();
    if (threadIdx.x / WARP < groups_of_blocks())
        keep_part(block, threadIdx.x == 0 ? slices : 0);
    if (threadIdx.x < SLICED_ROUNDS)
        block.count[threadIdx.x] = 0;
    __syncthreads();
    return sparse_frontier{number, slices, true};
}

/* Returns slice i of a frontier. Finds the group of blocks that has it, then the block by bisection. */
template <class B>
__device__ static inline uint32_t listed_slice(B &block, const gpu_sliced &s, const sparse_frontier &f, unsigned i)
{
    unsigned group = 0, part = 0;
    while (i >= block.told[group])
        i -= block.told[group++];
    const uint32_t *ends = part_ends(block) + group * WARP;
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        part += ends[part + step - 1] <= i ? step : 0;
    i -= part > 0 ? ends[part - 1] : 0;
    return s.list[f.number % 2][(group * WARP + part) * s.list_capacity + i];
}

/* ---- levels ---- */

/* Returns this block's part of frontier `number`, as a list to write to. */
__device__ static inline slice_list part_of_block(const gpu_sliced &s, unsigned number)
{
    uint32_t *part = s.list[number % 2] + blockIdx.x * s.list_capacity;
    return slice_list{part, part, s.list_capacity, s.list_capacity};
}

/* Pushes sparse frontier f of this depth, and appends the slices of the found vertices to this block's part of the next
 * frontier, number f.number + 1. `visited`: bitmap of all vertices up to this depth, which found vertices join. All threads
 * of all blocks call it. */
template <class B>
__device__ static void push_sparse(B &block, const gpu_sliced &s, uint32_t *visited, const sparse_frontier &f, int32_t depth)
{
    const unsigned next = f.number + 1;
    const bool link_a_lane = f.total <= LINK_A_LANE;
    const grid_bits bits = {s, visited, f.total > LOOK_FROM, link_a_lane};
    const slice_list to = part_of_block(s, next);
    unsigned *count = &block.count[next % SLICED_ROUNDS];
    /* warps of different blocks take neighbouring items, as there may be few */
    const unsigned first = (threadIdx.x / WARP * gridDim.x + blockIdx.x) * WARP, links = f.total * SLICED_COLUMNS;
    note_level(block.notes, depth, LEVEL_SLICED_SPARSE);
    if (threadIdx.x == 0)
        block.count[(next + 1) % SLICED_ROUNDS] = 0;
    if (link_a_lane) {
        for (unsigned i = first + lane_id(); i - lane_id() < links; i += threads_of_grid()) {
            const uint32_t slice = i < links ? listed_slice(block, s, f, i / SLICED_COLUMNS) : 0;
            push_to_list<1>(bits, s, depth + 1, slice, i % SLICED_COLUMNS, i < links, to, count);
        }
        return;
    }
    for (unsigned i = first + lane_id(); i - lane_id() < f.total; i += threads_of_grid()) {
        const uint32_t slice = i < f.total ? listed_slice(block, s, f, i) : 0;
        push_to_list<SLICED_COLUMNS>(bits, s, depth + 1, slice, 0, i < f.total, to, count);
    }
}

/* Makes frontier `number`: the slices of the vertices in block.slice[1] become this block's part, and `visited` becomes the
 * bitmap of all visited vertices. Not inlined, so that other levels keep more in registers. */
template <class B>
__device__ static __noinline__ void list_parts(B &block, const gpu_sliced &s, uint32_t *visited, unsigned number)
{
    const unsigned count = block.count[1];
    const slice_list to = part_of_block(s, number);
    unsigned *length = &block.count[number % SLICED_ROUNDS];
    for (uint32_t i = thread_of_grid(); i < s.words; i += threads_of_grid())
        visited[i] = visited_word(block, s, i);
    __syncthreads();
    if (threadIdx.x < SLICED_ROUNDS) /* a list that did not hold all vertices is told as too long */
        block.count[threadIdx.x] = count > BLOCK_SLICES ? s.list_capacity + 1 : 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i - lane_id() < count && count <= BLOCK_SLICES; i += blockDim.x) {
        const uint32_t v = i < count ? block.slice[1][i] : 0, first = s.first[v];
        const unsigned own = i < count ? s.first[v + 1] - first : 0;
        put_slices(to, reserve_slices(length, own), first, own);
    }
    tell_part(block, s, number);
    if (threadIdx.x < SLICED_ROUNDS && threadIdx.x != number % SLICED_ROUNDS)
        block.count[threadIdx.x] = 0;
}

#endif

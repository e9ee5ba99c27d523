/* cuda_sliced_lists.cuh: sparse levels of all blocks (kind SPARSE); see cuda_sliced.h
 *
 * Sparse levels are for searches that have many levels with frontiers of thousands of vertices. No block reads a whole
 * bitmap. The frontier is a list of slices. Each block has added a part to the list, and the warps of all blocks share
 * the whole list. A level costs one barrier. At the barrier each block also tells the length of its part to all blocks. A
 * level has a chain of three dependent reads: the list, the links, and the visited bits. During sparse levels the visited
 * bits of all blocks lie in one `found` bitmap. A level moves 4 bytes of the list and 32 bytes of links for each slice,
 * and 4 bytes of visited bits for each link.
 */
#ifndef DBFS_CUDA_SLICED_LISTS_CUH
#define DBFS_CUDA_SLICED_LISTS_CUH

#include "cuda_sliced_one.cuh"

enum {
    /* the lower bits of a word of sliced_state.told, which are the length of a part; the bits above are a tag */
    TOLD_BITS = 24,
    /* a lane pushes one link if the frontier has at most this number of slices, and otherwise a slice */
    LINK_A_LANE = 1 << 15,
    LOOK_FROM = 1 << 14    /* a lane reads a visited bit before it sets the bit if the frontier has more slices than this */
};

/* The visited bits in a SPARSE level, as push_links uses them. They are one bitmap in global memory, which all blocks
 * share. `looks`: a lane reads a bit before it sets the bit. `prefetches`: the first slice of each found vertex is
 * prefetched for the next level. */
struct grid_bits {
    const gpu_sliced &s;
    uint32_t *bits;
    bool looks, prefetches;

    /* Returns whether the lane has a link and v may be unvisited. Reads the visited bit of v only if `looks`; otherwise
     * any v may be unvisited. */
    __device__ bool may_be_new(uint32_t v, bool has) const
    {
        return has && (!looks || !(((const volatile uint32_t *)bits)[v / 32] >> (v % 32) & 1));
    }

    /* Returns true, so each lane goes on with v. A block has no second copy of the visited bits that could decide between
     * lanes. */
    __device__ bool claim(uint32_t) const
    {
        return true;
    }

    /* Sets the visited bit of v. Returns whether this lane set the bit first of all lanes of all blocks. */
    __device__ bool set(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&bits[v / 32], bit) & bit);
    }

    /* Writes depth and parent of the vertex of a link. If `prefetches`, also prefetches the first slice of the vertex. */
    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        put_depth(s, link.x, depth, parent);
        if (prefetches)
            prefetch(&s.links[link.y & SLICED_FIRST]);
    }
};

/* A sparse frontier of all blocks: a list of slices that has one part for each block. Each thread has a copy of this
 * struct. All copies have the same values. */
struct sparse_frontier {
    /* the number of this frontier among the sparse frontiers of the search; the list is s.list[number % 2] */
    unsigned number;
    unsigned total;  /* the number of slices of all parts */
    bool fits;       /* no part is longer than s.list_capacity, so no slice is missing */
};

/* ---- lengths of all parts ---- */

/* Returns the tag of frontier `number`. The tag consists of the number of the search and the number of the frontier. No
 * block has written the same tag to the same word of s.state->told before. */
__device__ static inline unsigned long long tag_of(const gpu_sliced &s, unsigned number)
{
    return (unsigned long long)s.order.number << 8 | (number & 0xff);
}

/* Tells all blocks the length of this block's part of frontier `number`: writes the length and the tag to s.state->told.
 * The length is block.count[number % SLICED_ROUNDS]. A block that reads the tag sees all earlier writes of this block.
 * Does not wait for other blocks. All threads of the block call it. */
template <class B> __device__ static inline void tell_part(B &block, const gpu_sliced &s, unsigned number)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const unsigned own = min(block.count[number % SLICED_ROUNDS], (1u << TOLD_BITS) - 1);
    fence_of_gpu();
    *(volatile unsigned long long *)&s.state->told[number % 2][blockIdx.x] = tag_of(s, number) << TOLD_BITS | own;
}

/* Returns the number of groups of WARP blocks in the grid. The last group may have fewer blocks. */
__device__ static inline unsigned groups_of_blocks()
{
    return (gridDim.x + WARP - 1) / WARP;
}

/* Returns an array in the memory of the block. Element i says where block i's part of a sparse frontier ends. The end is
 * a number of slices, counted from the beginning of the first part of the same group of WARP blocks. */
template <class B> __device__ static inline uint32_t *part_ends(B &block)
{
    return block.slice[1];
}

/* Writes the ends of all parts to part_ends(), and the number of slices of each group of WARP blocks to block.told. `own`
 * is the length of one part: thread i brings the length of block i's part. All lanes of each calling warp call it. */
template <class B> __device__ static inline void write_part_ends(B &block, unsigned own)
{
    const unsigned before = warp_prefix(own);
    part_ends(block)[threadIdx.x] = before + own;
    if (lane_id() == WARP - 1)
        block.told[threadIdx.x / WARP] = before + own;
}

/* Waits until all blocks have told the lengths of their parts of frontier `number`, and returns this frontier. This is
 * the barrier of a sparse level. Writes the ends of the parts to the memory of the block. All threads of all blocks call
 * it. */
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
        write_part_ends(block, own);
    f.fits = !__syncthreads_or(own > s.list_capacity);
    for (unsigned i = 0; i < groups_of_blocks(); i++)
        f.total += block.told[i];
    return f;
}

/* Returns frontier `number` if the first block has listed it alone (run_first_block). The first block's part has `slices`
 * slices, and all other parts are empty. Does not wait for other blocks. Writes the ends of the parts to the memory of
 * the block, and sets all block.count to zero. All threads of the block call it. */
template <class B>
__device__ static inline sparse_frontier frontier_of_first_block(B &block, unsigned number, unsigned slices)
{
    __syncthreads();
    if (threadIdx.x / WARP < groups_of_blocks())
        write_part_ends(block, threadIdx.x == 0 ? slices : 0);
    if (threadIdx.x < SLICED_ROUNDS)
        block.count[threadIdx.x] = 0;
    __syncthreads();
    return sparse_frontier{number, slices, true};
}

/* Returns slice i of a sparse frontier, for i < f.total. First finds the group of blocks in which slice i lies. Then
 * finds the block by bisection. */
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

/* Returns this block's part of frontier `number`, as a list to which slices can be written. */
__device__ static inline slice_list part_of_block(const gpu_sliced &s, unsigned number)
{
    uint32_t *part = s.list[number % 2] + blockIdx.x * s.list_capacity;
    return slice_list{part, part, s.list_capacity, s.list_capacity};
}

/* Does a SPARSE level: pushes frontier f along its links. `depth` is the depth of the vertices of f. `visited` is the
 * bitmap of all vertices up to this depth. Each found vertex gets its bit in `visited`, depth + 1, and a parent. The
 * slices of found vertices are appended to this block's part of the next frontier, which has number f.number + 1. Notes
 * the level. The caller then makes the barrier of the level (tell_part, gather_parts). All threads of all blocks call it. */
template <class B>
__device__ static void push_sparse(B &block, const gpu_sliced &s, uint32_t *visited, const sparse_frontier &f, int32_t depth)
{
    const unsigned next = f.number + 1;
    const bool link_a_lane = f.total <= LINK_A_LANE;
    const grid_bits bits = {s, visited, f.total > LOOK_FROM, link_a_lane};
    const slice_list to = part_of_block(s, next);
    unsigned *count = &block.count[next % SLICED_ROUNDS];
    /* neighbouring items go to warps of different blocks, so that a short list keeps many blocks busy */
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

/* Makes sparse frontier `number` after a level that left a bitmap. The slices of the vertices in block.slice[1] become
 * this block's part. tell_part tells the length of the part to all blocks. The length is larger than s.list_capacity if
 * the frontier is incomplete, and then no block pushes this frontier. It is incomplete if block.slice[1] has no room for
 * all vertices, or the part has no room for all slices. Also writes all visited bits to `visited`, each block a share.
 * All threads of all blocks call it. Not inlined, so that other levels keep more values in registers. */
template <class B>
__device__ static __noinline__ void list_parts(B &block, const gpu_sliced &s, uint32_t *visited, unsigned number)
{
    const unsigned count = block.count[1];
    const slice_list to = part_of_block(s, number);
    unsigned *length = &block.count[number % SLICED_ROUNDS];
    for (uint32_t i = thread_of_grid(); i < s.words; i += threads_of_grid())
        visited[i] = visited_word(block, s, i);
    __syncthreads();
    if (threadIdx.x < SLICED_ROUNDS) /* if slice[1] lacks vertices, the length says that the part is too long */
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

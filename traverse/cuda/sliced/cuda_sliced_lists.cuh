/* cuda_sliced_lists.cuh: sparse levels of all blocks (kind SPARSE); see cuda_sliced.h
 *
 * These levels are for frontiers of thousands of vertices over many levels. No block reads a whole bitmap. The frontier is a
 * list of slices. Each block has added a part to the list, and the warps of all blocks share the whole list. A level costs
 * one barrier, at which each block also tells the length of its part. A level has three reads of which each waits for the
 * one before: the list, the links, and the visited bits. During these levels the visited bits of all blocks lie in a `found`
 * bitmap. Bytes moved: 4 and 32 for each slice (list and links), and 4 for the visited bit of each link.
 */
#ifndef DBFS_CUDA_SLICED_LISTS_CUH
#define DBFS_CUDA_SLICED_LISTS_CUH

#include "cuda_sliced_one.cuh"

enum {
    TOLD_BITS = 24,        /* bits of a word of sliced_state.told that have the length of a part; above is a tag */
    LINK_A_LANE = 1 << 15, /* in frontiers of at most this many slices a lane takes a link; in larger ones a slice */
    LOOK_FROM = 1 << 14    /* in frontiers of more slices a lane reads a visited bit before it sets the bit */
};

/* The visited bits in a SPARSE level, as push_links uses them: one bitmap in global memory, which all blocks share. `looks`:
 * a bit is read before it is set. `prefetches`: the first slice of each found vertex is prefetched for the next level. */
struct grid_bits {
    const gpu_sliced &s;
    uint32_t *bits;
    bool looks, prefetches;

    /* Whether the lane has a link, and v is not known to be visited. Reads the visited bit only if `looks`. */
    __device__ bool may_be_new(uint32_t v, bool has) const
    {
        return has && (!looks || !(((const volatile uint32_t *)bits)[v / 32] >> (v % 32) & 1));
    }

    /* Returns true: there is no other copy of the bits to ask first. */
    __device__ bool claim(uint32_t) const
    {
        return true;
    }

    /* Sets the visited bit of v. Returns whether no other lane of any block has set the bit before. */
    __device__ bool set(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&bits[v / 32], bit) & bit);
    }

    /* Writes depth and parent of the vertex of a link. Prefetches the first slice of the vertex if `prefetches`. */
    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        put_depth(s, link.x, depth, parent);
        if (prefetches)
            prefetch(&s.links[link.y & SLICED_FIRST]);
    }
};

/* A sparse frontier of all blocks. It is a list of slices, made of one part for each block. Each thread has a copy of this
 * struct; all copies are alike. */
struct sparse_frontier {
    unsigned number; /* sparse frontiers are counted through in a search; the list is s.list[number % 2] */
    unsigned total;  /* slices of all parts */
    bool fits;       /* no part is longer than s.list_capacity, so no slice is missing */
};

/* ---- lengths of all parts ---- */

/* Returns the tag of frontier `number`, made of the numbers of the search and of the frontier. It differs from all tags that
 * a block has written to the same word of s.state->told before. */
__device__ static inline unsigned long long tag_of(const gpu_sliced &s, unsigned number)
{
    return (unsigned long long)s.order.number << 8 | (number & 0xff);
}

/* Tells all blocks the length of this block's part of frontier `number`: writes block.count[number % SLICED_ROUNDS] with the
 * tag to s.state->told. A block that reads the tag sees all writes that this block made before. Does not wait for other
 * blocks. All threads of the block call it. */
template <class B> __device__ static inline void tell_part(B &block, const gpu_sliced &s, unsigned number)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const unsigned own = min(block.count[number % SLICED_ROUNDS], (1u << TOLD_BITS) - 1);
    fence_of_gpu();
    *(volatile unsigned long long *)&s.state->told[number % 2][blockIdx.x] = tag_of(s, number) << TOLD_BITS | own;
}

/* Returns how many groups of WARP blocks the grid has. The last group may have fewer blocks. */
__device__ static inline unsigned groups_of_blocks()
{
    return (gridDim.x + WARP - 1) / WARP;
}

/* Returns the array in which a block keeps the ends of all blocks' parts of a sparse frontier: element i is the end of block
 * i's part. An end is counted in slices from the beginning of the first part of the same group of WARP blocks. */
template <class B> __device__ static inline uint32_t *part_ends(B &block)
{
    return block.slice[1];
}

/* Writes the ends of all parts (part_ends), and the slices of each group of WARP blocks (block.told). `own` of thread i is
 * the length of block i's part. Whole warps call it. */
template <class B> __device__ static inline void write_part_ends(B &block, unsigned own)
{
    const unsigned before = warp_prefix(own);
    part_ends(block)[threadIdx.x] = before + own;
    if (lane_id() == WARP - 1)
        block.told[threadIdx.x / WARP] = before + own;
}

/* Waits until all blocks have told the lengths of their parts of frontier `number`, and returns that frontier. This is the
 * barrier of a sparse level. Writes the ends of the parts to the memory of the block. All threads of all blocks call it. */
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

/* Returns frontier `number`, which the first block alone has listed (run_first_block): its part has `slices` slices, and all
 * other parts are empty. Does not wait for other blocks. Writes the ends of the parts to the memory of the block, and sets
 * all block.count to zero. All threads of the block call it. */
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

/* Returns slice i of a sparse frontier, for i < f.total. Finds the group of blocks that has the slice, and then the block,
 * by bisection. */
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

/* Does a SPARSE level: pushes frontier f, whose vertices have this depth, along its links. Found vertices get their visited
 * bit in `visited`, the bitmap of all vertices up to this depth. They also get depth + 1 and a parent. Their slices are
 * appended to this block's part of the next frontier, number f.number + 1. Notes the level. The barrier of the level follows
 * (tell_part, gather_parts). All threads of all blocks call it. */
template <class B>
__device__ static void push_sparse(B &block, const gpu_sliced &s, uint32_t *visited, const sparse_frontier &f, int32_t depth)
{
    const unsigned next = f.number + 1;
    const bool link_a_lane = f.total <= LINK_A_LANE;
    const grid_bits bits = {s, visited, f.total > LOOK_FROM, link_a_lane};
    const slice_list to = part_of_block(s, next);
    unsigned *count = &block.count[next % SLICED_ROUNDS];
    /* neighbouring items go to warps of different blocks, so that a short list occupies many blocks */
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

/* Makes sparse frontier `number` after a level that left a bitmap. The slices of the vertices in block.slice[1] become this
 * block's part, and tell_part tells the length of the part to all blocks. If block.slice[1] did not hold all vertices, or
 * the part does not hold all slices, the length says so, and nobody pushes the frontier. Writes all visited bits to
 * `visited`, each block a share. All threads of all blocks call it. Not inlined, so that other levels keep more in
 * registers. */
template <class B>
__device__ static __noinline__ void list_parts(B &block, const gpu_sliced &s, uint32_t *visited, unsigned number)
{
    const unsigned count = block.count[1];
    const slice_list to = part_of_block(s, number);
    unsigned *length = &block.count[number % SLICED_ROUNDS];
    for (uint32_t i = thread_of_grid(); i < s.words; i += threads_of_grid())
        visited[i] = visited_word(block, s, i);
    __syncthreads();
    if (threadIdx.x < SLICED_ROUNDS) /* if vertices are missing in slice[1], the part is told as too long */
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

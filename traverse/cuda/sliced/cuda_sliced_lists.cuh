/* cuda_sliced_lists.cuh: levels that all blocks push from lists; see cuda_sliced.h
 *
 * For frontiers of thousands of vertices over many levels: no block reads a whole mask. The slices of the frontier are a
 * list, to which each block has added its part, and the warps of all blocks share them. A level costs one barrier, at which
 * each block also tells the length of its part, and three reads that wait for each other: of the list, of the links, and of
 * the marks, which lie in global memory meanwhile. Bytes moved: 4 and 32 for each slice, and 4 for the mark of each link.
 */
#ifndef DBFS_CUDA_SLICED_LISTS_CUH
#define DBFS_CUDA_SLICED_LISTS_CUH

#include "cuda_sliced_one.cuh"

enum {
    LISTED_BITS = 24,       /* of a told length; the tag is above it */
    LISTED_LINKS = 1 << 15, /* slices of a frontier, at most, whose links all have a lane */
    LISTED_LOOKS = 1 << 14  /* slices from which on atomics are dearer than looks before them */
};

/* The marks of visited vertices that all blocks have. */
struct grid_marks {
    uint32_t *mask;
    bool looks;

    __device__ bool may_be_new(uint32_t v, bool has) const
    {
        return has && (!looks || !(((const volatile uint32_t *)mask)[v / 32] >> (v % 32) & 1));
    }

    __device__ bool take(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&mask[v / 32], bit) & bit);
    }

    __device__ void put(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent) const
    {
        put_depth(s, v, depth, parent);
    }
};

/* A list of the frontier, as all blocks see it. */
struct list_frontier {
    unsigned number; /* of all lists of a search */
    unsigned total;  /* slices */
    bool fits;       /* no part was longer than its room */
};

/* ---- lengths of all parts ---- */

/* A tag that differs from all that a block may have written before in the same place. */
__device__ static inline unsigned long long tag_of(const gpu_sliced &s, unsigned number)
{
    return (unsigned long long)s.order.number << 8 | (number & 0xff);
}

/* Tells the length of this block's part of list `number`, and that all its writes of the level are done. */
template <class B> __device__ static inline void tell_part(B &block, const gpu_sliced &s, unsigned number)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const unsigned own = min(block.count[number % SLICED_TURNS], (1u << LISTED_BITS) - 1);
    fence_of_gpu();
    *(volatile unsigned long long *)&s.state->listed[number % 2][blockIdx.x] = tag_of(s, number) << LISTED_BITS | own;
}

/* Slices of the list before the end of each block's part, counted from that of the first of WARP blocks on. */
template <class B> __device__ static inline uint32_t *part_ends(B &block)
{
    return block.slice[1];
}

__device__ static inline unsigned groups_of_blocks()
{
    return (gridDim.x + WARP - 1) / WARP;
}

/* Notes the length of a block's part, which the thread of that number has. By whole warps. */
template <class B> __device__ static inline void note_part(B &block, unsigned own)
{
    const unsigned before = warp_prefix(own);
    part_ends(block)[threadIdx.x] = before + own;
    if (lane_id() == WARP - 1)
        block.listed[threadIdx.x / WARP] = before + own;
}

/* Waits until all blocks have told their parts: the barrier of a level. */
template <class B>
__device__ static inline list_frontier gather_parts(B &block, const gpu_sliced &s, unsigned number)
{
    list_frontier f = {number, 0, true};
    unsigned own = 0;
    if (threadIdx.x < gridDim.x) {
        unsigned long long told;
        do
            told = load_acquire(&s.state->listed[number % 2][threadIdx.x]);
        while (told >> LISTED_BITS != tag_of(s, number));
        own = (unsigned)told & ((1u << LISTED_BITS) - 1);
    }
    if (threadIdx.x / WARP < groups_of_blocks())
        note_part(block, own);
    f.fits = !__syncthreads_or(own > s.lists.capacity);
    for (unsigned i = 0; i < groups_of_blocks(); i++)
        f.total += block.listed[i];
    return f;
}

/* Takes the list, of so many slices, that the first block has left. */
template <class B> __device__ static inline list_frontier take_left_list(B &block, unsigned number, unsigned slices)
{
    __syncthreads();
    if (threadIdx.x / WARP < groups_of_blocks())
        note_part(block, threadIdx.x == 0 ? slices : 0);
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = 0;
    __syncthreads();
    return list_frontier{number, slices, true};
}

/* Slice i of the list. */
template <class B>
__device__ static inline uint32_t listed_slice(B &block, const gpu_sliced &s, const list_frontier &f, unsigned i)
{
    unsigned group = 0, part = 0;
    while (i >= block.listed[group])
        i -= block.listed[group++];
    const uint32_t *ends = part_ends(block) + group * WARP;
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        part += ends[part + step - 1] <= i ? step : 0;
    i -= part > 0 ? ends[part - 1] : 0;
    return s.lists.slice[f.number % 2][(group * WARP + part) * s.lists.capacity + i];
}

/* ---- levels ---- */

/* This block's part of a list. */
__device__ static inline slice_list part_of_block(const gpu_sliced &s, unsigned number)
{
    uint32_t *part = s.lists.slice[number % 2] + blockIdx.x * s.lists.capacity;
    return slice_list{part, part, s.lists.capacity, s.lists.capacity};
}

/* The first item of this warp, if warps of different blocks take turns. */
__device__ static inline unsigned first_of_warp()
{
    return (threadIdx.x / WARP * gridDim.x + blockIdx.x) * WARP;
}

/* Pushes slices of the list, one a lane. Neighbours go to different blocks, as the list may be short. */
template <class B>
__device__ static inline void push_slices(B &block, const gpu_sliced &s, const grid_marks &marks, const list_frontier &f,
                                          int32_t depth, unsigned *count, const slice_list &to)
{
    for (unsigned i = first_of_warp(); i < f.total; i += threads_of_grid()) {
        const bool has = i + lane_id() < f.total;
        push_slice(marks, s, depth + 1, has ? listed_slice(block, s, f, i + lane_id()) : 0, has, count, to);
    }
}

/* The same, a link a lane. */
template <class B>
__device__ static inline void push_links(B &block, const gpu_sliced &s, const grid_marks &marks, const list_frontier &f,
                                         int32_t depth, unsigned *count, const slice_list &to)
{
    const unsigned links = f.total * SLICED_COLUMNS;
    for (unsigned i = first_of_warp(); i < links; i += threads_of_grid()) {
        const unsigned at = i + lane_id();
        const bool has = at < links;
        uint2 link;
        const unsigned own = push_link(marks, s, depth + 1, has ? listed_slice(block, s, f, at / SLICED_COLUMNS) : 0,
                                       at % SLICED_COLUMNS, has, link);
        if (own != 0)
            prefetch(&s.pushes.links[link.y & SLICED_FIRST]);
        if (__any_sync(ALL_LANES, own != 0))
            put_slices(to, reserve_slices(count, own), link.y & SLICED_FIRST, own);
    }
}

/* Pushes a listed frontier. */
template <class B>
__device__ static void push_listed(B &block, const gpu_sliced &s, uint32_t *marks, const list_frontier &f, int32_t depth)
{
    const unsigned next = f.number + 1;
    const grid_marks mask = {marks, f.total > LISTED_LOOKS};
    const slice_list to = part_of_block(s, next);
    unsigned *count = &block.count[next % SLICED_TURNS];
    note_level(block.notes, depth, LEVEL_SPARSE);
    if (threadIdx.x == 0)
        block.count[(next + 1) % SLICED_TURNS] = 0;
    if (f.total <= LISTED_LINKS)
        push_links(block, s, mask, f, depth, count, to);
    else
        push_slices(block, s, mask, f, depth, count, to);
}

/* Makes the vertices that each block has listed for itself its part of list `number`, and all that are visited the marks. */
template <class B>
__device__ static __noinline__ void list_parts(B &block, const gpu_sliced &s, uint32_t *marks, unsigned number)
{
    const unsigned count = block.count[1];
    const slice_list to = part_of_block(s, number);
    unsigned *length = &block.count[number % SLICED_TURNS];
    for (uint32_t i = thread_of_grid(); i < s.words; i += threads_of_grid())
        marks[i] = visited_word(block, s, i);
    __syncthreads();
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = count > ONE_SLICES ? s.lists.capacity + 1 : 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i - lane_id() < count && count <= ONE_SLICES; i += blockDim.x) {
        const uint32_t v = i < count ? block.slice[1][i] : 0, first = s.first[v];
        const unsigned own = i < count ? s.first[v + 1] - first : 0;
        put_slices(to, reserve_slices(length, own), first, own);
    }
    tell_part(block, s, number);
    if (threadIdx.x < SLICED_TURNS && threadIdx.x != number % SLICED_TURNS)
        block.count[threadIdx.x] = 0;
}

/* Makes a list the frontier of the first block alone. */
template <class B> __device__ static inline void take_list(B &block, const gpu_sliced &s, const list_frontier &f)
{
    for (unsigned i = threadIdx.x; i < f.total; i += blockDim.x)
        block.slice[0][i] = listed_slice(block, s, f, i);
    if (threadIdx.x == 0)
        block.count[0] = f.total;
    __syncthreads();
}

#endif

/* cuda_sliced_lists.cuh: sparse levels of all blocks (kind SPARSE); see cuda_sliced.h
 *
 * After a dense level each block reads a whole bitmap. A sparse level needs no such reads, which pays in searches with many
 * levels of thousands of vertices. Its frontier is a list of slices with a part for each block, to which this block appends
 * the slices that it finds. The warps of all blocks then share the whole list. The only barrier of a level also tells all
 * blocks the lengths of all parts. Meanwhile the visited bits of all blocks lie in one `found` bitmap. A level waits for
 * three reads, one after the other (list, links, visited bits). It moves 36 bytes for each slice, and 4 bytes of visited
 * bits for each link.
 */
#ifndef DBFS_CUDA_SLICED_LISTS_CUH
#define DBFS_CUDA_SLICED_LISTS_CUH

#include "cuda_sliced_one.cuh"

enum {
    /* the lower bits of an element of sliced_state.told, the length of a part; a tag stands in the other bits */
    TOLD_BITS = 24,
    /* a lane pushes one link at a time if the frontier has at most this many slices, and otherwise a whole slice */
    LINK_A_LANE = 1 << 15,
    LOOK_FROM = 1 << 14    /* if the frontier has more slices than this, a lane reads a visited bit before it sets it */
};

/* The visited bits of a SPARSE level, as push_links uses them: one bitmap in global memory, which all blocks share.
 * `looks`: a lane reads a bit before it sets the bit. `prefetches`: for each found vertex the first slice of links is
 * prefetched, which the next level reads. */
struct grid_bits {
    const gpu_sliced &s;
    uint32_t *bits;
    bool looks, prefetches;

    /* Returns whether the lane has a link whose vertex v may be unvisited. Reads the bit of v only if `looks`. */
    __device__ bool may_be_new(uint32_t v, bool has) const
    {
        return has && (!looks || !(((const volatile uint32_t *)bits)[v / 32] >> (v % 32) & 1));
    }

    /* Returns true, so that each lane goes on to set(): the block has no bits of its own by which to choose one lane. */
    __device__ bool claim(uint32_t) const
    {
        return true;
    }

    /* Sets the visited bit of v. Returns whether this lane was the first of all lanes of all blocks. */
    __device__ bool set(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&bits[v / 32], bit) & bit);
    }

    /* Writes depth and parent of the vertex of a link, and prefetches its first slice of links if `prefetches`. */
    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        put_depth(s, link.x, depth, parent);
        if (prefetches)
            prefetch(&s.links[link.y & SLICED_FIRST]);
    }
};

/* A sparse frontier of all blocks: a list of slices with a part for each block. Each thread has a copy, with the same
 * values. */
struct sparse_frontier {
    /* the number of this frontier among the sparse frontiers of the search; the list is s.list[number % 2] */
    unsigned number;
    unsigned total;  /* the number of slices of all parts */
    bool fits;       /* no part is longer than s.list_capacity, so no slice is missing */
};

/* ---- lengths of all parts ---- */

/* Returns the tag of frontier `number`, made of the number of the search and that of the frontier. No block has written
 * this tag to the same word of s.state->told before, so waiting blocks can tell a new word from an old one. */
__device__ static inline unsigned long long tag_of(const gpu_sliced &s, unsigned number)
{
    return (unsigned long long)s.order.number << 8 | (number & 0xff);
}

/* Tells all blocks the length of this block's part of frontier `number`: writes block.count[number % SLICED_TURNS], with
 * a tag, to s.state->told. A block that reads the tag sees all earlier writes of this block. Does not wait. All threads
 * of the block call it. */
template <class B> __device__ static inline void tell_part(B &block, const gpu_sliced &s, unsigned number)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const unsigned own = min(block.count[number % SLICED_TURNS], (1u << TOLD_BITS) - 1);
    fence_of_gpu();
    *(volatile unsigned long long *)&s.state->told[number % 2][blockIdx.x] = tag_of(s, number) << TOLD_BITS | own;
}

/* Returns the number of groups of WARP blocks in the grid. The last group may have fewer blocks. */
__device__ static inline unsigned groups_of_blocks()
{
    return (gridDim.x + WARP - 1) / WARP;
}

/* Returns the array part_ends, in the memory of the block. Element i is where the part of block i ends in a sparse frontier, as
 * a number of slices. It counts from the first part of a group of WARP blocks, the group that has block i. */
template <class B> __device__ static inline uint32_t *part_ends(B &block)
{
    return block.slice[1];
}

/* Fills part_ends() from the lengths of all parts, and block.told with the number of slices of each group of WARP blocks.
 * Thread i brings the length of block i's part as `own`. All lanes of each calling warp call it. */
template <class B> __device__ static inline void write_part_ends(B &block, unsigned own)
{
    const unsigned before = warp_prefix(own);
    part_ends(block)[threadIdx.x] = before + own;
    if (lane_id() == WARP - 1)
        block.told[threadIdx.x / WARP] = before + own;
}

/* The barrier of a sparse level, after tell_part: waits until all blocks have told the lengths of their parts of frontier
 * `number`, and returns this frontier. Fills part_ends() for it. All threads of all blocks call it. */
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

/* Returns slice i of a sparse frontier (i < f.total): looks for its group of blocks, and then for its block by bisection. */
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

/* Does a SPARSE level: pushes frontier f, whose vertices have this `depth`, along its links. `visited` is the bitmap of
 * all vertices found so far. Each found vertex gets its bit, depth + 1 and a parent, and its slices are appended to this
 * block's part of the next frontier, number f.number + 1. The caller then makes the barrier of the level (tell_part,
 * gather_parts). All threads of all blocks call it. */
template <class B>
__device__ static void push_sparse(B &block, const gpu_sliced &s, uint32_t *visited, const sparse_frontier &f, int32_t depth)
{
    const unsigned next = f.number + 1;
    const bool link_a_lane = f.total <= LINK_A_LANE;
    const grid_bits bits = {s, visited, f.total > LOOK_FROM, link_a_lane};
    const slice_list to = part_of_block(s, next);
    unsigned *count = &block.count[next % SLICED_TURNS];
    /* neighbouring slices go to warps of different blocks, so that a short list keeps many blocks busy */
    const unsigned first = (threadIdx.x / WARP * gridDim.x + blockIdx.x) * WARP, links = f.total * SLICED_COLUMNS;
    note_level(block.notes, depth, LEVEL_SLICED_SPARSE);
    if (threadIdx.x == 0)
        block.count[(next + 1) % SLICED_TURNS] = 0;
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

/* Adds the visited bits that this block knows to the bitmap `visited`, each block a share. All threads of all blocks call it. */
template <class B> __device__ static inline void add_visited(const B &block, const gpu_sliced &s, uint32_t *visited)
{
    for (uint32_t i = thread_of_grid(); i < s.words; i += threads_of_grid())
        visited[i] |= visited_word(block, s, i);
}

/* Makes sparse frontier `number` after BLOCK: its slices are the first `slices` ones of the first block's part, where they stand
 * already, and all other parts are empty. Adds to `visited`, which has the bits that the first block found, those of all vertices
 * found before. The caller waits for the other blocks (gather_parts). All threads of all blocks call it. */
template <class B>
__device__ static inline void take_first_part(B &block, const gpu_sliced &s, uint32_t *visited, unsigned number, unsigned slices)
{
    add_visited(block, s, visited);
    __syncthreads();
    if (threadIdx.x < SLICED_TURNS)
        block.count[threadIdx.x] = blockIdx.x == 0 && threadIdx.x == number % SLICED_TURNS ? slices : 0;
    tell_part(block, s, number);
}

/* Makes sparse frontier `number` after a dense level: the slices of the vertices in block.slice[1] become this block's part. If
 * some have no room, in the part or already in block.slice[1], the block tells a length above s.list_capacity, so that no block
 * pushes the frontier. Also adds all visited bits to `visited`. All threads of all blocks call it. Not
 * inlined, so that other levels keep more values in registers. */
template <class B>
__device__ static __noinline__ void list_parts(B &block, const gpu_sliced &s, uint32_t *visited, unsigned number)
{
    const unsigned count = block.count[1];
    const slice_list to = part_of_block(s, number);
    unsigned *length = &block.count[number % SLICED_TURNS];
    add_visited(block, s, visited);
    __syncthreads();
    if (threadIdx.x < SLICED_TURNS) /* if slice[1] lacks vertices, this length tells that the part has too little room */
        block.count[threadIdx.x] = count > BLOCK_SLICES ? s.list_capacity + 1 : 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i - lane_id() < count && count <= BLOCK_SLICES; i += blockDim.x) {
        const uint32_t v = i < count ? block.slice[1][i] : 0, first = s.first[v];
        const unsigned own = i < count ? s.first[v + 1] - first : 0;
        put_slices(to, reserve_slices(length, own), first, own);
    }
    tell_part(block, s, number);
    if (threadIdx.x < SLICED_TURNS && threadIdx.x != number % SLICED_TURNS)
        block.count[threadIdx.x] = 0;
}

#endif

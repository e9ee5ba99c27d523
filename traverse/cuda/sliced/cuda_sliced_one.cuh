/* cuda_sliced_one.cuh: levels of kind BLOCK, in which one block pushes small frontiers by itself, from a list of slices
 * in its shared memory; see cuda_sliced.h */
#ifndef DBFS_CUDA_SLICED_ONE_CUH
#define DBFS_CUDA_SLICED_ONE_CUH

#include "cuda_sliced_push.cuh"

/* The visited bits of a BLOCK level, as push_links uses them: near bits in the shared memory of this block, and far bits
 * in global memory, which no other block reads meanwhile. A lane without a link pushes to the root, which is visited.
 *
 * A leaf, a vertex with one edge, is found once, from its only neighbour, unless it is a root. So it does not belong to the next
 * frontier, from which it could find only that neighbour, and its far bit need not be read. Trees of stars are mostly leaves. */
template <class B> struct block_bits {
    B &block;
    const gpu_sliced &s;
    uint32_t *bitmap; /* a bitmap in global memory that gets the bit of each found vertex, too, in graphs with heads; NULL: none does */

    /* Returns whether v may be unvisited: true for each vertex with a far bit, and otherwise by its near bit. Far bits are not
     * read here, because set() reads them anyway, and a second wait would cost time. */
    __device__ bool may_be_new(uint32_t v, bool) const
    {
        return is_far(block, s, v / 32) || !is_visited(block, s, v);
    }

    /* Returns true, so that each lane goes on to set(), which decides between the lanes of the block. */
    __device__ bool claim(uint32_t) const
    {
        return true;
    }

    /* Sets the visited bit of v, near or far. Returns whether v was unvisited before. */
    __device__ bool set(uint32_t v) const
    {
        const uint32_t word = v / 32, bit = 1u << (v % 32);
        if (is_far(block, s, word)) {
            uint32_t *far = &far_bits(block, s)[word];
            if (v >= s.first_leaf && s.roots.count == 1) {
                atomicOr(far, bit); /* nothing waits for it */
                return v != s.root;
            }
            return !(atomicOr(far, bit) & bit);
        }
        return !(atomicOr(&near_bits()[word], bit) & bit);
    }

    /* Writes depth, parent, next far bit and the bit in `bitmap` of the vertex of a link. Only the first block writes depths, because
     * all blocks find the same vertices if each does the level by itself. */
    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        if (blockIdx.x == 0)
            put_depth(s, link.x, depth, parent);
        set_next_far(block, s, link.x / 32, 1u << (link.x % 32));
        if (link.x >= s.first_leaf) {
            *(volatile int32_t *)&block.leaf_depth = depth;
            atomicAdd(&block.leaves, 1u);
        }
        if (B::by_rows && bitmap != NULL)
            atomicOr(&bitmap[link.x / 32], 1u << (link.x % 32));
    }

    /* Returns whether v has an edge but that by which it was found. */
    __device__ bool leads_on(uint32_t v) const
    {
        return v < s.first_leaf;
    }

    /* Returns whether a slice is pushed: not that of a leaf, which a level of another kind has listed, but those of roots. The free places
     * of a leaf's slice have the leaf itself, which set() takes for new. */
    __device__ bool is_pushed(uint32_t slice, int32_t depth) const
    {
        return slice < s.leaf_slice || depth == 1;
    }
};

/* Returns the list for the frontier after f: the block's other list, which does not have f. If this list is full, a graph with
 * heads keeps the slices behind it in s.list, in the first block's part, at the places that they have in the whole frontier. In a graph
 * without heads the list takes what fits_one_block allows and no more, because all blocks find a larger frontier anew from bits. */
template <class B>
__device__ static inline slice_list next_list(B &block, const gpu_sliced &s, const block_frontier &f)
{
    uint32_t *list = block.slice[f.list_index ^ 1];
    if constexpr (B::by_rows)
        return slice_list{list, s.list[block.now.list_number % 2], BLOCK_SLICES,
                          max((unsigned)BLOCK_SLICES, s.list_capacity), SLICED_OF_WARP};
    else
        return slice_list{list, list, BLOCK_SLICES, max(s.block_capacity, min(s.steady_capacity, f.count + f.count / 3)), UINT32_MAX};
}

/* One block sets bits in a `found` bitmap as long as the vertices that it has found have at most this number of slices. */
enum { FEW_SLICES = BLOCK_SLICES / 2 };

/* Does one BLOCK level by all warps of the block: pushes frontier f, and replaces f by the next frontier. A lane pushes a
 * single link if there are lanes for all links, and otherwise a slice. Found vertices get their visited bit, a depth and
 * a parent, and f.seen goes up by their slices, but those of leaves. In graphs with heads they get a bit in `bitmap`, too, unless it is
 * NULL or f.seen is above FEW_SLICES. All threads of the block call it. */
template <class B>
__device__ static void push_by_block(B &block, const gpu_sliced &s, block_frontier &f, uint32_t *bitmap)
{
    const block_bits<B> bits = {block, s, f.seen <= FEW_SLICES ? bitmap : NULL};
    const uint32_t *list = block.slice[f.list_index];
    const slice_list next = next_list(block, s, f);
    const unsigned links = f.count * SLICED_COLUMNS, link = threadIdx.x;
    const auto at_once = [] { return true; };
    unsigned *count = &block.count[next_turn(f.count_index)];
    note_level(block.notes, f.depth, LEVEL_SLICED_BLOCK);
    f.depth++;
    if (threadIdx.x == 0)
        block.count[next_turn(next_turn(f.count_index))] = 0;
    if (links > blockDim.x) {
        for (unsigned i = threadIdx.x; i - lane_id() < f.count; i += blockDim.x)
            push_listed<SLICED_COLUMNS>(bits, s, f.depth, list, i, f.count, next, count, at_once);
    } else if (link - lane_id() < links) {
        push_listed<1>(bits, s, f.depth, list, link, f.count, next, count, at_once);
    }
    __syncthreads();
    f.count_index = next_turn(f.count_index);
    f.list_index ^= 1;
    f.last = f.count;
    f.count = *(volatile unsigned *)count;
    f.seen += f.count;
}

/* Does BLOCK levels by the first warp alone, without a barrier of the block between them. Goes on while the frontier is not
 * empty, has a link for each lane at most, and has a depth below f.until. Found vertices get what push_by_block gives them. At the
 * end block.one becomes the frontier, for the other warps. All lanes of the first warp call it. */
template <class B>
__device__ static void push_by_warp(B &block, const gpu_sliced &s, block_frontier &f, uint32_t *bitmap)
{
    const unsigned lane = lane_id();
    while (f.count > 0 && f.count * SLICED_COLUMNS <= WARP && f.depth < f.until) {
        const bool listed = lane < f.count * SLICED_COLUMNS;
        const uint32_t slice = listed ? block.slice[f.list_index][lane / SLICED_COLUMNS] : 0;
        const slice_list next = next_list(block, s, f);
        const block_bits<B> bits = {block, s, f.seen <= FEW_SLICES ? bitmap : NULL};
        uint2 link[1];
        unsigned slices[1];
        note_level(block.notes, f.depth, LEVEL_SLICED_BLOCK);
        f.depth++;
        const bool has = listed && bits.is_pushed(slice, f.depth);
        load_links(s, slice, lane % SLICED_COLUMNS, has, link);
        push_links(bits, s, f.depth, has ? parent_of_slice(s, slice) : 0, has, link, slices);
        const lane_share share = share_of_lane(slices[0]);
        const bool lacks = share.all > next.of_warp;
        if (!lacks)
            put_slices(next, share.before, link[0].y & SLICED_FIRST, slices[0]);
        f.list_index ^= 1;
        f.last = f.count;
        f.count = share.all | (lacks ? LACKS_SLICES : 0);
        f.seen += f.count;
        __syncwarp();
    }
    if (lane == 0)
        block.one = f;
}

/* Does BLOCK levels in this block alone, while the frontier is not empty, fits one block, and has a depth below f.until.
 * f becomes the frontier at which the block stops; LACKS_SLICES in f.count says that its list lacks slices. If the last level found only
 * leaves, which no list has, f is the empty frontier that they would lead to. Found vertices get what push_by_block gives them. All threads
 * of the block call it. */
template <class B>
__device__ static void push_small_levels(B &block, const gpu_sliced &s, block_frontier &f, uint32_t *bitmap)
{
    while (f.count > 0 && fits_one_block(s, f.count, f.last) && f.depth < f.until) {
        if (f.count * SLICED_COLUMNS > WARP) {
            push_by_block(block, s, f, bitmap);
            continue;
        }
        __syncthreads();
        if (threadIdx.x < WARP)
            push_by_warp(block, s, f, bitmap);
        __syncthreads();
        f = block.one;
    }
    if (f.count == 0 && block.leaf_depth == f.depth && f.depth < s.order.deepest) {
        note_level(block.notes, f.depth, LEVEL_SLICED_BLOCK);
        f.depth++;
    }
}

/* ---- a level that each block pushes by itself ---- */

/* The visited bits of push_few, as push_links uses them: those of a BLOCK level, but a leaf belongs to the next frontier, too. */
template <class B> struct each_bits : block_bits<B> {
    /* Writes depth and parent of the vertex of a link, in the first block, as all blocks find the same vertices. */
    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        if (blockIdx.x == 0)
            put_depth(this->s, link.x, depth, parent);
    }

    /* Returns true: each vertex belongs to the next frontier. */
    __device__ bool leads_on(uint32_t) const
    {
        return true;
    }
};

/* The largest number of slices of a frontier that each block pushes by itself: there is room for all vertices that it may find. */
enum { EACH_SLICES = BLOCK_SLICES / SLICED_COLUMNS };

/* Pushes in this block a frontier of few vertices: block.count[0] slices in block.slice[0], at most EACH_SLICES. All blocks call it and
 * find the same vertices, so that none waits for another. Found vertices get their near bits in each block, and `depth` and a parent.
 * block.slice[1] becomes the list of them, block.count[1] their number, and block.weight the number of their slices. For graphs without far
 * bits. All threads of all blocks call it. */
template <class B> __device__ static inline void push_few(B &block, const gpu_sliced &s, int32_t depth)
{
    const each_bits<B> bits = {{block, s, NULL}};
    const unsigned links = block.count[0] * SLICED_COLUMNS;
    unsigned weight = 0;
    for (unsigned i = threadIdx.x; i - lane_id() < links; i += blockDim.x) {
        const bool has = i < links;
        const uint32_t slice = has ? block.slice[0][i / SLICED_COLUMNS] : 0, parent = has ? parent_of_slice(s, slice) : 0;
        uint2 link[1];
        unsigned slices[1];
        load_links(s, slice, i % SLICED_COLUMNS, has, link);
        push_links(bits, s, depth, parent, has, link, slices);
        const unsigned at = reserve_slices(&block.count[1], share_of_lane(slices[0] != 0));
        if (slices[0] != 0)
            block.slice[1][at] = link[0].x;
        weight += slices[0];
    }
    weight = sum_lanes(weight);
    if (lane_id() == 0 && weight != 0)
        atomicAdd(&block.weight, weight);
    __syncthreads();
}

/* Copies all visited bits that this block knows to a bitmap. All threads of the block call it. */
template <class B> __device__ static inline void copy_visited(const B &block, const gpu_sliced &s, uint4 *to)
{
    for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x)
        to[i] = ((const uint4 *)(is_far(block, s, 4 * i) ? far_bits(block, s) : near_bits()))[i];
}

/* Does BLOCK levels in the first block, from frontier f on, while the other blocks wait at the barrier. Does at least one. Stops at
 * a frontier that is empty or too large, or at the depth where the search ends. Then writes what the other blocks need, and counts
 * for the barrier. All threads of the first block call it.
 * - The bits of the vertices that it found, and of an only root: to the level's `found` bitmap, as if one level had found all of them. All
 *   visited bits are copied at the end, but in graphs with heads, whose bitmaps are large, each of the first few vertices gets its bit when
 *   it is found. For all vertices of hundreds of levels that takes longer: 1.09 times (grid 1000).
 * - The frontier, in graphs with heads: to s.list, as the first block's part of a sparse frontier.
 * - To s.state: the depth of the frontier; the number of slices of all found vertices; whether the list lacks slices.
 * - To block.found: 1 if the frontier has vertices, otherwise 0. To block.weight: the number of its slices. */
template <class B> __device__ static void run_first_block(B &block, const gpu_sliced &s, unsigned turn, block_frontier f)
{
    f.until = s.order.deepest;
    f.seen = 0;
    if (B::by_rows && f.depth == 0 && s.roots.count == 1 && threadIdx.x == 0)
        atomicOr(&s.found[turn * s.words + s.root / 32], 1u << (s.root % 32));
    push_small_levels(block, s, f, s.found + turn * s.words);
    const bool lacks = f.count & LACKS_SLICES;
    f.count &= ~LACKS_SLICES;
    f.seen &= ~LACKS_SLICES;
    if (!B::by_rows || f.seen - f.count > FEW_SLICES) /* the last level did not set bits in the bitmap */
        copy_visited(block, s, (uint4 *)(s.found + turn * s.words));
    if (B::by_rows) { /* copies the block's list; behind it, next_list has put slices directly into s.list */
        for (unsigned i = threadIdx.x; !lacks && i < min(f.count, (unsigned)BLOCK_SLICES) && i < s.list_capacity; i += blockDim.x)
            s.list[block.now.list_number % 2][i] = block.slice[f.list_index][i];
    }
    if (threadIdx.x == 0) {
        s.state->depth = f.depth;
        s.state->seen = (f.seen + block.leaves) | (lacks ? LACKS_SLICES : 0); /* a leaf has one slice */
        block.leaves = 0;
        block.found = f.count > 0;
        block.weight = f.count;
    }
}

#endif

/* cuda_sliced_one.cuh: levels that one block pushes from a list of slices; see cuda_sliced.h */
#ifndef DBFS_CUDA_SLICED_ONE_CUH
#define DBFS_CUDA_SLICED_ONE_CUH

#include "cuda_sliced_block.cuh"

/* Exclusive prefix sum and total over a warp. */
struct lane_share {
    unsigned before, all;
};

/* Sums up what lanes have, which is mostly few: numbers of up to 3 take two ballots. All lanes of the warp call it. */
__device__ static inline lane_share share_of_lane(unsigned own)
{
    const unsigned one = __ballot_sync(ALL_LANES, own & 1), two = __ballot_sync(ALL_LANES, own & 2),
                   lower = (1u << lane_id()) - 1;
    lane_share share = {(unsigned)(__popc(one & lower) + 2 * __popc(two & lower)),
                        (unsigned)(__popc(one) + 2 * __popc(two))};
    if (__any_sync(ALL_LANES, own > 3)) {
        share.before = warp_prefix(own);
        share.all = __shfl_sync(ALL_LANES, share.before + own, WARP - 1);
    }
    return share;
}

/* Reserves `own` places for each lane in a list whose length is *count, and returns the lane's first one. All lanes call
 * it. */
__device__ static inline unsigned reserve_slices(unsigned *count, unsigned own)
{
    const lane_share share = share_of_lane(own);
    const unsigned base = lane_id() == 0 && share.all != 0 ? atomicAdd(count, share.all) : 0;
    return __shfl_sync(ALL_LANES, base, 0) + share.before;
}

/* A list of up to `most` slices. Places from `capacity` on lie in another array, at the same index. */
struct slice_list {
    uint32_t *slice, *beyond;
    unsigned capacity, most;
};

/* Writes the slices first..first + count to places `at`.. of the list, or none of them if they do not fit: then the list
 * is of no use. A lane writes few slices, and the warp together those of a hub. All lanes of the warp call it. */
__device__ static inline void put_slices(const slice_list &to, unsigned at, uint32_t first, unsigned count)
{
    enum { FEW = 4, BY_LANE = 16 };
    const auto put = [&](unsigned place, uint32_t slice) { (place < to.capacity ? to.slice : to.beyond)[place] = slice; };
    count = at + count <= to.most ? count : 0;
#pragma unroll
    for (unsigned k = 0; k < FEW; k++) {
        if (k < count && count <= BY_LANE)
            put(at + k, first + k);
    }
    if (!__any_sync(ALL_LANES, count > FEW))
        return;
    for (unsigned k = FEW; k < count && count <= BY_LANE; k++)
        put(at + k, first + k);
    for (unsigned many = __ballot_sync(ALL_LANES, count > BY_LANE); many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const unsigned begin = __shfl_sync(ALL_LANES, at, from), all = __shfl_sync(ALL_LANES, count, from);
        const uint32_t slice = __shfl_sync(ALL_LANES, first, from);
        for (unsigned k = lane_id(); k < all; k += WARP)
            put(begin + k, slice + k);
    }
}

/* Returns the vertex that a slice of links belongs to, as a parent. */
__device__ static inline uint32_t parent_of_slice(const gpu_sliced &s, uint32_t slice)
{
    return has_parents(s) ? code_of(s, s.link_row[slice] & SLICED_ROW) : 0;
}

/* Visited bits for pushes of one block: its own near bits; and the far bits, which no other block reads meanwhile. A lane
 * without a link gets one to the root, which is visited. Far bits are set without a look before it, as one wait is less
 * than two. */
template <class B> struct block_bits {
    const B &block;
    const gpu_sliced &s;

    __device__ bool may_be_new(uint32_t v, bool) const
    {
        return is_far(block, s, v / 32) || !is_visited(block, s, v);
    }

    /* Sets the bit of v, and returns whether v was new. */
    __device__ bool set(uint32_t v) const
    {
        const uint32_t word = v / 32, bit = 1u << (v % 32);
        if (is_far(block, s, word))
            return !((atomicOr(&s.far[word], bit) | s.found[block.last + word]) & bit);
        return !(atomicOr(&near_bits()[word], bit) & bit);
    }

    /* If each block does the level, all find the same vertices, and the first block writes them. */
    __device__ void put(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent) const
    {
        if (blockIdx.x == 0)
            put_depth(s, v, depth, parent);
    }
};

/* Pushes along link `column` of a slice, one a lane, if the lane `has` one. Returns the number of slices of the vertex that
 * the lane has found, whose `depth` is written; 0: it found none. */
template <class Bits>
__device__ static inline unsigned push_link(const Bits &bits, const gpu_sliced &s, int32_t depth, uint32_t slice,
                                            unsigned column, bool has, uint2 &link)
{
    link = has ? ((const uint2 *)s.links)[(uint64_t)slice * SLICED_COLUMNS + column] : make_uint2(s.root, 0);
    if (!bits.may_be_new(link.x, has) || !bits.set(link.x))
        return 0;
    bits.put(s, link.x, depth, parent_of_slice(s, slice));
    return slices_of(s, link);
}

/* Pushes along one slice a lane, if the lane `has` one, and adds the slices of found vertices to a list. */
template <class Bits>
__device__ static inline void push_slice(const Bits &bits, const gpu_sliced &s, int32_t depth, uint32_t slice, bool has,
                                         unsigned *count, const slice_list &next)
{
    const uint4 *links = (const uint4 *)&s.links[slice];
    const uint4 none = make_uint4(s.root, 0, s.root, 0), a = has ? links[0] : none, b = has ? links[1] : none;
    const uint2 link[SLICED_COLUMNS] = {make_uint2(a.x, a.y), make_uint2(a.z, a.w), make_uint2(b.x, b.y),
                                        make_uint2(b.z, b.w)};
    const uint32_t parent = has ? parent_of_slice(s, slice) : 0;
    bool mine[SLICED_COLUMNS];
    unsigned own[SLICED_COLUMNS], all = 0;
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        mine[j] = bits.may_be_new(link[j].x, has);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        mine[j] = mine[j] && bits.set(link[j].x);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        own[j] = mine[j] ? slices_of(s, link[j]) : 0;
        all += own[j];
    }
    if (!__any_sync(ALL_LANES, mine[0] | mine[1] | mine[2] | mine[3]))
        return;
    unsigned at = reserve_slices(count, all);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        if (mine[j])
            bits.put(s, link[j].x, depth, parent);
        put_slices(next, at, link[j].y & SLICED_FIRST, own[j]);
        at += own[j];
    }
}

/* Returns the block's list for the next frontier. In graphs with heads, slices beyond its capacity join the list that the
 * block leaves for all blocks. */
template <class B>
__device__ static inline slice_list next_list(B &block, const gpu_sliced &s, const block_frontier &f)
{
    if constexpr (B::by_rows)
        return slice_list{block.slice[f.list ^ 1], s.list[block.now.list % 2], BLOCK_SLICES,
                          max((unsigned)BLOCK_SLICES, s.list_capacity)};
    else
        return slice_list{block.slice[f.list ^ 1], block.slice[f.list ^ 1], BLOCK_SLICES, s.block_capacity};
}

/* Does a level by all warps of the block. */
template <class B> __device__ static void push_by_block(B &block, const gpu_sliced &s, block_frontier &f)
{
    unsigned *count = &block.count[next_round(f.at)];
    const uint32_t *list = block.slice[f.list];
    const slice_list next = next_list(block, s, f);
    const unsigned links = f.count * SLICED_COLUMNS, i = threadIdx.x;
    note_level(block.notes, f.depth, LEVEL_SLICED_BLOCK);
    if (threadIdx.x == 0)
        block.count[next_round(next_round(f.at))] = 0;
    if (links > blockDim.x) {
        for (unsigned i = threadIdx.x; i - lane_id() < f.count; i += blockDim.x)
            push_slice(block_bits<B>{block, s}, s, f.depth + 1, i < f.count ? list[i] : 0, i < f.count, count, next);
    } else if (i - lane_id() < links) { /* a link a lane */
        uint2 link;
        const unsigned own = push_link(block_bits<B>{block, s}, s, f.depth + 1, i < links ? list[i / SLICED_COLUMNS] : 0,
                                       i % SLICED_COLUMNS, i < links, link);
        if (__any_sync(ALL_LANES, own != 0))
            put_slices(next, reserve_slices(count, own), link.y & SLICED_FIRST, own);
    }
    __syncthreads();
    f.at = next_round(f.at);
    f.list ^= 1;
    f.count = *(volatile unsigned *)count;
    f.seen += f.count;
    f.depth++;
}

/* Does levels of at most a link a lane by the first warp, which needs no barrier, and leaves the frontier in block.one. */
template <class B> __device__ static void push_by_warp(B &block, const gpu_sliced &s, block_frontier &f)
{
    while (f.count > 0 && f.count * SLICED_COLUMNS <= WARP && f.depth < f.until) {
        uint2 link;
        note_level(block.notes, f.depth, LEVEL_SLICED_BLOCK);
        f.depth++;
        const bool has = lane_id() < f.count * SLICED_COLUMNS;
        const slice_list next = next_list(block, s, f);
        const unsigned own =
            push_link(block_bits<B>{block, s}, s, f.depth, has ? block.slice[f.list][lane_id() / SLICED_COLUMNS] : 0,
                      lane_id() % SLICED_COLUMNS, has, link);
        const lane_share share = share_of_lane(own);
        f.list ^= 1;
        put_slices(next, share.before, link.y & SLICED_FIRST, own);
        f.count = share.all;
        f.seen += f.count;
        __syncwarp();
    }
    if (lane_id() == 0)
        block.one = f;
}

/* Does levels in this block, while they have at most s.block_capacity slices, up to depth f.until. */
template <class B> __device__ static void push_small_levels(B &block, const gpu_sliced &s, block_frontier &f)
{
    while (f.count > 0 && f.count <= s.block_capacity && f.depth < f.until) {
        if (f.count * SLICED_COLUMNS > WARP) {
            push_by_block(block, s, f);
            continue;
        }
        __syncthreads();
        if (threadIdx.x < WARP)
            push_by_warp(block, s, f);
        __syncthreads();
        f = block.one;
    }
}

/* Writes the block's visited bits to those of both kinds of vertices (s.of[].visited). */
template <class B> __device__ static inline void write_visited(B &block, const gpu_sliced &s)
{
    const uint32_t normals = s.normals / 32;
    for (uint32_t i = threadIdx.x; i < s.of[DELEGATES].words; i += blockDim.x)
        s.of[DELEGATES].visited[i] = visited_word(block, s, i);
    for (uint32_t i = threadIdx.x; i < s.of[NORMALS].words; i += blockDim.x)
        s.of[NORMALS].visited[i] = visited_word(block, s, normals + i);
}

/* Does levels in the first block, while the others wait at a barrier. For all blocks it leaves
 * - the frontier, as its part of a sparse frontier, in graphs with heads;
 * - its visited bits, as if this level had found them all, in `found`; if the search is over, in s.of[].visited;
 * - depth and counts, in s.state and in the word that it brings to the barrier. */
template <class B> __device__ static void run_first_block(B &block, const gpu_sliced &s, unsigned round, block_frontier f)
{
    f.until = s.order.deepest;
    f.seen = 0;
    push_small_levels(block, s, f);
    if (f.count > 0) {
        uint4 *found = (uint4 *)(s.found + round * s.words);
        for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x)
            found[i] = !is_far(block, s, 4 * i)
                           ? ((const uint4 *)near_bits())[i]
                           : make_uint4(visited_word(block, s, 4 * i), visited_word(block, s, 4 * i + 1),
                                        visited_word(block, s, 4 * i + 2), visited_word(block, s, 4 * i + 3));
    } else {
        write_visited(block, s);
    }
    if (B::by_rows) { /* slices beyond shared memory are in the list already (next_list) */
        for (unsigned i = threadIdx.x; i < min(f.count, (unsigned)BLOCK_SLICES) && i < s.list_capacity; i += blockDim.x)
            s.list[block.now.list % 2][i] = block.slice[f.list][i];
    }
    if (threadIdx.x == 0) {
        s.state->depth = f.depth;
        s.state->seen = f.seen;
        block.found = f.count > 0;
        block.weight = f.count;
    }
}

#endif

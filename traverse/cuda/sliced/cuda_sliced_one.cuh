/* cuda_sliced_one.cuh: levels of a block, which it pushes from a list of slices; see cuda_sliced.h */
#ifndef DBFS_CUDA_SLICED_ONE_CUH
#define DBFS_CUDA_SLICED_ONE_CUH

#include "cuda_sliced_block.cuh"

/* The slices of the lanes before this one, and of all lanes. Lanes mostly have few. */
struct lane_share {
    unsigned before, all;
};

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

/* Reserves room for the slices of the lanes in a list of the block. */
__device__ static inline unsigned reserve_slices(unsigned *count, unsigned own)
{
    const lane_share share = share_of_lane(own);
    const unsigned base = lane_id() == 0 && share.all != 0 ? atomicAdd(count, share.all) : 0;
    return __shfl_sync(ALL_LANES, base, 0) + share.before;
}

/* A list that up to `most` slices join. Those beyond its room have their places in another array. */
struct slice_list {
    uint32_t *slice, *beyond;
    unsigned capacity, most;
};

__device__ static inline void put_slice(const slice_list &to, unsigned at, uint32_t slice)
{
    (at < to.capacity ? to.slice : to.beyond)[at] = slice;
}

/* Lists `count` slices from place `at` on. If they do not fit, the list is of no use, and hubs need not be listed. A lane lists
 * few slices alone. All lanes of the warp call it. */
__device__ static inline void put_slices(const slice_list &to, unsigned at, uint32_t first, unsigned count)
{
    enum { FEW = 4, ALONE = 16 };
    count = at + count <= to.most ? count : 0;
#pragma unroll
    for (unsigned k = 0; k < FEW; k++) {
        if (k < count && count <= ALONE)
            put_slice(to, at + k, first + k);
    }
    if (!__any_sync(ALL_LANES, count > FEW))
        return;
    for (unsigned k = FEW; k < count && count <= ALONE; k++)
        put_slice(to, at + k, first + k);
    for (unsigned many = __ballot_sync(ALL_LANES, count > ALONE); many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const unsigned begin = __shfl_sync(ALL_LANES, at, from), all = __shfl_sync(ALL_LANES, count, from);
        const uint32_t slice = __shfl_sync(ALL_LANES, first, from);
        for (unsigned k = lane_id(); k < all; k += WARP)
            put_slice(to, begin + k, slice + k);
    }
}

/* The vertex that has the slice, as a parent. */
__device__ static inline uint32_t pushing_code(const gpu_sliced &s, uint32_t slice)
{
    return has_parents(s) ? code_of(s, s.pushes.row[slice] & SLICED_ROW) : 0;
}

/* The block's own marks of visited vertices. A lane without a link gets one to the root, which is visited. Far marks are
 * the first block's meanwhile, and are taken without a look, as one wait is less than two. */
template <class B> struct block_marks {
    const B &block;
    const gpu_sliced &s;

    __device__ bool may_be_new(uint32_t v, bool) const
    {
        return is_far(block, s, v / 32) || !is_visited(block, s, v);
    }

    __device__ bool take(uint32_t v) const
    {
        const uint32_t word = v / 32, bit = 1u << (v % 32);
        if (is_far(block, s, word))
            return !((atomicOr(&s.far.mask[word], bit) | s.found[block.last + word]) & bit);
        return !(atomicOr(&visited_mask()[word], bit) & bit);
    }

    /* If each block does the level, all find the same vertices, and the first block stores them. */
    __device__ void put(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent) const
    {
        if (blockIdx.x == 0)
            put_depth(s, v, depth, parent);
    }
};

/* Pushes along one link of a slice, one a lane, if the lane `has` one. Returns the slices of the vertex that the lane has
 * found. */
template <class Marks>
__device__ static inline unsigned push_link(const Marks &marks, const gpu_sliced &s, int32_t depth, uint32_t slice,
                                            unsigned column, bool has, uint2 &link)
{
    link = has ? ((const uint2 *)s.pushes.links)[(uint64_t)slice * SLICED_COLUMNS + column] : make_uint2(s.begin.root, 0);
    if (!marks.may_be_new(link.x, has) || !marks.take(link.x))
        return 0;
    marks.put(s, link.x, depth, pushing_code(s, slice));
    return slices_of(s, link);
}

/* Pushes so few slices that each lane of the block has one link at most. */
template <class B>
__device__ static inline void push_by_links(B &block, const gpu_sliced &s, const one_progress &p, unsigned *count,
                                            const slice_list &next)
{
    const unsigned links = p.count * SLICED_COLUMNS, i = threadIdx.x;
    uint2 link;
    if (i - lane_id() >= links)
        return;
    const unsigned own = push_link(block_marks<B>{block, s}, s, p.depth + 1,
                                   i < links ? block.slice[p.list][i / SLICED_COLUMNS] : 0, i % SLICED_COLUMNS, i < links,
                                   link);
    if (__any_sync(ALL_LANES, own != 0))
        put_slices(next, reserve_slices(count, own), link.y & SLICED_FIRST, own);
}

/* Pushes along one slice a lane. */
template <class Marks>
__device__ static inline void push_slice(const Marks &marks, const gpu_sliced &s, int32_t depth, uint32_t slice, bool has,
                                         unsigned *count, const slice_list &next)
{
    const uint4 *links = (const uint4 *)&s.pushes.links[slice];
    const uint4 none = make_uint4(s.begin.root, 0, s.begin.root, 0), a = has ? links[0] : none, b = has ? links[1] : none;
    const uint2 link[SLICED_COLUMNS] = {make_uint2(a.x, a.y), make_uint2(a.z, a.w), make_uint2(b.x, b.y),
                                        make_uint2(b.z, b.w)};
    const uint32_t code = has ? pushing_code(s, slice) : 0;
    bool mine[SLICED_COLUMNS];
    unsigned own[SLICED_COLUMNS], all = 0;
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        mine[j] = marks.may_be_new(link[j].x, has);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        mine[j] = mine[j] && marks.take(link[j].x);
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
            marks.put(s, link[j].x, depth, code);
        put_slices(next, at, link[j].y & SLICED_FIRST, own[j]);
        at += own[j];
    }
}

/* The list after that of a frontier. What finds no room in shared memory joins the list that the block leaves. */
template <class B>
__device__ static inline slice_list list_after(B &block, const gpu_sliced &s, const one_progress &p)
{
    if constexpr (B::by_rows)
        return slice_list{block.slice[p.list ^ 1], s.lists.slice[block.now.list % 2], ONE_SLICES,
                          max((unsigned)ONE_SLICES, s.lists.capacity)};
    else
        return slice_list{block.slice[p.list ^ 1], block.slice[p.list ^ 1], ONE_SLICES, s.pushes.one};
}

/* Does a level by all warps. */
template <class B> __device__ static void push_by_block(B &block, const gpu_sliced &s, one_progress &p)
{
    unsigned *count = &block.count[after(p.at)];
    const uint32_t *list = block.slice[p.list];
    const slice_list next = list_after(block, s, p);
    note_level(block.notes, p.depth, LEVEL_BLOCK);
    if (threadIdx.x == 0)
        block.count[after(after(p.at))] = 0;
    if (p.count * SLICED_COLUMNS <= blockDim.x) {
        push_by_links(block, s, p, count, next);
    } else {
        for (unsigned i = threadIdx.x; i - lane_id() < p.count; i += blockDim.x)
            push_slice(block_marks<B>{block, s}, s, p.depth + 1, i < p.count ? list[i] : 0, i < p.count, count, next);
    }
    __syncthreads();
    p.at = after(p.at);
    p.list ^= 1;
    p.count = *(volatile unsigned *)count;
    p.seen += p.count;
    p.depth++;
}

/* Does levels of at most a link a lane, by the first warp. */
template <class B> __device__ static void push_by_warp(B &block, const gpu_sliced &s, one_progress &p)
{
    while (p.count > 0 && p.count * SLICED_COLUMNS <= WARP && p.depth < p.until) {
        uint2 link;
        note_level(block.notes, p.depth, LEVEL_BLOCK);
        p.depth++;
        const bool has = lane_id() < p.count * SLICED_COLUMNS;
        const slice_list next = list_after(block, s, p);
        const unsigned own =
            push_link(block_marks<B>{block, s}, s, p.depth, has ? block.slice[p.list][lane_id() / SLICED_COLUMNS] : 0,
                      lane_id() % SLICED_COLUMNS, has, link);
        const lane_share share = share_of_lane(own);
        p.list ^= 1;
        put_slices(next, share.before, link.y & SLICED_FIRST, own);
        p.count = share.all;
        p.seen += p.count;
        __syncwarp();
    }
    if (lane_id() == 0)
        block.one = p;
}

/* Shows all blocks the visited vertices of the first one, as if this level had found them. */
template <class B> __device__ static inline void show_visited(B &block, const gpu_sliced &s, unsigned turn)
{
    uint4 *found = (uint4 *)(s.found + turn * s.words);
    for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x)
        found[i] = visited_words(block, s, i);
}

/* Completes the visited masks. */
template <class B> __device__ static inline void write_visited(B &block, const gpu_sliced &s)
{
    const uint32_t normals = s.normals / 32;
    for (uint32_t i = threadIdx.x; i < s.of[DELEGATES].words; i += blockDim.x)
        s.of[DELEGATES].visited[i] = visited_word(block, s, i);
    for (uint32_t i = threadIdx.x; i < s.of[NORMALS].words; i += blockDim.x)
        s.of[NORMALS].visited[i] = visited_word(block, s, normals + i);
}

/* Hands the frontier to all blocks, as the first block's part of a list. */
template <class B> __device__ static inline void leave_list(B &block, const gpu_sliced &s, const one_progress &p)
{
    for (unsigned i = threadIdx.x; i < min(p.count, (unsigned)ONE_SLICES) && i < s.lists.capacity; i += blockDim.x)
        s.lists.slice[block.now.list % 2][i] = block.slice[p.list][i];
}

/* Does levels in one block, while it has room for their slices. */
template <class B> __device__ static void run_single(B &block, const gpu_sliced &s, one_progress &p)
{
    while (p.count > 0 && p.count <= s.pushes.one && p.depth < p.until) {
        if (p.count * SLICED_COLUMNS > WARP) {
            push_by_block(block, s, p);
            continue;
        }
        __syncthreads();
        if (threadIdx.x < WARP)
            push_by_warp(block, s, p);
        __syncthreads();
        p = block.one;
    }
}

/* Does levels in the first block, while the others wait. */
template <class B> __device__ static void run_one(B &block, const gpu_sliced &s, unsigned turn, one_progress p)
{
    p.until = s.order.deepest;
    p.seen = 0;
    run_single(block, s, p);
    if (p.count > 0)
        show_visited(block, s, turn);
    else
        write_visited(block, s);
    if (B::by_rows)
        leave_list(block, s, p);
    if (threadIdx.x == 0) {
        s.state->depth = p.depth;
        s.state->seen = p.seen;
        block.found = p.count > 0;
        block.weight = p.count;
    }
}

#endif

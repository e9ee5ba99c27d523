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

/* Lists `count` slices from list[at] on, up to the length of a list that is pushed. A lane lists
 * few slices alone. All lanes of the warp call it. */
__device__ static inline void put_slices(const gpu_sliced &s, uint32_t *list, unsigned at, uint32_t first,
                                         unsigned count)
{
    enum { FEW = 4, ALONE = 16 };
#pragma unroll
    for (unsigned k = 0; k < FEW; k++) {
        if (k < count && count <= ALONE && at + k < s.one)
            list[at + k] = first + k;
    }
    if (!__any_sync(ALL_LANES, count > FEW))
        return;
    for (unsigned k = FEW; k < count && count <= ALONE && at + k < s.one; k++)
        list[at + k] = first + k;
    for (unsigned many = __ballot_sync(ALL_LANES, count > ALONE && at < s.one); many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const unsigned to = __shfl_sync(ALL_LANES, at, from), all = __shfl_sync(ALL_LANES, count, from);
        const uint32_t slice = __shfl_sync(ALL_LANES, first, from);
        for (unsigned k = lane_id(); k < all && to + k < s.one; k += WARP)
            list[to + k] = slice + k;
    }
}

/* The vertex that has the slice, as a parent. */
__device__ static inline uint32_t pushing_code(const gpu_sliced &s, uint32_t slice)
{
    return has_parents(s) ? code_of(s, s.pushes.row[slice] & SLICED_ROW) : 0;
}

/* Puts what a block alone has found. Where each block does the level, all find the same, and the first one puts it. */
__device__ static inline void put_found(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent)
{
    if (blockIdx.x == 0)
        put_depth(s, v, depth, parent);
}

/* Pushes along link number i of the listed slices, one a lane. Lanes without a link get one to the root, which is
 * visited. Returns the slices of the vertex that the lane has found. */
__device__ static inline unsigned push_link(const gpu_sliced &s, int32_t depth, const uint32_t *list, unsigned i,
                                            bool has, uint2 &link)
{
    const uint32_t slice = has ? list[i / SLICED_COLUMNS] : 0;
    link =
        has ? ((const uint2 *)s.pushes.links)[(uint64_t)slice * SLICED_COLUMNS + i % SLICED_COLUMNS] : make_uint2(s.root, 0);
    if (!claim(link.x))
        return 0;
    put_found(s, link.x, depth, pushing_code(s, slice));
    return slices_of(s, link);
}

/* Pushes so few slices that each lane of the block has one link at most. */
template <class B>
__device__ static inline void push_by_links(B &block, const gpu_sliced &s, const one_progress &p, unsigned *count,
                                            uint32_t *next)
{
    const unsigned links = p.count * SLICED_COLUMNS, i = threadIdx.x;
    uint2 link;
    if (i - lane_id() >= links)
        return;
    const unsigned own = push_link(s, p.depth + 1, block.slice[p.list], i, i < links, link);
    if (__any_sync(ALL_LANES, own != 0))
        put_slices(s, next, reserve_slices(count, own), link.y & SLICED_FIRST, own);
}

/* Pushes along one slice a lane. */
__device__ static inline void push_slice(const gpu_sliced &s, int32_t depth, uint32_t slice, bool has,
                                         unsigned *count, uint32_t *next)
{
    const uint4 *links = (const uint4 *)&s.pushes.links[slice];
    const uint4 none = make_uint4(s.root, 0, s.root, 0), a = has ? links[0] : none, b = has ? links[1] : none;
    const uint2 link[SLICED_COLUMNS] = {make_uint2(a.x, a.y), make_uint2(a.z, a.w), make_uint2(b.x, b.y),
                                        make_uint2(b.z, b.w)};
    const uint32_t code = has ? pushing_code(s, slice) : 0;
    bool mine[SLICED_COLUMNS];
    unsigned own[SLICED_COLUMNS], all = 0;
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        mine[j] = !is_visited(link[j].x);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        mine[j] = mine[j] && claim(link[j].x);
        own[j] = mine[j] ? slices_of(s, link[j]) : 0;
        all += own[j];
    }
    if (!__any_sync(ALL_LANES, mine[0] | mine[1] | mine[2] | mine[3]))
        return;
    unsigned at = reserve_slices(count, all);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        if (mine[j])
            put_found(s, link[j].x, depth, code);
        put_slices(s, next, at, link[j].y & SLICED_FIRST, own[j]);
        at += own[j];
    }
}

/* Does a level by all warps. */
template <class B> __device__ static void push_by_block(B &block, const gpu_sliced &s, one_progress &p)
{
    unsigned *count = &block.count[after(p.at)];
    const uint32_t *list = block.slice[p.list];
    uint32_t *next = block.slice[p.list ^ 1];
    note_team(block.notes, p.depth, WHOLE_BY_BLOCK);
    if (threadIdx.x == 0)
        block.count[after(after(p.at))] = 0;
    if (p.count * SLICED_COLUMNS <= blockDim.x) {
        push_by_links(block, s, p, count, next);
    } else {
        for (unsigned i = threadIdx.x; i - lane_id() < p.count; i += blockDim.x)
            push_slice(s, p.depth + 1, i < p.count ? list[i] : 0, i < p.count, count, next);
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
        note_team(block.notes, p.depth, WHOLE_BY_BLOCK);
        p.depth++;
        const unsigned own =
            push_link(s, p.depth, block.slice[p.list], lane_id(), lane_id() < p.count * SLICED_COLUMNS, link);
        const lane_share share = share_of_lane(own);
        put_slices(s, block.slice[p.list ^= 1], share.before, link.y & SLICED_FIRST, own);
        p.count = share.all;
        p.seen += p.count;
        __syncwarp();
    }
    if (lane_id() == 0)
        block.one = p;
}

/* Shows all blocks the visited vertices of the first one, as if this level had found them. */
__device__ static inline void show_visited(const gpu_sliced &s, unsigned turn)
{
    uint4 *found = (uint4 *)(s.found + turn * s.words);
    for (uint32_t i = threadIdx.x; i < s.words / 4; i += blockDim.x)
        found[i] = ((const uint4 *)visited_mask())[i];
}

/* Completes the visited masks. */
__device__ static inline void write_visited(const gpu_sliced &s)
{
    const uint32_t normals = s.normals / 32;
    for (uint32_t i = threadIdx.x; i < s.of[DELEGATES].words; i += blockDim.x)
        s.of[DELEGATES].visited[i] = visited_mask()[i];
    for (uint32_t i = threadIdx.x; i < s.of[NORMALS].words; i += blockDim.x)
        s.of[NORMALS].visited[i] = visited_mask()[normals + i];
}

/* Does levels of a block, while it has room for their slices. */
template <class B> __device__ static void run_alone(B &block, const gpu_sliced &s, one_progress &p)
{
    while (p.count > 0 && p.count <= s.one && p.depth < p.until) {
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

/* Does levels by the first block, while the others wait. */
template <class B> __device__ static void run_one(B &block, const gpu_sliced &s, unsigned turn, one_progress p)
{
    p.until = s.order.deepest;
    p.seen = 0;
    run_alone(block, s, p);
    if (p.count > 0)
        show_visited(s, turn);
    else
        write_visited(s);
    if (threadIdx.x == 0) {
        s.state->depth = p.depth;
        s.state->seen = p.seen;
        block.found = p.count > 0;
        block.weight = p.count;
    }
}

#endif

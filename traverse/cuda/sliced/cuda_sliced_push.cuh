/* cuda_sliced_push.cuh: pushes along slices of links, and lists of the slices of found vertices; see cuda_sliced.h
 *
 * All pushes call push_links. Its argument `bits` hides that levels of different kinds keep the visited bits in different
 * places. It has six functions. push_links calls them in this order, but the last:
 * - may_be_new(v, has): returns whether vertex v may be unvisited. May return false for a lane without a link (`has`).
 * - claim(v): returns whether this lane may go on with v. Where set() uses bits that all blocks share, claim() lets only
 *   one lane of a block go on, which saves atomics.
 * - set(v): sets the visited bit of v, and returns whether this lane was the first to do so.
 * - found(link, depth, parent): writes depth, parent and next far bit of the vertex of a link, if set() returned true.
 * - leads_on(v): returns whether the slices of v belong to the next frontier, if set() returned true.
 * - is_pushed(slice, depth): returns whether a slice of a list is pushed, where `depth` is that of the vertices that it finds.
 */
#ifndef DBFS_CUDA_SLICED_PUSH_CUH
#define DBFS_CUDA_SLICED_PUSH_CUH

#include "cuda_sliced_block.cuh"

/* Returns the parent of the vertices that a push along this slice finds, as a code (code_of): the vertex to whose row the slice
 * belongs. Returns 0 if the search records no parents. */
__device__ static inline uint32_t parent_of_slice(const gpu_sliced &s, uint32_t slice)
{
    return has_parents(s) ? code_of(s, s.link_row[slice] & SLICED_ROW) : 0;
}

/* Reads LINKS links of one slice, from number `column` on: one link or, from column 0 on, all SLICED_COLUMNS links. A lane with
 * `has` false gets links to the root. */
template <int LINKS>
__device__ static inline void load_links(const gpu_sliced &s, uint32_t slice, unsigned column, bool has, uint2 (&link)[LINKS])
{
    if constexpr (LINKS == SLICED_COLUMNS) {
        const uint4 *pairs = (const uint4 *)&s.links[slice], none = make_uint4(s.root, 0, s.root, 0);
        const uint4 a = has ? pairs[0] : none, b = has ? pairs[1] : none;
        link[0] = make_uint2(a.x, a.y), link[1] = make_uint2(a.z, a.w);
        link[2] = make_uint2(b.x, b.y), link[3] = make_uint2(b.z, b.w);
    } else {
        link[0] = has ? ((const uint2 *)s.links)[(uint64_t)slice * SLICED_COLUMNS + column] : make_uint2(s.root, 0);
    }
}

/* Pushes along the links that load_links has read. A lane with `has` false pushes nothing. Vertices that this lane finds get their
 * visited bit, `depth` and `parent`. slices[j] becomes the number of slices of the vertex of link[j], or 0 if this lane has not found
 * it, or if it does not lead on. Each step is done for all links before the next step, so that their reads overlap. */
template <int LINKS, class Bits>
__device__ static inline void push_links(const Bits &bits, const gpu_sliced &s, int32_t depth, uint32_t parent, bool has,
                                         const uint2 (&link)[LINKS], unsigned (&slices)[LINKS])
{
    bool mine[LINKS];
#pragma unroll
    for (int j = 0; j < LINKS; j++)
        mine[j] = bits.may_be_new(link[j].x, has);
#pragma unroll
    for (int j = 0; j < LINKS; j++)
        mine[j] = mine[j] && bits.claim(link[j].x);
#pragma unroll
    for (int j = 0; j < LINKS; j++)
        mine[j] = mine[j] && bits.set(link[j].x);
#pragma unroll
    for (int j = 0; j < LINKS; j++) {
        slices[j] = 0;
        if (!mine[j])
            continue;
        bits.found(link[j], depth, parent);
        if (!bits.leads_on(link[j].x))
            continue;
        const unsigned count = link[j].y >> SLICED_FIRST_BITS;
        slices[j] = count < SLICED_MANY ? count : s.first[link[j].x + 1] - s.first[link[j].x];
    }
}

/* ---- lists of slices ---- */

/* Two sums over the lanes of a warp: over the lanes before this one, and over all. */
struct lane_share {
    unsigned before, all;
};

/* Returns the sums of `own` over the lanes before this one, and over all lanes. Most lanes have small numbers, and two
 * ballots are enough if all are at most 3. All lanes of the warp call it. */
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

/* Reserves neighbouring places in a list for each lane, as many as share_of_lane was given, and returns the lane's first place. *count, the
 * length of the list, goes up by share.all. All lanes of the warp call it. */
__device__ static inline unsigned reserve_slices(unsigned *count, const lane_share &share)
{
    const unsigned base = lane_id() == 0 && share.all != 0 ? atomicAdd(count, share.all) : 0;
    return __shfl_sync(ALL_LANES, base, 0) + share.before;
}

/* A list of up to `most` slices: the first `capacity` places lie in `slice`, and the places behind in `beyond`, which may be
 * another array. Both are indexed by the place. A warp that has more than `of_warp` slices
 * at once writes none of them: this would take longer than all blocks take to find the frontier by depths (FRONTIER_BY_DEPTH). Instead it
 * sets LACKS_SLICES in the length. The length is then above `most`, so no warp appends any more. The other bits still count all slices. */
struct slice_list {
    uint32_t *slice, *beyond;
    unsigned capacity, most, of_warp;
};

#define LACKS_SLICES (1u << 31)

/* Writes the slices first, ..., first + count - 1 to the list, from place `at` on. Writes nothing if the list has no room
 * for all of them; then its length is above `most`, and no level reads it. A lane writes up to BY_LANE slices by itself.
 * More are written by all lanes of the warp together. All lanes of the warp call it. */
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

/* Pushes along the links of share i of a list of `length` slices, and appends the slices of found vertices to the list `next`, whose
 * length is *count. A share is a slice, or one link of a slice if LINKS is 1. Behind the list the lane pushes nothing. When the links
 * are read, `goes_on` is called. If it returns false, nothing is pushed. All lanes of the warp call it. */
template <int LINKS, class Bits, class Wait>
__device__ static inline void push_listed(const Bits &bits, const gpu_sliced &s, int32_t depth, const uint32_t *list, unsigned i,
                                          unsigned length, const slice_list &next, unsigned *count, Wait goes_on)
{
    enum { SHARES = SLICED_COLUMNS / LINKS }; /* of a slice */
    const bool listed = i < length * SHARES;
    const uint32_t slice = listed ? list[i / SHARES] : 0;
    const bool has = listed && bits.is_pushed(slice, depth);
    const uint32_t parent = has ? parent_of_slice(s, slice) : 0;
    uint2 link[LINKS];
    unsigned slices[LINKS], all = 0;
    load_links(s, slice, i % SHARES, has, link);
    if (!goes_on())
        return;
    push_links(bits, s, depth, parent, has, link, slices);
#pragma unroll
    for (int j = 0; j < LINKS; j++)
        all += slices[j];
    if (!__any_sync(ALL_LANES, all != 0))
        return;
    const lane_share share = share_of_lane(all);
    unsigned at = reserve_slices(count, share);
    if (share.all > next.of_warp) {
        atomicOr(count, LACKS_SLICES);
        return;
    }
#pragma unroll
    for (int j = 0; j < LINKS; j++) {
        put_slices(next, at, link[j].y & SLICED_FIRST, slices[j]);
        at += slices[j];
    }
}

#endif

/* cuda_sliced_rows.cuh: levels that look at rows one by one, or push them; see cuda_sliced.h
 *
 * Rows of few slices are taken by lanes: a lane tests the first slice of its row, and then the lanes of a warp share the
 * rests of its rows. Rows of many slices were cut into pieces, which warps take.
 */
#ifndef DBFS_CUDA_SLICED_ROWS_CUH
#define DBFS_CUDA_SLICED_ROWS_CUH

#include "cuda_sliced_block.cuh"

__device__ static inline uint32_t warp_of_grid()
{
    return thread_of_grid() / WARP;
}

__device__ static inline uint32_t warps_of_grid()
{
    return threads_of_grid() / WARP;
}

/* The lane that has this item. The items of lanes follow each other; `before` is warp_prefix of their numbers. */
__device__ static inline unsigned lane_with(unsigned before, unsigned item)
{
    unsigned lane = 0;
#pragma unroll
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        if (__shfl_sync(ALL_LANES, before, lane + step) <= item)
            lane += step;
    }
    return lane;
}

/* Lanes that hold the items of this lane, which has `own` behind `before`, among the items base to base + WARP - 1. */
__device__ static inline unsigned lanes_of_own(unsigned before, unsigned own, unsigned base)
{
    const unsigned end = before + own;
    if (end <= base || before >= base + WARP)
        return 0;
    const unsigned first = before > base ? before - base : 0, behind = end - base;
    return (behind < WARP ? (1u << behind) - 1 : ALL_LANES) & ~((1u << first) - 1);
}

/* Marks v as found. Only one of the threads that find it counts it. */
__device__ static inline void mark_found(const gpu_sliced &s, unsigned turn, uint32_t v, unsigned slices,
                                         slice_tally &tally)
{
    const uint32_t bit = 1u << (v % 32);
    if (atomicOr(&s.found[turn * s.words + v / 32], bit) & bit)
        return;
    tally.found++;
    tally.weight += slices;
}

/* ---- pieces of long rows ---- */

/* A piece for each lane. Many warps share the pieces of a row. */
struct lane_piece {
    uint32_t row, first, count; /* count 0: none */
};

__device__ static inline lane_piece piece_of_lane(const gpu_sliced &s, uint32_t i)
{
    if (i >= s.rows.piece_count)
        return lane_piece{0, 0, 0};
    const uint2 piece = ((const uint2 *)s.rows.pieces)[i];
    return lane_piece{piece.x & SLICED_ROW, piece.y, piece.x >> SLICED_ROW_BITS};
}

/* The piece of another lane. */
__device__ static inline lane_piece piece_from(const lane_piece &own, int lane)
{
    return lane_piece{__shfl_sync(ALL_LANES, own.row, lane), __shfl_sync(ALL_LANES, own.first, lane),
                      __shfl_sync(ALL_LANES, own.count, lane)};
}

/* Pulls a piece, by a warp. */
template <class B>
__device__ static inline void pull_piece(B &block, const gpu_sliced &s, unsigned turn, int32_t depth,
                                         const lane_piece &piece, slice_tally &tally)
{
    const uint4 none = make_uint4(piece.row, piece.row, piece.row, piece.row);
    uint4 c[SLICED_PIECE / WARP], seen = none;
    bool sees = false;
#pragma unroll
    for (int j = 0; j < SLICED_PIECE / WARP; j++) {
        const uint32_t k = lane_id() + j * WARP;
        c[j] = k < piece.count ? ((const uint4 *)s.slices)[piece.first + k] : none;
    }
#pragma unroll
    for (int j = 0; j < SLICED_PIECE / WARP; j++) {
        note_columns(block, s, piece.row, c[j], false, tally);
        if (!sees && sees_visited(block, s, c[j])) {
            sees = true;
            seen = c[j];
        }
    }
    const unsigned hits = __ballot_sync(ALL_LANES, sees);
    if (hits == 0 || lane_id() != __ffs(hits) - 1)
        return;
    put_depth(s, piece.row, depth + 1, has_parents(s) ? code_of(s, visited_column(block, s, seen)) : 0);
    mark_found(s, turn, piece.row, s.first[piece.row + 1] - s.first[piece.row], tally);
}

__device__ static inline bool is_found(const gpu_sliced &s, unsigned turn, uint32_t v)
{
    return ((const volatile uint32_t *)s.found)[turn * s.words + v / 32] >> (v % 32) & 1;
}

/* Pulls long rows, beyond their first slices. */
template <class B>
__device__ static void pull_pieces(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, slice_tally &tally)
{
    for (uint32_t i = warp_of_grid(); i < s.rows.piece_count; i += WARP * warps_of_grid()) {
        const lane_piece own = piece_of_lane(s, i + lane_id() * warps_of_grid());
        const bool looks = own.count != 0 && !is_visited(block, s, own.row) && !is_found(s, turn, own.row);
        for (unsigned all = __ballot_sync(ALL_LANES, looks); all != 0; all &= all - 1)
            pull_piece(block, s, turn, depth, piece_from(own, __ffs(all) - 1), tally);
    }
}

/* ---- a level that is pulled ---- */

enum {
    HEADS = 4 /* rows of a lane under way */,
    TOGETHER = 8 /* lanes that have neighbouring rows */,
    REST_BITS = 7
};

/* Rows of a lane, number k to k + HEADS - 1 of all of them. */
struct lane_rows {
    uint32_t k;
    unsigned slices[HEADS]; /* of a row; 0: it does not look */
    unsigned rests;         /* slices of each that are still to be looked at, REST_BITS for each */
    uint32_t first[HEADS];  /* of these */
    unsigned found;         /* rows that have a parent, a bit each */
};

/* Row number k of a lane of this warp. Rows are sorted: each warp gets some of all lengths. */
__device__ static inline uint32_t row_of(uint32_t k, unsigned lane)
{
    const uint32_t group = (k * (WARP / TOGETHER) + lane / TOGETHER) * warps_of_grid() + warp_of_grid();
    return group * TOGETHER + lane % TOGETHER;
}

__device__ static inline unsigned rest_of(unsigned rests, int j)
{
    return rests >> j * REST_BITS & ((1u << REST_BITS) - 1);
}

__device__ static inline uint4 columns_of(const uint4 &head)
{
    return make_uint4(head.x & SLICED_ROW, head.y & SLICED_ROW, head.z & SLICED_ROW, head.w & SLICED_ROW);
}

/* The number of slices of the row: three columns share its bits. */
__device__ static inline unsigned slices_of_head(const uint4 &head)
{
    return head.x >> SLICED_ROW_BITS | head.y >> SLICED_ROW_BITS << SLICED_WEIGHT_BITS |
           head.z >> SLICED_ROW_BITS << 2 * SLICED_WEIGHT_BITS;
}

template <class B>
__device__ static inline void put_parent(const B &block, const gpu_sliced &s, int32_t depth, uint32_t row,
                                         const uint4 &columns)
{
    put_depth(s, row, depth + 1, has_parents(s) ? code_of(s, visited_column(block, s, columns)) : 0);
}

/* Looks at the first slices of rows that are not visited. */
template <class B>
__device__ static inline void look_at_heads(B &block, const gpu_sliced &s, int32_t depth, lane_rows &rows,
                                            slice_tally &tally)
{
    uint4 head[HEADS];
#pragma unroll
    for (int j = 0; j < HEADS; j++) {
        const uint32_t row = row_of(rows.k + j, lane_id());
        head[j] = row < 32 * s.words && !is_visited(block, s, row) ? ((const uint4 *)s.rows.heads)[row]
                                                                   : make_uint4(0, 0, 0, 0);
    }
    rows.found = rows.rests = 0;
#pragma unroll
    for (int j = 0; j < HEADS; j++) {
        const uint32_t row = row_of(rows.k + j, lane_id());
        const uint4 columns = columns_of(head[j]);
        const unsigned slices = rows.slices[j] = slices_of_head(head[j]);
        if (slices == 0)
            continue;
        note_columns(block, s, row, columns, false, tally);
        if (sees_visited(block, s, columns)) {
            put_parent(block, s, depth, row, columns);
            rows.found |= 1u << j;
        } else if (slices <= SLICED_PIECE) {
            rows.rests |= (slices - 1) << j * REST_BITS;
        }
    }
#pragma unroll
    for (int j = 0; j < HEADS; j++)
        rows.first[j] = rest_of(rows.rests, j) != 0 ? s.first[row_of(rows.k + j, lane_id())] + 1 : 0;
}

/* A slice of the rows of a lane: number `item`, as the lane's `rests` count them. */
struct lane_slice {
    int j; /* of a row of the lane */
    uint32_t slice;
};

/* All lanes of the warp call it. */
__device__ static inline lane_slice slice_from(const lane_rows &rows, unsigned lane, unsigned item)
{
    const unsigned rests = __shfl_sync(ALL_LANES, rows.rests, lane);
    lane_slice at = {0, __shfl_sync(ALL_LANES, rows.first[0], lane)};
#pragma unroll
    for (int j = 1; j < HEADS; j++) {
        const uint32_t first = __shfl_sync(ALL_LANES, rows.first[j], lane);
        if (at.j == j - 1 && item >= rest_of(rests, j - 1)) {
            item -= rest_of(rests, j - 1);
            at = lane_slice{j, first};
        }
    }
    at.slice += item;
    return at;
}

/* Looks at the rests of all rows, all lanes together. */
template <class B>
__device__ static inline void look_further(B &block, const gpu_sliced &s, int32_t depth, lane_rows &rows,
                                           slice_tally &tally)
{
    unsigned own = 0;
#pragma unroll
    for (int j = 0; j < HEADS; j++)
        own += rest_of(rows.rests, j);
    const unsigned before = warp_prefix(own), all = __shfl_sync(ALL_LANES, before + own, WARP - 1);
    for (unsigned base = 0; base < all; base += WARP) {
        const unsigned item = base + lane_id(), lane = lane_with(before, item);
        const lane_slice at = slice_from(rows, lane, item - __shfl_sync(ALL_LANES, before, lane));
        const uint32_t row = row_of(rows.k + at.j, lane);
        const bool looks = !(__shfl_sync(ALL_LANES, rows.found, lane) >> at.j & 1) && item < all;
        const uint4 columns = looks ? ((const uint4 *)s.slices)[at.slice] : make_uint4(row, row, row, row);
        const bool sees = looks && sees_visited(block, s, columns);
        note_columns(block, s, row, columns, false, tally);
        if (sees)
            put_parent(block, s, depth, row, columns);
        const unsigned hits = __ballot_sync(ALL_LANES, sees);
        unsigned begin = before;
#pragma unroll
        for (int j = 0; j < HEADS; j++) {
            const unsigned rest = rest_of(rows.rests, j);
            rows.found |= (hits & lanes_of_own(begin, rest, base)) != 0 ? 1u << j : 0;
            begin += rest;
        }
    }
}

/* Marks the rows that were found, neighbours together. Pieces may find long ones, too. */
__device__ static inline void mark_rows(const gpu_sliced &s, unsigned turn, const lane_rows &rows, slice_tally &tally)
{
#pragma unroll
    for (int j = 0; j < HEADS; j++) {
        const uint32_t row = row_of(rows.k + j, lane_id());
        const unsigned slices = rows.found >> j & 1 ? rows.slices[j] : 0, first = lane_id() / TOGETHER * TOGETHER;
        const bool is_short = slices != 0 && slices <= SLICED_PIECE;
        const unsigned bits = __ballot_sync(ALL_LANES, is_short) >> first & ((1u << TOGETHER) - 1);
        if (slices > SLICED_PIECE)
            mark_found(s, turn, row, slices, tally);
        if (lane_id() == first && bits != 0)
            atomicOr(&s.found[turn * s.words + row / 32], bits << (row % 32));
        tally.found += is_short;
        tally.weight += is_short ? slices : 0;
    }
}

template <class B> __device__ static void pull_rows(B &block, const gpu_sliced &s, unsigned turn, int32_t depth)
{
    slice_tally tally = {};
    lane_rows rows;
    for (rows.k = 0; rows.k * WARP * warps_of_grid() < 32 * s.words; rows.k += HEADS) {
        look_at_heads(block, s, depth, rows, tally);
        if (__any_sync(ALL_LANES, rows.rests != 0))
            look_further(block, s, depth, rows, tally);
        if (__any_sync(ALL_LANES, rows.found != 0))
            mark_rows(s, turn, rows, tally);
    }
    pull_pieces(block, s, turn, depth, tally);
    add_tally(block, tally);
}

/* ---- a level that is pushed ---- */

/* The form of the frontier for a push: a mask of the last found vertices; a mask of all that are visited, of which some are
 * the frontier; a list of each block's share; or marks that no block has taken in, where the frontier is empty. */
enum frontier_form { FRONTIER_MASK, FRONTIER_VISITED, FRONTIER_LISTED, FRONTIER_MARKS };

/* A word of the frontier, or of all vertices that the first block has visited. */
__device__ static inline uint32_t frontier_word(const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t word)
{
    if (depth == 0)
        return word == s.begin.root / 32 ? 1u << (s.begin.root % 32) : 0;
    return s.found[previous(turn) * s.words + word];
}

__device__ static inline bool has_depth(const gpu_sliced &s, uint32_t v, int32_t depth)
{
    return s.of[kind_of(s, v)].depth[id_of(s, v)] == depth;
}

/* Pushes along one slice a lane. */
template <class B>
__device__ static inline void push_lane(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t row,
                                        uint32_t slice, slice_tally &tally)
{
    const uint4 *links = (const uint4 *)&s.pushes.links[slice], a = links[0], b = links[1];
    const uint2 link[SLICED_COLUMNS] = {make_uint2(a.x, a.y), make_uint2(a.z, a.w), make_uint2(b.x, b.y),
                                        make_uint2(b.z, b.w)};
    const uint32_t code = has_parents(s) ? code_of(s, row) : 0;
    bool mine[SLICED_COLUMNS];
    note_columns(block, s, row, make_uint4(a.x, a.z, b.x, b.z), true, tally);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        mine[j] = !is_visited(block, s, link[j].x);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        mine[j] = mine[j] && claim(block, s, link[j].x);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        const uint32_t v = link[j].x, bit = 1u << (v % 32);
        if (mine[j])
            mine[j] = !(atomicOr(&s.found[turn * s.words + v / 32], bit) & bit);
    }
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        if (!mine[j])
            continue;
        put_depth(s, link[j].x, depth + 1, code);
        tally.found++;
        tally.weight += slices_of(s, link[j]);
    }
}

/* Pushes the slices of the lanes' rows, all lanes together. */
template <class B>
__device__ static inline void push_together(B &block, const gpu_sliced &s, unsigned turn, int32_t depth,
                                            const lane_piece &own, slice_tally &tally)
{
    const unsigned before = warp_prefix(own.count), all = __shfl_sync(ALL_LANES, before + own.count, WARP - 1);
    for (unsigned base = 0; base < all; base += WARP) {
        const unsigned item = base + lane_id(), owner = lane_with(before, item);
        const uint32_t row = __shfl_sync(ALL_LANES, own.row, owner);
        const uint32_t slice = __shfl_sync(ALL_LANES, own.first - before, owner) + item;
        if (item < all)
            push_lane(block, s, turn, depth, row, slice, tally);
    }
}

/* The row of v if it is in the frontier and short. */
__device__ static inline lane_piece short_row(const gpu_sliced &s, uint32_t v, bool has)
{
    const uint32_t first = has ? s.first[v] : 0, count = has ? s.first[v + 1] - first : 0;
    return lane_piece{v, first, count <= SLICED_PIECE ? count : 0};
}

/* Vertices of a frontier may lie side by side, so warps share words: each takes some bits of them. */
enum { WORD_PARTS = 8, PART_BITS = 32 / WORD_PARTS };

/* Pushes parts of words, one a lane; all lanes share the vertices. */
template <class B>
__device__ static inline void push_words(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t word,
                                         bool checks, slice_tally &tally)
{
    const unsigned part = warp_of_grid() % WORD_PARTS * PART_BITS;
    const uint32_t bits = word < s.words ? frontier_word(s, turn, depth, word) >> part & ((1u << PART_BITS) - 1) : 0;
    const unsigned before = warp_prefix(__popc(bits)), all = __shfl_sync(ALL_LANES, before + __popc(bits), WARP - 1);
    for (unsigned base = 0; base < all; base += WARP) {
        const unsigned item = base + lane_id(), owner = lane_with(before, item);
        uint32_t left = __shfl_sync(ALL_LANES, bits, owner);
        const uint32_t vertices = 32 * __shfl_sync(ALL_LANES, word, owner) + part;
        for (unsigned k = __shfl_sync(ALL_LANES, before, owner); k < item; k++)
            left &= left - 1;
        const uint32_t v = vertices + __ffs(left) - 1;
        const bool has = item < all && (!checks || has_depth(s, v, depth));
        push_together(block, s, turn, depth, short_row(s, v, has), tally);
    }
}

/* Pushes the block's list, a vertex a lane. Neighbours in the list go to different warps. */
template <class B>
__device__ static inline void push_list(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, slice_tally &tally)
{
    const unsigned count = block.count[1], warps = blockDim.x / WARP;
    for (unsigned i = threadIdx.x / WARP; i < count; i += blockDim.x) {
        const unsigned own = i + lane_id() * warps;
        push_together(block, s, turn, depth, short_row(s, own < count ? block.slice[1][own] : 0, own < count), tally);
    }
}

/* Pushes long rows of the frontier. */
template <class B>
__device__ static void push_pieces(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, bool checks,
                                   slice_tally &tally)
{
    for (uint32_t i = warp_of_grid(); i < s.rows.piece_count; i += WARP * warps_of_grid()) {
        const lane_piece own = piece_of_lane(s, i + lane_id() * warps_of_grid());
        const bool pushes = own.count != 0 && is_visited(block, s, own.row) &&
                            frontier_word(s, turn, depth, own.row / 32) >> (own.row % 32) & 1 &&
                            (!checks || has_depth(s, own.row, depth));
        for (unsigned all = __ballot_sync(ALL_LANES, pushes); all != 0; all &= all - 1) {
            const lane_piece piece = piece_from(own, __ffs(all) - 1);
            for (unsigned k = lane_id(); k < piece.count; k += WARP)
                push_lane(block, s, turn, depth, piece.row, piece.first + k, tally);
        }
    }
}

template <class B>
__device__ static void push_rows(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, frontier_form form)
{
    slice_tally tally = {};
    const bool checks = form == FRONTIER_VISITED;
    const uint32_t groups = warps_of_grid() / WORD_PARTS; /* a block has a multiple of so many warps */
    if (form == FRONTIER_LISTED)
        push_list(block, s, turn, depth, tally);
    for (uint32_t w = warp_of_grid() / WORD_PARTS; form != FRONTIER_LISTED && w < s.words; w += WARP * groups)
        push_words(block, s, turn, depth, w + lane_id() * groups, checks, tally);
    push_pieces(block, s, turn, depth, checks, tally);
    add_tally(block, tally);
}

#endif

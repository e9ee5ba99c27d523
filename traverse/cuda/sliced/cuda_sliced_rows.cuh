/* cuda_sliced_rows.cuh: levels that pull or push rows; see cuda_sliced.h
 *
 * Rows of few slices are taken by lanes: a lane tests the first slice of its row, and then the lanes of a warp share the
 * rests of its rows. Rows of more than SLICED_PIECE slices were cut into pieces, which warps take.
 */
#ifndef DBFS_CUDA_SLICED_ROWS_CUH
#define DBFS_CUDA_SLICED_ROWS_CUH

#include "cuda_sliced_push.cuh"

__device__ static inline uint32_t warp_of_grid()
{
    return thread_of_grid() / WARP;
}

__device__ static inline uint32_t warps_of_grid()
{
    return threads_of_grid() / WARP;
}

/* Returns the lane that has this item. The items of lanes follow each other; `before` is warp_prefix of their numbers. */
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

/* Sets the bit of v in `found`. Of the threads that find v, one counts it. */
__device__ static inline void set_found(const gpu_sliced &s, unsigned round, uint32_t v, unsigned slices, slice_tally &tally)
{
    const uint32_t bit = 1u << (v % 32);
    if (atomicOr(&s.found[round * s.words + v / 32], bit) & bit)
        return;
    tally.found++;
    tally.weight += slices;
}

/* ---- pieces of long rows ---- */

/* Slices of one row: of a piece, or of a short row. Many warps share the pieces of a row. */
struct row_slices {
    uint32_t row, first, count; /* count 0: none */
};

/* Returns piece i, or none beyond the last one. */
__device__ static inline row_slices piece_at(const gpu_sliced &s, uint32_t i)
{
    if (i >= s.piece_count)
        return row_slices{0, 0, 0};
    const uint2 piece = ((const uint2 *)s.pieces)[i];
    return row_slices{piece.x & SLICED_ROW, piece.y, piece.x >> SLICED_ROW_BITS};
}

/* Returns the piece of another lane. */
__device__ static inline row_slices piece_from(const row_slices &own, int lane)
{
    return row_slices{__shfl_sync(ALL_LANES, own.row, lane), __shfl_sync(ALL_LANES, own.first, lane),
                      __shfl_sync(ALL_LANES, own.count, lane)};
}

/* A row looks for a parent among the slices of a piece, a warp together. */
template <class B>
__device__ static inline void pull_piece(B &block, const gpu_sliced &s, unsigned round, int32_t depth,
                                         const row_slices &piece, slice_tally &tally)
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
    put_pulled(block, s, depth + 1, piece.row, seen);
    set_found(s, round, piece.row, s.first[piece.row + 1] - s.first[piece.row], tally);
}

/* ---- PULL ---- */

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

/* Returns row number k of a lane of this warp. Rows are sorted: each warp gets some of all lengths. */
__device__ static inline uint32_t row_of(uint32_t k, unsigned lane)
{
    const uint32_t group = (k * (WARP / TOGETHER) + lane / TOGETHER) * warps_of_grid() + warp_of_grid();
    return group * TOGETHER + lane % TOGETHER;
}

__device__ static inline unsigned rest_of(unsigned rests, int j)
{
    return rests >> j * REST_BITS & ((1u << REST_BITS) - 1);
}

/* The lane's rows that are not visited look at their first slices. Sets all of `rows` but k. */
template <class B>
__device__ static inline void look_at_heads(B &block, const gpu_sliced &s, int32_t depth, lane_rows &rows,
                                            slice_tally &tally)
{
    uint4 head[HEADS];
#pragma unroll
    for (int j = 0; j < HEADS; j++) {
        const uint32_t row = row_of(rows.k + j, lane_id());
        head[j] = row < 32 * s.words && !is_visited(block, s, row) ? ((const uint4 *)s.heads)[row] : make_uint4(0, 0, 0, 0);
    }
    rows.found = rows.rests = 0;
#pragma unroll
    for (int j = 0; j < HEADS; j++) {
        const uint32_t row = row_of(rows.k + j, lane_id());
        const uint4 &h = head[j];
        const uint4 columns = make_uint4(h.x & SLICED_ROW, h.y & SLICED_ROW, h.z & SLICED_ROW, h.w & SLICED_ROW);
        /* three columns share the bits of the number of slices */
        const unsigned slices = rows.slices[j] = h.x >> SLICED_ROW_BITS | h.y >> SLICED_ROW_BITS << SLICED_WEIGHT_BITS |
                                                 h.z >> SLICED_ROW_BITS << 2 * SLICED_WEIGHT_BITS;
        if (slices == 0)
            continue;
        note_columns(block, s, row, columns, false, tally);
        if (sees_visited(block, s, columns)) {
            put_pulled(block, s, depth + 1, row, columns);
            rows.found |= 1u << j;
        } else if (slices <= SLICED_PIECE) {
            rows.rests |= (slices - 1) << j * REST_BITS;
        }
    }
#pragma unroll
    for (int j = 0; j < HEADS; j++)
        rows.first[j] = rest_of(rows.rests, j) != 0 ? s.first[row_of(rows.k + j, lane_id())] + 1 : 0;
}

/* Returns the lanes that hold the items of this lane, which has `own` behind `before`, among items base to base + WARP -
 * 1. */
__device__ static inline unsigned lanes_of_own(unsigned before, unsigned own, unsigned base)
{
    const unsigned end = before + own;
    if (end <= base || before >= base + WARP)
        return 0;
    const unsigned first = before > base ? before - base : 0, behind = end - base;
    return (behind < WARP ? (1u << behind) - 1 : ALL_LANES) & ~((1u << first) - 1);
}

/* Rows without a parent look at their other slices, all lanes together: an item is a slice. Adds to rows.found. */
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
        /* which row of that lane, and which slice: the items of a lane are those of its first row, then of the next ones */
        unsigned of_lane = item - __shfl_sync(ALL_LANES, before, lane);
        const unsigned rests = __shfl_sync(ALL_LANES, rows.rests, lane);
        uint32_t slice = __shfl_sync(ALL_LANES, rows.first[0], lane);
        int number = 0;
#pragma unroll
        for (int j = 1; j < HEADS; j++) {
            const uint32_t first = __shfl_sync(ALL_LANES, rows.first[j], lane);
            if (number == j - 1 && of_lane >= rest_of(rests, j - 1)) {
                of_lane -= rest_of(rests, j - 1);
                number = j;
                slice = first;
            }
        }
        const uint32_t row = row_of(rows.k + number, lane);
        const bool looks = !(__shfl_sync(ALL_LANES, rows.found, lane) >> number & 1) && item < all;
        const uint4 columns = looks ? ((const uint4 *)s.slices)[slice + of_lane] : make_uint4(row, row, row, row);
        const bool sees = looks && sees_visited(block, s, columns);
        note_columns(block, s, row, columns, false, tally);
        if (sees)
            put_pulled(block, s, depth + 1, row, columns);
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

/* Sets the bits of rows.found in `found`, neighbours together. Pieces may find long rows, too. */
__device__ static inline void set_found_rows(const gpu_sliced &s, unsigned round, const lane_rows &rows, slice_tally &tally)
{
#pragma unroll
    for (int j = 0; j < HEADS; j++) {
        const uint32_t row = row_of(rows.k + j, lane_id());
        const unsigned slices = rows.found >> j & 1 ? rows.slices[j] : 0, first = lane_id() / TOGETHER * TOGETHER;
        const bool is_short = slices != 0 && slices <= SLICED_PIECE;
        const unsigned bits = __ballot_sync(ALL_LANES, is_short) >> first & ((1u << TOGETHER) - 1);
        if (slices > SLICED_PIECE)
            set_found(s, round, row, slices, tally);
        if (lane_id() == first && bits != 0)
            atomicOr(&s.found[round * s.words + row / 32], bits << (row % 32));
        tally.found += is_short;
        tally.weight += is_short ? slices : 0;
    }
}

/* Unvisited rows look for a visited column: all rows, up to SLICED_PIECE slices; then pieces of long rows. */
template <class B> __device__ static void pull_rows(B &block, const gpu_sliced &s, unsigned round, int32_t depth)
{
    slice_tally tally = {};
    lane_rows rows;
    for (rows.k = 0; rows.k * WARP * warps_of_grid() < 32 * s.words; rows.k += HEADS) {
        look_at_heads(block, s, depth, rows, tally);
        if (__any_sync(ALL_LANES, rows.rests != 0))
            look_further(block, s, depth, rows, tally);
        if (__any_sync(ALL_LANES, rows.found != 0))
            set_found_rows(s, round, rows, tally);
    }
    for (uint32_t i = warp_of_grid(); i < s.piece_count; i += WARP * warps_of_grid()) {
        const row_slices own = piece_at(s, i + lane_id() * warps_of_grid());
        const volatile uint32_t *found = s.found;
        const bool looks = own.count != 0 && !is_visited(block, s, own.row) &&
                           !(found[round * s.words + own.row / 32] >> (own.row % 32) & 1);
        for (unsigned all = __ballot_sync(ALL_LANES, looks); all != 0; all &= all - 1)
            pull_piece(block, s, round, depth, piece_from(own, __ffs(all) - 1), tally);
    }
    add_tally(block, tally);
}

/* ---- PUSH ---- */

/* Where a push finds the frontier. */
enum frontier_form {
    FRONTIER_FOUND,   /* the `found` bitmap of the level before */
    FRONTIER_VISITED, /* the same, with all visited vertices: some of them are the frontier, by their depths */
    FRONTIER_LISTED,  /* each block has its share in block.slice[1] */
    FRONTIER_NONE     /* it is empty, and the last `found` bitmap has visited bits that no block has added to its own */
};

/* Returns a word of the frontier or, for FRONTIER_VISITED, of all vertices that are visited. */
__device__ static inline uint32_t frontier_word(const gpu_sliced &s, unsigned round, int32_t depth, uint32_t word)
{
    if (depth == 0)
        return word == s.root / 32 ? 1u << (s.root % 32) : 0;
    return s.found[previous_round(round) * s.words + word];
}

__device__ static inline bool has_depth(const gpu_sliced &s, uint32_t v, int32_t depth)
{
    return s.of[kind_of(s, v)].depth[id_of(s, v)] == depth;
}

/* The visited bits for pushes of a dense level (push_links): those of this block, and the `found` bitmap of the round. */
template <class B> struct dense_bits {
    B &block;
    const gpu_sliced &s;
    uint32_t *found_bits;

    __device__ bool may_be_new(uint32_t v, bool) const
    {
        return !is_visited(block, s, v);
    }

    /* The first lane of the block that sets a near bit goes on; far bits are left to set(). */
    __device__ bool claim(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return is_far(block, s, v / 32) || (!is_visited(block, s, v) && !(atomicOr(&near_bits()[v / 32], bit) & bit));
    }

    __device__ bool set(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&found_bits[v / 32], bit) & bit);
    }

    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        put_depth(s, link.x, depth, parent);
    }
};

/* Pushes along one slice of a row, a lane. Counts the found vertices. */
template <class B>
__device__ static inline void push_columns(B &block, const gpu_sliced &s, unsigned round, int32_t depth, uint32_t row,
                                           uint32_t slice, slice_tally &tally)
{
    const dense_bits<B> bits = {block, s, s.found + round * s.words};
    uint2 link[SLICED_COLUMNS];
    unsigned slices[SLICED_COLUMNS];
    push_links(bits, s, depth + 1, has_parents(s) ? code_of(s, row) : 0, slice, 0, true, link, slices);
    note_columns(block, s, row, make_uint4(link[0].x, link[1].x, link[2].x, link[3].x), true, tally);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        tally.found += slices[j] != 0;
        tally.weight += slices[j];
    }
}

/* Pushes the rows of the lanes' vertices v, where a lane `has` one and its row is short. The lanes of the warp share the
 * slices of all these rows, so that all of them call it. */
template <class B>
__device__ static inline void push_short_rows(B &block, const gpu_sliced &s, unsigned round, int32_t depth, uint32_t v,
                                              bool has, slice_tally &tally)
{
    const uint32_t first = has ? s.first[v] : 0, length = has ? s.first[v + 1] - first : 0;
    const uint32_t count = length <= SLICED_PIECE ? length : 0;
    const unsigned before = warp_prefix(count), all = __shfl_sync(ALL_LANES, before + count, WARP - 1);
    for (unsigned base = 0; base < all; base += WARP) {
        const unsigned item = base + lane_id(), owner = lane_with(before, item);
        const uint32_t row = __shfl_sync(ALL_LANES, v, owner);
        const uint32_t slice = __shfl_sync(ALL_LANES, first - before, owner) + item;
        if (item < all)
            push_columns(block, s, round, depth, row, slice, tally);
    }
}

/* Vertices of a frontier may lie side by side, so warps share words: each takes some bits of them. */
enum { WORD_PARTS = 8, PART_BITS = 32 / WORD_PARTS };

/* Pushes the short rows of PART_BITS vertices of each lane's `word` of the frontier, those of this warp; all lanes share the
 * vertices. `checks`: a vertex is in the frontier only if it has `depth`. */
template <class B>
__device__ static inline void push_words(B &block, const gpu_sliced &s, unsigned round, int32_t depth, uint32_t word,
                                         bool checks, slice_tally &tally)
{
    const unsigned part = warp_of_grid() % WORD_PARTS * PART_BITS;
    const uint32_t bits = word < s.words ? frontier_word(s, round, depth, word) >> part & ((1u << PART_BITS) - 1) : 0;
    const unsigned before = warp_prefix(__popc(bits)), all = __shfl_sync(ALL_LANES, before + __popc(bits), WARP - 1);
    for (unsigned base = 0; base < all; base += WARP) {
        const unsigned item = base + lane_id(), owner = lane_with(before, item);
        uint32_t left = __shfl_sync(ALL_LANES, bits, owner);
        const uint32_t vertices = 32 * __shfl_sync(ALL_LANES, word, owner) + part;
        for (unsigned k = __shfl_sync(ALL_LANES, before, owner); k < item; k++)
            left &= left - 1;
        const uint32_t v = vertices + __ffs(left) - 1;
        push_short_rows(block, s, round, depth, v, item < all && (!checks || has_depth(s, v, depth)), tally);
    }
}

/* Pushes rows of the frontier: short ones, then pieces of long ones. */
template <class B>
__device__ static void push_rows(B &block, const gpu_sliced &s, unsigned round, int32_t depth, frontier_form form)
{
    slice_tally tally = {};
    const bool checks = form == FRONTIER_VISITED;
    const uint32_t groups = warps_of_grid() / WORD_PARTS; /* a block has a multiple of so many warps */
    if (form == FRONTIER_LISTED) { /* a vertex a lane; neighbours in the list go to different warps */
        const unsigned count = block.count[1], warps = blockDim.x / WARP;
        for (unsigned i = threadIdx.x / WARP; i < count; i += blockDim.x) {
            const unsigned own = i + lane_id() * warps;
            push_short_rows(block, s, round, depth, own < count ? block.slice[1][own] : 0, own < count, tally);
        }
    }
    for (uint32_t w = warp_of_grid() / WORD_PARTS; form != FRONTIER_LISTED && w < s.words; w += WARP * groups)
        push_words(block, s, round, depth, w + lane_id() * groups, checks, tally);
    for (uint32_t i = warp_of_grid(); i < s.piece_count; i += WARP * warps_of_grid()) {
        const row_slices own = piece_at(s, i + lane_id() * warps_of_grid());
        const bool pushes = own.count != 0 && is_visited(block, s, own.row) &&
                            frontier_word(s, round, depth, own.row / 32) >> (own.row % 32) & 1 &&
                            (!checks || has_depth(s, own.row, depth));
        for (unsigned all = __ballot_sync(ALL_LANES, pushes); all != 0; all &= all - 1) {
            const row_slices piece = piece_from(own, __ffs(all) - 1);
            for (unsigned k = lane_id(); k < piece.count; k += WARP)
                push_columns(block, s, round, depth, piece.row, piece.first + k, tally);
        }
    }
    add_tally(block, tally);
}

#endif

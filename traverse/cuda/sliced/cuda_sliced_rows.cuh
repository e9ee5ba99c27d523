/* cuda_sliced_rows.cuh: levels of kinds PULL and PUSH, in which all blocks pull or push rows; see cuda_sliced.h
 *
 * A short row has up to SLICED_PIECE slices. Each lane begins a short row of its own, and then the lanes of the warp
 * share the slices behind the first slices of their rows. A long row has more slices. It was cut into pieces of up to
 * SLICED_PIECE slices when the device was opened, and a whole warp works on a piece.
 */
#ifndef DBFS_CUDA_SLICED_ROWS_CUH
#define DBFS_CUDA_SLICED_ROWS_CUH

#include "cuda_sliced_push.cuh"

/* Returns the number of this warp among the warps of all blocks. */
__device__ static inline uint32_t warp_of_grid()
{
    return thread_of_grid() / WARP;
}

/* Returns the number of warps of all blocks. */
__device__ static inline uint32_t warps_of_grid()
{
    return threads_of_grid() / WARP;
}

/* Returns the lane that has a given item, or any lane for an item behind the last. The items of all lanes are numbered in
 * the order of lanes, and `before` is the number of items of all lanes below this lane. All lanes of the warp call it. */
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

/* Sets the bit of v in the level's `found` bitmap. The first thread to do so sets its next far bit, and counts v and its
 * `slices` slices in `tally`. */
template <class B>
__device__ static inline void set_found(B &block, const gpu_sliced &s, unsigned turn, uint32_t v, unsigned slices, slice_tally &tally)
{
    const uint32_t bit = 1u << (v % 32);
    if (atomicOr(&s.found[turn * s.words + v / 32], bit) & bit)
        return;
    set_next_far(block, s, v / 32, bit);
    tally.found++;
    tally.weight += slices;
}

/* A piece of a long row, unpacked from a struct slice_piece. */
struct row_piece {
    uint32_t row, first, count; /* the slices of the piece are first..first + count - 1 */
};

/* Calls act(piece) for each piece of a long row for which wants(row) is true. Each lane reads a piece and asks wants(row);
 * then the warp calls act() with all lanes for one wanted piece after the other. Neighbouring pieces go to different blocks, as rows
 * that want something are often neighbours. All threads of all blocks call it. */
template <class Wants, class Act>
__device__ static inline void each_piece(const gpu_sliced &s, const Wants &wants, const Act &act)
{
    for (uint32_t i = threadIdx.x / WARP * gridDim.x + blockIdx.x; i < s.piece_count; i += WARP * warps_of_grid()) {
        const uint32_t own = i + lane_id() * warps_of_grid();
        const uint2 piece = own < s.piece_count ? ((const uint2 *)s.pieces)[own] : make_uint2(0, 0);
        const uint32_t row = piece.x & SLICED_ROW, count = piece.x >> SLICED_ROW_BITS;
        for (unsigned all = __ballot_sync(ALL_LANES, count != 0 && wants(row)); all != 0; all &= all - 1) {
            const int lane = __ffs(all) - 1;
            act(row_piece{__shfl_sync(ALL_LANES, row, lane), __shfl_sync(ALL_LANES, piece.y, lane),
                          __shfl_sync(ALL_LANES, count, lane)});
        }
    }
}

/* ---- PULL ---- */

enum {
    HEADS = 4 /* the number of rows that a lane works on at the same time */,
    TOGETHER = 8 /* the number of neighbouring lanes that have neighbouring rows */,
    REST_BITS = 7 /* the width in bits of rest_of: how many slices of a short row no lane has looked at */
};

/* The HEADS rows on which a lane works at the same time: rows k, ..., k + HEADS - 1 of the lane, numbered as by row_of. Element
 * j of an array belongs to row k + j. */
struct lane_rows {
    uint32_t k;
    unsigned slices[HEADS]; /* the number of slices of each row; 0: the row does not look for a parent */
    /* for each row, how many slices no lane has looked at, in REST_BITS bits (rest_of) */
    unsigned rests;
    uint32_t first[HEADS];  /* for each row, the first slice that no lane has looked at */
    unsigned found;         /* bit j: row j has found a parent */
};

/* Returns row number k of a lane of this warp; it may lie behind the last vertex. TOGETHER neighbouring lanes have neighbouring
 * rows. Rows are in the order of their lengths, and a warp gets rows from all parts of this order. */
__device__ static inline uint32_t row_of(uint32_t k, unsigned lane)
{
    const uint32_t group = (k * (WARP / TOGETHER) + lane / TOGETHER) * warps_of_grid() + warp_of_grid();
    return group * TOGETHER + lane % TOGETHER;
}

/* Returns how many slices of row j no lane has looked at. `rests` is lane_rows.rests of this lane or of another lane. */
__device__ static inline unsigned rest_of(unsigned rests, int j)
{
    return rests >> j * REST_BITS & ((1u << REST_BITS) - 1);
}

/* First step of PULL: the HEADS rows of each lane that begin with number rows.k look for a visited column in their first
 * slices, which are copied in s.heads. A row that sees one gets depth + 1 and a parent. Visited rows, and rows without
 * edges, do not look. Sets all other members of `rows`: which rows look, which have found a parent, and which short rows
 * have more slices. `tally` changes only for notes (probes). All lanes of the warp call it. */
template <class B>
__device__ static inline void look_at_heads(B &block, const gpu_sliced &s, int32_t depth, lane_rows &rows,
                                            slice_tally &tally)
{
    uint4 head[HEADS]; /* all heads are read before one is looked at, so that the reads overlap */
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
        /* the number of slices is spread over the upper bits of three columns */
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

/* Returns which lanes of the warp work on items of this lane, as a bit for each lane. Lane i works on item base + i, and
 * the items of this lane are before, ..., before + own - 1. */
__device__ static inline unsigned lanes_of_own(unsigned before, unsigned own, unsigned base)
{
    const unsigned end = before + own;
    if (end <= base || before >= base + WARP)
        return 0;
    const unsigned first = before > base ? before - base : 0, behind = end - base;
    return (behind < WARP ? (1u << behind) - 1 : ALL_LANES) & ~((1u << first) - 1);
}

/* Second step of PULL: short rows that have no parent yet look for a visited column in the slices after their first. The
 * lanes of the warp share these slices, the items. A row that sees a visited column gets depth + 1, a parent, and its bit
 * in rows.found, and then no lane looks at more of its slices. All lanes of the warp call it. */
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
        /* finds the slice of the item, and the number of its row among the rows of the lane that brought it. The items of a
         * lane are those of its row 0, then those of row 1, and so on */
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
        /* marks the rows of this lane for which any lane has found a parent */
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

/* Third step of PULL: sets the bits of the rows in rows.found in the `found` and next far bitmaps, and counts these rows and
 * their slices in `tally`. One atomic each is enough for the short rows of TOGETHER neighbouring lanes, which lie in one
 * word. A long row may be found by warps at its pieces, too; set_found counts it once. All lanes of the warp call it. */
template <class B>
__device__ static inline void set_found_rows(B &block, const gpu_sliced &s, unsigned turn, const lane_rows &rows, slice_tally &tally)
{
#pragma unroll
    for (int j = 0; j < HEADS; j++) {
        const uint32_t row = row_of(rows.k + j, lane_id());
        const unsigned slices = rows.found >> j & 1 ? rows.slices[j] : 0, first = lane_id() / TOGETHER * TOGETHER;
        const bool is_short = slices != 0 && slices <= SLICED_PIECE;
        const unsigned bits = __ballot_sync(ALL_LANES, is_short) >> first & ((1u << TOGETHER) - 1);
        if (slices > SLICED_PIECE)
            set_found(block, s, turn, row, slices, tally);
        if (lane_id() == first && bits != 0) { /* `bits`: the found short rows of lanes first to first + TOGETHER - 1 */
            atomicOr(&s.found[turn * s.words + row / 32], bits << (row % 32));
            set_next_far(block, s, row / 32, bits << (row % 32));
        }
        tally.found += is_short;
        tally.weight += is_short ? slices : 0;
    }
}

/* Lets an unvisited long row look for a visited column in all slices of one piece, which the lanes of a warp share. If
 * there is one, the row gets its bit in the level's `found` bitmap, depth + 1 and a parent, and is counted in
 * `tally` unless another warp has counted it. All lanes of the warp call it. */
template <class B>
__device__ static inline void pull_piece(B &block, const gpu_sliced &s, unsigned turn, int32_t depth,
                                         const row_piece &piece, slice_tally &tally)
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
    set_found(block, s, turn, piece.row, s.first[piece.row + 1] - s.first[piece.row], tally);
}

/* Does a level of kind PULL: each unvisited row looks for a visited column until it sees one. Short rows look in their slices
 * first, then long rows in their pieces. Found rows get depth + 1, a parent, and their bit in the level's `found` bitmap, and
 * are counted in `block`. All threads of all blocks call it. */
template <class B> __device__ static void pull_rows(B &block, const gpu_sliced &s, unsigned turn, int32_t depth)
{
    slice_tally tally = {};
    lane_rows rows;
    for (rows.k = 0; rows.k * WARP * warps_of_grid() < 32 * s.words; rows.k += HEADS) {
        look_at_heads(block, s, depth, rows, tally);
        if (__any_sync(ALL_LANES, rows.rests != 0))
            look_further(block, s, depth, rows, tally);
        if (__any_sync(ALL_LANES, rows.found != 0))
            set_found_rows(block, s, turn, rows, tally);
    }
    const volatile uint32_t *found = s.found + turn * s.words; /* another piece may have found the row in this level */
    each_piece(
        s, [&](uint32_t row) { return !is_visited(block, s, row) && !(found[row / 32] >> (row % 32) & 1); },
        [&](const row_piece &piece) { pull_piece(block, s, turn, depth, piece, tally); });
    add_tally(block, tally);
}

/* ---- PUSH ---- */

/* Where PUSH finds the frontier. This depends on the level before. */
enum frontier_form {
    /* the frontier is the `found` bitmap of the level before */
    FRONTIER_FOUND,
    /* after BLOCK or SPARSE levels, which leave all vertices that they found in a `found` bitmap: those of them that have the
     * frontier's depth */
    FRONTIER_BY_DEPTH,
    /* the last `found` bitmap; each block also has its share as a list, block.count[1] vertices in block.slice[1] */
    FRONTIER_LISTED
};

/* Returns a word of the frontier's bitmap, the `found` bitmap of the level before. `turn` and `depth` are those of the
 * present level. At depth 0 the frontier may be an only root. */
__device__ static inline uint32_t frontier_word(const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t word)
{
    if (depth == 0 && s.roots.count == 1)
        return word == s.root / 32 ? 1u << (s.root % 32) : 0;
    return s.found[previous_turn(turn) * s.words + word];
}

/* Returns whether v has this depth. v must be visited, as unvisited vertices have no valid depth. */
__device__ static inline bool has_depth(const gpu_sliced &s, uint32_t v, int32_t depth)
{
    return s.of[kind_of(s, v)].depth[id_of(s, v)] == depth;
}

/* The visited bits of a PUSH, as push_links uses them: those of this block, and the level's `found` bitmap, which
 * all share. */
template <class B> struct dense_bits {
    B &block;
    const gpu_sliced &s;
    uint32_t *found_bits;

    /* Returns whether v may be unvisited: it was so before this level, and this block has not set a near bit of v since. */
    __device__ bool may_be_new(uint32_t v, bool) const
    {
        return !is_visited(block, s, v);
    }

    /* Returns whether this lane goes on with v. Of the lanes of the block that reach the same v, only the one that sets
     * the near bit first goes on. If v has a far bit, all go on, and set() decides between them. */
    __device__ bool claim(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return is_far(block, s, v / 32) || (!is_visited(block, s, v) && !(atomicOr(&near_bits()[v / 32], bit) & bit));
    }

    /* Sets the bit of v in the level's `found` bitmap. Returns whether this lane was the first of all blocks. */
    __device__ bool set(uint32_t v) const
    {
        const uint32_t bit = 1u << (v % 32);
        return !(atomicOr(&found_bits[v / 32], bit) & bit);
    }

    /* Writes depth, parent and next far bit of the vertex of a link. */
    __device__ void found(const uint2 &link, int32_t depth, uint32_t parent) const
    {
        put_depth(s, link.x, depth, parent);
        set_next_far(block, s, link.x / 32, 1u << (link.x % 32));
    }

    /* Returns true: each vertex belongs to the next frontier. */
    __device__ bool leads_on(uint32_t) const
    {
        return true;
    }
};

/* Pushes along one slice of `row`, a vertex of the frontier. Each lane has a slice of its own. Found vertices get depth +
 * 1, `row` as parent, and their bit in the level's `found` bitmap, and are counted in `tally`. */
template <class B>
__device__ static inline void push_row_slice(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t row,
                                             uint32_t slice, slice_tally &tally)
{
    const dense_bits<B> bits = {block, s, s.found + turn * s.words};
    uint2 link[SLICED_COLUMNS];
    unsigned slices[SLICED_COLUMNS];
    load_links(s, slice, 0, true, link);
    push_links(bits, s, depth + 1, has_parents(s) ? code_of(s, row) : 0, true, link, slices);
    note_columns(block, s, row, make_uint4(link[0].x, link[1].x, link[2].x, link[3].x), true, tally);
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++) {
        tally.found += slices[j] != 0;
        tally.weight += slices[j];
    }
}

/* Pushes `count` slices of vertex v of each lane: `first` and every `step`th slice behind it. The lanes of the warp share the slices of all
 * these vertices. All lanes of the warp call it. */
template <class B>
__device__ static inline void push_slices(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t v, uint32_t first,
                                          uint32_t count, uint32_t step, slice_tally &tally)
{
    const unsigned before = warp_prefix(count), all = __shfl_sync(ALL_LANES, before + count, WARP - 1);
    for (unsigned base = 0; base < all; base += WARP) {
        const unsigned item = base + lane_id(), owner = lane_with(before, item);
        const uint32_t row = __shfl_sync(ALL_LANES, v, owner);
        const uint32_t slice = __shfl_sync(ALL_LANES, first - before * step, owner) + item * step;
        if (item < all)
            push_row_slice(block, s, turn, depth, row, slice, tally);
    }
}

/* Pushes the short rows of up to WARP vertices of the frontier: vertex v of each lane whose `has` is true. Long rows are left to
 * each_piece. All lanes of the warp call it. */
template <class B>
__device__ static inline void push_short_rows(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t v,
                                              bool has, slice_tally &tally)
{
    const uint32_t first = has ? s.first[v] : 0, length = has ? s.first[v + 1] - first : 0;
    push_slices(block, s, turn, depth, v, first, length <= SLICED_PIECE ? length : 0, 1, tally);
}

/* A frontier may lie in a few words of its bitmap, so WORD_PARTS warps share a word, PART_BITS bits each. */
enum { WORD_PARTS = 8, PART_BITS = 32 / WORD_PARTS };

/* Pushes the short rows of frontier vertices in some words of the bitmap. Each lane brings the number of one word as `word`.
 * The lanes share the vertices in PART_BITS bits of each word; other warps do the rest. If `checks`, the bitmap has all visited
 * vertices, and only those of this `depth` are pushed. All lanes of the warp call it. */
template <class B>
__device__ static inline void push_words(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, uint32_t word,
                                         bool checks, slice_tally &tally)
{
    const unsigned part = warp_of_grid() % WORD_PARTS * PART_BITS;
    const uint32_t bits = word < s.words ? frontier_word(s, turn, depth, word) >> part & ((1u << PART_BITS) - 1) : 0;
    const unsigned before = warp_prefix(__popc(bits)), all = __shfl_sync(ALL_LANES, before + __popc(bits), WARP - 1);
    for (unsigned base = 0; base < all; base += WARP) {
        const unsigned item = base + lane_id(), owner = lane_with(before, item);
        /* item number `item` is a set bit of the word of lane `owner`; the loop clears the bits of the lane's earlier items */
        uint32_t left = __shfl_sync(ALL_LANES, bits, owner);
        const uint32_t vertices = 32 * __shfl_sync(ALL_LANES, word, owner) + part;
        for (unsigned k = __shfl_sync(ALL_LANES, before, owner); k < item; k++)
            left &= left - 1;
        const uint32_t v = vertices + __ffs(left) - 1;
        push_short_rows(block, s, turn, depth, v, item < all && (!checks || has_depth(s, v, depth)), tally);
    }
}

/* Does a level of kind PUSH: pushes the short rows of the frontier, and then the pieces of its long rows. `form` says
 * where the frontier is. Found vertices get depth + 1, a parent, and their bit in the level's `found` bitmap, and
 * are counted in `block`. All threads of all blocks call it. */
template <class B>
__device__ static void push_rows(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, frontier_form form)
{
    slice_tally tally = {};
    const bool checks = form == FRONTIER_BY_DEPTH;
    const uint32_t groups = warps_of_grid() / WORD_PARTS; /* the warps of a block are a multiple of WORD_PARTS */
    if (form == FRONTIER_LISTED) { /* a vertex of the list for each lane; neighbours in the list go to different warps */
        const unsigned count = block.count[1], warps = blockDim.x / WARP;
        for (unsigned i = threadIdx.x / WARP; i < count; i += blockDim.x) {
            const unsigned own = i + lane_id() * warps;
            push_short_rows(block, s, turn, depth, own < count ? block.slice[1][own] : 0, own < count, tally);
        }
    }
    for (uint32_t w = warp_of_grid() / WORD_PARTS; form != FRONTIER_LISTED && w < s.words; w += WARP * groups)
        push_words(block, s, turn, depth, w + lane_id() * groups, checks, tally);
    const auto is_pushed = [&](uint32_t row) {
        /* both are read at once */
        const bool listed = frontier_word(s, turn, depth, row / 32) >> (row % 32) & 1, reached = !checks || has_depth(s, row, depth);
        return (listed & reached) && is_visited(block, s, row);
    };
    each_piece(s, is_pushed, [&](const row_piece &piece) {
        for (unsigned k = lane_id(); k < piece.count; k += WARP)
            push_row_slice(block, s, turn, depth, piece.row, piece.first + k, tally);
    });
    add_tally(block, tally);
}

/* Does a level of kind PUSH whose frontier is, in each block, a list of all its vertices (block.count[1] in block.slice[1]). A block pushes
 * the slices whose numbers have the remainder blockIdx.x by the number of blocks, so all blocks share a long row. Found vertices get what
 * push_rows gives them. All threads of all blocks call it. */
template <class B> __device__ static inline void push_whole_list(B &block, const gpu_sliced &s, unsigned turn, int32_t depth)
{
    const uint32_t blocks = gridDim.x;
    slice_tally tally = {};
    for (unsigned i = threadIdx.x; i - lane_id() < block.count[1]; i += blockDim.x) {
        const bool has = i < block.count[1];
        const uint32_t v = has ? block.slice[1][i] : 0, begin = has ? s.first[v] : 0, end = has ? s.first[v + 1] : 0;
        const uint32_t first = begin + (blockIdx.x + blocks - begin % blocks) % blocks;
        push_slices(block, s, turn, depth, v, first, first < end ? (end - first + blocks - 1) / blocks : 0, blocks, tally);
    }
    add_tally(block, tally);
}

#endif

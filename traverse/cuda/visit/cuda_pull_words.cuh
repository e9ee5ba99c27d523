/* cuda_pull_words.cuh: pulls of dense levels, in which unvisited rows look for a visited column, their parent
 *
 * A row that finds a parent gets its bit in the bitmap `next`. A warp pulls the rows of 32 words of a bitmap at a time. First all
 * rows look at their first head column, then those without a parent at their second one, and so on, and then at copied columns, if
 * there are any. Rows that find no parent there look at the rest of their columns, in three steps:
 * - One thread reads up to 16 columns of each row.
 * - A row with very many more columns is cut into pieces, which are left to a second pass.
 * - For each other row, eight lanes read the rest together.
 * Bytes moved for each column read: 4, and a probe, which is a read of a visited bit.
 *
 * Most probes are for hubs, the vertices of the highest degrees, which have the lowest numbers: in RMAT 26, 81% of the probes are
 * for the first 2^16 vertices. In graphs of many vertices each block therefore keeps the visited bits of hubs in shared memory, the
 * hub bitmap. Shared memory reads many words of a warp at a time, while the L1 cache looks them up one by one.
 */
#ifndef DBFS_CUDA_PULL_WORDS_CUH
#define DBFS_CUDA_PULL_WORDS_CUH

#include "cuda_expand.cuh"

enum {
    PULL_SINGLE = 16, /* a thread reads up to 16 columns of its row before other lanes help */
    PULL_AHEAD = 4,   /* a thread reads 4 columns before it waits for the first */
    SPANS_A_WARP = 8  /* a warp gets 8 spans, if there are enough words, so that no warp has all of the long first rows */
};

/* The arrays that the pull of one subgraph reads and writes. */
struct pulling {
    const gpu_csr *csr;
    const uint32_t *visited, *visited_columns; /* the visited bits of the rows; the visited bits of the columns */
    uint32_t hubs;           /* columns below this number are looked up in the hub bitmap */
    uint32_t *next, *parent; /* the bitmap `next`, and the parents of the rows, NULL if they are not recorded */
    uint32_t tag;            /* KIND_BIT if the columns are delegates, otherwise 0 */
    uint64_t flags;          /* the flags for pieces of long rows: the subgraph, and ITEM_PULL */
    int push_subgraph;       /* subgraph of the same edges in the other direction, along which a push would go */
};

/* Returns the arrays for a pull by the rows of subgraph g. */
template <bool TOGETHER> __device__ static inline pulling start_pulling(const gpu_fused &s, int g)
{
    const gpu_csr &csr = s.pulled[g];
    const gpu_vertices &rows = s.of[g >> 1], &columns = s.of[kind_of_columns<TOGETHER>(csr, g)];
    return pulling{&csr,
                   rows.visited,
                   columns.visited,
                   g & 1 ? 32 * s.hub_words : 0,
                   rows.next,
                   rows.parent,
                   parent_code((g & 1) << 1, 0),
                   (uint64_t)g << ITEM_SUBGRAPH_SHIFT | ITEM_PULL,
                   reverse_of(g)};
}

/* Copies the visited bits of hubs to the hub bitmap in this block's shared memory. Does nothing if the search has no hub
 * bitmap, or if no row looks for a parent among delegates: only rows do whose pull replaces a push along dn or dd. All threads
 * of the block call it. */
template <class S> __device__ static inline void copy_hub_bitmap(const gpu_fused &s, const fused_choice &choice)
{
    if (s.hub_words == 0 || !(choice.pull[DN] || choice.pull[DD]))
        return;
    for (uint32_t i = threadIdx.x; i < s.hub_words; i += blockDim.x)
        shared_words<S>()[i] = s.of[DELEGATES].visited[i];
    __syncthreads();
}

/* Returns whether a column is visited: looks it up in the hub bitmap if it is below q.hubs, otherwise in q.visited_columns. */
template <class S> __device__ static inline bool is_parent(const pulling &q, uint32_t column)
{
    if constexpr (S::has_hub_bitmap) {
        if (column < q.hubs)
            return test_bit(shared_words<S>(), column);
    }
    return test_bit(q.visited_columns, column);
}

/* Records a column as the parent of a row, with KIND_BIT for a delegate. For a normal of another shard it records
 * REMOTE_PARENT, and the parent is found after the search. */
template <class S> __device__ static inline void put_parent(S &s, const pulling &q, uint32_t row, uint32_t column)
{
    if constexpr (S::together) {
        if (q.csr->column_kind == FUSED_COLUMNS)
            column = parent_of_shards(s, column);
    }
    q.parent[row] = q.tag | column;
}

/* Records that row first + at has found a parent: sets bit `at` of the warp's `found`, and writes the parent if wanted. */
template <class S>
__device__ static inline void record_parent(S &s, const pulling &q, typename S::space &w, uint32_t first, unsigned at,
                                        uint32_t column)
{
    atomicOr(&w.pull.found[at / 32], 1u << (at % 32));
    if (q.parent != NULL)
        put_parent(s, q, first + at, column);
}

/* ---- notes; visits of the level loop have none ---- */

/* Adds the number of columns that the lanes have looked at to the warp's counter FUSED_PROBES + g, if the search is noted. The
 * pull takes the place of a push along subgraph g. All lanes of the warp call it. */
template <class S> __device__ static inline void note_probes(uint64_t columns, int g)
{
    if constexpr (S::noted) {
        const unsigned sum = sum_lanes((unsigned)columns);
        if (lane_id() == 0)
            own_space<S>().count[FUSED_PROBES + g] += sum;
    }
}

/* Counts the probes of columns that lanes have read side by side, if the search is noted. Each group of `group` lanes has read
 * neighbouring columns of one row: column[j] of lane l is number j * group + l of these. Columns behind the first visited one
 * do not count, as a thread that reads in order would stop there. All lanes of the warp call it. */
template <class S>
__device__ static inline void note_side_by_side(const pulling &q, const uint32_t (&column)[PULL_AHEAD], unsigned group)
{
    if (!S::noted)
        return;
    unsigned first = PULL_AHEAD * WARP, seen = 0;
    for (int j = 0; j < PULL_AHEAD; j++) {
        const bool hit = column[j] != NO_HEAD && is_parent<S>(q, column[j]);
        first = min(first, hit ? j * group + lane_id() % group : PULL_AHEAD * WARP);
    }
    for (unsigned step = group / 2; step > 0; step /= 2)
        first = min(first, __shfl_xor_sync(ALL_LANES, first, step));
    for (int j = 0; j < PULL_AHEAD; j++)
        seen += column[j] != NO_HEAD && j * group + lane_id() % group <= first;
    note_probes<S>(seen, q.push_subgraph);
}

/* ---- the columns of rows ---- */

/* Lets the `count` rows in the warp's list look at one column each: columns[row], or none for rows from `rows` on. An element of the
 * list is the number of a row minus `first`. A row whose column is visited has found its parent (record_parent). A row without the
 * column has no later ones either. Both leave the list. Returns the number of rows that stay in it. All lanes of the warp call it. */
template <class S>
__device__ static inline unsigned pull_column(S &s, const pulling &q, typename S::space &w, uint32_t first,
                                             unsigned count, const uint32_t *columns, uint64_t rows)
{
    const uint32_t *from = columns + first;
    const unsigned most = rows > first ? (unsigned)min(rows - first, (uint64_t)(WARP * 32)) : 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i += SLOTS * WARP) {
        unsigned at[SLOTS];
        uint32_t head[SLOTS];
        bool hit[SLOTS];
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const unsigned k = i + j * WARP + lane_id();
            at[j] = k < count ? w.pull.list[k] : 0;
            head[j] = k < count && at[j] < most ? from[at[j]] : NO_HEAD;
        }
#pragma unroll
        for (int j = 0; j < SLOTS; j++)
            hit[j] = head[j] != NO_HEAD && is_parent<S>(q, head[j]);
        unsigned probes = 0;
        for (int j = 0; j < SLOTS; j++)
            probes += head[j] != NO_HEAD;
        note_probes<S>(probes, q.push_subgraph);
        __syncwarp();
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            if (hit[j])
                record_parent(s, q, w, first, at[j], head[j]);
            const bool stays = head[j] != NO_HEAD && !hit[j];
            const unsigned staying = __ballot_sync(ALL_LANES, stays);
            if (stays)
                w.pull.list[kept + __popc(staying & ((1u << lane_id()) - 1))] = (uint16_t)at[j];
            kept += __popc(staying);
        }
        __syncwarp();
    }
    return kept;
}

/* A row that looks for a parent. Its columns behind the heads are the columns begin to end - 1 of the subgraph. */
struct pulled_row {
    uint32_t row;
    uint64_t begin, at, end; /* `at` is the index of the next column to look at */
};

/* Looks for a visited column among the next PULL_SINGLE columns of a row, which begin at r.at. Each thread has a row of its
 * own. Returns a visited column, or NO_HEAD if there is none. In that case r.at then lies behind these columns. */
template <class S> __device__ static inline uint32_t pull_by_thread(const pulling &q, pulled_row &r)
{
    const uint64_t stop = r.end - r.at < PULL_SINGLE ? r.end : r.at + PULL_SINGLE;
    const bool is_raw = !S::packed || q.csr->packed.words == NULL;
    for (; r.at < stop; r.at += PULL_AHEAD) {
        uint32_t column[PULL_AHEAD]; /* NO_HEAD behind `stop` */
        bool hit[PULL_AHEAD];
        packed_reader reader = {};
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++) {
            const uint64_t at = r.at + j;
            if (!is_raw && at < stop && (j == 0 || at % PACKED_BLOCK == 0)) {
                const packed_span span = span_of(*q.csr, r.row, r.begin, at);
                reader = packed_read_at(&q.csr->packed, &span);
            }
            column[j] = at >= stop ? NO_HEAD : is_raw ? ((const uint32_t *)q.csr->columns)[at] : packed_next(&reader);
        }
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            hit[j] = column[j] != NO_HEAD && is_parent<S>(q, column[j]);
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++) {
            if (hit[j]) {
                r.at += S::noted ? j + 1 : 0; /* only notes need r.at here, to count the columns up to the visited one */
                return column[j];
            }
        }
    }
    r.at = stop;
    return NO_HEAD;
}

/* Looks for a visited column among the columns that the lanes have read of one row. Returns such a column to all lanes, or
 * NO_HEAD if there is none. Counts the probes if the search is noted. All lanes of the warp call it. */
template <class S>
__device__ static inline uint32_t look_at_columns(const pulling &q, const uint32_t (&column)[PULL_AHEAD])
{
    uint32_t hit = NO_HEAD;
#pragma unroll
    for (int j = 0; j < PULL_AHEAD; j++) {
        if (column[j] != NO_HEAD && is_parent<S>(q, column[j]))
            hit = column[j];
    }
    note_side_by_side<S>(q, column, WARP);
    const unsigned hits = __ballot_sync(ALL_LANES, hit != NO_HEAD);
    return hits != 0 ? __shfl_sync(ALL_LANES, hit, __ffs(hits) - 1) : NO_HEAD;
}

/* Looks for a visited column in a piece of a long row, by a whole warp. Returns such a column to all lanes, or NO_HEAD if none
 * is. The warp reads 128 columns in a step, and stops after the first step that finds one. All lanes of the warp call it. */
template <class S> __device__ static inline uint32_t pull_by_warp(const pulling &q, const work_item &piece)
{
    uint32_t column[PULL_AHEAD], hit = NO_HEAD;
    if (S::packed && q.csr->packed.words != NULL) {
        const packed_part part = packed_part_of(*q.csr, piece, q.csr->copied_columns + PULL_SINGLE);
        for (uint64_t block = part.first; hit == NO_HEAD && block < part.last; block++) {
            read_block(own_space<S>().bits, *q.csr, part, block, column);
            hit = look_at_columns<S>(q, column);
        }
        return hit;
    }
    const uint32_t *columns = (const uint32_t *)q.csr->columns + (piece.at & ITEM_AT);
    for (uint32_t i = lane_id(); hit == NO_HEAD && i - lane_id() < piece.length; i += PULL_AHEAD * WARP) {
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            column[j] = i + j * WARP < piece.length ? columns[i + j * WARP] : NO_HEAD;
        hit = look_at_columns<S>(q, column);
    }
    return hit;
}

/* Looks for visited columns in rows, four rows at a time, with eight lanes for each row. Each lane in the set `open` gives a
 * row `r`, which is searched from column r.at on. Returns a visited column of the lane's own row, or NO_HEAD if there is none
 * or the lane is not in `open`. All lanes of the warp call it. */
template <class S>
__device__ static inline uint32_t pull_by_eights(const pulling &q, unsigned open, const pulled_row &r)
{
    enum { LANES = 8 };
    const unsigned group = lane_id() / LANES, sub = lane_id() % LANES;
    uint32_t own = NO_HEAD;
    while (open != 0) {
        int source = -1; /* the lane whose row this group of eight lanes reads; -1: no row is left for the group */
#pragma unroll
        for (unsigned k = 0; k < WARP / LANES; k++) {
            if (k == group)
                source = __ffs(open) - 1;
            open &= open - 1;
        }
        const int from = source & (WARP - 1); /* shuffles need a valid lane number, even if no row is left */
        uint64_t at = __shfl_sync(ALL_LANES, r.at, from) + sub;
        const uint64_t stop = __shfl_sync(ALL_LANES, r.end, from),
                       begin = S::packed ? __shfl_sync(ALL_LANES, r.begin, from) : 0;
        const uint32_t row = S::packed ? __shfl_sync(ALL_LANES, r.row, from) : 0;
        uint32_t hit = NO_HEAD;
        bool looking = source >= 0;
        while (__any_sync(ALL_LANES, looking)) {
            uint32_t column[PULL_AHEAD];
#pragma unroll
            for (int j = 0; j < PULL_AHEAD; j++)
                column[j] = looking && at + j * LANES < stop
                                ? column_of_row<uint32_t, S::packed>(*q.csr, row, begin, at + j * LANES)
                                : NO_HEAD;
#pragma unroll
            for (int j = 0; j < PULL_AHEAD; j++) {
                if (column[j] != NO_HEAD && is_parent<S>(q, column[j]))
                    hit = column[j];
            }
            note_side_by_side<S>(q, column, LANES);
            at += PULL_AHEAD * LANES;
            const unsigned hits = __ballot_sync(ALL_LANES, hit != NO_HEAD) >> group * LANES & 0xff;
            looking = looking && hits == 0 && at - sub < stop;
        }
        const unsigned all = __ballot_sync(ALL_LANES, hit != NO_HEAD);
#pragma unroll
        for (unsigned k = 0; k < WARP / LANES; k++) { /* hand the result of group k to the lane whose row group k has read */
            const unsigned mine = all >> k * LANES & 0xff;
            const int lane = (int)(k * LANES) + (mine ? __ffs(mine) - 1 : 0);
            const uint32_t found = __shfl_sync(ALL_LANES, hit, lane);
            const int to = __shfl_sync(ALL_LANES, source, k * LANES);
            if ((int)lane_id() == to)
                own = found;
        }
    }
    return own;
}

/* Lets the `count` rows in the warp's list look at their columns behind the heads, in the three steps that the head of this
 * file describes. Rows that find a parent are recorded by record_parent. In the level loop, very long rows are not cut into
 * pieces, but read at once (pull_long_rows). All lanes of the warp call it. */
template <class S>
__device__ static inline void pull_rests(S &s, const pulling &q, typename S::space &w, uint32_t first, unsigned count,
                                         const cut_list &cut)
{
    for (unsigned i = 0; i < count; i += WARP) {
        unsigned at = 0;
        pulled_row r = {0, 0, 0, 0};
        uint32_t parent = NO_HEAD;
        uint64_t looked = 0; /* the number of columns that this lane has read */
        if (i + lane_id() < count) {
            at = w.pull.list[i + lane_id()];
            const row_rest rest = rest_of_row(*q.csr, first + at);
            r = pulled_row{first + at, rest.begin, rest.begin + q.csr->copied_columns, rest.end};
            parent = pull_by_thread<S>(q, r);
            looked = r.at - (r.begin + q.csr->copied_columns);
        }
        note_probes<S>(looked, q.push_subgraph);
        const bool is_long = parent == NO_HEAD && r.end - r.at > FUSED_ROW_TOGETHER;
        const unsigned many = __ballot_sync(ALL_LANES, is_long);
        if constexpr (S::stepped)
            parent = min(parent, pull_long_rows(s, q, many, r)); /* at least one is NO_HEAD, the largest number */
        else
            cut_rows(cut, many, r.at | q.flags, r.end - r.at, r.row);
        r.at = is_long ? r.end : r.at;
        __syncwarp();
        const unsigned open = __ballot_sync(ALL_LANES, parent == NO_HEAD && r.at < r.end);
        if (open != 0) {
            const uint32_t hit = pull_by_eights<S>(q, open, r);
            parent = parent == NO_HEAD ? hit : parent;
        }
        if (parent != NO_HEAD)
            record_parent(s, q, w, first, at, parent);
    }
}

/* Lets rows of 32 words of a bitmap look for a parent, and sets the bits of those that find one in the bitmap `next`. `todo` of
 * a lane is the set of rows that look, in word base + lane. Pieces of very long rows are appended to `cut`, for a second pass.
 * Returns the rows of the lane's word that found a parent here. All lanes of the warp call it. */
template <class S>
__device__ static inline uint32_t pull_words(S &s, const pulling &q, uint32_t base, uint32_t todo, const cut_list &cut)
{
    typename S::space &w = own_space<S>();
    unsigned left = unpack_words(w.pull.list, todo);
    if (left == 0)
        return 0;
    const uint32_t first = base * 32;
    w.pull.found[lane_id()] = 0;
    __syncwarp();
    const gpu_csr &csr = *q.csr;
    for (uint32_t column = 0; column < csr.head_columns + csr.copied_columns && left > 0; column++) {
        const uint32_t *columns = csr.heads + column * csr.rows;
        uint64_t rows = csr.rows;
        if (column >= csr.head_columns) {
            const uint64_t *begin = csr.copied_begin + (column - csr.head_columns);
            columns = csr.copies + begin[0];
            rows = begin[1] - begin[0];
        }
        left = pull_column(s, q, w, first, left, columns, rows);
    }
    pull_rests(s, q, w, first, left, cut);
    __syncwarp();
    const uint32_t found = w.pull.found[lane_id()];
    if (found != 0)
        atomicOr(&q.next[base + lane_id()], found);
    __syncwarp();
    return found;
}

/* Does this warp's share of the pulls of a level in subgraphs `highest` down to `lowest`. Rows look for a parent if they are in
 * gpu_csr::wanted, and neither visited nor in the bitmap `next`. A row that finds one is set in `next`, and gets its parent and depth
 * (pull_words). Warps share the spans of these subgraphs together (s.block.pulls), so that none waits if a subgraph has few words.
 * Pieces of very long rows are appended to `cut`. All lanes of the warp call it. */
template <class S>
__device__ static void pull_all(S &s, int highest, int lowest, uint32_t warp, uint32_t warps, const cut_list &cut)
{
    const word_spans &spans = s.block.pulls;
    for (uint32_t i = warp;; i += warps) {
        uint32_t at = i;
        int g = highest;
        for (; g >= lowest && at >= spans.instead_of_push[g]; g--)
            at -= spans.instead_of_push[g];
        if (g < lowest)
            return;
        const int reverse = reverse_of(g);
        const pulling q = start_pulling<S::together>(s, reverse);
        const uint32_t base = at * spans.size, word = base + lane_id();
        const bool own = lane_id() < spans.size && word < s.of[g & 1].words;
        pull_words(s, q, base, own ? s.pulled[reverse].wanted[word] & ~q.visited[word] & ~q.next[word] : 0, cut);
    }
}

/* Divides the rows of all pulled subgraphs (`choice`) into spans of words for `warps` warps, and writes this division to
 * `pulls`. One of several GPUs may have no edges of a pulled subgraph. Then the subgraph gets no spans, as bitmaps of its rows
 * do not exist. All lanes of one warp call it. */
__device__ static inline void lay_out_pulls(const gpu_fused &s, const fused_choice &choice, word_spans &pulls,
                                            uint32_t warps)
{
    const unsigned g = lane_id();
    const bool looks = g < SUBGRAPHS && choice.pull[g] && s.pulled[reverse_of((int)g)].edges != 0;
    const uint32_t words = looks ? (uint32_t)s.of[g & 1].words : 0;
    const uint32_t size = span_of(sum_lanes(words), SPANS_A_WARP * warps, WARP);
    if (g < SUBGRAPHS)
        pulls.instead_of_push[g] = (words + size - 1) / size;
    if (g == 0)
        pulls.size = size;
}

/* Looks for a parent of a long row in one piece of the row, in the second pass. Does nothing if another piece has found a
 * parent. The first piece that finds a visited column sets the row's bit in `next` and records the parent. All lanes of the
 * warp call it. */
template <class S> __device__ static inline void pull_piece(S &s, const pulling &q, const work_item &piece)
{
    const uint32_t found = ((volatile uint32_t *)q.next)[piece.row / 32] >> (piece.row % 32) & 1;
    if (__any_sync(ALL_LANES, found != 0)) /* lanes may see the bit at different times, so all lanes vote */
        return;
    const uint32_t hit = pull_by_warp<S>(q, piece);
    if (hit != NO_HEAD && lane_id() == 0 && claim_bit(q.next, piece.row) && q.parent != NULL)
        put_parent(s, q, piece.row, hit);
}

#endif

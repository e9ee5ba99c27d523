/* cuda_pull_words.cuh: pulls of levels by masks; see cuda_fused.h
 *
 * Rows that are not visited look for a visited column, and join `next`. Bytes moved: 4 (head) and a probe for each
 * column that a candidate reads.
 *
 * Most probes ask for hubs, which have the first numbers: of RMAT 26 81% for the first 2^16. In graphs of many vertices each
 * block keeps their marks in shared memory while it pulls, where the lanes of a warp read many words at a time; the L1
 * cache looks them up one by one.
 */
#ifndef DBFS_CUDA_PULL_WORDS_CUH
#define DBFS_CUDA_PULL_WORDS_CUH

#include "cuda_words.cuh"

enum {
    PULL_ALONE = 16, /* columns that a thread reads of its row before the warp helps */
    PULL_AHEAD = 4,  /* columns of a thread under way */
    SPANS_A_WARP = 8 /* in a pull, if there are words enough: the first words have the longest rows */
};

/* Unvisited rows of a subgraph look for a visited column. */
struct pulling {
    const gpu_csr *csr;
    const uint32_t *visited, *parents; /* of the rows, of the columns */
    uint32_t kept;                     /* columns whose marks the block keeps */
    uint32_t *next, *parent;
    uint32_t tag;
    uint64_t what; /* flags of its pieces */
    int along;     /* the subgraph that a push would go along */
};

template <class S> __device__ static inline pulling start_pulling(S &s, int g)
{
    const gpu_csr &csr = s.pulled[g];
    const gpu_vertices &rows = s.of[g >> 1], &columns = s.of[S::together ? csr.column_kind : (uint32_t)g & 1];
    return pulling{&csr,
                   rows.visited,
                   columns.visited,
                   g & 1 ? 32 * s.hub_words : 0,
                   rows.next,
                   rows.parent,
                   parent_code((g & 1) << 1, 0),
                   (uint64_t)g << ITEM_SUBGRAPH_SHIFT | PIECE_PULL,
                   reverse_of(g)};
}

/* The marks of hubs lie where other levels have the vertices that warps leave to their block. */
template <class S> __device__ static inline uint32_t *hub_bitmap(S &s)
{
    return left_vertices(s);
}

/* Copies the marks of hubs for the pulls of a level, if they read any. By all threads. */
template <class S> __device__ static inline void keep_hub_bitmap(S &s)
{
    if (s.hub_words == 0 || !(s.block.choice.pull[DN] || s.block.choice.pull[DD]))
        return;
    for (uint32_t i = threadIdx.x; i < s.hub_words; i += blockDim.x)
        hub_bitmap(s)[i] = s.of[DELEGATES].visited[i];
    __syncthreads();
}

template <class S> __device__ static inline bool is_parent(S &s, const pulling &q, uint32_t column)
{
    if constexpr (S::has_hub_bitmap) {
        if (column < q.kept)
            return test_bit(hub_bitmap(s), column);
    }
    return test_bit(q.parents, column);
}

template <class S>
__device__ static inline void note_found(S &s, const pulling &q, typename S::space &w, uint32_t first, unsigned at,
                                         uint32_t parent)
{
    atomicOr(&w.pull.found[at / 32], 1u << (at % 32));
    if (q.parent != NULL)
        q.parent[first + at] = q.tag | parent_of_column(s, *q.csr, parent);
}

/* Counts probes, for notes. Each group of so many lanes looks at the columns of one row: lane l at every group-th
 * column from the l-th on. Columns up to the first hit count. All lanes of the warp call it. */
template <class S>
__device__ static inline void note_side_by_side(S &s, const pulling &q, const uint32_t (&column)[PULL_AHEAD],
                                                unsigned group)
{
    if (!is_noted(s))
        return;
    unsigned first = PULL_AHEAD * WARP, seen = 0;
    for (int j = 0; j < PULL_AHEAD; j++) {
        const bool hit = column[j] != NO_HEAD && is_parent(s, q, column[j]);
        first = min(first, hit ? j * group + lane_id() % group : PULL_AHEAD * WARP);
    }
    for (unsigned step = group / 2; step > 0; step /= 2)
        first = min(first, __shfl_xor_sync(ALL_LANES, first, step));
    for (int j = 0; j < PULL_AHEAD; j++)
        seen += column[j] != NO_HEAD && j * group + lane_id() % group <= first;
    note_probes(s, seen, q.along);
}

/* Looks at one head column. Rows that have an entry there that is no parent stay listed. */
template <class S>
__device__ static inline unsigned pull_heads(S &s, const pulling &q, typename S::space &w, uint32_t first,
                                             unsigned count, uint32_t column)
{
    const uint32_t *heads = q.csr->heads + column * q.csr->rows + first;
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i += SLOTS * WARP) {
        unsigned at[SLOTS];
        uint32_t head[SLOTS];
        bool hit[SLOTS];
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const unsigned k = i + j * WARP + lane_id();
            at[j] = k < count ? w.pull.list[k] : 0;
            head[j] = k < count ? heads[at[j]] : NO_HEAD;
        }
#pragma unroll
        for (int j = 0; j < SLOTS; j++)
            hit[j] = head[j] != NO_HEAD && is_parent(s, q, head[j]);
        note_probes(s, count_columns<SLOTS>(head), q.along);
        __syncwarp();
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            if (hit[j])
                note_found(s, q, w, first, at[j], head[j]);
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

/* The rest of a row that looks for a parent. */
struct pulled_row {
    uint32_t row;
    uint64_t begin, at, end; /* `at`: its next column */
};

/* The next columns of a row, up to PULL_AHEAD before `stop`, out of packed blocks. By one thread. */
__device__ static inline void read_packed_ahead(const gpu_csr &csr, const pulled_row &r, uint64_t stop,
                                                uint32_t (&column)[PULL_AHEAD])
{
    packed_reader reader = {};
#pragma unroll
    for (int j = 0; j < PULL_AHEAD; j++) {
        const uint64_t at = r.at + j;
        if (at < stop && (j == 0 || at % PACKED_BLOCK == 0)) {
            const packed_span span = span_of(csr, r.row, r.begin, at);
            reader = packed_read_at(&csr.packed, &span);
        }
        column[j] = at < stop ? packed_next(&reader) : NO_HEAD;
    }
}

/* Asks for the next columns of a row, up to PULL_AHEAD before `stop`, for one thread. */
template <class S>
__device__ static inline void read_ahead(S &, const gpu_csr &csr, const pulled_row &r, uint64_t stop,
                                         uint32_t (&column)[PULL_AHEAD])
{
    if (!S::packed || csr.packed.words == NULL) {
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            column[j] = r.at + j < stop ? ((const uint32_t *)csr.columns)[r.at + j] : NO_HEAD;
    } else {
        read_packed_ahead(csr, r, stop, column);
    }
}

/* Looks at up to PULL_ALONE columns of a row, by one thread; r.at moves on. */
template <class S> __device__ static inline uint32_t pull_by_thread(S &s, const pulling &q, pulled_row &r)
{
    const uint64_t stop = r.end - r.at < PULL_ALONE ? r.end : r.at + PULL_ALONE;
    for (; r.at < stop; r.at += PULL_AHEAD) {
        uint32_t column[PULL_AHEAD];
        bool hit[PULL_AHEAD];
        read_ahead(s, *q.csr, r, stop, column);
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            hit[j] = column[j] != NO_HEAD && is_parent(s, q, column[j]);
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++) {
            if (hit[j]) {
                r.at += j + 1;
                return column[j];
            }
        }
    }
    r.at = stop;
    return NO_HEAD;
}

/* Begins the rest of a row, and looks at its first columns, by one thread. */
template <class S>
__device__ static inline uint32_t pull_first_columns(S &s, const pulling &q, uint32_t row, pulled_row &r)
{
    const row_rest rest = rest_of_row(*q.csr, row);
    r = pulled_row{row, rest.begin, rest.begin, rest.end};
    return pull_by_thread(s, q, r);
}

/* A visited column of those that lanes asked for, or NO_HEAD. All lanes of the warp call it. */
template <class S>
__device__ static inline uint32_t look_at_columns(S &s, const pulling &q, const uint32_t (&column)[PULL_AHEAD])
{
    uint32_t hit = NO_HEAD;
#pragma unroll
    for (int j = 0; j < PULL_AHEAD; j++) {
        if (column[j] != NO_HEAD && is_parent(s, q, column[j]))
            hit = column[j];
    }
    note_side_by_side(s, q, column, WARP);
    const unsigned hits = __ballot_sync(ALL_LANES, hit != NO_HEAD);
    return hits != 0 ? __shfl_sync(ALL_LANES, hit, __ffs(hits) - 1) : NO_HEAD;
}

/* Looks at a piece of a row, by the warp. */
template <class S> __device__ static inline uint32_t pull_by_warp(S &s, const pulling &q, const work_item &piece)
{
    uint32_t column[PULL_AHEAD], hit = NO_HEAD;
    if (S::packed && q.csr->packed.words != NULL) {
        const packed_part part = packed_part_of(*q.csr, piece, PULL_ALONE);
        for (uint64_t block = part.first; hit == NO_HEAD && block < part.last; block++) {
            read_block(own_space(s).bits, *q.csr, part, block, column);
            hit = look_at_columns(s, q, column);
        }
        return hit;
    }
    const uint32_t *columns = (const uint32_t *)q.csr->columns + (piece.at & PIECE_AT);
    for (uint32_t i = lane_id(); hit == NO_HEAD && i - lane_id() < piece.length; i += PULL_AHEAD * WARP) {
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            column[j] = i + j * WARP < piece.length ? columns[i + j * WARP] : NO_HEAD;
        hit = look_at_columns(s, q, column);
    }
    return hit;
}

/* Looks at the rows of `open` lanes, four at a time, by eight lanes each. Returns the hit of the lane's own row. */
template <class S>
__device__ static inline uint32_t pull_by_eights(S &s, const pulling &q, unsigned open, const pulled_row &r)
{
    enum { LANES = 8 };
    const unsigned group = lane_id() / LANES, sub = lane_id() % LANES;
    uint32_t own = NO_HEAD;
    while (open != 0) {
        int source = -1;
#pragma unroll
        for (unsigned k = 0; k < WARP / LANES; k++) {
            if (k == group)
                source = __ffs(open) - 1;
            open &= open - 1;
        }
        const int from = source & (WARP - 1);
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
                if (column[j] != NO_HEAD && is_parent(s, q, column[j]))
                    hit = column[j];
            }
            note_side_by_side(s, q, column, LANES);
            at += PULL_AHEAD * LANES;
            const unsigned hits = __ballot_sync(ALL_LANES, hit != NO_HEAD) >> group * LANES & 0xff;
            looking = looking && hits == 0 && at - sub < stop;
        }
        const unsigned all = __ballot_sync(ALL_LANES, hit != NO_HEAD);
#pragma unroll
        for (unsigned k = 0; k < WARP / LANES; k++) {
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

/* Looks at the rests of the rows for which no head was a parent. */
template <class S>
__device__ static inline void pull_rests(S &s, const pulling &q, typename S::space &w, uint32_t first, unsigned count,
                                         const cut_list &cut)
{
    for (unsigned i = 0; i < count; i += WARP) {
        unsigned at = 0;
        pulled_row r = {0, 0, 0, 0};
        uint32_t parent = NO_HEAD;
        if (i + lane_id() < count) {
            at = w.pull.list[i + lane_id()];
            parent = pull_first_columns(s, q, first + at, r);
        }
        note_probes(s, r.at - r.begin, q.along);
        const bool is_long = parent == NO_HEAD && r.end - r.at > ROW_TOGETHER;
        const unsigned many = __ballot_sync(ALL_LANES, is_long);
        if constexpr (S::stepped)
            parent = min(parent, pull_long_rows(s, q, many, r)); /* either is NO_HEAD */
        else
            cut_rows(cut, many, r.at | q.what, r.end - r.at, r.row);
        r.at = is_long ? r.end : r.at;
        __syncwarp();
        const unsigned open = __ballot_sync(ALL_LANES, parent == NO_HEAD && r.at < r.end);
        if (open != 0) {
            const uint32_t hit = pull_by_eights(s, q, open, r);
            parent = parent == NO_HEAD ? hit : parent;
        }
        if (parent != NO_HEAD)
            note_found(s, q, w, first, at, parent);
    }
}

/* The candidates in the list look at their heads. Returns how many stay listed. */
template <class S>
__device__ static inline unsigned pull_listed(S &s, const pulling &q, typename S::space &w, uint32_t first,
                                              unsigned count)
{
    w.pull.found[lane_id()] = 0;
    __syncwarp();
    for (uint32_t column = 0; column < q.csr->head_columns && count > 0; column++)
        count = pull_heads(s, q, w, first, count, column);
    return count;
}

/* The rows `todo`, a word a lane from `base` on, look for a parent. Rows that find one join `next`. Returns those of the
 * lane's word. */
template <class S>
__device__ static inline uint32_t pull_words(S &s, const pulling &q, uint32_t base, uint32_t todo, const cut_list &cut)
{
    typename S::space &w = own_space(s);
    unsigned left = unpack_words(w.pull.list, todo);
    if (left == 0)
        return 0;
    const uint32_t first = base * 32;
    left = pull_listed(s, q, w, first, left);
    pull_rests(s, q, w, first, left, cut);
    __syncwarp();
    const uint32_t found = w.pull.found[lane_id()];
    if (found != 0)
        atomicOr(&q.next[base + lane_id()], found);
    __syncwarp();
    return found;
}

/* Finds what a push along g would find, for the rows of some words of the mask. */
template <class S> __device__ static void pull_span(S &s, int g, uint32_t base, uint32_t span, const cut_list &cut)
{
    const int reverse = reverse_of(g);
    const pulling q = start_pulling(s, reverse);
    const uint32_t word = base + lane_id();
    const bool own = lane_id() < span && word < s.of[g & 1].words;
    pull_words(s, q, base, own ? s.pulled[reverse].wanted[word] & ~q.visited[word] & ~q.next[word] : 0, cut);
}

/* Does all pulls of the level, of all subgraphs at once: few words need not wait for each other. */
template <class S> __device__ static void pull_all(S &s, uint32_t warp, uint32_t warps, const cut_list &cut)
{
    const mask_spans &spans = s.block.pulls;
    for (uint32_t i = warp;; i += warps) {
        uint32_t at = i;
        int g = SUBGRAPHS - 1;
        for (; g >= 0 && at >= spans.count[g]; g--)
            at -= spans.count[g];
        if (g < 0)
            return;
        pull_span(s, g, at * spans.size, spans.size, cut);
    }
}

/* Plans the spans of the level's pulls. By one warp. */
template <class S> __device__ static inline void lay_out_pulls(S &s, uint32_t warps)
{
    const unsigned g = lane_id();
    const bool looks = g < SUBGRAPHS && s.block.choice.pull[g] && has_pulled(s, reverse_of((int)g));
    const uint32_t words = looks ? (uint32_t)s.of[g & 1].words : 0;
    const uint32_t size = span_of(sum_lanes(words), SPANS_A_WARP * warps, WARP);
    if (g < SUBGRAPHS)
        s.block.pulls.count[g] = (words + size - 1) / size;
    if (g == 0)
        s.block.pulls.size = size;
}

/* Looks at a piece of a long row, unless another piece has found a parent already. */
template <class S> __device__ static inline void pull_piece(S &s, const pulling &q, const work_item &piece)
{
    const uint32_t found = ((volatile uint32_t *)q.next)[piece.row / 32] >> (piece.row % 32) & 1;
    if (__any_sync(ALL_LANES, found != 0)) /* lanes may see it at different times */
        return;
    const uint32_t hit = pull_by_warp(s, q, piece);
    if (hit != NO_HEAD && lane_id() == 0 && claim_bit(q.next, piece.row) && q.parent != NULL)
        q.parent[piece.row] = q.tag | parent_of_column(s, *q.csr, hit);
}

#endif

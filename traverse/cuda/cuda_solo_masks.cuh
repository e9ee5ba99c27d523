/* cuda_solo_masks.cuh: levels by masks; see cuda_solo.h
 *
 * Pulls and pushes fill `next`, and `visited` does not change meanwhile. Then the previsit makes the new
 * vertices in `next` the frontier. Bytes moved: 12 to 16 for each word of a mask; 4 (head) and a probe for
 * each column that a candidate of a pull reads. Depths are not written: the mask of the frontier is kept.
 */
#ifndef DBFS_CUDA_SOLO_MASKS_CUH
#define DBFS_CUDA_SOLO_MASKS_CUH

#include "cuda_solo_notes.cuh"
#include "cuda_solo_push.cuh"

enum {
    PULL_ALONE = 16,     /* columns that a thread reads of its row before the warp helps */
    ROW_TOGETHER = SOLO_ROW_TOGETHER,
    PULL_AHEAD = 4,      /* columns of a thread under way */
    MOST_PARTS = 3,      /* 2^MOST_PARTS of a word */
    SPANS_A_WARP = 8     /* in a pull, if there are words enough: the first words have the longest rows */
};

/* Words that a warp takes at a time: fewer where there are not enough for all warps. */
__device__ static inline uint32_t span_of(uint64_t words, uint32_t warps, uint32_t most)
{
    const uint32_t share = (uint32_t)words / warps;
    return share < 1 ? 1 : share < most ? share : most;
}

/* The set bits of the lanes' words, in order, as offsets from the first. Returns how many there are. */
__device__ static inline unsigned unpack_words(uint16_t *to, uint32_t bits)
{
    if (!__any_sync(ALL_LANES, bits != 0))
        return 0;
    unsigned before = warp_prefix(__popc(bits));
    const unsigned total = __shfl_sync(ALL_LANES, before + __popc(bits), WARP - 1);
    __syncwarp();
    for (; bits != 0; bits &= bits - 1)
        to[before++] = (uint16_t)(lane_id() * 32 + __ffs(bits) - 1);
    __syncwarp();
    return total;
}

/* Pieces of long rows, which any warp may take when all have come to the end of their share. */
struct cut_list {
    solo_piece *pieces;
    unsigned *count;
};

/* The rows of the lanes `many`, one after the other. All lanes of the warp call it. */
__device__ static inline void cut_rows(const cut_list &cut, unsigned many, uint64_t begin, uint64_t length,
                                       uint32_t row)
{
    for (; many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const uint64_t edges = __shfl_sync(ALL_LANES, length, from);
        unsigned at = lane_id() == 0 ? atomicAdd(cut.count, pieces_of(edges)) : 0;
        at = __shfl_sync(ALL_LANES, at, 0);
        put_long_row(cut.pieces, at, solo_piece{__shfl_sync(ALL_LANES, begin, from), 0,
                                                __shfl_sync(ALL_LANES, row, from)}, edges);
    }
}

/* The frontier of the i-th level by masks, from 1 on. */
__device__ static inline uint32_t *frontier_mask(int kind, unsigned i)
{
    const gpu_vertices &v = search.of[kind];
    return i <= search.keeps ? v.queue + (i - 1) * v.words : v.frontier;
}

__device__ static inline int reverse_of(int g)
{
    return (g & 1) << 1 | g >> 1;
}

/* GPUs that search together choose alike by the edges of all. One that has none in subgraph g has no arrays of it. */
__device__ static inline bool has_edges(int g)
{
    return search.csr[g].edges != 0;
}

/* ---- pull ---- */

/* Unvisited rows of a subgraph look for a visited column. */
struct pulling {
    const gpu_csr *csr;
    const uint32_t *visited, *parents; /* of the rows, of the columns */
    uint32_t *next, *parent;
    uint32_t tag;
    uint64_t what; /* of pieces */
    int along;     /* the subgraph that a push would go along */
};

__device__ static inline pulling start_pulling(int g)
{
    const gpu_vertices &rows = search.of[g >> 1], &columns = search.of[kind_of_columns(g)];
    return pulling{&search.csr[g],   rows.visited, columns.visited,
                   rows.next,   rows.parent,  parent_code((g & 1) << 1, 0),
                   (uint64_t)g << PIECE_SUBGRAPH_SHIFT | PIECE_PULL, reverse_of(g)};
}

__device__ static inline void note_found(const pulling &q, warp_space &w, uint32_t first,
                                         unsigned at, uint32_t parent)
{
    atomicOr(&w.pull.found[at / 32], 1u << (at % 32));
    if (q.parent != NULL)
        q.parent[first + at] = q.tag | parent_of_column(*q.csr, parent);
}

/* For notes. Groups of so many lanes look at columns side by side, each at those of one row: lane l of a group at
 * every group-th column from the l-th on. Those up to the first hit count. All lanes of the warp call it. */
__device__ static inline void note_side_by_side(const pulling &q, const uint32_t (&column)[PULL_AHEAD],
                                                unsigned group)
{
    if (!SOLO_NOTED)
        return;
    unsigned first = PULL_AHEAD * WARP, seen = 0;
    for (int j = 0; j < PULL_AHEAD; j++) {
        const bool hit = column[j] != NO_HEAD && test_bit(q.parents, column[j]);
        first = min(first, hit ? j * group + lane_id() % group : PULL_AHEAD * WARP);
    }
    for (unsigned step = group / 2; step > 0; step /= 2)
        first = min(first, __shfl_xor_sync(ALL_LANES, first, step));
    for (int j = 0; j < PULL_AHEAD; j++)
        seen += column[j] != NO_HEAD && j * group + lane_id() % group <= first;
    note_probes(seen, q.along);
}

/* One head column. What finds no parent in it, and has more columns, stays listed. */
__device__ static inline unsigned pull_heads(const pulling &q, warp_space &w, uint32_t first,
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
            hit[j] = head[j] != NO_HEAD && test_bit(q.parents, head[j]);
        note_probes(count_columns<SLOTS>(head), q.along);
        __syncwarp();
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            if (hit[j])
                note_found(q, w, first, at[j], head[j]);
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

/* Up to PULL_ALONE columns by one thread; `begin` moves on. */
__device__ static inline uint32_t pull_by_thread(const pulling &q, uint64_t &begin, uint64_t end)
{
    const uint32_t *columns = (const uint32_t *)q.csr->columns;
    const uint64_t stop = end - begin < PULL_ALONE ? end : begin + PULL_ALONE;
    for (; begin < stop; begin += PULL_AHEAD) {
        uint32_t column[PULL_AHEAD];
        bool hit[PULL_AHEAD];
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            column[j] = begin + j < stop ? columns[begin + j] : NO_HEAD;
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            hit[j] = column[j] != NO_HEAD && test_bit(q.parents, column[j]);
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++) {
            if (hit[j]) {
                begin += SOLO_NOTED ? j + 1 : 0;
                return column[j];
            }
        }
    }
    begin = stop;
    return NO_HEAD;
}

/* A range of columns by the warp. */
__device__ static inline uint32_t pull_by_warp(const pulling &q, uint64_t begin, uint64_t end)
{
    const uint32_t *columns = (const uint32_t *)q.csr->columns;
    for (uint64_t i = begin + lane_id(); i - lane_id() < end; i += PULL_AHEAD * WARP) {
        uint32_t column[PULL_AHEAD], hit = NO_HEAD;
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++)
            column[j] = i + j * WARP < end ? columns[i + j * WARP] : NO_HEAD;
#pragma unroll
        for (int j = 0; j < PULL_AHEAD; j++) {
            if (column[j] != NO_HEAD && test_bit(q.parents, column[j]))
                hit = column[j];
        }
        note_side_by_side(q, column, WARP);
        const unsigned hits = __ballot_sync(ALL_LANES, hit != NO_HEAD);
        if (hits != 0)
            return __shfl_sync(ALL_LANES, hit, __ffs(hits) - 1);
    }
    return NO_HEAD;
}

/* Ranges of columns, one a lane: those of `open` lanes, four at a time by eight lanes each. Returns the hit
 * of the lane's own range. */
__device__ static inline uint32_t pull_by_eights(const pulling &q, unsigned open, uint64_t begin,
                                                 uint64_t end)
{
    enum { LANES = 8 };
    const uint32_t *columns = (const uint32_t *)q.csr->columns;
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
        uint64_t at = __shfl_sync(ALL_LANES, begin, source & (WARP - 1)) + sub;
        const uint64_t stop = __shfl_sync(ALL_LANES, end, source & (WARP - 1));
        uint32_t hit = NO_HEAD;
        bool looking = source >= 0;
        while (__any_sync(ALL_LANES, looking)) {
            uint32_t column[PULL_AHEAD];
#pragma unroll
            for (int j = 0; j < PULL_AHEAD; j++)
                column[j] = looking && at + j * LANES < stop ? columns[at + j * LANES] : NO_HEAD;
#pragma unroll
            for (int j = 0; j < PULL_AHEAD; j++) {
                if (column[j] != NO_HEAD && test_bit(q.parents, column[j]))
                    hit = column[j];
            }
            note_side_by_side(q, column, LANES);
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

/* What the heads left: the rests of rows. */
__device__ static inline void pull_rests(const pulling &q, warp_space &w, uint32_t first,
                                         unsigned count, const cut_list &cut)
{
    for (unsigned i = 0; i < count; i += WARP) {
        unsigned at = 0;
        uint64_t begin = 0, end = 0, begun = 0;
        uint32_t parent = NO_HEAD;
        if (i + lane_id() < count) {
            at = w.pull.list[i + lane_id()];
            begin = begun = offset_of(*q.csr, (uint64_t)first + at);
            end = offset_of(*q.csr, (uint64_t)first + at + 1);
            parent = pull_by_thread(q, begin, end);
        }
        note_probes(begin - begun, q.along);
        const bool is_long = parent == NO_HEAD && end - begin > ROW_TOGETHER;
        cut_rows(cut, __ballot_sync(ALL_LANES, is_long), begin | q.what, end - begin, first + at);
        begin = is_long ? end : begin;
        __syncwarp();
        const unsigned open = __ballot_sync(ALL_LANES, parent == NO_HEAD && begin < end);
        if (open != 0) {
            const uint32_t hit = pull_by_eights(q, open, begin, end);
            parent = parent == NO_HEAD ? hit : parent;
        }
        if (parent != NO_HEAD)
            note_found(q, w, first, at, parent);
    }
}

/* The rows `todo`, of a word a lane from `base` on, look for a parent. What they find joins `next`. */
__device__ static inline void pull_words(const pulling &q, uint32_t base, uint32_t todo,
                                         const cut_list &cut)
{
    warp_space &w = own_space();
    unsigned left = unpack_words(w.pull.list, todo);
    if (left == 0)
        return;
    const uint32_t first = base * 32;
    w.pull.found[lane_id()] = 0;
    __syncwarp();
    for (uint32_t column = 0; column < q.csr->head_columns && left > 0; column++)
        left = pull_heads(q, w, first, left, column);
    pull_rests(q, w, first, left, cut);
    __syncwarp();
    const uint32_t found = w.pull.found[lane_id()];
    if (found != 0)
        atomicOr(&q.next[base + lane_id()], found);
    __syncwarp();
}

/* Finds what a push along g would find, for the rows of some words of the mask. */
__device__ static void pull_span(int g, uint32_t base, uint32_t span, const cut_list &cut)
{
    const int reverse = reverse_of(g);
    const pulling q = start_pulling(reverse);
    const uint32_t word = base + lane_id();
    const bool own = lane_id() < span && word < search.of[g & 1].words;
    pull_words(q, base, own ? search.csr[reverse].wanted[word] & ~q.visited[word] & ~q.next[word] : 0,
               cut);
}

/* All pulls of the level. Few words do not wait for one subgraph after the other: all are under way. */
__device__ static void pull_all(uint32_t warp, uint32_t warps, const cut_list &cut)
{
    const mask_spans &spans = block.pulls;
    for (uint32_t i = warp;; i += warps) {
        uint32_t at = i;
        int g = SUBGRAPHS - 1;
        for (; g >= 0 && at >= spans.count[g]; g--)
            at -= spans.count[g];
        if (g < 0)
            return;
        pull_span(g, at * spans.size, spans.size, cut);
    }
}

/* The spans of the level's pulls. By one warp. */
__device__ static inline void lay_out_pulls(uint32_t warps)
{
    const unsigned g = lane_id();
    const bool looks = g < SUBGRAPHS && block.choice.pull[g] && has_edges(reverse_of((int)g));
    const uint32_t words = looks ? (uint32_t)search.of[g & 1].words : 0;
    const uint32_t size = span_of(sum_lanes(words), SPANS_A_WARP * warps, WARP);
    if (g < SUBGRAPHS)
        block.pulls.count[g] = (words + size - 1) / size;
    if (g == 0)
        block.pulls.size = size;
}

/* A piece of a long row, unless another piece has found a parent already. */
__device__ static inline void pull_piece(const pulling &q, const solo_piece &piece)
{
    if (((volatile uint32_t *)q.next)[piece.row / 32] >> (piece.row % 32) & 1)
        return;
    const uint64_t begin = piece.at & PIECE_AT;
    const uint32_t hit = pull_by_warp(q, begin, begin + piece.length);
    if (hit != NO_HEAD && lane_id() == 0 && claim_bit(q.next, piece.row) && q.parent != NULL)
        q.parent[piece.row] = q.tag | parent_of_column(*q.csr, hit);
}

/* ---- push ---- */

/* One row a lane, in subgraph g. */
__device__ static inline void push_rows(const level_target &s, int g, uint32_t row, bool has,
                                        const cut_list &cut)
{
    const gpu_csr &csr = search.csr[g];
    const uint64_t what = (uint64_t)g << PIECE_SUBGRAPH_SHIFT;
    uint64_t begin = 0, length = 0;
    if (has) {
        begin = offset_of(csr, row);
        length = offset_of(csr, (uint64_t)row + 1) - begin;
    }
    const bool is_long = length > ROW_TOGETHER;
    cut_rows(cut, __ballot_sync(ALL_LANES, is_long), begin | what, length, row);
    length = is_long ? 0 : length;
    const uint64_t heads = csr.head_columns > 0 ? PIECE_HEADS : 0;
    expand<REACH_NEXT>(s, solo_piece{begin | what | heads, (uint32_t)length, row}, has);
}

/* The words of a mask that a warp takes in a turn, one a lane: groups of 2^shift neighbours that lie far apart. Of small
 * masks a lane takes a part of a word, one of 2^parts: the rows of one word may have all the edges of a level. */
struct scattered_words {
    uint32_t turns;
    uint16_t shift, parts;
};

/* How a level by masks goes, beside what block_state says. */
struct mask_plan {
    scattered_words pushes[SUBGRAPHS];
    bool lists_next; /* whatever is found, the next level goes by lists */
};

static __shared__ mask_plan planned;

/* The first words have the longest rows, so where rows are long, groups are small. Large groups are read faster. */
__device__ static inline scattered_words scatter_words(uint32_t words, uint32_t warps, bool long_rows)
{
    unsigned parts = 0;
    while (parts < MOST_PARTS && (2ull << parts) * words <= (uint64_t)WARP * warps)
        parts++;
    words <<= parts;
    const unsigned most = !long_rows ? 5 : parts > 0 ? 0 : 1, share = words / warps,
                   shift = share < 2 ? 0 : min(most, 31u - __clz(share));
    const uint32_t groups = (words + (1u << shift) - 1) >> shift, a_turn = WARP >> shift;
    return scattered_words{max(min(groups, warps), (groups + a_turn - 1) / a_turn), (uint16_t)shift,
                           (uint16_t)parts};
}

/* Of words, or of parts of them. */
__device__ static inline uint32_t word_of_lane(const scattered_words &all, uint32_t turn, unsigned lane)
{
    return ((turn + (lane >> all.shift) * all.turns) << all.shift) + (lane & ((1u << all.shift) - 1));
}

/* The bits of a part, at their places in the word. */
__device__ static inline uint32_t bits_of_part(const scattered_words &all, uint32_t part)
{
    const unsigned rows = 32 >> all.parts, at = (part & ((1u << all.parts) - 1)) * rows;
    return (rows == 32 ? ~0u : (1u << rows) - 1) << at;
}

/* How the level's pushes take words. By one warp. */
__device__ static inline void lay_out_pushes(uint32_t warps)
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS)
        planned.pushes[g] = scatter_words((uint32_t)search.of[g >> 1].words, warps,
                                     block.now.forward[g] > 16 * block.now.frontier[g]);
}

/* The rows `bits` of at most SPAN_WORDS words, a word a lane, in a turn. */
__device__ static inline void push_span(const level_target &s, int g, const scattered_words &all,
                                        uint32_t turn, uint32_t bits, const cut_list &cut)
{
    const unsigned total = unpack_words(own_space().unpacked, bits);
    for (unsigned i = 0; i < total; i += WARP) {
        const bool has = i + lane_id() < total;
        const unsigned at = has ? own_space().unpacked[i + lane_id()] : 0;
        push_rows(s, g, (word_of_lane(all, turn, at / 32) >> all.parts) * 32 + at % 32, has, cut);
    }
    __syncwarp();
}

/* A frontier that is a mask. */
__device__ static void push_words(const level_target &s, int g, uint32_t warp, uint32_t warps,
                                  const cut_list &cut)
{
    const gpu_vertices &from = search.of[g >> 1];
    const uint32_t words = (uint32_t)from.words;
    const scattered_words &all = planned.pushes[g];
    const uint32_t *sources = search.csr[g].sources, *frontier = frontier_mask(g >> 1, block.kept);
    for (uint32_t turn = warp; turn < all.turns; turn += warps) {
        const uint32_t part = word_of_lane(all, turn, lane_id()), word = part >> all.parts;
        const uint32_t bits = word < words ? frontier[word] & sources[word] & bits_of_part(all, part) : 0;
        unsigned step = SPAN_WORDS;
        if (sum_lanes(__popc(bits)) <= SPAN_WORDS * 32)
            step = WARP;
        for (unsigned first = 0; first < WARP; first += step)
            push_span(s, g, all, turn, lane_id() / step == first / step ? bits : 0, cut);
    }
}

/* All pushes of the level. A frontier that is listed has its rows in the list. */
__device__ static void push_all(const cut_list &cut, uint32_t warp, uint32_t warps)
{
    unsigned listed = 0;
    for (int g = SUBGRAPHS - 1; g >= 0; g--) {
        if (!(block.now.frontier[g] > 0) || block.choice.pull[g] || !has_edges(g))
            continue;
        if (block.now.listed)
            listed |= 1u << g;
        else
            push_words(block.target, g, warp, warps, cut);
    }
    if (listed != 0)
        expand_list<REACH_NEXT>(block.target, search.list[block.now.list], block.now.pieces, warp,
                                warps, listed);
}

/* The pieces that were cut, pushed or pulled. */
__device__ static void finish_cut(const level_target &s, const solo_piece *cut, unsigned count,
                                  uint32_t warp, uint32_t warps)
{
    for (unsigned i = warp; i < count; i += warps) {
        const solo_piece piece = cut[i];
        if (piece.at & PIECE_PULL)
            pull_piece(start_pulling((int)(piece.at >> PIECE_SUBGRAPH_SHIFT)), piece);
        else
            expand_one<REACH_NEXT>(s, piece);
    }
}

/* ---- lists of masks ---- */

/* Lists the vertices of some words of a frontier, a word a lane from `base` on. */
__device__ static inline void list_words(const level_target &s, int kind, uint64_t base, uint32_t bits)
{
    uint16_t *unpacked = own_space().pull.list;
    const unsigned total = unpack_words(unpacked, bits);
    for (unsigned i = 0; i < total; i += WARP) {
        const bool has = i + lane_id() < total;
        const uint32_t id = (uint32_t)(base * 32) + (has ? unpacked[i + lane_id()] : 0);
        list_vertices(s, id | (kind == DELEGATES ? KIND_BIT : 0), has);
    }
    __syncwarp();
}

/* ---- previsit ---- */

/* Edges of the rows of some words, behind the head columns. */
__device__ static inline uint64_t edges_between(const gpu_csr &csr, uint64_t base, uint64_t end)
{
    if (csr.edges == 0)
        return 0;
    const uint64_t first = base * 32 < csr.rows ? base * 32 : csr.rows,
                   last = end * 32 < csr.rows ? end * 32 : csr.rows;
    return offset_of(csr, last) - offset_of(csr, first);
}

/* Counts the fresh vertices that have rows in subgraph g, and about how many edges these have. Vertices are
 * in the order of their degrees, so rows of neighbouring words are about as long: the mean of the warp's
 * words stands for the rows of the frontier, which need not be looked up. */
__device__ static inline void count_span(int g, uint32_t fresh, uint32_t sources, uint64_t edges)
{
    const unsigned own = sum_lanes(__popc(fresh & sources)), rows = sum_lanes(__popc(sources));
    if (own == 0 || lane_id() != 0)
        return;
    warp_space &w = own_space();
    edges += (uint64_t)rows * search.csr[g].head_columns;
    w.count[SOLO_SOURCES + g] += own;
    w.count[SOLO_FORWARD + g] += edges * own / rows;
}

/* to[v] = value for the vertices of some words, a word a lane from `base` on. */
template <typename T>
__device__ static inline void fill(T *to, uint64_t base, uint32_t bits, T value)
{
    for (unsigned full = __ballot_sync(ALL_LANES, bits != 0); full != 0; full &= full - 1) {
        const int source = __ffs(full) - 1;
        if (__shfl_sync(ALL_LANES, bits, source) >> lane_id() & 1)
            to[(base + source) * 32 + lane_id()] = value;
    }
}

/* Fresh vertices move from next to visited and to the frontier. Asks for everything before it waits. */
__device__ static void previsit_span(const level_target &s, int kind, uint32_t base, uint32_t span)
{
    const gpu_vertices &v = search.of[kind];
    const gpu_csr &one = search.csr[kind << 1], &two = search.csr[kind << 1 | 1];
    const uint32_t word = base + lane_id(), words = (uint32_t)v.words,
                   end = base + span < words ? base + span : words;
    const bool in = word < end;
    uint32_t next = in ? v.next[word] : 0, visited = 0, in_one = 0, in_two = 0;
    const uint64_t edges = lane_id() < 2 ? edges_between(lane_id() ? two : one, base, end) : 0;
    if (in && (block.dense || next != 0)) {
        visited = v.visited[word];
        in_one = one.edges != 0 ? one.sources[word] : 0;
        in_two = two.edges != 0 ? two.sources[word] : 0;
    }
    const uint32_t fresh = next & ~visited;
    if (in)
        frontier_mask(kind, block.kept + 1)[word] = fresh;
    if (next != 0)
        v.next[word] = 0;
    if (!__any_sync(ALL_LANES, fresh != 0))
        return;
    if (in && !block.dense) { /* the means want all rows */
        in_one = one.edges != 0 ? one.sources[word] : 0;
        in_two = two.edges != 0 ? two.sources[word] : 0;
    }
    if (fresh != 0)
        v.visited[word] = visited | fresh;
    const unsigned count = sum_lanes(__popc(fresh));
    if (lane_id() == 0)
        own_space().count[SOLO_FRESH] += count;
    count_span(kind << 1, fresh, in_one, __shfl_sync(ALL_LANES, edges, 0));
    count_span(kind << 1 | 1, fresh, in_two, __shfl_sync(ALL_LANES, edges, 1));
    if (block.kept >= search.keeps)
        fill(v.depth, base, fresh, s.depth);
}

/* What is next and not visited becomes the frontier: masks, depths, counts. */
__device__ static void previsit(const level_target &s, uint32_t warp, uint32_t warps)
{
    const uint32_t normals = (uint32_t)search.of[NORMALS].words,
                   delegates = (uint32_t)search.of[DELEGATES].words,
                   span = span_of((uint64_t)normals + delegates, warps, WARP),
                   first = (normals + span - 1) / span, count = first + (delegates + span - 1) / span;
    for (uint32_t i = warp; i < count; i += warps)
        previsit_span(s, i < first ? NORMALS : DELEGATES, (i < first ? i : i - first) * span, span);
}

/* The same, where the next level certainly goes by lists: fresh vertices are listed, too, which saves a pass. Not inlined:
 * other levels would have fewer registers. */
__device__ static __noinline__ void previsit_into_list(uint32_t warp, uint32_t warps)
{
    const uint32_t normals = (uint32_t)search.of[NORMALS].words, words = normals + (uint32_t)search.of[DELEGATES].words;
    const uint32_t span = span_of(words, warps, WARP), first = (normals + span - 1) / span,
                   count = first + (words - normals + span - 1) / span;
    for (uint32_t i = warp; i < count; i += warps) {
        const int kind = i < first ? NORMALS : DELEGATES;
        const gpu_vertices &v = search.of[kind];
        const uint32_t base = (i < first ? i : i - first) * span, word = base + lane_id();
        const bool in = lane_id() < span && word < v.words;
        const uint32_t next = in ? v.next[word] : 0, visited = next != 0 ? v.visited[word] : 0,
                       fresh = next & ~visited;
        if (in)
            frontier_mask(kind, block.kept + 1)[word] = fresh;
        if (next != 0) {
            v.next[word] = 0;
            v.visited[word] = visited | fresh;
        }
        if (block.kept >= search.keeps)
            fill(v.depth, base, fresh, block.target.depth);
        list_words(block.target, kind, base, fresh);
    }
}

/* Lists a frontier that is a mask. Most words are empty, so several spans are under way. */
__device__ static void list_kind(const level_target &s, int kind, uint32_t warp, uint32_t warps)
{
    const gpu_vertices &v = search.of[kind];
    const uint32_t *frontier = frontier_mask(kind, block.kept);
    const uint32_t span = span_of(v.words, warps, WARP);
    const uint64_t step = (uint64_t)warps * span;
    for (uint64_t base = (uint64_t)warp * span; base < v.words; base += SLOTS * step) {
        uint32_t bits[SLOTS], any = 0;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const uint64_t word = base + j * step + lane_id();
            bits[j] = lane_id() < span && word < v.words ? frontier[word] : 0;
            any |= bits[j];
        }
        if (!__any_sync(ALL_LANES, any != 0))
            continue;
#pragma unroll 1
        for (int j = 0; j < SLOTS; j++) {
            list_words(s, kind, base + j * step, bits[0]);
            bits[0] = bits[1], bits[1] = bits[2], bits[2] = bits[3];
        }
    }
}

#endif

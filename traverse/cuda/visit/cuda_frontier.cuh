/* cuda_frontier.cuh: puts vertices into sparse frontiers, and lets warps share the words of dense ones
 *
 * A sparse frontier is a list of work items. A work item is a row, or a piece of at most ITEM_EDGES columns of a long row. A
 * vertex has a row in each of two subgraphs. In a sparse level, the thread that reaches a vertex appends the vertex's rows to the
 * next frontier, except empty ones. It also counts their edges, so the number of edges of a level is known when the level begins.
 */
#ifndef DBFS_CUDA_FRONTIER_CUH
#define DBFS_CUDA_FRONTIER_CUH

#include "cuda_searching.cuh"

/* ---- the rows of a vertex ---- */

/* A row of a vertex that is about to be appended to a sparse frontier. */
struct listed_row {
    uint64_t begin, length; /* the columns behind the head columns: index of the first one, and their number */
    unsigned heads;         /* head columns; 0 if the first head of the row is empty */
    unsigned items;         /* work items of the row; 0: the row is empty */
};

/* Returns the number of pieces of at most EDGES columns into which a row of `length` columns is cut. */
template <uint32_t EDGES = ITEM_EDGES> __device__ static inline unsigned pieces_of(uint64_t length)
{
    return (unsigned)((length + EDGES - 1) / EDGES);
}

/* Reads where the two rows of vertex `id` lie and how long they are. csr[0] and csr[1] are the two subgraphs of the vertex's
 * kind. If `has` is false, the lane has no vertex, and both rows become empty. All reads begin before the first is waited for.
 * The code is written out for both rows, as a loop would cost the callers 3 KB of code. */
__device__ static inline void look_at_rows(const gpu_csr *csr, uint32_t id, bool has, listed_row (&row)[VERTEX_KINDS])
{
    const gpu_csr &a = csr[0], &b = csr[1];
    const bool in_a = has && a.edges != 0, in_b = has && b.edges != 0;
    uint64_t a_end = 0, b_end = 0;
    uint32_t a_head = NO_HEAD, b_head = NO_HEAD;
    row[0].begin = row[1].begin = 0;
    if (in_a && a.head_columns > 0)
        a_head = a.heads[id];
    if (in_b && b.head_columns > 0)
        b_head = b.heads[id];
    if (in_a) {
        const row_rest rest = rest_of_row(a, id);
        row[0].begin = rest.begin, a_end = rest.end;
    }
    if (in_b) {
        const row_rest rest = rest_of_row(b, id);
        row[1].begin = rest.begin, b_end = rest.end;
    }
    const auto measure = [](listed_row &r, uint64_t end, uint32_t head, uint32_t head_columns) {
        r.length = end - r.begin;
        r.heads = head != NO_HEAD ? head_columns : 0;
        r.items = r.length > ITEM_EDGES ? pieces_of(r.length) : r.length > 0 || r.heads > 0;
    };
    measure(row[0], a_end, a_head, a.head_columns);
    measure(row[1], b_end, b_head, b.head_columns);
}

/* ---- appending work items ---- */

/* Cuts a row of `length` columns into work items of EDGES columns, the first of which has `less` columns less, and writes them from
 * next[at] on. `first` has the vertex, the index of the first column, and the flags. Flags of ITEM_ONCE go to the first work item
 * only. All lanes of the warp call it with the same arguments, and share the writes. */
template <uint32_t EDGES = ITEM_EDGES>
__device__ static inline void write_pieces(work_item *next, unsigned at, const work_item &first, uint64_t length, unsigned less = 0)
{
    for (uint64_t end = (uint64_t)(lane_id() + 1) * EDGES - less; end < length + EDGES; end += WARP * EDGES) {
        const uint64_t begin = end > EDGES ? end - EDGES : 0;
        next[at + (unsigned)(begin + less) / EDGES] =
            work_item{begin == 0 ? first.at : (first.at & ~ITEM_ONCE) + begin, (uint32_t)(min(end, length) - begin), first.row};
    }
}

/* Writes the work items of up to 32 rows, one row `r` from each lane, to `next`. The lane's row is that of vertex `id` in
 * subgraph g, and its work items begin at next[at]. The first one gets `flags` (ITEM_FIRST or 0). The whole warp helps with
 * rows of more than OWN_ITEMS work items. All lanes of the warp call it. */
__device__ static inline void write_items(work_item *next, unsigned at, const listed_row &r, int g, uint32_t id,
                                       uint64_t flags)
{
    uint64_t begin = r.begin | (uint64_t)g << ITEM_SUBGRAPH_SHIFT | (r.heads > 0 ? ITEM_HEADS : 0) | flags;
    const uint64_t first = begin;
    uint64_t left = r.length;
    for (unsigned i = 0; i < r.items && r.items <= OWN_ITEMS; i++) {
        const uint32_t length = (uint32_t)(left < ITEM_EDGES ? left : ITEM_EDGES);
        next[at + i] = work_item{begin, length, id};
        begin = (begin & ~ITEM_ONCE) + ITEM_EDGES;
        left -= length;
    }
    for (unsigned many = __ballot_sync(ALL_LANES, r.items > OWN_ITEMS); many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const work_item item = {__shfl_sync(ALL_LANES, first, from), 0, __shfl_sync(ALL_LANES, id, from)};
        write_pieces(next, __shfl_sync(ALL_LANES, at, from), item, __shfl_sync(ALL_LANES, r.length, from));
    }
}

/* Adds rows of subgraph g to the warp's counters: their number to FUSED_SOURCES + g, and their edges to FUSED_FORWARD + g. Each
 * lane has a row `r`, which counts if `mine` is true and it is not empty. At most 2^26 edges are counted for a row, so that the
 * sum fits into 32 bits. This changes no choice, as a sparse level has fewer edges anyway. All lanes of the warp call it. */
template <class S> __device__ static inline void count_rows(int g, bool mine, const listed_row &r)
{
    const unsigned full = __ballot_sync(ALL_LANES, mine && r.items > 0);
    if (full == 0)
        return;
    const uint64_t edges = r.length + r.heads, most = 1u << 26;
    const unsigned sum = sum_lanes(mine ? (unsigned)(edges < most ? edges : most) : 0);
    if (lane_id() != 0)
        return;
    own_space<S>().count[FUSED_SOURCES + g] += __popc(full);
    own_space<S>().count[FUSED_FORWARD + g] += sum;
}

/* Appends vertices to the next sparse frontier: writes the work items of their rows to `target`. Each lane gives a vertex `v`,
 * with KIND_BIT for a delegate, or none if `has` is false. Also adds the vertices, their rows and their edges to the counters
 * of the warp. Writes no depths. All lanes of the warp call it. */
template <class S>
__device__ static inline void list_vertices(const gpu_csr *csr, const level_target &target, uint32_t v, bool has)
{
    const int kind = (int)(v >> 31), g = kind << 1;
    const uint32_t id = v & ~KIND_BIT;
    listed_row row[VERTEX_KINDS];
    look_at_rows(&csr[g], id, has, row);
    const unsigned own = row[0].items + row[1].items, before = warp_prefix(own);
    const unsigned total = __shfl_sync(ALL_LANES, before + own, WARP - 1);
    const unsigned all = __ballot_sync(ALL_LANES, has);
    const unsigned delegates = __ballot_sync(ALL_LANES, has && kind == DELEGATES);
    unsigned base = 0;
    if (lane_id() == 0) {
        base = total > 0 ? atomicAdd(target.next_count, total) : 0;
        own_space<S>().count[FUSED_FRESH] += __popc(all);
    }
    if (delegates != 0) {
        count_rows<S>(DN, has && kind == DELEGATES, row[0]);
        count_rows<S>(DD, has && kind == DELEGATES, row[1]);
    }
    if (delegates != all) {
        count_rows<S>(NN, has && kind == NORMALS, row[0]);
        count_rows<S>(ND, has && kind == NORMALS, row[1]);
    }
    base = __shfl_sync(ALL_LANES, base, 0);
    write_items(target.next, base + before, row[0], g, id, ITEM_FIRST);
    write_items(target.next, base + before + row[0].items, row[1], g | 1, id, row[0].items > 0 ? 0 : ITEM_FIRST);
}

/* ---- the words of dense frontiers, which warps share ---- */

/* Returns how many consecutive words of a bitmap a warp works on at a time: its share of `words`, but between 1 and `most`. */
__device__ static inline uint32_t span_of(uint64_t words, uint32_t warps, uint32_t most)
{
    const uint32_t share = (uint32_t)words / warps;
    return share < 1 ? 1 : share < most ? share : most;
}

/* Writes the positions of all set bits of 32 words, one word from each lane, to `to` in ascending order. Bit b of lane l has
 * position 32 * l + b. Returns the number of set bits to all lanes. All lanes of the warp call it. */
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

/* Cuts long rows into pieces of EDGES columns, and appends these to the list `cut` for a second pass. Pieces of very long rows, but
 * the first of a row, begin at a multiple of FUSED_ITEM_ALIGNED columns. Each lane in the set
 * `many` gives a row: its number `row`, its `length` in columns, and `begin`, which is the index of its first column together
 * with flags, as in work_item::at. All lanes of the warp call it. */
template <uint32_t EDGES = ITEM_EDGES>
__device__ static inline void cut_rows(const cut_list &cut, unsigned many, uint64_t begin, uint64_t length,
                                       uint32_t row)
{
    for (; many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const uint64_t edges = __shfl_sync(ALL_LANES, length, from), first = __shfl_sync(ALL_LANES, begin, from);
        const unsigned less = edges > FUSED_ALIGNED_FROM ? (unsigned)first % FUSED_ITEM_ALIGNED : 0;
        unsigned at = lane_id() == 0 ? atomicAdd(cut.count, pieces_of<EDGES>(edges + less)) : 0;
        at = __shfl_sync(ALL_LANES, at, 0);
        write_pieces<EDGES>(cut.pieces, at, work_item{first, 0, __shfl_sync(ALL_LANES, row, from)}, edges, less);
    }
}

/* Returns the bitmap of the i-th dense frontier of a search, where i counts from 1. The first `keeps` dense frontiers have
 * bitmaps of their own in v.queue, which stay until the search ends. All later ones share v.frontier. */
__device__ static inline uint32_t *frontier_bitmap(const gpu_vertices &v, uint32_t keeps, unsigned i)
{
    return i <= keeps ? v.queue + (i - 1) * v.words : v.frontier;
}

/* Returns the subgraph of the same edges in the other direction: dn for nd, nd for dn, and g itself for nn and dd. */
__device__ static inline int reverse_of(int g)
{
    return (g & 1) << 1 | g >> 1;
}

#endif

/* cuda_frontier.cuh: the work items of sparse frontiers, and the words of dense frontiers
 *
 * A vertex has a row in each of two subgraphs. A thread that reaches a vertex in a sparse level appends the rows of the
 * vertex to the next frontier. Empty rows are left out. Long rows are cut into pieces of ITEM_EDGES columns. A work item
 * is a row, or a piece of a long row. The thread also counts the edges of the rows that it appends. So the number of
 * edges of a level is known when the level begins.
 */
#ifndef DBFS_CUDA_FRONTIER_CUH
#define DBFS_CUDA_FRONTIER_CUH

#include "cuda_searching.cuh"

/* ---- the rows of a vertex ---- */

/* A row of a vertex that is about to be appended to a sparse frontier. */
struct listed_row {
    uint64_t begin, length; /* the index of the first column behind the heads; the number of columns behind the heads */
    unsigned heads;         /* head columns; 0 if the first head of the row is empty */
    unsigned items;         /* work items of the row; 0: the row is empty */
};

/* Returns the number of pieces into which a row of `length` columns is cut. A piece has at most EDGES columns. Returns 0 if
 * `length` is 0. */
template <uint32_t EDGES = ITEM_EDGES> __device__ static inline unsigned pieces_of(uint64_t length)
{
    return (unsigned)((length + EDGES - 1) / EDGES);
}

/* Reads the begin, the length and the number of heads of the two rows of vertex `id`, and writes them to `row`. The rows
 * are in csr[0] and csr[1], the two subgraphs of the vertex's kind. `has` is false if the lane has no vertex. Then the
 * rows become empty. All reads begin before the function waits for the first read. The code of each step stands twice,
 * once for each subgraph, since a loop costs the callers 3 KB of code. */
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

/* Cuts a row of `length` columns into pieces of EDGES columns, and writes the pieces as work items from next[at] on.
 * `first` has the number of the row, the index of the row's first column, and flags. All pieces get these flags, but
 * only the first piece gets the flags in ITEM_ONCE. All lanes of the warp call it with the same arguments, and share the
 * writes. */
template <uint32_t EDGES = ITEM_EDGES>
__device__ static inline void put_long_row(work_item *next, unsigned at, const work_item &first, uint64_t length)
{
    for (uint64_t done = (uint64_t)lane_id() * EDGES; done < length; done += WARP * EDGES) {
        const uint64_t left = length - done;
        const uint64_t begin = done == 0 ? first.at : (first.at & ~ITEM_ONCE) + done;
        next[at + (unsigned)(done / EDGES)] = work_item{begin, (uint32_t)(left < EDGES ? left : EDGES), first.row};
    }
}

/* Writes the work items of rows, one row a lane, from next[at] on. `r` is the lane's row: the row of vertex `id` in
 * subgraph g. `flags` is ITEM_FIRST or 0, and is for the first work item of the row. If a row has at most OWN_ITEMS work
 * items, the lane writes them alone. The whole warp writes the work items of each longer row. All lanes of the warp call
 * it. */
__device__ static inline void put_rows(work_item *next, unsigned at, const listed_row &r, int g, uint32_t id,
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
        put_long_row(next, __shfl_sync(ALL_LANES, at, from), item, __shfl_sync(ALL_LANES, r.length, from));
    }
}

/* Counts rows of subgraph g. Each lane has one row, `r`. A lane's row counts if `mine` is true and the row is not empty.
 * Adds the number of counted rows to the warp's counter FUSED_SOURCES + g, and the number of their edges to FUSED_FORWARD +
 * g. A row of more than 2^26 edges counts as 2^26 edges, so that the sum of a warp fits into 32 bits. This changes no
 * choice of a level, as 2^26 edges are already too many for a sparse level. All lanes of the warp call it. */
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

/* Appends the rows of vertices to the next sparse frontier, target.next, as work items. Adds the number of these work
 * items to *target.next_count. Each lane gives one vertex `v`, with KIND_BIT if it is a delegate, or none if `has` is
 * false. Adds the numbers of these vertices, of their rows, and of the edges of the rows to the counters of the warp.
 * Writes no depths. All lanes of the warp call it. */
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
    put_rows(target.next, base + before, row[0], g, id, ITEM_FIRST);
    put_rows(target.next, base + before + row[0].items, row[1], g | 1, id, row[0].items > 0 ? 0 : ITEM_FIRST);
}

/* ---- the words of dense frontiers, which warps share ---- */

/* Returns the number of consecutive words of a bitmap that a warp works on at a time. The number is `most` if there are
 * at least `most` words for each of the `warps` warps. Otherwise it is the number of words for each warp, and at least
 * 1. */
__device__ static inline uint32_t span_of(uint64_t words, uint32_t warps, uint32_t most)
{
    const uint32_t share = (uint32_t)words / warps;
    return share < 1 ? 1 : share < most ? share : most;
}

/* Lists the set bits of 32 words, one word a lane. The positions of the bits are written to `to` in order. Position 0 is the
 * first bit of lane 0. Returns the number of set bits to all lanes. All lanes of the warp call it. */
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

/* Cuts the rows of the lanes in the set `many` into pieces of EDGES columns, and appends these pieces to the list `cut`,
 * for a second pass. Each lane in `many` gives its row: the number of the row (`row`), the number of columns (`length`),
 * and the index of the first column together with flags (`begin`). All lanes of the warp call it. */
template <uint32_t EDGES = ITEM_EDGES>
__device__ static inline void cut_rows(const cut_list &cut, unsigned many, uint64_t begin, uint64_t length,
                                       uint32_t row)
{
    for (; many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const uint64_t edges = __shfl_sync(ALL_LANES, length, from);
        unsigned at = lane_id() == 0 ? atomicAdd(cut.count, pieces_of<EDGES>(edges)) : 0;
        at = __shfl_sync(ALL_LANES, at, 0);
        put_long_row<EDGES>(cut.pieces, at,
                            work_item{__shfl_sync(ALL_LANES, begin, from), 0, __shfl_sync(ALL_LANES, row, from)}, edges);
    }
}

/* Returns the bitmap of the i-th dense frontier of a search. i is 1 for the first dense frontier. Each of the first
 * `keeps` dense frontiers has a bitmap of its own in the memory of v.queue. This bitmap is kept until the search ends.
 * All later dense frontiers share the bitmap v.frontier. */
__device__ static inline uint32_t *frontier_bitmap(const gpu_vertices &v, uint32_t keeps, unsigned i)
{
    return i <= keeps ? v.queue + (i - 1) * v.words : v.frontier;
}

/* Returns the subgraph that has the edges of subgraph g in the other direction. This is nd for dn, dn for nd, nn for nn,
 * and dd for dd. */
__device__ static inline int reverse_of(int g)
{
    return (g & 1) << 1 | g >> 1;
}

#endif

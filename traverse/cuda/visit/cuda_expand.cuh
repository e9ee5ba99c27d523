/* cuda_expand.cuh: edges of listed rows reach vertices; see cuda_fused.h
 *
 * A warp lays the edges of up to 32 pieces end to end and visits 128 at a time, four a lane, so that several
 * reads of columns, probes and claims are under way at once. Bytes moved: 16 for each piece; 4 (column) and a
 * probe for each edge; an atomic, 4 (depth) and 8 to 24 (offsets and heads of its rows) for each vertex
 * reached.
 */
#ifndef DBFS_CUDA_EXPAND_CUH
#define DBFS_CUDA_EXPAND_CUH

#include "cuda_list.cuh"
#include "cuda_packed_block.cuh"

/* The places that reached vertices go to: the visited mask and the lists of the team, or the next
 * list; or the next mask. */
enum reaching { REACH_TEAM, REACH_LISTED, REACH_NEXT };

/* The ends of some edges, as numbers of vertices or, where these need more than 4 bytes, as columns. */
template <typename Number> struct slots_of {
    static constexpr Number none = ~(Number)0; /* of 4 bytes: NO_HEAD, as heads have it. Of 8: there are no heads */
    Number end[SLOTS];
    uint32_t parent[SLOTS];
    uint8_t kind[SLOTS];
};
typedef slots_of<uint32_t> slots;

/* Appends the ends j of which is(j) holds to a list, by one atomic for the warp: put(j, at) writes one to its place. All
 * lanes of the warp call it. */
template <typename Place, class Is, class Put>
__device__ static inline void append_ends(unsigned long long *counter, Is is, Put put)
{
    unsigned all[SLOTS], count = 0;
    Place at = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        all[j] = __ballot_sync(ALL_LANES, is(j));
        count += __popc(all[j]);
    }
    if (count == 0)
        return;
    if (lane_id() == 0)
        at = (Place)atomicAdd(counter, (unsigned long long)count);
    at = __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (all[j] >> lane_id() & 1)
            put(j, at + __popc(all[j] & ((1u << lane_id()) - 1)));
        at += __popc(all[j]);
    }
}

/* ---- the kinds of columns: several GPUs that search together have a third one ---- */

template <class S> __device__ static inline uint32_t kind_of_columns(S &s, int g)
{
    return S::together ? s.csr[g].column_kind : (uint32_t)g & 1;
}

/* The record of a vertex that found this column in a pull. */
template <class S> __device__ static inline uint32_t parent_of_column(S &s, const gpu_csr &csr, uint32_t column)
{
    if constexpr (S::together) {
        if (csr.column_kind == FUSED_COLUMNS)
            return parent_of_shards(s, column);
    }
    return column;
}

/* Whether parents are kept here: not for normals of other shards. */
template <class S> __device__ static inline bool has_parents(S &, const gpu_vertices &to)
{
    return !S::together || to.parent != NULL;
}

/* Whether an end is in another shard. */
template <class S> __device__ static inline bool is_elsewhere(S &, const slots &e, int j)
{
    return S::together && e.kind[j] == FUSED_COLUMNS;
}

/* ---- reaching ---- */

/* Whether this lane is the one that reaches a vertex. Few claims save the probe. */
template <int HOW, class S> __device__ static inline bool claim(S &s, const gpu_vertices &to, uint32_t v)
{
    const uint32_t bit = 1u << (v % 32);
    if (HOW != REACH_TEAM && !s.block.few && test_bit(to.visited, v))
        return false;
    return !(atomicOr(&to.visited[v / 32], bit) & bit);
}

/* Lists the vertices of `reached` from number `first` on. */
template <class S> __device__ static inline void list_reached(S &s, unsigned first, unsigned count)
{
    __syncwarp();
    for (unsigned i = first; i < count; i += WARP) {
        const bool has = i + lane_id() < count;
        list_vertices(s, has ? own_space(s).push.reached[i + lane_id()] : 0, has);
    }
    __syncwarp();
}

/* Leaves `reached` to the block, which lists full warps of vertices when its pieces are done. What finds no room is listed at
 * once. */
template <class S> __device__ static inline void leave_reached(S &s, unsigned count)
{
    const unsigned capacity = 2 * s.thread_group_capacity;
    unsigned at = lane_id() == 0 ? atomicAdd(&s.block.left, count) : 0;
    at = __shfl_sync(ALL_LANES, at, 0);
    const unsigned fits = at < capacity ? min(count, capacity - at) : 0;
    for (unsigned i = lane_id(); i < fits; i += WARP)
        left_vertices(s)[at + i] = own_space(s).push.reached[i];
    if (fits < count)
        list_reached(s, fits, count);
    __syncwarp();
}

/* Lists the vertices that the warps of the block have left. By all threads. */
template <class S> __device__ static inline void list_left(S &s)
{
    __syncthreads();
    const unsigned count = min(s.block.left, 2 * s.thread_group_capacity);
    for (unsigned i = threadIdx.x - lane_id(); i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        list_vertices(s, has ? left_vertices(s)[i + lane_id()] : 0, has);
    }
}

__device__ static inline uint32_t end_code(const slots &e, int j)
{
    return e.end[j] | (e.kind[j] == DELEGATES ? KIND_BIT : 0);
}

/* Whether the level has marked the vertex. */
__device__ static inline bool is_marked(const gpu_vertices &to, uint32_t v)
{
    return ((const volatile uint32_t *)to.next)[v / 32] >> (v % 32) & 1;
}

/* Marks the ends in all slots, and does not wait for the marks. Visited vertices may be marked, too, as the previsit
 * drops them: a look at `visited` costs a read for each edge, and pays only if many ends are visited. */
template <class S> __device__ static inline void mark_next(S &s, const slots &e)
{
    bool wanted[SLOTS];
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const gpu_vertices &to = s.of[e.kind[j]];
        wanted[j] =
            e.end[j] != NO_HEAD &&
            (s.block.marks == MARK_ALL ||
             !(is_marked(to, e.end[j]) || (s.block.marks == MARK_UNVISITED && test_bit(to.visited, e.end[j]))));
    }
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (wanted[j])
            atomicOr(&s.of[e.kind[j]].next[e.end[j] / 32], 1u << (e.end[j] % 32));
    }
}

/* Whether the level has marked the vertex; or an earlier one has visited it. */
__device__ static inline bool is_left_out(const gpu_vertices &to, uint32_t v, bool by_level)
{
    return by_level ? is_marked(to, v) : test_bit(to.visited, v);
}

/* The same, with parents. Each edge to a vertex that was not visited before names a parent. So any
 * of them may be written last, and no thread waits for a claim. Returns whether this lane has marked one. The level loop
 * looks at `visited` first, which caches may have. */
template <class S, class Slots> __device__ static inline bool mark_with_parents(S &s, const Slots &e)
{
    bool wanted[SLOTS];
#pragma unroll
    for (int j = 0; j < SLOTS; j++)
        wanted[j] = e.end[j] != Slots::none && !is_left_out(s.of[e.kind[j]], e.end[j], !S::stepped);
#pragma unroll
    for (int j = 0; j < SLOTS; j++)
        wanted[j] = wanted[j] && !is_left_out(s.of[e.kind[j]], e.end[j], S::stepped);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const gpu_vertices &to = s.of[e.kind[j]];
        if (!wanted[j])
            continue;
        if (has_parents(s, to))
            to.parent[e.end[j]] = e.parent[j];
        atomicOr(&to.next[e.end[j] / 32], 1u << (e.end[j] % 32));
    }
    return wanted[0] || wanted[1] || wanted[2] || wanted[3];
}

/* Claims the ends in the first `used` slots, and lists them. All lanes of the warp call it. */
template <int HOW, class S> __device__ static inline void list_ends(S &s, const slots &e, int used)
{
    bool mine[SLOTS];
    unsigned count = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++)
        mine[j] = e.end[j] != NO_HEAD && !is_elsewhere(s, e, j) && claim<HOW>(s, s.of[e.kind[j]], e.end[j]);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const gpu_vertices &to = s.of[e.kind[j]];
        if (mine[j] && to.parent != NULL)
            to.parent[e.end[j]] = e.parent[j];
        if (j >= used)
            continue;
        const unsigned all = __ballot_sync(ALL_LANES, mine[j]);
        if (mine[j]) {
            to.depth[e.end[j]] = s.block.target.depth;
            own_space(s).push.reached[count + __popc(all & ((1u << lane_id()) - 1))] = end_code(e, j);
        }
        count += __popc(all);
    }
    if constexpr (S::together && HOW == REACH_LISTED)
        send_reached(s, e, mine);
    __syncwarp();
    if (count == 0)
        return;
    if constexpr (S::together)
        list_reached(s, 0, count);
    else
        leave_reached(s, count);
}

/* Reaches the ends in the first `used` slots. All lanes of the warp call it. */
template <int HOW, class S, class Slots> __device__ static inline void reach(S &s, const Slots &e, int used)
{
    if constexpr (HOW != REACH_NEXT)
        list_ends<HOW>(s, e, used);
    else if constexpr (S::stepped)
        s.found |= mark_with_parents(s, e);
    else if (s.of[NORMALS].parent == NULL)
        mark_next(s, e);
    else
        mark_with_parents(s, e);
}

/* ---- expanding pieces ---- */

/* The end of the i-th edge of a piece: the heads come first. */
template <class Columns>
__device__ static inline typename Columns::number end_of_edge(const gpu_csr &csr, uint32_t heads, const Columns &from,
                                                              uint32_t row, uint32_t i)
{
    return i < heads ? csr.heads[(uint64_t)i * csr.rows + row] : from.column(csr, row, i - heads);
}

/* The columns of a piece. */
template <class S>
__device__ static inline typename S::columns columns_of(S &, const gpu_csr &csr, const work_item &piece)
{
    const uint64_t at = piece.at & PIECE_AT;
    const bool decodes = S::packed && csr.packed.words != NULL && piece.length > 0;
    return S::columns::make(csr, at, decodes ? offset_of(csr, piece.row) : at);
}

__device__ static inline uint32_t parent_code(int g, uint32_t row)
{
    return row | (g >> 1 == DELEGATES ? KIND_BIT : 0);
}

/* Lays pieces, one a lane, end to end. Returns the number of their edges. */
template <class S> __device__ static inline uint32_t lay_out(S &s, const work_item &piece, bool has)
{
    const int g = has ? (int)(piece.at >> ITEM_SUBGRAPH_SHIFT) : 0;
    const gpu_csr &csr = s.csr[g];
    const uint32_t heads = has && (piece.at & ITEM_HEADS) ? csr.head_columns : 0;
    const uint32_t edges = heads + (has ? piece.length : 0);
    const unsigned before = warp_prefix(edges), lane = lane_id();
    __syncwarp();
    own_space(s).push.from[lane] = columns_of(s, csr, piece);
    own_space(s).push.row[lane] = piece.row;
    own_space(s).push.prefix[lane] = before;
    own_space(s).push.subgraph[lane] = (uint8_t)g;
    own_space(s).push.heads[lane] = (uint8_t)heads;
    __syncwarp();
    return __shfl_sync(ALL_LANES, before + edges, WARP - 1);
}

template <int HOW, class S> __device__ static void expand(S &s, const work_item &piece, bool has)
{
    const uint32_t total = lay_out(s, piece, has);
    const typename S::space &w = own_space(s);
    for (uint32_t first = 0; first < total; first += SLOTS * WARP) {
        slots_of<typename S::columns::number> e;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const uint32_t i = first + j * WARP + lane_id();
            e.end[j] = e.none;
            e.parent[j] = e.kind[j] = 0;
            if (i < total) {
                const int r = row_of_edge(w.push.prefix, i), g = w.push.subgraph[r];
                e.end[j] =
                    end_of_edge(s.csr[g], w.push.heads[r], w.push.from[r], w.push.row[r], i - w.push.prefix[r]);
                e.kind[j] = (uint8_t)kind_of_columns(s, g);
                e.parent[j] = parent_code(g, w.push.row[r]);
            }
        }
        if constexpr (S::together)
            keep_own(s, e, HOW == REACH_LISTED || s.of[NORMALS].parent != NULL);
        reach<HOW>(s, e, (int)((total - first + WARP - 1) / WARP));
    }
}

/* Reaches ends of edges of one row. */
template <int HOW, class S, class Slots>
__device__ static inline void reach_from_row(S &s, int g, uint32_t row, Slots &e, int used)
{
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        e.kind[j] = (uint8_t)kind_of_columns(s, g);
        e.parent[j] = parent_code(g, row);
    }
    if constexpr (S::together)
        keep_own(s, e, HOW == REACH_LISTED || s.of[NORMALS].parent != NULL);
    reach<HOW>(s, e, used);
}

/* Expands one piece of packed columns, which all lanes have, block after block. */
template <int HOW, class S>
__device__ static inline void expand_packed(S &s, int g, const work_item &piece, uint32_t heads)
{
    const gpu_csr &csr = s.csr[g];
    const packed_part part = packed_part_of(csr, piece, 0);
    slots e;
    if (heads > 0) {
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const uint32_t i = j * WARP + lane_id();
            e.end[j] = i < heads ? csr.heads[(uint64_t)i * csr.rows + piece.row] : NO_HEAD;
        }
        reach_from_row<HOW>(s, g, piece.row, e, 1);
    }
    for (uint64_t block = part.first; piece.length > 0 && block < part.last; block++) {
        read_block(own_space(s).bits, csr, part, block, e.end);
        reach_from_row<HOW>(s, g, piece.row, e, SLOTS);
    }
}

/* Expands one piece, which all lanes have. */
template <int HOW, class S> __device__ static void expand_one(S &s, const work_item &piece)
{
    const int g = (int)(piece.at >> ITEM_SUBGRAPH_SHIFT);
    const gpu_csr &csr = s.csr[g];
    const uint32_t heads = piece.at & ITEM_HEADS ? csr.head_columns : 0;
    const uint32_t total = heads + piece.length;
    if (S::packed && csr.packed.words != NULL) {
        expand_packed<HOW>(s, g, piece, heads);
        return;
    }
    const typename S::columns from = columns_of(s, csr, piece);
    for (uint32_t first = 0; first < total; first += SLOTS * WARP) {
        slots_of<typename S::columns::number> e;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const uint32_t i = first + j * WARP + lane_id();
            e.end[j] = i < total ? end_of_edge(csr, heads, from, piece.row, i) : e.none;
        }
        reach_from_row<HOW>(s, g, piece.row, e, (int)((total - first + WARP - 1) / WARP));
    }
}

/* ---- lists ---- */

/* Cuts a piece to the share of one of 2^shift warps; false: none. The first one has the heads. */
__device__ static inline bool cut_share(work_item &piece, uint32_t part, uint32_t shift)
{
    if (shift == 0)
        return true;
    const uint32_t share = ((piece.length >> shift) + WARP) / WARP * WARP;
    const uint32_t from = part * share, left = piece.length > from ? piece.length - from : 0;
    piece.at += from;
    piece.length = left < share ? left : share;
    if (part > 0)
        piece.at &= ~ITEM_HEADS;
    return part == 0 || piece.length > 0;
}

__device__ static inline bool is_wanted(const work_item &piece, unsigned subgraphs)
{
    return subgraphs >> (piece.at >> ITEM_SUBGRAPH_SHIFT) & 1;
}

/* Expands pieces that are fewer than half of the warps: several warps share one. */
template <int HOW, class S>
__device__ static void expand_few(S &s, const work_item *list, uint32_t count, uint32_t warp, uint32_t warps,
                                  unsigned subgraphs)
{
    uint32_t shift = 0;
    while ((2u << shift) * WARP <= PIECE_EDGES && (2u << shift) * count <= warps)
        shift++;
    if (warp >> shift >= count)
        return;
    work_item piece = list[warp >> shift];
    if (is_wanted(piece, subgraphs) && cut_share(piece, warp & ((1u << shift) - 1), shift))
        expand_one<HOW>(s, piece);
}

/* Each piece is cut into 2^this shares, so long as a share has some edges, and a lane at most one
 * share. A warp lists only 32 vertices at a time, so a level lasts as long as its longest share. */
__device__ static inline uint32_t shares_of_pieces(uint32_t count, uint32_t warps)
{
    uint32_t shift = 0;
    while ((2u << shift) * SHARE_EDGES <= PIECE_EDGES && (2ull << shift) * count <= (uint64_t)SHARES_A_WARP * warps)
        shift++;
    return shift;
}

/* Expands this warp's share of the pieces of some subgraphs, a bit each. Neighbours in the list go
 * to different warps, since the pieces of a long row follow each other there. The first shares of all pieces come first:
 * short rows have no others, and all warps have as many. */
template <int HOW, class S>
__device__ static void expand_list(S &s, const work_item *list, uint32_t count, uint32_t warp, uint32_t warps,
                                   unsigned subgraphs)
{
    if (2 * (uint64_t)count <= warps) {
        expand_few<HOW>(s, list, count, warp, warps, subgraphs);
        return;
    }
    const uint32_t shift = shares_of_pieces(count, warps);
    for (uint64_t first = warp; first < (uint64_t)count << shift; first += (uint64_t)warps * WARP) {
        const uint64_t i = first + (uint64_t)lane_id() * warps;
        const uint32_t part = (i >= count) + (i >= 2ull * count) + (i >= 3ull * count);
        work_item piece = {0, 0, 0};
        bool has = i < (uint64_t)count << shift;
        if (has)
            piece = list[i - (uint64_t)part * count];
        has = has && is_wanted(piece, subgraphs) && cut_share(piece, part, shift);
        expand<HOW>(s, piece, has);
    }
}

#endif

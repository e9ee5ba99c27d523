/* cuda_expand.cuh: visits the edges of work items, and reaches the vertices that these edges lead to
 *
 * A work item is a row of the frontier, or a piece of a long row. The end of an edge is the vertex that the edge leads
 * to. A claim is an atomic that sets a visited bit. A probe is a read of a visited bit. A warp numbers the edges of up
 * to 32 work items one after the other. The warp visits 128 of these edges at a time, four edges a lane, so that several
 * columns, probes and claims are under way at once. Bytes moved:
 * - for each work item: 16.
 * - for each edge: 4 (column) and a probe.
 * - for each vertex reached: an atomic, 4 (depth) and 8 to 24 (offsets and heads of the vertex's rows).
 */
#ifndef DBFS_CUDA_EXPAND_CUH
#define DBFS_CUDA_EXPAND_CUH

#include "cuda_frontier.cuh"
#include "cuda_packed_block.cuh"

/* What is done with a reached vertex.
 * - REACH_SPARSE: the visited bit of the vertex is set at once, and the vertex joins the next sparse frontier.
 * - REACH_NEXT: the bit of the vertex in the bitmap `next` is set. Later a previsit makes the frontier from `next`. */
enum reaching { REACH_SPARSE, REACH_NEXT };

/* The end vertices of up to SLOTS edges of a lane, with the parents and kinds of these end vertices. An end vertex is
 * given by its number. The end vertex of an edge of subgraph nn is given by a column. The upper bits of a column are a
 * shard, and the lower bits are the number of the vertex in this shard. A column may need 8 bytes. */
template <typename Number> struct slots_of {
    static constexpr Number none = ~(Number)0; /* the value of end[j] if slot j has no edge; with 4 bytes it is NO_HEAD */
    Number end[SLOTS];
    uint32_t parent[SLOTS]; /* the row of the edge, as parent_code has it */
    uint8_t kind[SLOTS];    /* NORMALS, DELEGATES, or FUSED_COLUMNS for a column of nn */
};
typedef slots_of<uint32_t> slots;

/* Appends end vertices from the warp's slots to a list whose length is *counter. The end vertex in slot j of a lane is
 * appended if is(j) is true. The warp reserves elements of the list by one atomic. Then each lane calls put(j, at) for
 * each slot j that is appended. put writes element `at` of the list. All lanes of the warp call it. */
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

/* Returns the kind of the columns of subgraph g: NORMALS or DELEGATES. `csr` has the rows of g. With several shards
 * (TOGETHER) the kind of nn's columns is FUSED_COLUMNS, as these columns are vertices of all shards. */
template <bool TOGETHER> __device__ static inline uint32_t kind_of_columns(const gpu_csr &csr, int g)
{
    return TOGETHER ? csr.column_kind : (uint32_t)g & 1;
}

/* Returns what is written as the parent of a vertex that `row` of subgraph g reaches: the number of the row, with
 * KIND_BIT if the row is a delegate. */
__device__ static inline uint32_t parent_code(int g, uint32_t row)
{
    return row | (g >> 1 == DELEGATES ? KIND_BIT : 0);
}

/* ---- reaching vertices: visited at once ---- */

/* Sets the visited bit of vertex v by an atomic. Returns true to the one thread that set the bit. Returns false if the
 * vertex was visited already. If `probes`, the thread reads the bit first, and leaves out the atomic for a visited
 * vertex. This read saves time if many end vertices are visited already. */
__device__ static inline bool claim(const gpu_vertices &to, uint32_t v, bool probes)
{
    const uint32_t bit = 1u << (v % 32);
    if (probes && test_bit(to.visited, v))
        return false;
    return !(atomicOr(&to.visited[v / 32], bit) & bit);
}

/* Appends some vertices of the warp's list `reached` to the next sparse frontier (list_vertices): the elements first to
 * count - 1 of the list. All lanes of the warp call it. */
template <class S>
__device__ static inline void list_reached(const gpu_csr *csr, const level_target &target, unsigned first, unsigned count)
{
    __syncwarp();
    for (unsigned i = first; i < count; i += WARP) {
        const bool has = i + lane_id() < count;
        list_vertices<S>(csr, target, has ? own_space<S>().push.reached[i + lane_id()] : 0, has);
    }
    __syncwarp();
}

/* Moves the `count` vertices of the warp's list `reached` to the list of the block. Adds `count` to s.block.left.
 * When all warps of the block have done their work items, list_left appends the list of the block to the next frontier.
 * If the list of the block is full, the remaining vertices are appended to the next frontier at once. All lanes of the
 * warp call it. */
template <class S> __device__ static inline void leave_reached(S &s, unsigned count)
{
    const unsigned capacity = 2 * s.thread_group_capacity;
    unsigned at = lane_id() == 0 ? atomicAdd(&s.block.left, count) : 0;
    at = __shfl_sync(ALL_LANES, at, 0);
    const unsigned fits = at < capacity ? min(count, capacity - at) : 0;
    for (unsigned i = lane_id(); i < fits; i += WARP)
        shared_words<S>()[at + i] = own_space<S>().push.reached[i];
    if (fits < count)
        list_reached<S>(s.csr, s.block.target, fits, count);
    __syncwarp();
}

/* Appends the list of this block to the next sparse frontier. The list has the vertices that warps have moved to it
 * (leave_reached). s.block.left stays as it is. All threads of the block call it. */
template <class S> __device__ static inline void list_left(S &s)
{
    __syncthreads();
    const unsigned count = min(s.block.left, 2 * s.thread_group_capacity);
    for (unsigned i = threadIdx.x - lane_id(); i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        list_vertices<S>(s.csr, s.block.target, has ? shared_words<S>()[i + lane_id()] : 0, has);
    }
}

/* Visits the end vertices of edges in a sparse level: sets the visited bit of each end vertex. If this thread is the
 * first to set the bit, it also writes the depth and the parent of the end vertex, and the rows of the end vertex join
 * the next sparse frontier. With several GPUs two kinds of vertices are sent to peers: vertices of other shards, and
 * delegates that this thread was the first to visit on this GPU. Only the first `used` slots have edges. All lanes of
 * the warp call it. */
template <class S> __device__ static inline void reach_sparse(S &s, const slots &e, int used)
{
    bool mine[SLOTS];
    unsigned count = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const bool is_elsewhere = S::together && e.kind[j] == FUSED_COLUMNS;
        mine[j] = e.end[j] != NO_HEAD && !is_elsewhere && claim(s.of[e.kind[j]], e.end[j], !s.block.few_edges);
    }
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
            own_space<S>().push.reached[count + __popc(all & ((1u << lane_id()) - 1))] =
                e.end[j] | (e.kind[j] == DELEGATES ? KIND_BIT : 0);
        }
        count += __popc(all);
    }
    if constexpr (S::together)
        send_reached(s, e, mine);
    __syncwarp();
    if (count == 0)
        return;
    if constexpr (S::together)
        list_reached<S>(s.csr, s.block.target, 0, count);
    else
        leave_reached(s, count);
}

/* ---- reaching vertices: bits of `next` are set, and later a previsit makes the frontier from `next` ---- */

/* Returns whether the bit of vertex v in `next` is set, which means that a thread has found the vertex in this level.
 * Another thread may set the bit at the same time. */
__device__ static inline bool is_found(const gpu_vertices &to, uint32_t v)
{
    return ((const volatile uint32_t *)to.next)[v / 32] >> (v % 32) & 1;
}

/* Sets the bits in `next` of the end vertices in all slots, by atomics, and does not wait for the results of the
 * atomics. Writes no parents. `which` says which end vertices are left out:
 * - PUSH_ALL: none.
 * - PUSH_UNFOUND: end vertices whose bit in `next` is set already.
 * - PUSH_UNVISITED: also end vertices that are visited. This costs one more read for each edge, and saves time only if
 *   many end vertices are visited.
 * The bit of a visited vertex may be set in `next`, since the previsit ignores visited vertices. */
__device__ static inline void reach_next(const gpu_vertices *of, const slots &e, const pushed_bits &which)
{
    bool wanted[SLOTS];
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const gpu_vertices &to = of[e.kind[j]];
        wanted[j] = e.end[j] != NO_HEAD &&
                    (which == PUSH_ALL ||
                     !(is_found(to, e.end[j]) || (which == PUSH_UNVISITED && test_bit(to.visited, e.end[j]))));
    }
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (wanted[j])
            atomicOr(&of[e.kind[j]].next[e.end[j] / 32], 1u << (e.end[j] % 32));
    }
}

/* Sets the bits in `next` of the end vertices that are neither in `next` nor visited, and writes the parents of these
 * end vertices. Returns whether this lane has set a bit. Several edges may lead to the same end vertex. Then each of
 * these edges writes a parent. Each of these parents is right, so no thread waits for the result of an atomic. Kernels
 * of the level loop look at `visited` before `next`, since caches may have `visited`. All other kernels look at `next`
 * first. */
template <class S, class Slots> __device__ static inline bool reach_next_with_parents(S &s, const Slots &e)
{
    const auto is_known = [&](int j, bool look_at_next) {
        const gpu_vertices &to = s.of[e.kind[j]];
        return look_at_next ? is_found(to, e.end[j]) : (bool)test_bit(to.visited, e.end[j]);
    };
    bool wanted[SLOTS];
#pragma unroll
    for (int j = 0; j < SLOTS; j++)
        wanted[j] = e.end[j] != Slots::none && !is_known(j, !S::stepped);
#pragma unroll
    for (int j = 0; j < SLOTS; j++)
        wanted[j] = wanted[j] && !is_known(j, S::stepped);
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        const gpu_vertices &to = s.of[e.kind[j]];
        if (!wanted[j])
            continue;
        if (!S::together || to.parent != NULL) /* this GPU has no array of parents for normals of other shards */
            to.parent[e.end[j]] = e.parent[j];
        atomicOr(&to.next[e.end[j] / 32], 1u << (e.end[j] % 32));
    }
    return wanted[0] || wanted[1] || wanted[2] || wanted[3];
}

/* Visits the end vertices of the edges in `e`. HOW says what is done: REACH_SPARSE sets their visited bits at once, and
 * REACH_NEXT sets their bits in `next`. Writes parents if the search records parents. With several shards it first replaces
 * columns of nn that this shard owns by the numbers of normals, if these numbers are needed. A kernel of the level loop sets
 * s.found if this thread found a vertex. Only the first `used` slots have edges. All lanes of the warp call it. */
template <int HOW, class S, class Slots> __device__ static inline void reach(S &s, Slots &e, int used)
{
    if constexpr (S::together) /* in sparse levels and for parents, own normals must have their numbers in the shard */
        keep_own(s, e, HOW == REACH_SPARSE || s.of[NORMALS].parent != NULL);
    if constexpr (HOW == REACH_SPARSE)
        reach_sparse(s, e, used);
    else if constexpr (S::stepped)
        s.found |= reach_next_with_parents(s, e);
    else if (s.of[NORMALS].parent == NULL)
        reach_next(s.of, e, s.block.push_bits);
    else
        reach_next_with_parents(s, e);
}

/* ---- expanding work items ---- */

/* Returns the end vertex of edge i of a work item of row `row`. The first `heads` edges are head columns. The columns of all
 * later edges are in `from`. */
template <class Columns>
__device__ static inline typename Columns::number end_of_edge(const gpu_csr &csr, uint32_t heads, const Columns &from,
                                                              uint32_t row, uint32_t i)
{
    return i < heads ? csr.heads[(uint64_t)i * csr.rows + row] : from.column(csr, row, i - heads);
}

/* Returns the columns of a work item that lie behind the head columns. If the columns lie packed, it also reads the index at
 * which the row begins. */
template <class S> __device__ static inline typename S::columns columns_of(const gpu_csr &csr, const work_item &item)
{
    const uint64_t at = item.at & ITEM_AT;
    const bool decodes = S::packed && csr.packed.words != NULL && item.length > 0;
    return S::columns::make(csr, at, decodes ? offset_of(csr, item.row) : at);
}

/* Visits the end vertices of all edges of up to 32 work items, as HOW says (reach). Each lane gives one work item, or
 * none if `has` is false. The edges of all these work items are numbered one after the other, and each lane visits four
 * of the edges at a time. So a lane also visits edges of work items that other lanes gave. All lanes of the warp call
 * it. */
template <int HOW, class S> __device__ static void expand(S &s, const work_item &item, bool has)
{
    typename S::space &w = own_space<S>();
    const int own_g = has ? (int)(item.at >> ITEM_SUBGRAPH_SHIFT) : 0;
    const gpu_csr &own_csr = s.csr[own_g];
    const uint32_t heads = has && (item.at & ITEM_HEADS) ? own_csr.head_columns : 0;
    const uint32_t edges = heads + (has ? item.length : 0);
    const unsigned before = warp_prefix(edges), lane = lane_id();
    __syncwarp();
    w.push.from[lane] = columns_of<S>(own_csr, item);
    w.push.row[lane] = item.row;
    w.push.prefix[lane] = before;
    w.push.subgraph[lane] = (uint8_t)own_g;
    w.push.heads[lane] = (uint8_t)heads;
    __syncwarp();
    const uint32_t total = __shfl_sync(ALL_LANES, before + edges, WARP - 1);
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
                e.kind[j] = (uint8_t)kind_of_columns<S::together>(s.csr[g], g);
                e.parent[j] = parent_code(g, w.push.row[r]);
            }
        }
        reach<HOW>(s, e, (int)((total - first + WARP - 1) / WARP));
    }
}

/* Visits the end vertices of all edges of one work item, as HOW says (reach). All lanes give the same work item and
 * share the edges of the work item. Packed columns are decoded block after block. All lanes of the warp call it. */
template <int HOW, class S> __device__ static void expand_one(S &s, const work_item &item)
{
    const int g = (int)(item.at >> ITEM_SUBGRAPH_SHIFT);
    const gpu_csr &csr = s.csr[g];
    const uint32_t heads = item.at & ITEM_HEADS ? csr.head_columns : 0;
    slots_of<typename S::columns::number> e;
    const auto reach_ends = [&](int used) {
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            e.kind[j] = (uint8_t)kind_of_columns<S::together>(csr, g);
            e.parent[j] = parent_code(g, item.row);
        }
        reach<HOW>(s, e, used);
    };
    if constexpr (S::packed) {
        if (csr.packed.words != NULL) {
            const packed_part part = packed_part_of(csr, item, 0);
            if (heads > 0) {
#pragma unroll
                for (int j = 0; j < SLOTS; j++) {
                    const uint32_t i = j * WARP + lane_id();
                    e.end[j] = i < heads ? csr.heads[(uint64_t)i * csr.rows + item.row] : NO_HEAD;
                }
                reach_ends(1);
            }
            for (uint64_t block = part.first; item.length > 0 && block < part.last; block++) {
                read_block(own_space<S>().bits, csr, part, block, e.end);
                reach_ends(SLOTS);
            }
            return;
        }
    }
    const uint32_t total = heads + item.length;
    const typename S::columns from = columns_of<S>(csr, item);
    for (uint32_t first = 0; first < total; first += SLOTS * WARP) {
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const uint32_t i = first + j * WARP + lane_id();
            e.end[j] = i < total ? end_of_edge(csr, heads, from, item.row, i) : e.none;
        }
        reach_ends((int)((total - first + WARP - 1) / WARP));
    }
}

/* ---- expanding a sparse frontier ---- */

/* Replaces a work item by share number `part` of the work item. The columns of the work item are cut into 2^shift
 * shares. Only the first share keeps the head columns (ITEM_HEADS). Returns whether the share has edges. For the first
 * share it always returns true. */
__device__ static inline bool cut_share(work_item &item, uint32_t part, uint32_t shift)
{
    if (shift == 0)
        return true;
    const uint32_t share = ((item.length >> shift) + WARP) / WARP * WARP;
    const uint32_t from = part * share, left = item.length > from ? item.length - from : 0;
    item.at += from;
    item.length = left < share ? left : share;
    if (part > 0)
        item.at &= ~ITEM_HEADS;
    return part == 0 || item.length > 0;
}

/* Visits this warp's part of the edges of a sparse frontier of `count` work items, as HOW says (reach). Only edges of
 * the subgraphs whose bit in `subgraphs` is set are visited. `warp` is the index of this warp among the `warps` warps
 * that share the frontier. All lanes of the warp call it.
 *
 * If there are at least two warps for each work item, several warps share one work item. Otherwise a warp visits up to
 * 32 work items at a time. Neighbouring work items go to different warps, since the pieces of a long row are neighbours.
 *
 * Each work item is cut into 2^shift shares. A warp appends only 32 vertices at a time, so a level lasts as long as its
 * longest share. So `shift` is as large as possible. But a share has at least SHARE_EDGES columns, and no lane gets two
 * shares. Shares are numbered: the first shares of all work items have the lowest numbers. Short rows have only a first
 * share, and by this order all warps get the same number of first shares.
 *
 * Not inlined, so that the code of other levels keeps more values in registers. */
template <int HOW, class S>
__device__ static __noinline__ void expand_items(S &s, const work_item *frontier, uint32_t count, uint32_t warp,
                                                 uint32_t warps, unsigned subgraphs)
{
    const auto is_wanted = [=](const work_item &item) { return subgraphs >> (item.at >> ITEM_SUBGRAPH_SHIFT) & 1; };
    uint32_t shift = 0;
    if (2 * (uint64_t)count <= warps) {
        while ((2u << shift) * WARP <= ITEM_EDGES && (2u << shift) * count <= warps)
            shift++;
        if (warp >> shift >= count)
            return;
        work_item item = frontier[warp >> shift];
        if (is_wanted(item) && cut_share(item, warp & ((1u << shift) - 1), shift))
            expand_one<HOW>(s, item);
        return;
    }
    while ((2u << shift) * SHARE_EDGES <= ITEM_EDGES && (2ull << shift) * count <= (uint64_t)SHARES_A_WARP * warps)
        shift++;
    for (uint64_t first = warp; first < (uint64_t)count << shift; first += (uint64_t)warps * WARP) {
        const uint64_t i = first + (uint64_t)lane_id() * warps;
        const uint32_t part = (i >= count) + (i >= 2ull * count) + (i >= 3ull * count); /* i / count: shift is at most 2 */
        work_item item = {0, 0, 0};
        bool has = i < (uint64_t)count << shift;
        if (has)
            item = frontier[i - (uint64_t)part * count];
        has = has && is_wanted(item) && cut_share(item, part, shift);
        expand<HOW>(s, item, has);
    }
}

#endif

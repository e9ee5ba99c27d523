/* cuda_expand.cuh: visits the edges of work items, and reaches the vertices that these edges lead to
 *
 * A work item is a row of the frontier, or a piece of a long row. A warp takes up to 32 of them and numbers their edges one after
 * the other. Then it visits 128 edges at a time, four for each lane. So several reads of columns, probes (reads of visited bits)
 * and claims (atomics that set visited bits) are under way at once. Bytes moved:
 * - for each work item: 16.
 * - for each edge: 4 (column) and a probe.
 * - for each vertex reached: an atomic, 4 (depth) and 8 to 24 (offsets and heads of the vertex's rows).
 */
#ifndef DBFS_CUDA_EXPAND_CUH
#define DBFS_CUDA_EXPAND_CUH

#include "cuda_frontier.cuh"
#include "cuda_packed_block.cuh"

/* What happens to a vertex that an edge leads to. REACH_SPARSE sets its visited bit and appends it to the next sparse frontier.
 * REACH_NEXT only sets its bit in the bitmap `next`, from which a previsit later makes the frontier. */
enum reaching { REACH_SPARSE, REACH_NEXT };

/* The end vertices (the vertices that edges lead to) of up to SLOTS edges of a lane, with their parents and kinds. A vertex is
 * given by its number. In subgraph nn it is given by a column, which has the shard in the upper bits and the local id in the
 * lower bits, and may need 8 bytes. */
template <typename Number> struct slots_of {
    static constexpr Number none = ~(Number)0; /* the end vertex of a slot without an edge; NO_HEAD if numbers have 4 bytes */
    Number end[SLOTS];
    uint32_t parent[SLOTS]; /* row of the edge, coded by parent_code */
    uint8_t kind[SLOTS];    /* NORMALS, DELEGATES, or FUSED_COLUMNS for a column of nn */
};
typedef slots_of<uint32_t> slots;

/* Appends some of the end vertices in the lanes' slots to a list, whose length is *counter. is(j) returns whether slot j is
 * appended, and put(j, at) writes it to element `at`. The warp reserves all elements by one atomic. All lanes of it call it. */
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

/* Returns the kind of the vertices that edges of subgraph g lead to: NORMALS or DELEGATES. If several GPUs search (TOGETHER),
 * edges of nn lead to normals of all shards, the kind FUSED_COLUMNS. `csr` has the rows of g. */
template <bool TOGETHER> __device__ static inline uint32_t kind_of_columns(const gpu_csr &csr, int g)
{
    return TOGETHER ? csr.column_kind : (uint32_t)g & 1;
}

/* Returns what is recorded as the parent of vertices that `row` of subgraph g reaches: the row, with KIND_BIT for a
 * delegate. */
__device__ static inline uint32_t parent_code(int g, uint32_t row)
{
    return row | (g >> 1 == DELEGATES ? KIND_BIT : 0);
}

/* ---- reaching vertices: visited at once ---- */

/* Sets the visited bit of vertex v by an atomic. Returns true only to the one thread that set it first. If `probes`, the thread
 * reads the bit before, and needs no atomic if it is set already. This pays if many end vertices are visited. */
__device__ static inline bool claim(const gpu_vertices &to, uint32_t v, bool probes)
{
    const uint32_t bit = 1u << (v % 32);
    if (probes && test_bit(to.visited, v))
        return false;
    return !(atomicOr(&to.visited[v / 32], bit) & bit);
}

/* Appends elements first to count - 1 of the warp's list `reached` to the next sparse frontier. All lanes of the warp call it. */
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

/* Moves the `count` vertices of the warp's list `reached` to the block's list. There they stay until all warps are done, when
 * append_block_list appends them to the next frontier. Vertices for which the list has no room are appended to the frontier at
 * once. s.block.block_reached grows by `count` in both cases. All lanes of the warp call it. */
template <class S> __device__ static inline void move_to_block_list(S &s, unsigned count)
{
    const unsigned capacity = 2 * s.thread_group_capacity;
    unsigned at = lane_id() == 0 ? atomicAdd(&s.block.block_reached, count) : 0;
    at = __shfl_sync(ALL_LANES, at, 0);
    const unsigned fits = at < capacity ? min(count, capacity - at) : 0;
    for (unsigned i = lane_id(); i < fits; i += WARP)
        shared_words<S>()[at + i] = own_space<S>().push.reached[i];
    if (fits < count)
        list_reached<S>(s.csr, s.block.target, fits, count);
    __syncwarp();
}

/* Appends the vertices of the block's list, which all its warps have filled (move_to_block_list), to the next sparse frontier.
 * The number of vertices, s.block.block_reached, stays as it is. All threads of the block call it. */
template <class S> __device__ static inline void append_block_list(S &s)
{
    __syncthreads();
    const unsigned count = min(s.block.block_reached, 2 * s.thread_group_capacity);
    for (unsigned i = threadIdx.x - lane_id(); i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        list_vertices<S>(s.csr, s.block.target, has ? shared_words<S>()[i + lane_id()] : 0, has);
    }
}

/* Visits the end vertices in the lanes' slots, in a sparse level. The thread that is first to set a visited bit writes the
 * vertex's depth and parent, and appends the vertex to the next frontier. With several GPUs, vertices of other shards are sent
 * to their GPUs, and delegates that are new on this GPU to all GPUs. Slots from `used` on are empty. All lanes of the warp call
 * it. */
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
        move_to_block_list(s, count);
}

/* ---- reaching vertices: setting bits of `next`, from which a previsit makes the frontier ---- */

/* Returns whether vertex v was found in this level: its bit in `next` is set. Other threads may set the bit at the same time. */
__device__ static inline bool is_found(const gpu_vertices &to, uint32_t v)
{
    return ((const volatile uint32_t *)to.next)[v / 32] >> (v % 32) & 1;
}

/* Sets the bits of the end vertices in the lanes' slots in the bitmap `next`, without waiting for the atomics. Writes no
 * parents. Setting the bit of a visited vertex does no harm, since the previsit ignores it. `which` says which vertices are
 * left out to save atomics:
 * - PUSH_ALL: none.
 * - PUSH_UNFOUND: vertices whose bit in `next` is set already.
 * - PUSH_UNVISITED: also visited vertices. This costs one more read for each edge, and pays only if many of them are visited. */
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

/* Sets the bits of end vertices in the bitmap `next`, except those that are visited or set already, and writes the vertices'
 * parents. Returns whether this lane has set a bit. If several edges lead to a vertex, each of them may write a parent. All
 * these parents are right, so no thread waits for its atomic. Kernels of the level loop look first at `visited`, which may lie
 * in caches, and other kernels look first at `next`. */
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

/* Visits the end vertices of the edges in the slots `e`, in the way that HOW says (enum reaching), and writes parents if the
 * search records them. With several GPUs, columns of nn that are normals of this shard are first replaced by local ids, if
 * needed. Kernels of the level loop set s.found if they find a vertex. Slots from `used` on are empty. All lanes of the warp
 * call it. */
template <int HOW, class S, class Slots> __device__ static inline void reach(S &s, Slots &e, int used)
{
    if constexpr (S::together) /* sparse levels and parents need the local ids of own normals */
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

/* Returns the end vertex of edge i of a work item: the first `heads` edges are head columns of row `row`, `from` reads the
 * others. */
template <class Columns>
__device__ static inline typename Columns::number end_of_edge(const gpu_csr &csr, uint32_t heads, const Columns &from,
                                                              uint32_t row, uint32_t i)
{
    return i < heads ? csr.heads[(uint64_t)i * csr.rows + row] : from.column(csr, row, i - heads);
}

/* Returns a reader of a work item's columns behind the heads. For packed columns it also looks up where the row begins. */
template <class S> __device__ static inline typename S::columns columns_of(const gpu_csr &csr, const work_item &item)
{
    const uint64_t at = item.at & ITEM_AT;
    const bool decodes = S::packed && csr.packed.words != NULL && item.length > 0;
    return S::columns::make(csr, at, decodes ? offset_of(csr, item.row) : at);
}

/* Visits all edges of up to 32 work items, one from each lane, as HOW says (reach). `has` is false if the lane has none. The
 * lanes share the edges of all work items evenly, and each visits four of them at a time. All lanes of the warp call it. */
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

/* Visits all edges of one work item by a whole warp, as HOW says (reach). Packed columns are decoded by blocks. All lanes of
 * the warp call it with the same work item. */
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
            prefetch_blocks(csr, part);
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

/* Replaces a work item by one of 2^shift shares of its columns, share number `part`. All but the last are a multiple of `unit` columns.
 * The head columns stay with the first share. Returns whether the share has edges, and always true for the first share. */
__device__ static inline bool cut_share(work_item &item, uint32_t part, uint32_t shift, uint32_t unit)
{
    if (shift == 0)
        return true;
    const uint32_t share = ((item.length >> shift) + unit) / unit * unit;
    const uint32_t from = part * share, left = item.length > from ? item.length - from : 0;
    item.at += from;
    item.length = left < share ? left : share;
    if (part > 0)
        item.at &= ~ITEM_HEADS;
    return part == 0 || item.length > 0;
}

/* Visits this warp's part of the edges of a sparse frontier of `count` work items, as HOW says (reach), along the subgraphs in
 * the set `subgraphs`. The warp is number `warp` of `warps` that share the frontier. All lanes of the warp call it.
 *
 * If there are at least two warps for each work item, several warps share a work item, down to FEW columns each: neighbouring columns of
 * a hub are often the largest hubs, and a warp that finds 32 of them writes their work items alone. Otherwise a warp visits up to 32 work
 * items at a time, and neighbouring work items go to different warps, since the pieces of a long row are neighbours. In both
 * cases each work item is cut into 2^shift shares, as many as warps or lanes can take at once. The reason is that a warp
 * appends only 32 vertices at a time, so a level lasts as long as its longest share. Lanes take the first shares of all work
 * items before the second shares. As short rows have only a first share, all warps then get about as many edges.
 *
 * Not inlined, so that the code of other levels keeps more values in registers. */
template <int HOW, class S>
__device__ static __noinline__ void expand_items(S &s, const work_item *frontier, uint32_t count, uint32_t warp,
                                                 uint32_t warps, unsigned subgraphs)
{
    const auto is_wanted = [=](const work_item &item) { return subgraphs >> (item.at >> ITEM_SUBGRAPH_SHIFT) & 1; };
    /* the fewest columns of a share; a share of packed columns begins at a multiple of WARP */
    constexpr uint32_t FEW = S::packed ? WARP : 1;
    uint32_t shift = 0;
    if (2 * (uint64_t)count <= warps) {
        while ((2u << shift) * FEW <= ITEM_EDGES && (2u << shift) * count <= warps)
            shift++;
        if (warp >> shift >= count)
            return;
        work_item item = frontier[warp >> shift];
        if (is_wanted(item) && cut_share(item, warp & ((1u << shift) - 1), shift, FEW))
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
        has = has && is_wanted(item) && cut_share(item, part, shift, WARP);
        expand<HOW>(s, item, has);
    }
}

#endif

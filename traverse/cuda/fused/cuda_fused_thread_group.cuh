/* cuda_fused_thread_group.cuh: levels of blocks that keep what they found, on a single GPU, while the frontier is small
 *
 * The blocks of the thread group go from level to level by themselves: the first block alone while the frontier is very small, and then
 * all blocks. Each block lists in its shared memory the vertices that it reaches, and visits them in the next level. So a level moves
 * no lists, and blocks tell each other only how long their lists are (cuda_sum_barrier.cuh). While a block waits for the others, it already
 * reads offsets and columns of its own vertices. A level then costs the barrier, or these reads if they take longer, and the claims
 * (atomics that set visited bits). If the list of a block becomes long, the vertices of all lists are dealt to the blocks anew.
 *
 * 2^shift lanes share a vertex, and each lane visits up to THREAD_GROUP_EDGES of its edges. Whether these lanes suffice for the
 * longest row must be known before rows are read. So each vertex has a class, which bounds its edges: a vertex of class k has at
 * most THREAD_GROUP_EDGES * 2^k edges. The class follows from the vertex's number, as vertices are in the order of their degrees
 * (gpu_fused::first_of_class).
 *
 * Where all vertices are of one kind and have head columns, code of its own does the levels (run_headed). Head columns have all edges of
 * most vertices, so that no offset is read, and those of the neighbours are prefetched while the neighbours are claimed. In chains a level
 * is one vertex. The first warp does such levels without barriers of the block (run_by_warp).
 */
#ifndef DBFS_CUDA_FUSED_THREAD_GROUP_CUH
#define DBFS_CUDA_FUSED_THREAD_GROUP_CUH

#include "cuda_fused_progress.cuh"

enum {
    THREAD_GROUP_EDGES = 1 << FUSED_FIRST_CLASS, /* the most edges of a vertex that one lane visits */
    THREAD_GROUP_SLOTS = 4,                      /* edges that a lane reads before it waits for the first */
    TOO_MANY_LANES = 1 << 22                     /* what a vertex counts whose row is too long (lanes_of) */
};
static_assert(FUSED_MOST_THREAD_GROUP < 1 << ARRIVAL_BITS, "a sum counts all blocks");
static_assert((FUSED_BLOCK_ROWS << FUSED_FIRST_CLASS) <= FUSED_ENOUGH_REACHED, "lists have room for the levels of a block");
static_assert((FUSED_BLOCK_ROWS << FUSED_FIRST_CLASS) * FUSED_MOST_THREAD_GROUP <= (int)FUSED_LEAST_CAPACITY ||
                  (FUSED_BLOCK_ROWS << FUSED_FIRST_CLASS) * FUSED_MOST_THREAD_GROUP <= FUSED_LISTED_EDGES,
              "frontiers have room for what all blocks reach in a level");

/* ---- the frontier of the thread group ---- */

/* Returns this block's list of vertices for a round, in its shared memory. A block has one list for even and one for odd
 * rounds. Rounds are counted modulo 6, which is a multiple of 2, for these lists, and of 3, for s.block.group_reached. */
template <class S> __device__ static inline uint32_t *thread_group_list(S &s, unsigned round)
{
    return shared_words<S>() + round % 2 * s.thread_group_capacity;
}

/* Returns the class of vertex `v`: the smallest k for which the vertex's number guarantees at most THREAD_GROUP_EDGES * 2^k
 * edges, or FUSED_CLASSES if no class does so. `v` has KIND_BIT if it is a delegate. */
__device__ static inline unsigned class_of(const uint32_t (&first_of_class)[VERTEX_KINDS][FUSED_CLASSES], uint32_t v)
{
    const uint32_t *of_kind = first_of_class[v >> 31];
    unsigned k = 0;
#pragma unroll 1 /* most vertices are of class 0 */
    while (k < FUSED_CLASSES && (v & ~KIND_BIT) < of_kind[k])
        k++;
    return k;
}

/* Returns the most lanes that the list of one block may need (lanes_of). */
__device__ static inline unsigned most_lanes()
{
    return min((unsigned)FUSED_BLOCK_ROWS, blockDim.x);
}

/* Returns the lanes that a list of vertices needs: one for each vertex of class 0, and twice as many for each class above. Returns
 * TOO_MANY_LANES if a vertex needs more than a list may. */
__device__ static inline unsigned lanes_of(const thread_group_part &part)
{
    const bool is_possible = part.largest_class < FUSED_CLASSES && 1u << part.largest_class <= most_lanes();
    return is_possible || part.count == 0 ? part.count << part.largest_class : (unsigned)TOO_MANY_LANES;
}

/* Tells the thread group that this block has come with its list of a round. Does not wait. What the block wrote before is seen by the
 * others only if `fences`. All threads of the block call it. */
template <class S> __device__ static inline void arrive(S &s, unsigned round, bool fences)
{
    if (!is_speaker())
        return;
    const unsigned lanes = lanes_of(s.block.group_reached[round % 3]);
    s.block.barrier.frontier = thread_group_frontier{lanes, 0};
    if (s.thread_group == 1)
        return;
    if (fences)
        fence_of_gpu();
    arrive_with(s.block.barrier.own, s.state->barrier, (unsigned long long)lanes << ARRIVAL_BITS | (lanes > most_lanes()));
}

/* Waits until all blocks of the thread group have arrived, and returns the sums over all lists. What they wrote before is seen only if
 * `fences`. All threads of the block call it. */
template <class S> __device__ static inline thread_group_frontier await(S &s, bool fences)
{
    if (is_speaker() && s.thread_group > 1) {
        const unsigned long long sum = await_sum(s.block.barrier.own, s.state->barrier, s.thread_group);
        s.block.barrier.frontier = thread_group_frontier{(unsigned)(sum >> ARRIVAL_BITS), (unsigned)sum & ((1u << ARRIVAL_BITS) - 1)};
        if (fences)
            fence_of_gpu();
    }
    __syncthreads();
    return s.block.barrier.frontier;
}

/* The barrier of the thread group, with fences. All threads of the thread group call it. */
template <class S> __device__ static inline thread_group_frontier fenced_barrier(S &s, unsigned round)
{
    __syncthreads();
    arrive(s, round, true);
    return await(s, true);
}

/* Reserves `mine` elements, at most 7, for each lane at the end of a list of reached vertices. Returns the index of the lane's first one.
 * Also updates `part`, which has the length of the list and the largest class of its vertices: `largest_class` is the largest
 * class of the vertices that the lane will write. All lanes of the warp call it. */
__device__ static inline unsigned reserve_reached(thread_group_part &part, unsigned mine, unsigned largest_class)
{
    const unsigned ones = __ballot_sync(ALL_LANES, mine & 1), twos = __ballot_sync(ALL_LANES, mine & 2),
                   fours = __ballot_sync(ALL_LANES, mine & 4), lower = (1u << lane_id()) - 1;
    const unsigned before = __popc(ones & lower) + 2 * __popc(twos & lower) + 4 * __popc(fours & lower),
                   count = __popc(ones) + 2 * __popc(twos) + 4 * __popc(fours);
    if (count == 0)
        return 0;
    largest_class = max_lanes(largest_class);
    unsigned base = 0;
    if (lane_id() == 0) {
        base = atomicAdd(&part.count, count);
        if (largest_class > 0)
            atomicMax(&part.largest_class, largest_class);
    }
    return before + __shfl_sync(ALL_LANES, base, 0);
}

/* ---- visits ---- */

/* What a thread has visited, by subgraph: vertices with a row in the subgraph, and edges of these rows. */
struct seen_rows {
    unsigned sources[SUBGRAPHS], edges[SUBGRAPHS];
};

/* Visits this lane's share of the `total` edges of vertex v: edges sub, sub + 2^shift, sub + 2 * 2^shift, ... `end_of` returns the
 * vertex to which an edge leads, with KIND_BIT for a delegate, or NO_HEAD if there is none. If the lane is the first to set the visited
 * bit of that vertex, it writes the vertex's parent, and appends the vertex to `list`, whose length is in `part`. The lane reads SLOTS
 * edges before it waits for the first. When its first edges are read, `goes_on` is called by all threads of the block. If it returns
 * false, nothing else is done. NORMALS_ONLY: there are no delegates. All lanes of the warp call it. */
template <int SLOTS, bool NORMALS_ONLY, class S, class End, class Wait>
__device__ static inline void visit_edges(S &s, uint32_t v, uint32_t total, unsigned sub, unsigned shift, uint32_t *list,
                                          thread_group_part &part, End end_of, Wait goes_on)
{
    const auto kind_of_end = [](uint32_t end) { return NORMALS_ONLY ? NORMALS : end >> 31; };
    uint32_t end[SLOTS], i = sub;
    const auto read_ends = [&]() {
#pragma unroll
        for (int j = 0; j < SLOTS; j++, i += 1u << shift)
            end[j] = i < total ? end_of(i) : NO_HEAD;
    };
    read_ends();
    if (!goes_on())
        return;
    for (bool more = __any_sync(ALL_LANES, total > 0); more; read_ends()) {
        unsigned mine = 0 /* a bit for each slot whose end this lane has claimed */, largest_class = 0;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            if (end[j] != NO_HEAD && claim(s.of[kind_of_end(end[j])], end[j] & ~KIND_BIT, false))
                mine |= 1u << j;
        }
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            if (mine >> j & 1)
                largest_class = max(largest_class, class_of(s.first_of_class, end[j]));
        }
        uint32_t *to = list + reserve_reached(part, __popc(mine), largest_class);
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            if (!(mine >> j & 1))
                continue;
            uint32_t *parent = s.of[kind_of_end(end[j])].parent;
            if (parent != NULL)
                parent[end[j] & ~KIND_BIT] = v;
            *to++ = end[j]; /* its depth is written in the next level, when its rows are known */
        }
        more = __any_sync(ALL_LANES, i < total);
    }
}

/* Visits this lane's share of the edges of vertex v, of `depth`, as visit_edges says. The lane with sub 0 writes the depth of v, and
 * adds the rows of v to `seen`. `has` is false if the lane has no vertex v. All lanes of the warp call it. */
template <class S, class Wait>
__device__ static inline void visit_vertex(S &s, uint32_t v, bool has, unsigned sub, unsigned shift, int32_t depth,
                                           uint32_t *list, thread_group_part &part, seen_rows &seen, Wait goes_on)
{
    const gpu_csr *csr = &s.csr[(v >> 31) << 1]; /* the subgraphs of its two rows: csr[0] to normals, csr[1] to delegates */
    const uint32_t id = v & ~KIND_BIT;
    listed_row row[VERTEX_KINDS];
    look_at_rows(csr, id, has, row);
    const typename S::columns rest[] = {S::columns::make(csr[0], row[0].begin, row[0].begin),
                                        S::columns::make(csr[1], row[1].begin, row[1].begin)};
    const uint32_t rests[] = {(uint32_t)row[0].length, (uint32_t)row[1].length},
                   edges[] = {rests[0] + row[0].heads, rests[1] + row[1].heads};
    const auto end_of = [&](uint32_t i) {
        const bool k = i >= edges[NORMALS];
        const uint32_t j = k ? i - edges[NORMALS] : i, count = k ? rests[1] : rests[0];
        const uint32_t end = j < count ? S::columns::select(k, rest[1], rest[0]).column(csr[k], id, j)
                                       : csr[k].heads[(uint64_t)(j - count) * csr[k].rows + id];
        return end | (k ? KIND_BIT : 0);
    };
    visit_edges<THREAD_GROUP_SLOTS, false>(s, v, edges[0] + edges[1], sub, shift, list, part, end_of, [&] {
        if (!goes_on())
            return false;
        if (sub == 0 && has) {
            s.of[v >> 31].depth[id] = depth;
#pragma unroll
            for (int g = 0; g < SUBGRAPHS; g++) {
                const unsigned own = (int)(v >> 31) == g >> 1 ? edges[g & 1] : 0;
                seen.sources[g] += own > 0;
                seen.edges[g] += own;
            }
        }
        return true;
    });
}

/* Does what visit_vertex does, in a graph without delegates whose columns are raw, as one shard mostly is. A level lasts as long as the
 * instructions of a warp take one after the other, and these are half as many. All lanes of the warp call it. */
template <class S, class Wait>
__device__ static inline void visit_normal(S &s, uint32_t v, bool has, unsigned sub, unsigned shift, int32_t depth,
                                           uint32_t *list, thread_group_part &part, seen_rows &seen, Wait goes_on)
{
    const gpu_csr &csr = s.csr[NN];
    row_rest row = {0, 0};
    bool is_even = !has;
#pragma unroll
    for (int i = 0; i < FUSED_EVEN_LENGTHS; i++) {
        const even_rows &even = s.even[i];
        if (has && v >= even.begin && v < even.end) {
            row.begin = even.base + (uint64_t)(i + 1) * v;
            row.end = row.begin + i + 1;
            is_even = true;
        }
    }
    if (!is_even)
        row = rest_of_row(csr, v);
    const uint32_t total = (uint32_t)(row.end - row.begin), *columns = (const uint32_t *)csr.columns + row.begin;
    visit_edges<THREAD_GROUP_SLOTS / 2, true>(s, v, total, sub, shift, list, part, [=](uint32_t i) { return columns[i]; }, [&] {
        if (!goes_on())
            return false;
        if (sub == 0 && has) {
            s.of[NORMALS].depth[v] = depth;
            seen.sources[NN] += total > 0;
            seen.edges[NN] += total;
        }
        return true;
    });
}

/* Does what visit_vertex does, in a graph of one kind of vertices whose rows are raw and have head columns. Head columns are visited first,
 * and the offset of a row is read only if the row has more columns. Prefetches what the next level reads of the vertices that edges
 * lead to. All lanes of the warp call it. */
template <class S, class Wait>
__device__ static inline void visit_headed(S &s, uint32_t v, bool has, unsigned sub, unsigned shift, int32_t depth,
                                           uint32_t *list, thread_group_part &part, seen_rows &seen, Wait goes_on)
{
    const gpu_csr &csr = s.csr[s.only];
    const uint32_t kind_bit = v & KIND_BIT, id = v & ~KIND_BIT, heads = csr.head_columns, headed_from = s.headed_from;
    const uint32_t *head = csr.heads + id;
    row_rest row = {0, 0};
    if (has && id < headed_from)
        row = rest_of_row(csr, id);
    const uint32_t total = has ? heads + (uint32_t)(row.end - row.begin) : 0, *columns = (const uint32_t *)csr.columns + row.begin;
    const auto end_of = [&](uint32_t i) {
        const uint32_t end = i < heads ? head[(uint64_t)i * csr.rows] : columns[i - heads];
        if (end == NO_HEAD)
            return end;
        prefetch_line(csr.heads + end);
        if (heads > 1)
            prefetch_line(csr.heads + csr.rows + end);
        if (end < headed_from)
            prefetch_line((const char *)csr.offsets + (uint64_t)end * csr.offset_width);
        return end | kind_bit;
    };
    visit_edges<THREAD_GROUP_SLOTS / 2, false>(s, v, total, sub, shift, list, part, end_of, [&] {
        if (!goes_on())
            return false;
        if (sub == 0 && has) {
            s.of[v >> 31].depth[id] = depth;
#pragma unroll
            for (int g = 0; g < SUBGRAPHS; g++) {
                seen.sources[g] += g == (int)s.only;
                seen.edges[g] += g == (int)s.only ? total : 0;
            }
        }
        return true;
    });
}

/* Returns the shift for a list of `vertices` vertices, not more than `lanes`: 2^shift lanes share each vertex. It is the largest for
 * which `lanes` lanes, a power of 2, suffice, but at most `largest_class` + 2, where no lane has more than two edges. `largest_class` is
 * the largest class of the vertices. */
__device__ static inline unsigned lanes_shift(unsigned lanes, unsigned vertices, unsigned largest_class)
{
    /* the largest k for which 2^k * vertices is not above `lanes`, a power of 2, without a division */
    const unsigned needed = vertices > 1 ? 32 - __clz(vertices - 1) : 0, most = 31 - __clz(lanes) - needed;
    return min(largest_class + 2, most);
}

/* ---- levels ---- */

/* Visits this block's list of a round, of `depth`, and lists what it reaches for the next round. `goes_on` is called as in visit_vertex.
 * HEADED: by visit_headed. `lanes` threads from the first on call it: all threads of the block or, if they are enough for the list, those
 * of the first warp. */
template <bool HEADED, class S, class Wait>
__device__ static inline void visit_list(S &s, unsigned lanes, unsigned round, int32_t depth, seen_rows &seen, Wait goes_on)
{
    const thread_group_part own = s.block.group_reached[round % 3];
    const bool is_listed = lanes_of(own) <= most_lanes(); /* otherwise goes_on stops, and no vertex needs to be read */
    const unsigned count = is_listed ? own.count : 0, shift = lanes_shift(lanes, count, own.largest_class), i = threadIdx.x >> shift,
                   sub = threadIdx.x & ((1u << shift) - 1);
    const uint32_t v = i < count ? thread_group_list(s, round)[i] : 0;
    uint32_t *next = thread_group_list(s, round + 1);
    thread_group_part &reached = s.block.group_reached[(round + 1) % 3];
    if constexpr (HEADED) {
        visit_headed(s, v, i < count, sub, shift, depth, next, reached, seen, goes_on);
        return;
    }
    if constexpr (!S::packed) {
        if (s.of[DELEGATES].count == 0 && s.csr[NN].head_columns == 0) {
            visit_normal(s, v, i < count, sub, shift, depth, next, reached, seen, goes_on);
            return;
        }
    }
    visit_vertex(s, v, i < count, sub, shift, depth, next, reached, seen, goes_on);
}

/* Returns the number of the round after `round`. */
__device__ static inline unsigned next_round_of_group(unsigned round)
{
    return round == 5 ? 0 : round + 1;
}

/* Ends a round of this block, and returns the number of the next one. Clears the length of the list that the next round fills. All
 * threads of the block call it. */
template <class S> __device__ static inline unsigned end_round(S &s, unsigned round)
{
    if (threadIdx.x == 0)
        s.block.group_reached[(round + 2) % 3] = thread_group_part{};
    __syncthreads();
    return next_round_of_group(round);
}

/* Returns whether the first warp does a level of the first block alone, as it has four lanes for each vertex. */
template <class S> __device__ static inline bool is_for_warp(const S &s, const thread_group_part &own, int32_t depth)
{
    return own.count > 0 && depth < s.order.deepest && lanes_of(own) <= WARP / 4;
}

/* Does levels by the first warp alone, at least one, while it is enough. Leaves round and depth in s.block.group_round. All lanes of the
 * first warp call it. */
template <class S> __device__ static inline void run_by_warp(S &s, unsigned round, int32_t depth, seen_rows &seen)
{
    do {
        note_level(s.notes, depth, LEVEL_BLOCK);
        visit_list<true>(s, WARP, round, depth++, seen, [] { return true; });
        if (threadIdx.x == 0)
            s.block.group_reached[(round + 2) % 3] = thread_group_part{};
        __syncwarp();
        round = next_round_of_group(round);
    } while (is_for_warp(s, s.block.group_reached[round % 3], depth));
    if (threadIdx.x == 0)
        s.block.group_round = thread_group_round{round, depth};
}

/* Does levels by this block alone, whose list has the whole frontier, until it is empty, has more than FUSED_BLOCK_ROWS short rows, or has
 * the depth where the search ends. The first warp alone does the smallest levels if HEADED. `round` and `depth` become those of the next
 * level. All threads of the block call it. */
template <bool HEADED, class S> __device__ static inline void run_alone(S &s, unsigned &round, int32_t &depth, seen_rows &seen)
{
    for (thread_group_part own = s.block.group_reached[round % 3];
         own.count > 0 && depth < s.order.deepest && lanes_of(own) <= most_lanes();
         own = s.block.group_reached[round % 3]) {
        if constexpr (HEADED) {
            if (is_for_warp(s, own, depth)) {
                __syncthreads(); /* all threads have read the length of the list */
                if (threadIdx.x < WARP)
                    run_by_warp(s, round, depth, seen);
                __syncthreads();
                round = s.block.group_round.round;
                depth = s.block.group_round.depth;
                continue;
            }
        }
        note_level(s.notes, depth, LEVEL_BLOCK);
        visit_list<HEADED>(s, blockDim.x, round, depth++, seen, [] { return true; });
        round = end_round(s, round);
    }
}

/* Does levels by all blocks of the thread group, each of which keeps its list, until the frontier is empty, small or large, a
 * list is too long, or the search ends. Returns the frontier. All threads of the thread group call it. */
template <bool HEADED, class S>
__device__ static inline thread_group_frontier run_together(S &s, unsigned &round, int32_t &depth, seen_rows &seen)
{
    for (;;) {
        thread_group_frontier f = {};
        bool goes_on = true;
        arrive(s, round, false);
        visit_list<HEADED>(s, blockDim.x, round, depth, seen, [&] {
            f = await(s, false);
            goes_on = f.lanes > FUSED_ALONE_ROWS && f.long_lists == 0 && depth < s.order.deepest;
            return goes_on;
        });
        if (!goes_on)
            return f;
        note_level(s.notes, depth, LEVEL_THREAD_GROUP);
        depth++;
        round = end_round(s, round);
    }
}

/* ---- who does a level ---- */

/* Makes the sparse frontier of the grid the thread group's frontier of round 0: appends each vertex that has work items to the
 * list of one block, once. All threads of the thread group call it. */
template <class S> __device__ static void take_items(S &s)
{
    const work_item *items = s.sparse[s.block.now.current];
    const unsigned lanes = s.thread_group * blockDim.x, first = (threadIdx.x / WARP * s.thread_group + blockIdx.x) * WARP;
    for (unsigned i = first; i < s.block.now.items; i += lanes) {
        work_item item = {0, 0, 0};
        if (i + lane_id() < s.block.now.items)
            item = items[i + lane_id()];
        const bool mine = item.at & ITEM_FIRST;
        const uint32_t v = item.row | (item.at >> (ITEM_SUBGRAPH_SHIFT + 1) ? KIND_BIT : 0);
        const unsigned at = reserve_reached(s.block.group_reached[0], mine, mine ? class_of(s.first_of_class, v) : 0);
        if (mine)
            thread_group_list(s, 0)[at] = v;
    }
    __syncthreads();
}

/* The barrier of the thread group with fences, after levels of the first block alone: `depth`, that of the first block, becomes the
 * depth of all. All threads of the thread group call it. */
template <class S> __device__ static inline thread_group_frontier fenced_barrier_at(S &s, unsigned round, int32_t &depth)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        s.state->depth = depth;
    const thread_group_frontier f = fenced_barrier(s, round);
    depth = *(volatile int32_t *)&s.state->depth; /* the first block writes it again at the end, the same value */
    return f;
}

/* Returns whether the thread group can do a level of frontier f, of `depth`, when its vertices are dealt to the blocks. */
template <class S> __device__ static inline bool can_be_dealt(S &s, const thread_group_frontier &f, int32_t depth)
{
    return f.lanes > 0 && depth < s.order.deepest && s.mode != FUSED_PULL &&
           f.lanes <= s.thread_group * min((unsigned)FUSED_DEALT_ROWS, blockDim.x);
}

/* Deals the vertices of all lists of a round to the blocks: all to the first block if `alone`, otherwise the same number to each. They
 * lie in the next sparse frontier of the grid meanwhile. All threads of the thread group call it. */
template <class S> __device__ static inline void deal(S &s, unsigned round, bool alone)
{
    uint32_t *list = thread_group_list(s, round), *all = (uint32_t *)s.block.target.next;
    thread_group_part &own = s.block.group_reached[round % 3];
    if (threadIdx.x == 0)
        s.block.barrier.place = atomicAdd(&s.state->dealt, own.count) - s.block.barrier.dealt;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < own.count; i += blockDim.x)
        all[s.block.barrier.place + i] = list[i];
    fenced_barrier(s, round);
    if (threadIdx.x == 0) {
        const unsigned dealt = *(volatile unsigned *)&s.state->dealt;
        s.block.barrier.place = dealt - s.block.barrier.dealt; /* the number of all vertices */
        s.block.barrier.dealt = dealt;
        own = thread_group_part{};
    }
    __syncthreads();
    const unsigned blocks = alone ? 1 : s.thread_group, total = blockIdx.x < blocks ? s.block.barrier.place : 0;
    for (unsigned i = blockIdx.x + (threadIdx.x - lane_id()) * blocks; i < total; i += blockDim.x * blocks) {
        const bool has = i + lane_id() * blocks < total;
        const uint32_t v = has ? ((volatile uint32_t *)all)[i + lane_id() * blocks] : 0;
        const unsigned at = reserve_reached(own, has, has ? class_of(s.first_of_class, v) : 0);
        if (has)
            list[at] = v;
    }
    __syncthreads();
}

/* Makes the thread group's frontier the next sparse frontier of the grid: writes the depths of its vertices and, unless the
 * search ends at this depth, appends their rows as work items. All threads of the group call it, each block for its own
 * list. */
template <class S> __device__ static void leave_items(S &s, unsigned round, int32_t depth)
{
    const unsigned count = s.block.group_reached[round % 3].count;
    for (unsigned i = threadIdx.x - lane_id(); i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        const uint32_t v = has ? thread_group_list(s, round)[i + lane_id()] : 0;
        if (has)
            s.of[v >> 31].depth[v & ~KIND_BIT] = depth;
        if (depth < s.order.deepest)
            list_vertices<S>(s.csr, s.block.target, v, has);
    }
}

/* Adds what the threads of a block have seen to s.state. All threads of the block call it. */
template <class S> __device__ static inline void add_seen(S &s, const seen_rows &seen)
{
#pragma unroll
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (!__any_sync(ALL_LANES, seen.sources[g] != 0))
            continue;
        const unsigned sources = sum_lanes(seen.sources[g]), edges = sum_lanes(seen.edges[g]);
        if (lane_id() == 0) {
            atomicAdd(&s.state->seen[g], (unsigned long long)sources);
            atomicAdd(&s.state->seen_edges[g], (unsigned long long)edges);
        }
    }
}

/* Does the levels of run_alone, if `alone`, or else of run_together, in a graph of one kind of vertices with head columns (visit_headed).
 * Returns the frontier of run_together. Leaves round and depth in s.block.group_round, and adds to s.state what it has seen. All threads of
 * a block call it. Not inlined, and without references, so that the loops of other graphs keep their registers. */
template <class S>
__device__ static __noinline__ thread_group_frontier run_headed(S &s, bool alone, unsigned round, int32_t depth)
{
    seen_rows seen = {};
    thread_group_frontier f = {};
    if (alone)
        run_alone<true>(s, round, depth, seen);
    else
        f = run_together<true>(s, round, depth, seen);
    add_seen(s, seen);
    if (threadIdx.x == 0)
        s.block.group_round = thread_group_round{round, depth};
    __syncthreads();
    return f;
}

/* Returns whether run_headed does the levels of the thread group: if one subgraph, s.only, has all edges, and its rows are raw and have
 * head columns. */
template <class S> __device__ static inline bool is_headed(const S &s)
{
    return !S::packed && s.only != SUBGRAPHS && s.csr[s.only].head_columns > 0;
}

/* Does levels by the thread group while the frontier is small enough. If at_root, the first frontier is the only root, and
 * its parent is written. Otherwise the first frontier has the work items of the grid. The last one becomes the next frontier
 * of the grid (leave_items), s.state gets its depth and the counts of what was visited, and s.state->moved becomes 1. If the
 * first frontier is too large for even one level, s.state->moved becomes 0. All threads of the thread group call it. */
template <class S> __device__ static void run_thread_group(S &s, bool at_root)
{
    seen_rows seen = {};
    unsigned round = 0;
    int32_t depth = s.block.now.depth;
    if (threadIdx.x < 3)
        s.block.group_reached[threadIdx.x] = thread_group_part{};
    if (blockIdx.x == 0 && threadIdx.x < SUBGRAPHS)
        s.state->seen[threadIdx.x] = s.state->seen_edges[threadIdx.x] = 0;
    __syncthreads();
    const uint32_t root = s.roots.first;
    const thread_group_part roots = {1, at_root ? class_of(s.first_of_class, root) : 0};
    if (at_root && blockIdx.x == 0 && threadIdx.x == 0) {
        if (s.of[root >> 31].parent != NULL)
            s.of[root >> 31].parent[root & ~KIND_BIT] = ROOT_PARENT;
        thread_group_list(s, 0)[0] = root;
        s.block.group_reached[0] = roots;
    }
    if (!at_root)
        take_items(s);
    __syncthreads();
    /* before blocks add to `seen` there is a barrier with fences, by which they see it cleared */
    thread_group_frontier f = {lanes_of(roots), 0};
    if (!at_root || f.lanes > FUSED_ALONE_ROWS)
        f = fenced_barrier(s, round);
    bool deals = !at_root && s.thread_group > 1, goes_on = true;
    while (goes_on && can_be_dealt(s, f, depth)) {
        const bool alone = s.thread_group == 1 || f.lanes <= FUSED_ALONE_ROWS;
        const int32_t before = depth;
        if (deals)
            deal(s, round, alone);
        deals = s.thread_group > 1;
        if (is_headed(s)) {
            if constexpr (!S::packed) {
                if (!alone || blockIdx.x == 0) {
                    f = run_headed(s, alone, round, depth);
                    round = s.block.group_round.round;
                    depth = s.block.group_round.depth;
                }
            }
        } else if (!alone) {
            f = run_together<false>(s, round, depth, seen);
        } else if (blockIdx.x == 0) {
            run_alone<false>(s, round, depth, seen);
        }
        if (alone)
            f = fenced_barrier_at(s, round, depth);
        else
            goes_on = depth > before; /* otherwise a block got too many long rows */
    }
    const bool moved = at_root || depth != s.block.now.depth;
    if (moved && f.lanes > 0)
        leave_items(s, round, depth);
    add_seen(s, seen);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s.state->depth = depth;
        s.state->moved = moved;
    }
}

/* ---- the thread group and the grid ---- */

/* Takes all blocks into the thread group when the search turns out to be deep. All threads of the grid call it before the choice of
 * a level, which ends with a barrier of the block. */
template <class S> __device__ static inline void begin_deep_levels(S &s)
{
    if (threadIdx.x == 0 && s.block.now.depth >= FUSED_DEEP_FROM && s.thread_group == 1 && gridDim.x <= FUSED_MOST_THREAD_GROUP) {
        s.thread_group = gridDim.x;
        s.block.thread_group_edges = s.thread_group * blockDim.x;
    }
}

/* Returns whether the thread group tries to do the next levels: the frontier has few vertices and few work items, and `edges`,
 * the number of its edges, is not above `most`. Returns false if the frontier has no work items, because no edges lead on from
 * its vertices, or if the search always pulls. */
__device__ static inline bool is_for_thread_group(const gpu_fused &s, const fused_progress &now, double edges, double most)
{
    return s.mode != FUSED_PULL && now.fresh <= s.thread_group * FUSED_DEALT_ROWS && now.items > 0 &&
           now.items <= 2 * s.thread_group * blockDim.x && edges <= most;
}

/* Lets the thread group do levels while blocks that are not in it wait. It begins at the only root (at_root) or with the present frontier,
 * and its last frontier becomes the frontier of all blocks. It stops when the frontier is too large, and is called again only
 * for a frontier of at most half as many edges (s.block.thread_group_edges). All threads of the grid call it. Not inlined, so
 * that the kernel has one copy of the code. */
template <class S> __device__ static __noinline__ void leave_to_thread_group(S &s, bool at_root)
{
    begin_round(s);
    if (blockIdx.x < s.thread_group)
        run_thread_group(s, at_root);
    search_barrier(s);
    if (*(volatile uint32_t *)&s.state->moved) { /* these steps are the steps of end_level */
        const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
        read_counts(s);
        if (threadIdx.x < WARP) {
            if (lane_id() < SUBGRAPHS) {
                s.block.now.seen[g] += (double)*(volatile unsigned long long *)&s.state->seen[g];
                s.block.now.seen_edges[g] += (double)*(volatile unsigned long long *)&s.state->seen_edges[g];
            }
            if (threadIdx.x == 0)
                s.block.now.depth = *(volatile int32_t *)&s.state->depth;
            __syncwarp();
            set_frontier(s, found_of(s, FUSED_SOURCES + g), found_of(s, FUSED_FORWARD + g), found_of(s, FUSED_FRESH), true);
        }
        next_round(s, true);
    }
    if (threadIdx.x == 0)
        s.block.thread_group_edges = min(s.block.thread_group_edges, s.block.choice.push_edges / 2);
    __syncthreads();
}

#endif

/* cuda_fused_thread_group.cuh: levels of a few blocks of a single GPU, while the frontier is very small
 *
 * The thread group is the first blocks of the grid. While the frontier is very small, these blocks go from level to level by
 * themselves, and all others wait. They are a cluster, so they read each other's shared memory. Each block lists in its own
 * shared memory the vertices that it reaches, and in the next level all blocks share the vertices of all lists. So a level costs
 * the barrier of the cluster and four reads that wait for each other: the vertex, its offsets, its columns, and the claims
 * (atomics that set visited bits). An even smaller frontier is left to a single block, which saves the barrier of the cluster.
 *
 * 2^shift lanes share a vertex, and each lane visits up to THREAD_GROUP_EDGES of its edges. Whether these lanes suffice for the
 * longest row must be known before rows are read. So each vertex has a class, which bounds its edges: a vertex of class k has at
 * most THREAD_GROUP_EDGES * 2^k edges. The class follows from the vertex's number, as vertices are in the order of their degrees
 * (gpu_fused::first_of_class).
 */
#ifndef DBFS_CUDA_FUSED_THREAD_GROUP_CUH
#define DBFS_CUDA_FUSED_THREAD_GROUP_CUH

#include "traverse/cuda/device/cuda_ptx.cuh"
#include "cuda_fused_progress.cuh"

enum {
    THREAD_GROUP_EDGES = 1 << FUSED_FIRST_CLASS, /* the most edges of a vertex that one lane visits */
    THREAD_GROUP_SLOTS = 4,                      /* edges that a lane reads before it waits for the first */
    /* The most vertices of a frontier of short rows (class 0). If the largest class is k, 2^k times fewer vertices. */
    SINGLE_SHORT_ROWS = 320,      /* the most vertices for a single block */
    THREAD_GROUP_SHORT_ROWS = 224 /* for each block of the thread group; with more, the whole grid is faster */
};
static_assert((SINGLE_SHORT_ROWS << FUSED_FIRST_CLASS) <= FUSED_ENOUGH_REACHED, "lists have room for levels of a single block");

/* ---- the frontier of the thread group ---- */

/* Waits until all threads of the thread group have called it. They then see all earlier writes of the group to shared memory.
 * Only the first warp of each block releases these writes, since a release also waits for writes to global memory. */
__device__ static inline void thread_group_barrier()
{
    __syncthreads();
    if (threadIdx.x < WARP)
        cluster_arrive_release();
    else
        cluster_arrive_relaxed();
    cluster_wait();
}

/* Returns this block's list of vertices for a round, in its shared memory. A block has one list for even and one for odd
 * rounds. Rounds are counted modulo 6, as lists repeat every 2 rounds, and elements of s.block.group_reached every 3 rounds. */
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
    while (k < FUSED_CLASSES && (v & ~KIND_BIT) < of_kind[k])
        k++;
    return k;
}

/* What each warp of the thread group knows of a level's frontier. */
struct thread_group_frontier {
    unsigned total;   /* vertices of the frontier */
    unsigned largest_class; /* the largest class of the frontier's vertices */
    unsigned end;     /* in lane r: the number of vertices in the lists of blocks 0 to r of the thread group */
};

/* Returns the size of the frontier of a round, which lies in the lists of all blocks of the thread group. Reads the shared
 * memory of these blocks, so thread_group_barrier must come before. All lanes of the warp call it. */
template <class S> __device__ static inline thread_group_frontier read_frontier(S &s, unsigned round)
{
    thread_group_part part = {};
    if (lane_id() < s.thread_group)
        part = cluster_load(&s.block.group_reached[round % 3], lane_id());
    unsigned end = part.count, largest_class = part.largest_class;
#pragma unroll
    for (int step = 1; step < FUSED_MOST_THREAD_GROUP; step *= 2) {
        const unsigned other = __shfl_up_sync(ALL_LANES, end, step);
        end += lane_id() >= step ? other : 0;
    }
    return thread_group_frontier{__shfl_sync(ALL_LANES, end, FUSED_MOST_THREAD_GROUP - 1), max_lanes(largest_class), end};
}

/* Returns vertex i of the frontier `f` of a round, from the list of the block that has reached it. Returns 0 if there is no
 * vertex i. Each lane may give another i. All lanes of the warp call it. */
template <class S>
__device__ static inline uint32_t thread_group_vertex(S &s, const thread_group_frontier &f, unsigned round, unsigned i)
{
    unsigned rank = 0; /* the rank of the block whose list has vertex i, found by binary search */
#pragma unroll
    for (int step = FUSED_MOST_THREAD_GROUP / 2; step > 0; step /= 2) {
        const unsigned end = __shfl_sync(ALL_LANES, f.end, rank + step - 1);
        rank += end <= i ? step : 0;
    }
    const unsigned before = __shfl_sync(ALL_LANES, f.end, (rank - 1) & (WARP - 1));
    return i < f.total ? cluster_load(thread_group_list(s, round) + (i - (rank > 0 ? before : 0)), rank) : 0;
}

/* Reserves `mine` elements for each lane at the end of a list of reached vertices. Returns the index of the lane's first one.
 * Also updates `part`, which has the length of the list and the largest class of its vertices: `largest_class` is the largest
 * class of the vertices that the lane will write. All lanes of the warp call it. */
__device__ static inline unsigned reserve_reached(thread_group_part &part, unsigned mine, unsigned largest_class)
{
    const unsigned before = warp_prefix(mine);
    const unsigned count = __shfl_sync(ALL_LANES, before + mine, WARP - 1);
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

/* Visits this lane's share of the edges of vertex v: edges sub, sub + 2^shift, sub + 2 * 2^shift, ... If the lane is the first
 * to set the visited bit of the vertex to which an edge leads, it writes that vertex's parent, and appends that vertex to
 * `list`, whose length is in `part`. The lane with sub 0 writes the depth of v, and adds the rows of v to `seen`. `has` is
 * false if the lane has no vertex v. All lanes of the warp call it. */
template <class S>
__device__ static inline void visit_vertex(S &s, uint32_t v, bool has, unsigned sub, unsigned shift, int32_t depth,
                                           uint32_t *list, thread_group_part &part, seen_rows &seen)
{
    const gpu_csr *csr = &s.csr[(v >> 31) << 1]; /* the subgraphs of its two rows: csr[0] to normals, csr[1] to delegates */
    const uint32_t id = v & ~KIND_BIT;
    listed_row row[VERTEX_KINDS];
    look_at_rows(csr, id, has, row);
    const typename S::columns rest[] = {S::columns::make(csr[0], row[0].begin, row[0].begin),
                                        S::columns::make(csr[1], row[1].begin, row[1].begin)};
    const uint32_t rests[] = {(uint32_t)row[0].length, (uint32_t)row[1].length},
                   edges[] = {rests[0] + row[0].heads, rests[1] + row[1].heads}, total = edges[0] + edges[1];
    /* Returns the vertex that edge i leads to, with KIND_BIT for a delegate, or NO_HEAD if edge i is an empty head column. */
    const auto end_of = [&](uint32_t i) {
        const bool k = i >= edges[NORMALS];
        const uint32_t j = k ? i - edges[NORMALS] : i, count = k ? rests[1] : rests[0];
        const uint32_t end = j < count ? S::columns::select(k, rest[1], rest[0]).column(csr[k], id, j)
                                       : csr[k].heads[(uint64_t)(j - count) * csr[k].rows + id];
        return end | (k ? KIND_BIT : 0);
    };
    if (sub == 0 && has) {
        s.of[v >> 31].depth[id] = depth;
#pragma unroll
        for (int g = 0; g < SUBGRAPHS; g++) {
            const unsigned own = (int)(v >> 31) == g >> 1 ? edges[g & 1] : 0;
            seen.sources[g] += own > 0;
            seen.edges[g] += own;
        }
    }
    for (uint32_t i = sub; __any_sync(ALL_LANES, i < total);) {
        uint32_t end[THREAD_GROUP_SLOTS];
        unsigned mine = 0 /* a bit for each slot whose end this lane has claimed */, largest_class = 0;
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++, i += 1u << shift)
            end[j] = i < total ? end_of(i) : NO_HEAD;
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++) {
            if (end[j] != NO_HEAD && claim(s.of[end[j] >> 31], end[j] & ~KIND_BIT, false))
                mine |= 1u << j;
        }
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++) {
            if (mine >> j & 1)
                largest_class = max(largest_class, class_of(s.first_of_class, end[j]));
        }
        uint32_t *to = list + reserve_reached(part, __popc(mine), largest_class);
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++) {
            if (!(mine >> j & 1))
                continue;
            uint32_t *parent = s.of[end[j] >> 31].parent;
            if (parent != NULL)
                parent[end[j] & ~KIND_BIT] = v;
            *to++ = end[j]; /* its depth is written in the next level, as here the barrier would wait for the write */
        }
    }
}

/* Returns the shift for a frontier of `vertices` vertices, at least 1: 2^shift lanes share each vertex. It is the largest for
 * which `lanes` lanes suffice, but at most `largest_class` + 2, where no lane has more than two edges. `largest_class` is the
 * largest class of the frontier's vertices. */
__device__ static inline unsigned lanes_shift(unsigned lanes, unsigned vertices, unsigned largest_class)
{
    const unsigned share = lanes / vertices, most = share > 0 ? 31 - __clz(share) : 0;
    return min(largest_class + 2, most);
}

/* ---- levels of a single block ---- */

/* Returns whether a frontier of `count` vertices, of class `largest_class` at most, is left to a single block. It is if several
 * blocks would take longer, and if one block has enough lanes for the edges of each vertex. */
__device__ static inline bool is_for_single_block(unsigned count, unsigned largest_class)
{
    return count << largest_class <= min((unsigned)SINGLE_SHORT_ROWS, blockDim.x) &&
           largest_class <= lanes_shift(blockDim.x, count, largest_class);
}

/* Lets the first block of the thread group do one or more levels by itself, while the frontier is small enough for it. The
 * other blocks of the group wait. `f` is the frontier of `round`, whose vertices the block copies to its own list. Afterwards
 * that list has the new frontier, for round + 1. In all threads `depth` grows by the number of levels. Visited rows are added
 * to `seen`. All threads of the thread group call it. */
template <class S>
__device__ static void leave_to_single_block(S &s, const thread_group_frontier &f, unsigned round, int32_t &depth,
                                             seen_rows &seen)
{
    if (threadIdx.x == 0)
        s.block.group_reached[(round + 2) % 3] = thread_group_part{};
    if (cluster_rank() == 0) {
        uint32_t *from = thread_group_list(s, round + 1), *to = thread_group_list(s, round);
        unsigned level = 0 /* number of the level of this block, modulo 3 */, count = f.total;
        if (threadIdx.x < WARP) {
            for (unsigned i = 0; i < count; i += WARP) {
                const uint32_t v = thread_group_vertex(s, f, round, i + lane_id());
                if (i + lane_id() < count)
                    from[i + lane_id()] = v;
            }
            if (lane_id() == 0) {
                s.block.single_reached[0] = thread_group_part{count, f.largest_class, {0, 0}};
                s.block.single_reached[1] = thread_group_part{};
            }
        }
        __syncthreads();
        do {
            const unsigned shift = lanes_shift(blockDim.x, count, s.block.single_reached[level].largest_class),
                           i = threadIdx.x >> shift, next = level == 2 ? 0 : level + 1;
            note_level(s.notes, depth, LEVEL_BLOCK);
            if (threadIdx.x == 0)
                s.block.single_reached[next == 2 ? 0 : next + 1] = thread_group_part{};
            if (threadIdx.x - lane_id() < count << shift)
                visit_vertex(s, i < count ? from[i] : 0, i < count, threadIdx.x & ((1u << shift) - 1), shift, depth, to,
                             s.block.single_reached[next], seen);
            depth++;
            level = next;
            uint32_t *reached = to;
            to = from;
            from = reached;
            __syncthreads();
            count = *(volatile unsigned *)&s.block.single_reached[level].count;
        } while (count > 0 && depth < s.order.deepest &&
                 is_for_single_block(count, s.block.single_reached[level].largest_class));
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
            thread_group_list(s, round + 1)[i] = from[i];
        if (threadIdx.x == 0) {
            s.block.group_reached[(round + 1) % 3] = s.block.single_reached[level];
            s.block.single_depth = depth;
        }
    }
    thread_group_barrier();
    depth = (int32_t)cluster_load((const uint32_t *)&s.block.single_depth, 0);
}

/* ---- levels of the thread group ---- */

/* Makes the sparse frontier of the grid the thread group's frontier of round 0: appends each vertex that has work items to the
 * list of one block, once. All threads of the thread group call it. */
template <class S> __device__ static void take_items(S &s)
{
    const work_item *items = s.sparse[s.block.now.current];
    const unsigned lanes = s.thread_group * blockDim.x,
                   first = (threadIdx.x / WARP * s.thread_group + cluster_rank()) * WARP;
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
    if (at_root && blockIdx.x == 0 && threadIdx.x == 0) {
        const uint32_t root = s.roots.first;
        if (s.of[root >> 31].parent != NULL)
            s.of[root >> 31].parent[root & ~KIND_BIT] = ROOT_PARENT;
        thread_group_list(s, 0)[0] = root;
        s.block.group_reached[0] = thread_group_part{1, class_of(s.first_of_class, root), {0, 0}};
    }
    if (!at_root)
        take_items(s);
    thread_group_barrier();
    thread_group_frontier f = read_frontier(s, round);
    while (f.total > 0 && depth < s.order.deepest && s.mode != FUSED_PULL) {
        const unsigned shift = lanes_shift(s.thread_group * blockDim.x, f.total, f.largest_class);
        /* The lanes of each vertex must suffice for the longest row, and there must be a lane for each vertex. */
        if (f.total << f.largest_class > s.thread_group * min((unsigned)THREAD_GROUP_SHORT_ROWS, blockDim.x) ||
            f.largest_class >= FUSED_CLASSES || f.largest_class > shift)
            break;
        if (is_for_single_block(f.total, f.largest_class)) {
            leave_to_single_block(s, f, round, depth, seen);
        } else {
            const unsigned first = (threadIdx.x / WARP * s.thread_group + cluster_rank()) * WARP,
                           lane = first + lane_id(), i = lane >> shift;
            note_level(s.notes, depth, LEVEL_THREAD_GROUP);
            if (threadIdx.x == 0)
                s.block.group_reached[(round + 2) % 3] = thread_group_part{};
            if (first < f.total << shift)
                visit_vertex(s, thread_group_vertex(s, f, round, i), i < f.total, lane & ((1u << shift) - 1), shift, depth,
                             thread_group_list(s, round + 1), s.block.group_reached[(round + 1) % 3], seen);
            depth++;
            thread_group_barrier();
        }
        round = round == 5 ? 0 : round + 1;
        f = read_frontier(s, round);
    }
    const bool moved = at_root || depth != s.block.now.depth;
    if (moved && f.total > 0)
        leave_items(s, round, depth);
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
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s.state->depth = depth;
        s.state->moved = moved;
    }
    thread_group_barrier(); /* no block leaves while other blocks read its lists */
}

/* ---- the thread group and the grid ---- */

/* Returns whether the thread group tries to do the next levels: the frontier has few vertices and few work items, and `edges`,
 * the number of its edges, is not above `most`. Returns false if the frontier has no work items, because no edges lead on from
 * its vertices, or if the search always pulls. */
__device__ static inline bool is_for_thread_group(const gpu_fused &s, const fused_progress &now, double edges, double most)
{
    return s.mode != FUSED_PULL && now.fresh <= s.thread_group * THREAD_GROUP_SHORT_ROWS && now.items > 0 &&
           now.items <= 2 * s.thread_group * blockDim.x && edges <= most;
}

/* Lets the thread group do levels while all other blocks wait. It begins at the only root (at_root) or with the present frontier,
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

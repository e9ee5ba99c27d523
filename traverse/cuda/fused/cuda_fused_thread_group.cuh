/* cuda_fused_thread_group.cuh: levels of a few blocks; see cuda_fused.h
 *
 * While the frontier is small, the first blocks go from level to level by themselves. They are a cluster, whose
 * blocks read each other's shared memory: each block lists there the vertices that it reaches, and all share
 * those that all listed. So a level costs four reads that wait for each other (the vertex, offsets, columns,
 * claims) and the barrier of the cluster. A frontier that is smaller still is left to one block, which saves that
 * barrier.
 *
 * Lanes share a vertex, 2^shift of them, and each visits up to THREAD_GROUP_EDGES of its edges. The team knows whether
 * that is enough for the longest row before it looks at rows: vertices are in the order of their degrees, so a
 * vertex number bounds the length of the rows (`longest` in cuda_fused.h).
 */
#ifndef DBFS_CUDA_WHOLE_TEAM_CUH
#define DBFS_CUDA_WHOLE_TEAM_CUH

#include "traverse/cuda/device/cuda_ptx.cuh"
#include "traverse/cuda/visit/cuda_search_notes.cuh"
#include "cuda_fused_progress.cuh"
#include "traverse/cuda/visit/cuda_expand.cuh"

enum {
    THREAD_GROUP_EDGES = 1 << FUSED_FIRST_CLASS, /* of a lane */
    THREAD_GROUP_SLOTS = 4,                     /* edges of a lane under way at once */
    ONE_SHORT_ROWS = 320,               /* rows of the first class, for one block of the team */
    THREAD_GROUP_SHORT_ROWS = 224               /* of the first class for a block: with more, the grid is faster */
};

/* ---- the cluster ---- */

/* The barrier of all threads of the team, which then see earlier writes to shared memory. One warp
 * releases the writes of its whole block, since each release waits for writes to global memory. */
__device__ static inline void thread_group_barrier()
{
    __syncthreads();
    if (threadIdx.x < WARP)
        cluster_arrive_release();
    else
        cluster_arrive_relaxed();
    cluster_wait();
}

template <class S> __device__ static inline bool is_in_thread_group(S &s)
{
    return blockIdx.x < s.thread_group;
}

/* ---- lists ---- */

/* The vertices that this block reached, after the memory of its warps. A turn is one of 6: lists are taken in
 * turn by two, parts by three. */
template <class S> __device__ static inline uint32_t *thread_group_list(S &s, unsigned turn)
{
    return (uint32_t *)(warp_spaces(s) + blockDim.x / WARP) + turn % 2 * s.thread_group_capacity;
}

/* The vertices of one block of the team, lists taken in turn by three. */
template <class S> __device__ static inline uint32_t *one_list(S &s, unsigned turn)
{
    return s.one_vertices[turn];
}

/* The smallest k for which the rows of v have at most THREAD_GROUP_EDGES * 2^k edges. */
template <class S> __device__ static inline unsigned class_of(S &s, uint32_t v)
{
    const uint32_t *longest = s.longest[v >> 31];
    unsigned k = 0;
    while (k < FUSED_CLASSES && (v & ~KIND_BIT) < longest[k])
        k++;
    return k;
}

/* The frontier of a level, as every warp of the team knows it. `end` of lane r: the number of
 * vertices that blocks up to the r-th have listed. */
struct thread_group_frontier {
    unsigned total, longest, end;
};

template <class S> __device__ static inline thread_group_frontier look_at_thread_group(S &s, unsigned turn)
{
    thread_group_part part = {0, 0, {0, 0}};
    if (lane_id() < s.thread_group)
        part = cluster_load(&s.block.part[turn % 3], lane_id());
    unsigned end = part.count, longest = part.longest;
#pragma unroll
    for (int step = 1; step < FUSED_MOST_THREAD_GROUP; step *= 2) {
        const unsigned other = __shfl_up_sync(ALL_LANES, end, step);
        end += lane_id() >= step ? other : 0;
    }
    return thread_group_frontier{__shfl_sync(ALL_LANES, end, FUSED_MOST_THREAD_GROUP - 1), max_lanes(longest), end};
}

/* The i-th vertex, i below f.total. All lanes of the warp call it. */
template <class S>
__device__ static inline uint32_t thread_group_vertex(S &s, const thread_group_frontier &f, unsigned turn, unsigned i)
{
    unsigned rank = 0;
#pragma unroll
    for (int step = FUSED_MOST_THREAD_GROUP / 2; step > 0; step /= 2) {
        const unsigned end = __shfl_sync(ALL_LANES, f.end, rank + step - 1);
        rank += end <= i ? step : 0;
    }
    const unsigned before = __shfl_sync(ALL_LANES, f.end, (rank - 1) & (WARP - 1));
    return i < f.total ? cluster_load(thread_group_list(s, turn) + (i - (rank > 0 ? before : 0)), rank) : 0;
}

/* Reserves room for the `mine` vertices that each lane of the warp reached. Returns the place of the lane's
 * first one. */
__device__ static inline unsigned reserve_reached(thread_group_part &part, unsigned mine, unsigned longest)
{
    const unsigned before = warp_prefix(mine);
    const unsigned count = __shfl_sync(ALL_LANES, before + mine, WARP - 1);
    if (count == 0)
        return 0;
    longest = max_lanes(longest);
    unsigned base = 0;
    if (lane_id() == 0) {
        base = atomicAdd(&part.count, count);
        if (longest > 0)
            atomicMax(&part.longest, longest);
    }
    return before + __shfl_sync(ALL_LANES, base, 0);
}

/* ---- a level ---- */

/* The rows of a vertex. */
template <bool PACKED> struct thread_group_rows {
    row_columns<PACKED> rest[VERTEX_KINDS];
    uint32_t rests[VERTEX_KINDS], heads[VERTEX_KINDS];
    uint32_t total;
};

template <class S> __device__ static inline thread_group_rows<S::packed> look_at_vertex(S &s, uint32_t v, bool has)
{
    const int g = (int)(v >> 31) << 1;
    listed_row row[VERTEX_KINDS];
    thread_group_rows<S::packed> r;
    look_at_rows(s.csr[g], s.csr[g | 1], v & ~KIND_BIT, has, row[0], row[1]);
#pragma unroll
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        r.rest[kind] = S::columns::make(s.csr[g | kind], row[kind].begin, row[kind].begin);
        r.rests[kind] = (uint32_t)row[kind].length;
        r.heads[kind] = row[kind].heads;
    }
    r.total = r.rests[0] + r.heads[0] + r.rests[1] + r.heads[1];
    return r;
}

/* The i-th edge, i below r.total: its end, with KIND_BIT; or NO_HEAD, since short rows do not fill all head
 * columns. First the normals, then the delegates. */
template <class S>
__device__ static inline uint32_t edge_of(S &s, uint32_t v, const thread_group_rows<S::packed> &r, uint32_t i)
{
    const uint32_t normals = r.rests[NORMALS] + r.heads[NORMALS];
    const bool k = i >= normals;
    const uint32_t j = k ? i - normals : i, rests = k ? r.rests[1] : r.rests[0];
    const gpu_csr &csr = s.csr[(v >> 31) << 1 | k];
    if (j < rests)
        return choose(k, r.rest[1], r.rest[0]).column(csr, v & ~KIND_BIT, j) | (k ? KIND_BIT : 0);
    return csr.heads[(uint64_t)(j - rests) * csr.rows + (v & ~KIND_BIT)] | (k ? KIND_BIT : 0);
}

/* Puts a reached vertex into a list. The thread that takes it from there writes its depth: here the
 * barrier would wait for that. */
template <class S> __device__ static inline void put_reached(S &s, uint32_t *to, uint32_t v, uint32_t parent)
{
    const gpu_vertices &of = s.of[v >> 31];
    if (of.parent != NULL)
        of.parent[v & ~KIND_BIT] = parent;
    *to = v;
}

template <class S> __device__ static inline void put_depth(S &s, uint32_t v, int32_t depth)
{
    s.of[v >> 31].depth[v & ~KIND_BIT] = depth;
}

/* Visits every 2^shift-th edge of v, from the i-th on. All lanes of the warp call it. */
template <class S>
__device__ static inline void reach_edges(S &s, uint32_t v, const thread_group_rows<S::packed> &r, uint32_t i, unsigned shift,
                                          uint32_t *list, thread_group_part &part)
{
    while (__any_sync(ALL_LANES, i < r.total)) {
        uint32_t end[THREAD_GROUP_SLOTS];
        unsigned mine = 0, longest = 0;
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++, i += 1u << shift)
            end[j] = i < r.total ? edge_of(s, v, r, i) : NO_HEAD;
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++) {
            if (end[j] != NO_HEAD && claim<REACH_TEAM>(s, s.of[end[j] >> 31], end[j] & ~KIND_BIT))
                mine |= 1u << j;
        }
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++) {
            if (mine >> j & 1)
                longest = max(longest, class_of(s, end[j]));
        }
        uint32_t *to = list + reserve_reached(part, __popc(mine), longest);
#pragma unroll
        for (int j = 0; j < THREAD_GROUP_SLOTS; j++) {
            if (mine >> j & 1)
                put_reached(s, to++, end[j], v);
        }
    }
}

/* The sources and edges that a thread has seen. */
struct seen_rows {
    unsigned sources[SUBGRAPHS], edges[SUBGRAPHS];
};

template <bool PACKED>
__device__ static inline void count_seen(seen_rows &seen, uint32_t v, const thread_group_rows<PACKED> &r)
{
#pragma unroll
    for (int g = 0; g < SUBGRAPHS; g++) {
        const unsigned edges = (int)(v >> 31) == g >> 1 ? r.rests[g & 1] + r.heads[g & 1] : 0;
        seen.sources[g] += edges > 0;
        seen.edges[g] += edges;
    }
}

/* 2^this lanes share a vertex: so many that each has two edges, if there are lanes. */
__device__ static inline unsigned shared_by(unsigned lanes, unsigned vertices, unsigned longest)
{
    const unsigned share = lanes / vertices, most = share > 0 ? 31 - __clz(share) : 0;
    return min(longest + 2, most);
}

template <class S> __device__ static inline unsigned thread_group_shift(S &s, const thread_group_frontier &f)
{
    return shared_by(s.thread_group * blockDim.x, f.total, f.longest);
}

/* Whether the lanes of a vertex suffice for the longest row, and each vertex has one. */
template <class S> __device__ static inline bool is_for_thread_group(S &s, const thread_group_frontier &f)
{
    return f.total << f.longest <= s.thread_group * min((unsigned)THREAD_GROUP_SHORT_ROWS, blockDim.x) && f.longest < FUSED_CLASSES &&
           f.longest <= thread_group_shift(s, f);
}

template <class S>
__device__ static void run_thread_group_level(S &s, const thread_group_frontier &f, unsigned turn, int32_t depth, seen_rows &seen)
{
    const unsigned shift = thread_group_shift(s, f), first = (threadIdx.x / WARP * s.thread_group + cluster_rank()) * WARP,
                   lane = first + lane_id(), i = lane >> shift, sub = lane & ((1u << shift) - 1);
    note_level(s.notes, depth, LEVEL_THREAD_GROUP);
    if (threadIdx.x == 0)
        s.block.part[(turn + 2) % 3] = thread_group_part{0, 0, {0, 0}};
    if (first >= f.total << shift)
        return;
    const uint32_t v = thread_group_vertex(s, f, turn, i);
    const thread_group_rows<S::packed> rows = look_at_vertex(s, v, i < f.total);
    if (sub == 0 && i < f.total) {
        put_depth(s, v, depth);
        count_seen(seen, v, rows);
    }
    reach_edges(s, v, rows, sub, shift, thread_group_list(s, turn + 1), s.block.part[(turn + 1) % 3]);
}

/* ---- levels of one block of the team ---- */

/* Whether a frontier is so small that sharing it takes longer, and the block has a lane for each vertex. */
template <class S> __device__ static inline bool is_for_one(S &s, unsigned count, unsigned longest)
{
    return count << longest <= min((unsigned)ONE_SHORT_ROWS, blockDim.x) &&
           longest <= shared_by(blockDim.x, count, longest);
}

template <class S>
__device__ static void run_level_of_one(S &s, unsigned count, unsigned turn, int32_t depth, seen_rows &seen)
{
    const unsigned shift = shared_by(blockDim.x, count, s.block.one[turn].longest), i = threadIdx.x >> shift,
                   next = turn == 2 ? 0 : turn + 1;
    note_level(s.notes, depth, LEVEL_BLOCK);
    if (threadIdx.x == 0)
        s.block.one[next == 2 ? 0 : next + 1] = thread_group_part{0, 0, {0, 0}};
    if (threadIdx.x - lane_id() >= count << shift)
        return;
    const uint32_t v = i < count ? one_list(s, turn)[i] : 0;
    const thread_group_rows<S::packed> rows = look_at_vertex(s, v, i < count);
    const unsigned sub = threadIdx.x & ((1u << shift) - 1);
    if (sub == 0 && i < count) {
        put_depth(s, v, depth);
        count_seen(seen, v, rows);
    }
    reach_edges(s, v, rows, sub, shift, one_list(s, next), s.block.one[next]);
}

/* Does levels by the first block of the team, while they are that small. The frontier that it
 * leaves is its part of that of `turn` + 1. */
template <class S>
__device__ static void run_one(S &s, const thread_group_frontier &f, unsigned turn, int32_t depth, seen_rows &seen)
{
    unsigned at = 0, count = f.total;
    if (threadIdx.x < WARP) {
        for (unsigned i = 0; i < count; i += WARP) {
            const uint32_t v = thread_group_vertex(s, f, turn, i + lane_id());
            if (i + lane_id() < count)
                one_list(s, 0)[i + lane_id()] = v;
        }
        if (lane_id() == 0) {
            s.block.one[0] = thread_group_part{count, f.longest, {0, 0}};
            s.block.one[1] = thread_group_part{0, 0, {0, 0}};
        }
    }
    __syncthreads();
    do {
        run_level_of_one(s, count, at, depth++, seen);
        at = at == 2 ? 0 : at + 1;
        __syncthreads();
        count = *(volatile unsigned *)&s.block.one[at].count;
    } while (count > 0 && depth < s.order.deepest && is_for_one(s, count, s.block.one[at].longest));
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        thread_group_list(s, turn + 1)[i] = one_list(s, at)[i];
    if (threadIdx.x == 0) {
        s.block.part[(turn + 1) % 3] = s.block.one[at];
        s.block.one_depth = depth;
    }
}

/* The first block does levels alone, and the others wait. */
template <class S>
__device__ static void leave_to_one(S &s, const thread_group_frontier &f, unsigned turn, int32_t &depth, seen_rows &seen)
{
    if (threadIdx.x == 0)
        s.block.part[(turn + 2) % 3] = thread_group_part{0, 0, {0, 0}};
    if (cluster_rank() == 0)
        run_one(s, f, turn, depth, seen);
    thread_group_barrier();
    depth = (int32_t)cluster_load((const uint32_t *)&s.block.one_depth, 0);
}

/* ---- all levels ---- */

/* Makes the root the frontier. By one thread of the team. */
template <class S> __device__ static void take_root(S &s)
{
    const uint32_t root = s.root.index | (s.root.kind == DELEGATES ? KIND_BIT : 0);
    put_reached(s, thread_group_list(s, 0), root, ROOT_PARENT);
    s.block.part[0] = thread_group_part{1, class_of(s, root), {0, 0}};
}

/* Makes the vertices of the pieces in the list the frontier. */
template <class S> __device__ static void take_list(S &s)
{
    const work_item *list = s.list[s.block.now.list];
    const unsigned lanes = s.thread_group * blockDim.x, first = (threadIdx.x / WARP * s.thread_group + cluster_rank()) * WARP;
    for (unsigned i = first; i < s.block.now.pieces; i += lanes) {
        work_item piece = {0, 0, 0};
        if (i + lane_id() < s.block.now.pieces)
            piece = list[i + lane_id()];
        const bool mine = piece.at & PIECE_FIRST;
        const uint32_t v = piece.row | (piece.at >> (ITEM_SUBGRAPH_SHIFT + 1) ? KIND_BIT : 0);
        const unsigned at = reserve_reached(s.block.part[0], mine, mine ? class_of(s, v) : 0);
        if (mine)
            thread_group_list(s, 0)[at] = v;
    }
}

/* Adds the rows that a thread of the team visited to those that the search has seen. */
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

/* Leaves the frontier to the grid, as a list of pieces, unless the search ends here. */
template <class S> __device__ static void leave_list(S &s, unsigned turn, int32_t depth)
{
    const unsigned count = s.block.part[turn % 3].count;
    for (unsigned i = threadIdx.x - lane_id(); i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        const uint32_t v = has ? thread_group_list(s, turn)[i + lane_id()] : 0;
        if (has)
            put_depth(s, v, depth);
        if (depth < s.order.deepest)
            list_vertices(s, v, has);
    }
}

/* Does levels by the team while they are small. It begins with the root or with a list of pieces, and leaves
 * the pieces of its last frontier in the next list. If it has done no level, the list stays as it was. */
template <class S> __device__ static void run_thread_group(S &s, bool at_root)
{
    seen_rows seen = {};
    unsigned turn = 0;
    int32_t depth = s.block.now.depth;
    if (threadIdx.x < 3)
        s.block.part[threadIdx.x] = thread_group_part{0, 0, {0, 0}};
    if (blockIdx.x == 0 && threadIdx.x < SUBGRAPHS)
        s.state->seen[threadIdx.x] = s.state->seen_edges[threadIdx.x] = 0;
    __syncthreads();
    if (at_root && blockIdx.x == 0 && threadIdx.x == 0)
        take_root(s);
    if (!at_root)
        take_list(s);
    thread_group_barrier();
    thread_group_frontier f = look_at_thread_group(s, turn);
    while (f.total > 0 && depth < s.order.deepest && is_for_thread_group(s, f) && s.mode != FUSED_PULL) {
        if (is_for_one(s, f.total, f.longest)) {
            leave_to_one(s, f, turn, depth, seen);
        } else {
            run_thread_group_level(s, f, turn, depth++, seen);
            thread_group_barrier();
        }
        turn = turn == 5 ? 0 : turn + 1;
        f = look_at_thread_group(s, turn);
    }
    const bool moved = at_root || depth != s.block.now.depth;
    if (moved && f.total > 0)
        leave_list(s, turn, depth);
    add_seen(s, seen);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s.state->depth = depth;
        s.state->moved = moved;
    }
    thread_group_barrier(); /* no block leaves while others read its lists */
}

/* ---- the team and the grid ---- */

/* Ends the levels of a team that has moved on, as a level of the grid ends. */
template <class S> __device__ static void end_thread_group_levels(S &s)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn(s);
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            s.block.now.seen[g] += (double)*(volatile unsigned long long *)&s.state->seen[g];
            s.block.now.seen_edges[g] += (double)*(volatile unsigned long long *)&s.state->seen_edges[g];
        }
        if (threadIdx.x == 0)
            s.block.now.depth = *(volatile int32_t *)&s.state->depth;
        __syncwarp();
        note_frontier(s, found_of(s, FUSED_SOURCES, g), found_of(s, FUSED_FORWARD, g), found_vertices(s), true);
    }
    next_turn(s, true);
}

/* The team works, and the others wait. The grid then does levels until there are half as many edges. */
template <class S> __device__ static void leave_to_thread_group(S &s, bool at_root)
{
    begin_turn(s);
    if (is_in_thread_group(s))
        run_thread_group(s, at_root);
    peers_barrier(s);
    if (*(volatile uint32_t *)&s.state->moved)
        end_thread_group_levels(s);
    if (threadIdx.x == 0)
        s.block.thread_group_edges = min(s.block.thread_group_edges, s.block.choice.push_edges / 2);
    __syncthreads();
}

/* A team takes the vertices of its frontier from their pieces. A frontier without any, as where a directed graph ends, is a
 * level of all blocks. */
template <class S> __device__ static bool is_small_level(S &s)
{
    const unsigned lanes = s.thread_group * blockDim.x;
    return !s.block.choice.masks && s.mode != FUSED_PULL && s.block.now.fresh <= s.thread_group * THREAD_GROUP_SHORT_ROWS &&
           s.block.now.pieces > 0 && s.block.now.pieces <= 2 * lanes && s.block.choice.push_edges <= s.block.thread_group_edges;
}

#endif

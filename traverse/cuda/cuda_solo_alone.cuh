/* cuda_solo_alone.cuh: levels of one block; see cuda_solo.h
 *
 * While the frontier is small, block 0 goes from level to level by itself, with lists in shared memory. Some
 * lanes share a vertex: they look at its rows, and each visits up to ALONE_SLOTS of its edges, all under way
 * at once. So a level costs three reads that wait for each other (offsets, columns, claims) and two barriers
 * of a block. Where rows are longer than that, all rows are cut into pieces instead, which warps share; a
 * frontier of many edges is left to the grid.
 */
#ifndef DBFS_CUDA_SOLO_ALONE_CUH
#define DBFS_CUDA_SOLO_ALONE_CUH

#include "cuda_solo_progress.cuh"
#include "cuda_solo_push.cuh"

enum {
    ALONE_SLOTS = 8,    /* edges of a lane under way */
    ALONE_THREADS = 512 /* at most as many work, as long as each has a vertex */
};

#define PARENT_OF_ROOT (0xffffffffu - 2) /* PARENT_SELF */

/* Edges of a vertex, those of both rows: first the normals at their ends, then the delegates. */
struct short_rows {
    const uint32_t *rest[VERTEX_KINDS], *heads[VERTEX_KINDS];
    uint32_t rests[VERTEX_KINDS], head_count[VERTEX_KINDS];
    uint32_t total;
};

/* The sources and edges that a warp has seen in levels without pieces: those of subgraph g are in lane g. */
struct seen_rows {
    unsigned sources, edges;
};

__device__ static inline short_rows look_at_vertex(uint32_t v, bool has)
{
    const int g = (int)(v >> 31) << 1;
    const uint32_t id = v & ~KIND_BIT;
    listed_row row[VERTEX_KINDS];
    short_rows r;
    look_at_rows(search.csr[g], search.csr[g | 1], id, has, row[0], row[1]);
    uint64_t total = 0;
#pragma unroll
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        const gpu_csr &csr = search.csr[g | kind];
        r.rest[kind] = (const uint32_t *)csr.columns + row[kind].begin;
        r.heads[kind] = csr.heads + id;
        r.rests[kind] = (uint32_t)row[kind].length;
        r.head_count[kind] = row[kind].heads;
        total += row[kind].length + row[kind].heads;
    }
    r.total = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
    return r;
}

/* Of the lanes that `counts` says. All lanes of the warp call it. */
__device__ static inline void note_seen(seen_rows &seen, uint32_t v, const short_rows &r, bool counts)
{
#pragma unroll
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (search.csr[g].edges == 0)
            continue;
        const unsigned edges =
            counts && (int)(v >> 31) == g >> 1 ? r.rests[g & 1] + r.head_count[g & 1] : 0;
        const unsigned sources = __popc(__ballot_sync(ALL_LANES, edges > 0)),
                       sum = sum_lanes(edges);
        if (lane_id() == g) {
            seen.sources += sources;
            seen.edges += sum;
        }
    }
}

/* The i-th edge, i below r.total: its end, with KIND_BIT; or NO_HEAD, since short rows do not fill all head
 * columns. */
__device__ static inline uint32_t edge_of(uint32_t v, const short_rows &r, uint32_t i)
{
    const uint32_t normals = r.rests[NORMALS] + r.head_count[NORMALS];
    const bool k = i >= normals;
    const uint32_t j = k ? i - normals : i, rests = k ? r.rests[1] : r.rests[0];
    const uint32_t *from = k ? r.rest[1] : r.rest[0];
    uint64_t at = j;
    if (j >= rests) {
        from = k ? r.heads[1] : r.heads[0];
        at = (uint64_t)(j - rests) * search.csr[(v >> 31) << 1 | k].rows;
    }
    return from[at] | (k ? KIND_BIT : 0);
}

/* Visits every 2^shift-th edge of a vertex, from `first` on: at most ALONE_SLOTS. All lanes of the warp call
 * it. */
__device__ static __noinline__ void reach_rows(const level_target &s, uint32_t v, const short_rows &r,
                                         uint32_t first, unsigned shift)
{
    const unsigned own = r.total > first ? ((r.total - first - 1) >> shift) + 1 : 0;
    uint32_t end[ALONE_SLOTS];
    unsigned mine = 0, count = 0, before = 0;
#pragma unroll
    for (unsigned j = 0; j < ALONE_SLOTS; j++)
        end[j] = j < own ? edge_of(v, r, first + (j << shift)) : NO_HEAD;
#pragma unroll
    for (unsigned j = 0; j < ALONE_SLOTS; j++) {
        if (end[j] != NO_HEAD && claim<REACH_ALONE>(search.of[end[j] >> 31], end[j] & ~KIND_BIT))
            mine |= 1u << j;
    }
    before = warp_prefix(__popc(mine));
    count = __shfl_sync(ALL_LANES, before + __popc(mine), WARP - 1);
    if (count == 0)
        return;
    before += __shfl_sync(ALL_LANES, lane_id() == 0 ? atomicAdd(s.reached_count, count) : 0, 0);
#pragma unroll
    for (unsigned j = 0; j < ALONE_SLOTS; j++) {
        if (mine >> j & 1)
            put_reached(s, end[j], v, before + __popc(mine & ((1u << j) - 1)));
    }
}

/* ---- lists ---- */

/* The lists of a block alone follow the memory of its warps. */
__device__ static inline piece_list frontier_pieces()
{
    return piece_list{(solo_piece *)(warp_spaces() + blockDim.x / WARP),
                      search.list[block.now.list], search.shared_pieces};
}

/* `turn` is one of 6: lists are taken in turn by two, counters by three. */
__device__ static inline vertex_list frontier_vertices(unsigned turn)
{
    uint32_t *lists = (uint32_t *)(frontier_pieces().shared + search.shared_pieces);
    return vertex_list{lists + turn % 2 * search.shared_vertices,
                       (uint32_t *)search.list[block.now.list ^ 1], search.shared_vertices};
}

__device__ static inline unsigned turn_after(unsigned turn)
{
    return turn == 5 ? 0 : turn + 1;
}

/* What this block visited without counting it joins what the search has seen. */
__device__ static inline void flush_seen(seen_rows &seen)
{
    if (lane_id() < SUBGRAPHS && seen.sources > 0) {
        atomicAdd(&block.seen[lane_id()], (unsigned long long)seen.sources);
        atomicAdd(&block.seen[SUBGRAPHS + lane_id()], (unsigned long long)seen.edges);
    }
    seen = seen_rows{0, 0};
}

/* What the warps of this block counted. */
__device__ static inline void sum_counts()
{
    __syncthreads();
    for (unsigned i = threadIdx.x / WARP; i < SOLO_COUNTS; i += blockDim.x / WARP) {
        const unsigned long long sum = sum_of_warps(i);
        if (lane_id() == 0)
            block.count[i] = sum;
    }
    __syncthreads();
}

/* The frontier has been counted. Chooses how the level is done. By one warp. */
__device__ static inline void note_cut_frontier(unsigned turn, unsigned count)
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS) {
        block.now.seen[g] += (double)block.seen[g];
        block.now.seen_edges[g] += (double)block.seen[SUBGRAPHS + g];
        block.seen[g] = block.seen[SUBGRAPHS + g] = 0;
    }
    if (g == 0)
        block.now.depth = block.target_alone[turn].depth - 1;
    note_frontier(g < SUBGRAPHS ? block.count[SOLO_SOURCES + g] : 0,
                  g < SUBGRAPHS ? block.count[SOLO_FORWARD + g] : 0, count, true);
    choose();
}

/* Cuts the rows of the frontier into pieces. */
__device__ static void cut_frontier(unsigned turn, unsigned count, seen_rows &seen)
{
    const vertex_list from = frontier_vertices(turn);
    flush_seen(seen);
    for (unsigned i = threadIdx.x - lane_id(); i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        list_vertices(block.target_alone[turn], has ? vertex_at(from, i + lane_id()) : 0, has);
    }
    sum_counts();
    if (threadIdx.x < WARP)
        note_cut_frontier(turn, count);
    __syncthreads();
}

/* ---- levels ---- */

/* How many lanes share a vertex: 2 to the power of this. */
__device__ static inline unsigned lanes_shift(unsigned count)
{
    const unsigned lanes = min(ALONE_THREADS, blockDim.x) / count;
    return lanes == 0 ? 0 : min(31 - __clz(lanes), 5);
}

/* Visits the frontier vertex by vertex. If it has rows too long for that, does nothing and returns false. */
__device__ static bool visit_vertices(unsigned turn, unsigned count, seen_rows &seen)
{
    const vertex_list from = frontier_vertices(turn);
    const unsigned shift = lanes_shift(count), lanes = count << shift,
                   warp_begin = threadIdx.x - lane_id(), sub = lane_id() & ((1u << shift) - 1);
    const bool mine = threadIdx.x < lanes;
    uint32_t first = 0;
    short_rows rows;
    int is_long = 0;
    if (warp_begin < lanes) {
        first = mine ? from.shared[threadIdx.x >> shift] : 0;
        rows = look_at_vertex(first, mine);
        is_long = rows.total > (uint32_t)ALONE_SLOTS << shift;
    }
    for (unsigned i = threadIdx.x + blockDim.x; i < lanes; i += blockDim.x)
        is_long |= look_at_vertex(from.shared[i], true).total > ALONE_SLOTS;
    if (__syncthreads_or(is_long))
        return false;
    for (unsigned i = warp_begin; i < lanes; i += blockDim.x) {
        const bool has = i + lane_id() < lanes;
        if (i != warp_begin) { /* more vertices than threads: one each */
            first = has ? from.shared[i + lane_id()] : 0;
            rows = look_at_vertex(first, has);
        }
        reach_rows(block.target_alone[turn], first, rows, sub, shift);
        note_seen(seen, first, rows, has && sub == 0);
    }
    return true;
}

__device__ static void visit_pieces(unsigned turn)
{
    expand_list<REACH_ALONE>(block.target_alone[turn], frontier_pieces(), block.now.pieces,
                             threadIdx.x / WARP, blockDim.x / WARP, ~0u);
}

/* The frontier is `count` vertices. Returns whether the block goes on alone; otherwise pieces of the frontier
 * are listed and counted. */
__device__ static bool run_level_alone(unsigned turn, unsigned count, seen_rows &seen)
{
    const bool few = 2 * count <= search.shared_vertices;
    if (few && !search.counted && search.mode != SOLO_PULL && visit_vertices(turn, count, seen))
        return true;
    cut_frontier(turn, count, seen);
    if (!few || !is_for_one_block())
        return false;
    visit_pieces(turn);
    return true;
}

/* Before a level. By one thread. */
__device__ static inline void set_target_alone(unsigned turn)
{
    level_target &t = block.target_alone[turn];
    t.next = frontier_pieces();
    t.next_count = &block.pieces;
    t.reached = frontier_vertices(turn + 1);
    t.reached_count = &block.reached[(turn + 1) % 3];
}

/* Ends a level and returns the vertices that it reached. */
__device__ static unsigned next_level_alone(unsigned &turn)
{
    const unsigned next = turn_after(turn);
    if (threadIdx.x == 0) {
        block.target_alone[next].depth = block.target_alone[turn].depth + 1;
        block.reached[turn % 3] = 0;
    }
    turn = next;
    __syncthreads();
    LOG(20);
    return *(volatile unsigned *)&block.reached[next % 3];
}

__device__ static void start_alone()
{
    if (threadIdx.x < 6)
        set_target_alone(threadIdx.x);
    if (threadIdx.x < 3)
        block.reached[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        block.target_alone[0].depth = block.now.depth + 1;
    __syncthreads();
}

/* The root is the frontier. By one thread. */
__device__ static void take_root()
{
    const gpu_vertices &v = search.of[search.root_kind];
    v.depth[search.root] = 0;
    if (v.parent != NULL)
        v.parent[search.root] = PARENT_OF_ROOT;
    frontier_vertices(0).shared[0] = search.root | (search.root_kind == DELEGATES ? KIND_BIT : 0);
}

/* The frontier is a list of pieces. */
__device__ static void visit_list()
{
    const piece_list pieces = frontier_pieces();
    for (uint32_t i = threadIdx.x; i < block.now.pieces; i += blockDim.x)
        pieces.shared[i] = pieces.global[i];
    __syncthreads();
    visit_pieces(0);
}

/* Leaves the search to the grid: pieces of the frontier are in the list. */
__device__ static void end_alone(unsigned turn, unsigned count)
{
    const piece_list pieces = frontier_pieces();
    for (uint32_t i = threadIdx.x; count > 0 && i < block.now.pieces && i < pieces.room;
         i += blockDim.x)
        pieces.global[i] = pieces.shared[i];
    if (threadIdx.x == 0) {
        block.now.fresh = count;
        block.now.depth = block.target_alone[turn].depth - 1;
        search.state->progress = block.now;
    }
    __syncthreads();
}

/* Block 0, for as many levels as are small. It begins with the root or with pieces in the list, and ends with
 * pieces of the frontier in the list. */
__device__ static __noinline__ void run_alone(bool at_root)
{
    seen_rows seen = {};
    unsigned turn = 0, count = 1;
    start_alone();
    if (at_root) {
        if (threadIdx.x == 0)
            take_root();
        __syncthreads();
    } else {
        visit_list();
        count = next_level_alone(turn);
    }
    while (count > 0 && run_level_alone(turn, count, seen))
        count = next_level_alone(turn);
    end_alone(turn, count);
}

#endif

/* cuda_solo_alone.cuh: levels of one block; see cuda_solo.h
 *
 * While the frontier is small, block 0 goes from level to level by itself, with lists in shared memory. A
 * thread takes a vertex, looks at its rows and visits their edges. So a level costs three reads that wait for
 * each other (offsets, columns, claims) and two barriers of a block. Rows above SHORT_ROW edges are cut into
 * pieces instead, which warps share; whoever has many edges in pieces leaves them to the grid.
 */
#ifndef DBFS_CUDA_SOLO_ALONE_CUH
#define DBFS_CUDA_SOLO_ALONE_CUH

#include "cuda_solo_progress.cuh"
#include "cuda_solo_push.cuh"

enum { SHORT_ROW = 8 /* edges of both rows of a vertex that its thread visits */ };

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

/* All lanes of the warp call it. */
__device__ static inline void note_seen(seen_rows &seen, uint32_t v, const short_rows &r)
{
#pragma unroll
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (search.csr[g].edges == 0)
            continue;
        const unsigned edges =
            (int)(v >> 31) == g >> 1 ? r.rests[g & 1] + r.head_count[g & 1] : 0;
        const unsigned sources = __popc(__ballot_sync(ALL_LANES, edges > 0)),
                       sum = sum_lanes(edges);
        if (lane_id() == g) {
            seen.sources += sources;
            seen.edges += sum;
        }
    }
}

/* The i-th edge, i below r.total; *kind is that of its end. */
__device__ static inline uint32_t edge_of(uint32_t v, const short_rows &r,
                                          uint32_t i, int *kind)
{
    const uint32_t normals = r.rests[0] + r.head_count[0];
    const int k = i >= normals;
    const uint32_t j = k ? i - normals : i, rests = k ? r.rests[1] : r.rests[0];
    const uint32_t *rest = k ? r.rest[1] : r.rest[0];
    *kind = k;
    if (j < rests)
        return rest[j];
    const uint64_t rows = search.csr[((v >> 31) << 1) | k].rows;
    return (k ? r.heads[1] : r.heads[0])[(j - rests) * rows];
}

__device__ static inline unsigned max_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL_LANES, value);
#else
    for (int step = WARP / 2; step > 0; step /= 2)
        value = max(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
#endif
}

/* Visits the edges of a vertex a lane, all of them short. */
__device__ static inline void reach_short(const level_target &s, uint32_t v, const short_rows &r)
{
    const unsigned most = max_lanes(r.total);
    for (unsigned first = 0; first < most; first += SLOTS) {
        slots e;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            int kind = 0;
            e.end[j] = first + j < r.total ? edge_of(v, r, first + j, &kind) : NO_HEAD;
            e.kind[j] = (uint8_t)kind;
            e.parent[j] = v;
        }
        reach_alone(s, e);
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
    if (g == 0)
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

/* Visits the frontier vertex by vertex. If it has long rows, does nothing and returns false. */
__device__ static bool visit_vertices(unsigned turn, unsigned count, seen_rows &seen)
{
    const vertex_list from = frontier_vertices(turn);
    const bool mine = threadIdx.x < count;
    const uint32_t first = mine ? from.shared[threadIdx.x] : 0;
    const short_rows rows = look_at_vertex(first, mine);
    int is_long = rows.total > SHORT_ROW;
    for (unsigned i = threadIdx.x + blockDim.x; i < count; i += blockDim.x)
        is_long |= look_at_vertex(from.shared[i], true).total > SHORT_ROW;
    if (__syncthreads_or(is_long))
        return false;
    if (threadIdx.x - lane_id() < count) {
        note_seen(seen, first, rows);
        reach_short(block.target_alone[turn], first, rows);
    }
    for (unsigned i = threadIdx.x - lane_id() + blockDim.x; i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        const uint32_t v = has ? from.shared[i + lane_id()] : 0;
        const short_rows r = look_at_vertex(v, has);
        note_seen(seen, v, r);
        reach_short(block.target_alone[turn], v, r);
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
    if (few && !search.counted && visit_vertices(turn, count, seen))
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
    const piece_list pieces = frontier_pieces();
    for (uint32_t i = threadIdx.x; i < block.now.pieces; i += blockDim.x)
        pieces.shared[i] = pieces.global[i];
    if (threadIdx.x < 6)
        set_target_alone(threadIdx.x);
    if (threadIdx.x < 3)
        block.reached[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        block.target_alone[0].depth = block.now.depth + 1;
    __syncthreads();
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

/* Block 0, for as many levels as are small. It begins and ends with pieces of the frontier in the list. */
__device__ static void run_alone()
{
    seen_rows seen = {};
    unsigned turn = 0;
    start_alone();
    visit_pieces(turn);
    unsigned count = next_level_alone(turn);
    while (count > 0 && run_level_alone(turn, count, seen))
        count = next_level_alone(turn);
    end_alone(turn, count);
}

#endif

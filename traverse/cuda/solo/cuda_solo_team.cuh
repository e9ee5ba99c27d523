/* cuda_solo_team.cuh: levels of a few blocks; see cuda_solo.h
 *
 * While the frontier is small, the first blocks go from level to level by themselves. They are a cluster,
 * whose blocks read each other's shared memory: each block lists there what it reaches, and all share what
 * all listed. So a level costs four reads that wait for each other (the vertex, offsets, columns, claims) and the
 * barrier of the cluster. A frontier that is smaller still is left to one block, which saves that barrier.
 *
 * Lanes share a vertex, 2^shift of them, and each visits up to TEAM_EDGES of its edges. Whether that is
 * enough for the longest row is known before rows are looked at: vertices are in the order of their degrees, so a
 * vertex number bounds the length of the rows (`longest` in cuda_solo.h).
 */
#ifndef DBFS_CUDA_SOLO_TEAM_CUH
#define DBFS_CUDA_SOLO_TEAM_CUH

#include "traverse/cuda/cuda_ptx.cuh"
#include "cuda_solo_notes.cuh"
#include "cuda_solo_progress.cuh"
#include "cuda_solo_push.cuh"

enum {
    TEAM_EDGES = 1 << SOLO_FIRST_CLASS, /* of a lane */
    TEAM_SLOTS = 4,                     /* of these, under way at once */
    ONE_SHORT_ROWS = 320,               /* of the first class, for one block of the team */
    TEAM_SHORT_ROWS = 224               /* of the first class for a block: with more, the grid is faster */
};

/* ---- the cluster ---- */

/* Of all threads of the team; what was written to shared memory before is seen after it. One warp of a block
 * releases what all of its block wrote, since each release waits for writes to global memory. */
__device__ static inline void team_barrier()
{
    __syncthreads();
    if (threadIdx.x < WARP)
        cluster_arrive_release();
    else
        cluster_arrive_relaxed();
    cluster_wait();
}

__device__ static inline bool is_in_team()
{
    return blockIdx.x < search.team;
}

/* ---- lists ---- */

/* The vertices that this block reached, after the memory of its warps. A turn is one of 6: lists are taken in
 * turn by two, parts by three. */
__device__ static inline uint32_t *team_list(unsigned turn)
{
    return (uint32_t *)(warp_spaces() + blockDim.x / WARP) + turn % 2 * search.team_room;
}

/* The vertices of one block of the team, lists taken in turn by three. */
__device__ static inline uint32_t *one_list(unsigned turn)
{
    return one_vertices[turn];
}

/* The smallest k for which the rows of v have at most TEAM_EDGES * 2^k edges. */
__device__ static inline unsigned class_of(uint32_t v)
{
    const uint32_t *longest = search.longest[v >> 31];
    unsigned k = 0;
    while (k < SOLO_CLASSES && (v & ~KIND_BIT) < longest[k])
        k++;
    return k;
}

/* The frontier of a level, as every warp of the team knows it. `end` of lane r: how many vertices the blocks up
 * to the r-th have listed. */
struct team_frontier {
    unsigned total, longest, end;
};

__device__ static inline team_frontier look_at_team(unsigned turn)
{
    team_part part = {0, 0, {0, 0}};
    if (lane_id() < search.team)
        part = cluster_load(&block.part[turn % 3], lane_id());
    unsigned end = part.count, longest = part.longest;
#pragma unroll
    for (int step = 1; step < SOLO_MOST_TEAM; step *= 2) {
        const unsigned other = __shfl_up_sync(ALL_LANES, end, step);
        end += lane_id() >= step ? other : 0;
    }
    return team_frontier{__shfl_sync(ALL_LANES, end, SOLO_MOST_TEAM - 1), max_lanes(longest), end};
}

/* The i-th vertex, i below f.total. All lanes of the warp call it. */
__device__ static inline uint32_t team_vertex(const team_frontier &f, unsigned turn, unsigned i)
{
    unsigned rank = 0;
#pragma unroll
    for (int step = SOLO_MOST_TEAM / 2; step > 0; step /= 2) {
        const unsigned end = __shfl_sync(ALL_LANES, f.end, rank + step - 1);
        rank += end <= i ? step : 0;
    }
    const unsigned before = __shfl_sync(ALL_LANES, f.end, (rank - 1) & (WARP - 1));
    return i < f.total ? cluster_load(team_list(turn) + (i - (rank > 0 ? before : 0)), rank) : 0;
}

/* This warp reached vertices, those lanes that have `mine` > 0. Returns where the lane puts its first one. */
__device__ static inline unsigned reserve_reached(team_part &part, unsigned mine, unsigned longest)
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
struct team_rows {
    const uint32_t *rest[VERTEX_KINDS];
    uint32_t rests[VERTEX_KINDS], heads[VERTEX_KINDS];
    uint32_t total;
};

__device__ static inline team_rows look_at_vertex(uint32_t v, bool has)
{
    const int g = (int)(v >> 31) << 1;
    listed_row row[VERTEX_KINDS];
    team_rows r;
    look_at_rows(search.csr[g], search.csr[g | 1], v & ~KIND_BIT, has, row[0], row[1]);
#pragma unroll
    for (int kind = 0; kind < VERTEX_KINDS; kind++) {
        r.rest[kind] = (const uint32_t *)search.csr[g | kind].columns + row[kind].begin;
        r.rests[kind] = (uint32_t)row[kind].length;
        r.heads[kind] = row[kind].heads;
    }
    r.total = r.rests[0] + r.heads[0] + r.rests[1] + r.heads[1];
    return r;
}

/* The i-th edge, i below r.total: its end, with KIND_BIT; or NO_HEAD, since short rows do not fill all head
 * columns. First the normals, then the delegates. */
__device__ static inline uint32_t edge_of(uint32_t v, const team_rows &r, uint32_t i)
{
    const uint32_t normals = r.rests[NORMALS] + r.heads[NORMALS];
    const bool k = i >= normals;
    const uint32_t j = k ? i - normals : i, rests = k ? r.rests[1] : r.rests[0];
    if (j < rests)
        return (k ? r.rest[1] : r.rest[0])[j] | (k ? KIND_BIT : 0);
    const gpu_csr &csr = search.csr[(v >> 31) << 1 | k];
    return csr.heads[(uint64_t)(j - rests) * csr.rows + (v & ~KIND_BIT)] | (k ? KIND_BIT : 0);
}

/* The depth is written by who takes the vertex from the list: the barrier would wait for it. */
__device__ static inline void put_reached(uint32_t *to, uint32_t v, uint32_t parent)
{
    const gpu_vertices &of = search.of[v >> 31];
    if (of.parent != NULL)
        of.parent[v & ~KIND_BIT] = parent;
    *to = v;
}

__device__ static inline void put_depth(uint32_t v, int32_t depth)
{
    search.of[v >> 31].depth[v & ~KIND_BIT] = depth;
}

/* Visits every 2^shift-th edge of v, from the i-th on. All lanes of the warp call it. */
__device__ static inline void reach_edges(uint32_t v, const team_rows &r, uint32_t i, unsigned shift,
                                          uint32_t *list, team_part &part)
{
    while (__any_sync(ALL_LANES, i < r.total)) {
        uint32_t end[TEAM_SLOTS];
        unsigned mine = 0, longest = 0;
#pragma unroll
        for (int j = 0; j < TEAM_SLOTS; j++, i += 1u << shift)
            end[j] = i < r.total ? edge_of(v, r, i) : NO_HEAD;
#pragma unroll
        for (int j = 0; j < TEAM_SLOTS; j++) {
            if (end[j] != NO_HEAD && claim<REACH_TEAM>(search.of[end[j] >> 31], end[j] & ~KIND_BIT))
                mine |= 1u << j;
        }
#pragma unroll
        for (int j = 0; j < TEAM_SLOTS; j++) {
            if (mine >> j & 1)
                longest = max(longest, class_of(end[j]));
        }
        uint32_t *to = list + reserve_reached(part, __popc(mine), longest);
#pragma unroll
        for (int j = 0; j < TEAM_SLOTS; j++) {
            if (mine >> j & 1)
                put_reached(to++, end[j], v);
        }
    }
}

/* The sources and edges that a thread has seen. */
struct seen_rows {
    unsigned sources[SUBGRAPHS], edges[SUBGRAPHS];
};

__device__ static inline void note_seen(seen_rows &seen, uint32_t v, const team_rows &r)
{
#pragma unroll
    for (int g = 0; g < SUBGRAPHS; g++) {
        const unsigned edges = (int)(v >> 31) == g >> 1 ? r.rests[g & 1] + r.heads[g & 1] : 0;
        seen.sources[g] += edges > 0;
        seen.edges[g] += edges;
    }
}

/* How many of the lanes share a vertex: 2 to the power of this. Two edges a lane, if there are lanes. */
__device__ static inline unsigned shared_by(unsigned lanes, unsigned vertices, unsigned longest)
{
    const unsigned share = lanes / vertices, most = share > 0 ? 31 - __clz(share) : 0;
    return min(longest + 2, most);
}

__device__ static inline unsigned team_shift(const team_frontier &f)
{
    return shared_by(search.team * blockDim.x, f.total, f.longest);
}

/* Whether the lanes of a vertex suffice for the longest row, and each vertex has one. */
__device__ static inline bool is_for_team(const team_frontier &f)
{
    return f.total << f.longest <= search.team * min((unsigned)TEAM_SHORT_ROWS, blockDim.x) &&
           f.longest < SOLO_CLASSES && f.longest <= team_shift(f);
}

__device__ static void run_team_level(const team_frontier &f, unsigned turn, int32_t depth,
                                      seen_rows &seen)
{
    const unsigned shift = team_shift(f),
                   first = (threadIdx.x / WARP * search.team + cluster_rank()) * WARP,
                   lane = first + lane_id(), i = lane >> shift, sub = lane & ((1u << shift) - 1);
    note_team(depth, SOLO_BY_TEAM);
    if (threadIdx.x == 0)
        block.part[(turn + 2) % 3] = team_part{0, 0, {0, 0}};
    if (first >= f.total << shift)
        return;
    const uint32_t v = team_vertex(f, turn, i);
    const team_rows rows = look_at_vertex(v, i < f.total);
    if (sub == 0 && i < f.total) {
        put_depth(v, depth);
        note_seen(seen, v, rows);
    }
    reach_edges(v, rows, sub, shift, team_list(turn + 1), block.part[(turn + 1) % 3]);
}

/* ---- levels of one block of the team ---- */

/* Whether a frontier is so small that it takes longer to share it, and the block has a lane for each vertex. */
__device__ static inline bool is_for_one(unsigned count, unsigned longest)
{
    return count << longest <= min((unsigned)ONE_SHORT_ROWS, blockDim.x) &&
           longest <= shared_by(blockDim.x, count, longest);
}

__device__ static void run_level_of_one(unsigned count, unsigned turn, int32_t depth,
                                        seen_rows &seen)
{
    const unsigned shift = shared_by(blockDim.x, count, block.one[turn].longest),
                   i = threadIdx.x >> shift, next = turn == 2 ? 0 : turn + 1;
    note_team(depth, SOLO_BY_BLOCK);
    if (threadIdx.x == 0)
        block.one[next == 2 ? 0 : next + 1] = team_part{0, 0, {0, 0}};
    if (threadIdx.x - lane_id() >= count << shift)
        return;
    const uint32_t v = i < count ? one_list(turn)[i] : 0;
    const team_rows rows = look_at_vertex(v, i < count);
    const unsigned sub = threadIdx.x & ((1u << shift) - 1);
    if (sub == 0 && i < count) {
        put_depth(v, depth);
        note_seen(seen, v, rows);
    }
    reach_edges(v, rows, sub, shift, one_list(next), block.one[next]);
}

/* The first block of the team, for as many levels as are that small. What it leaves is its part of the
 * frontier of `turn` + 1. */
__device__ static void run_one(const team_frontier &f, unsigned turn, int32_t depth,
                               seen_rows &seen)
{
    unsigned at = 0, count = f.total;
    if (threadIdx.x < WARP) {
        for (unsigned i = 0; i < count; i += WARP) {
            const uint32_t v = team_vertex(f, turn, i + lane_id());
            if (i + lane_id() < count)
                one_list(0)[i + lane_id()] = v;
        }
        if (lane_id() == 0) {
            block.one[0] = team_part{count, f.longest, {0, 0}};
            block.one[1] = team_part{0, 0, {0, 0}};
        }
    }
    __syncthreads();
    do {
        run_level_of_one(count, at, depth++, seen);
        at = at == 2 ? 0 : at + 1;
        __syncthreads();
        count = *(volatile unsigned *)&block.one[at].count;
    } while (count > 0 && is_for_one(count, block.one[at].longest));
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        team_list(turn + 1)[i] = one_list(at)[i];
    if (threadIdx.x == 0) {
        block.part[(turn + 1) % 3] = block.one[at];
        block.one_depth = depth;
    }
}

/* The others wait. */
__device__ static void leave_to_one(const team_frontier &f, unsigned turn, int32_t &depth,
                                    seen_rows &seen)
{
    if (threadIdx.x == 0)
        block.part[(turn + 2) % 3] = team_part{0, 0, {0, 0}};
    if (cluster_rank() == 0)
        run_one(f, turn, depth, seen);
    team_barrier();
    depth = (int32_t)cluster_load((const uint32_t *)&block.one_depth, 0);
}

/* ---- all levels ---- */

/* The root is the frontier. By one thread of the team. */
__device__ static void take_root()
{
    const uint32_t root = search.root | (search.root_kind == DELEGATES ? KIND_BIT : 0);
    put_reached(team_list(0), root, ROOT_PARENT);
    block.part[0] = team_part{1, class_of(root), {0, 0}};
}

/* The vertices of the pieces in the list are the frontier. */
__device__ static void take_list()
{
    const solo_piece *list = search.list[block.now.list];
    const unsigned lanes = search.team * blockDim.x,
                   first = (threadIdx.x / WARP * search.team + cluster_rank()) * WARP;
    for (unsigned i = first; i < block.now.pieces; i += lanes) {
        solo_piece piece = {0, 0, 0};
        if (i + lane_id() < block.now.pieces)
            piece = list[i + lane_id()];
        const bool mine = piece.at & PIECE_FIRST;
        const uint32_t v = piece.row | (piece.at >> (PIECE_SUBGRAPH_SHIFT + 1) ? KIND_BIT : 0);
        const unsigned at = reserve_reached(block.part[0], mine, mine ? class_of(v) : 0);
        if (mine)
            team_list(0)[at] = v;
    }
}

/* What the team visited joins what the search has seen. */
__device__ static inline void add_seen(const seen_rows &seen)
{
#pragma unroll
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (!__any_sync(ALL_LANES, seen.sources[g] != 0))
            continue;
        const unsigned sources = sum_lanes(seen.sources[g]), edges = sum_lanes(seen.edges[g]);
        if (lane_id() == 0) {
            atomicAdd(&search.state->seen[g], (unsigned long long)sources);
            atomicAdd(&search.state->seen_edges[g], (unsigned long long)edges);
        }
    }
}

/* Leaves the frontier to the grid, as a list of pieces. */
__device__ static void leave_list(unsigned turn, int32_t depth)
{
    const unsigned count = block.part[turn % 3].count;
    for (unsigned i = threadIdx.x - lane_id(); i < count; i += blockDim.x) {
        const bool has = i + lane_id() < count;
        const uint32_t v = has ? team_list(turn)[i + lane_id()] : 0;
        if (has)
            put_depth(v, depth);
        list_vertices(block.target, v, has);
    }
}

/* The team, for as many levels as are small. It begins with the root or with a list of pieces, and ends with
 * pieces of its last frontier in the next list; or without having done a level, with the list as it was. */
__device__ static void run_team(bool at_root)
{
    seen_rows seen = {};
    unsigned turn = 0;
    int32_t depth = block.now.depth;
    if (threadIdx.x < 3)
        block.part[threadIdx.x] = team_part{0, 0, {0, 0}};
    if (blockIdx.x == 0 && threadIdx.x < SUBGRAPHS)
        search.state->seen[threadIdx.x] = search.state->seen_edges[threadIdx.x] = 0;
    __syncthreads();
    if (at_root && blockIdx.x == 0 && threadIdx.x == 0)
        take_root();
    if (!at_root)
        take_list();
    team_barrier();
    team_frontier f = look_at_team(turn);
    while (f.total > 0 && is_for_team(f) && search.mode != SOLO_PULL) {
        if (is_for_one(f.total, f.longest)) {
            leave_to_one(f, turn, depth, seen);
        } else {
            run_team_level(f, turn, depth++, seen);
            team_barrier();
        }
        turn = turn == 5 ? 0 : turn + 1;
        f = look_at_team(turn);
    }
    const bool moved = at_root || depth != block.now.depth;
    if (moved && f.total > 0)
        leave_list(turn, depth);
    add_seen(seen);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        search.state->depth = depth;
        search.state->moved = moved;
    }
    team_barrier(); /* nobody leaves while others read its lists */
}

#endif

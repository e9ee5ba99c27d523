/* cuda_solo_kernel.cuh: the search of a device that is alone; see cuda_solo.h and its twin, bfs.c
 *
 * All blocks have the same struct solo_progress and choose by it, so they agree without telling each other. A
 * level goes one of three ways:
 *   team    the frontier is small: the first blocks, or the first one, go from level to level by themselves,
 *           and the others wait at the barrier
 *   listed  all blocks expand the list; a vertex that they reach is visited at once and joins the other list
 *   masks   pulls and pushes fill `next`, and a previsit makes it the frontier
 */
#ifndef DBFS_CUDA_SOLO_KERNEL_CUH
#define DBFS_CUDA_SOLO_KERNEL_CUH

#include "cuda_solo_grid.cuh"
#include "traverse/cuda/visit/cuda_push_words.cuh"
#include "traverse/cuda/visit/cuda_previsit_words.cuh"
#include "cuda_solo_team.cuh"

/* The search of a device that is alone; see cuda_list.cuh. */
template <bool NOTED, bool PACKED> struct solo_searching : searching<NOTED, PACKED, false> {
    uint32_t one_vertices[3][SOLO_ONE_ROOM]; /* of one block of the team, taken in turn */
};

/* ---- from level to level ---- */

/* After the barrier of a level: every block computes the next state. */
template <class S> __device__ static void end_level(S &s, bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn(s);
    note_end(s);
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0)
            s.block.now.depth++;
        note_frontier(s, s.block.count[SOLO_SOURCES + g], s.block.count[SOLO_FORWARD + g], s.block.count[SOLO_FRESH],
                      listed);
    }
    next_turn(s, listed);
}

/* ---- levels ---- */

/* Not inlined, as run_masks: the compiler then keeps more in registers. */
template <class S> __device__ static __noinline__ void run_listed(S &s)
{
    note_way(s.notes, s.block.now.depth, SOLO_BY_LIST);
    clear_turn(s);
    expand_list<REACH_LISTED>(s, s.list[s.block.now.list], s.block.now.pieces, warp_of_grid(), warps_of_grid(),
                              ALL_SUBGRAPHS);
    add_counts(s);
    barrier(s);
    end_level(s, true);
}

/* Lists a frontier that is a mask; the edges of its rows are known exactly then. */
template <class S> __device__ static void run_list(S &s)
{
    clear_turn(s);
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(s, kind, warp_of_grid(), warps_of_grid());
    add_counts(s);
    barrier(s);
    read_turn(s);
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)s.block.count[SOLO_FORWARD + lane_id()];
            s.block.now.seen_edges[lane_id()] += edges - s.block.now.forward[lane_id()];
            s.block.now.forward[lane_id()] = edges;
        }
        __syncwarp();
        note_list(s, true);
    }
    next_turn(s, true);
}

template <class S> __device__ static __noinline__ void run_masks(S &s)
{
    const cut_list cut = {s.list[s.block.now.list ^ 1], &s.state->counts[s.block.now.turn].cut};
    note_way(s.notes, s.block.now.depth, SOLO_BY_MASKS);
    clear_turn(s);
    pull_all(s, warp_of_grid(), warps_of_grid(), cut); /* first: what pulls find, pushes need not claim */
    note_pulled(s);
    push_all(s, cut, warp_of_grid(), warps_of_grid());
    barrier(s);
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0) {
        finish_cut(s, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
        barrier(s);
    }
    note_time(s.notes, s.block.now.depth, SOLO_VISITED);
    if (s.planned.lists_next)
        previsit_into_list(s, warp_of_grid(), warps_of_grid());
    else
        previsit(s, warp_of_grid(), warps_of_grid());
    add_counts(s);
    barrier(s);
    if (threadIdx.x == 0 && s.block.kept < s.keeps && blockIdx.x == 0)
        s.state->kept_depth[s.block.kept] = s.block.target.depth;
    __syncthreads();
    if (threadIdx.x == 0)
        s.block.kept++;
    end_level(s, s.planned.lists_next);
}

/* ---- start ---- */

/* Masks and counters become zero, except the root's bit. */
template <class S> __device__ static void clear(S &s)
{
    uint32_t *root = &s.of[s.root_kind].visited[s.root / 32];
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < s.mask_words; i += threads)
        s.masks[i] = &s.masks[i] == root ? 1u << (s.root % 32) : 0;
    for (unsigned turn = 0; turn < 3; turn++)
        clear_counts(s, turn);
}

/* The root is what the first level finds. */
template <class S> __device__ static void start(S &s)
{
    begin_search(s, 0);
    if (threadIdx.x == 0) {
        s.block.now.fresh = 1;
        s.block.team_edges = s.team * blockDim.x;
    }
    clear(s);
    barrier(s);
}

/* ---- the team ---- */

/* After the team has moved on, as after a level of the grid. */
template <class S> __device__ static void end_team_levels(S &s)
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
        note_frontier(s, s.block.count[SOLO_SOURCES + g], s.block.count[SOLO_FORWARD + g], s.block.count[SOLO_FRESH],
                      true);
    }
    next_turn(s, true);
}

/* The team works, the others wait. What it leaves is for the grid, until there are half as many edges. */
template <class S> __device__ static void leave_to_team(S &s, bool at_root)
{
    clear_turn(s);
    if (is_in_team(s))
        run_team(s, at_root);
    add_counts(s);
    barrier(s);
    if (*(volatile uint32_t *)&s.state->moved)
        end_team_levels(s);
    if (threadIdx.x == 0)
        s.block.team_edges = min(s.block.team_edges, s.block.choice.push_edges / 2);
    __syncthreads();
}

template <class S> __device__ static bool is_small_level(S &s)
{
    const unsigned lanes = s.team * blockDim.x;
    return !s.block.choice.masks && s.mode != SOLO_PULL && s.block.now.fresh <= s.team * TEAM_SHORT_ROWS &&
           s.block.now.pieces <= 2 * lanes && s.block.choice.push_edges <= s.block.team_edges;
}

/* About as many as are not visited. */
template <class S> __device__ static double vertices_ahead(S &s)
{
    double rows = 0;
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        rows += (double)s.of[kind].count - max(s.block.now.seen[kind << 1], s.block.now.seen[kind << 1 | 1]);
    return rows;
}

/* Whether all edges that are left make a small level. By one thread. */
template <class S> __device__ static bool is_followed_by_list(S &s, double ahead)
{
    double edges = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        edges += s.graph.edges[g] - s.block.now.seen_edges[g];
    return ahead <= SOLO_LISTED_EDGES && is_small(s, edges);
}

template <class S> __device__ static void choose_level(S &s)
{
    if (threadIdx.x < WARP)
        choose(s);
    if (threadIdx.x < WARP && s.block.choice.masks) {
        if (threadIdx.x == 0) {
            const double ahead = vertices_ahead(s);
            s.block.dense = 8 * s.block.choice.push_edges > ahead;
            choose_marks(s, ahead);
            s.planned.lists_next = is_followed_by_list(s, ahead);
        }
        lay_out_pulls(s, warps_of_grid());
        lay_out_pushes(s, warps_of_grid());
    }
    __syncthreads();
}

template <class S> __device__ static void run_level(S &s)
{
    note_begin(s.notes, s.block.now.depth);
    choose_level(s);
    if (!s.block.now.listed && !s.block.choice.masks) {
        run_list(s);
        choose_level(s);
    }
    note_time(s.notes, s.block.now.depth, SOLO_CHOSEN);
    if (is_small_level(s)) {
        leave_to_team(s, false);
    } else if (s.block.choice.masks) {
        run_masks(s);
    } else {
        run_listed(s);
    }
}

template <class S>
__global__ static void __launch_bounds__(1024, 1) solo_kernel(const __grid_constant__ gpu_solo parameters)
{
    __shared__ S s;
    copy_words((gpu_solo *)&s, &parameters);
    __syncthreads();
    start(s);
    leave_to_team(s, true);
    while (s.block.now.fresh != 0) {
        run_level(s);
        __syncthreads();
    }
    end_notes(s.notes, s.block.now.depth);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        report_search(s);
}

template <bool NOTED, bool PACKED> static struct solo_program program()
{
    typedef solo_searching<NOTED, PACKED> S;
    return solo_program{(const void *)solo_kernel<S>, sizeof(typename S::space)};
}

#endif

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
#include "cuda_solo_masks.cuh"
#include "cuda_solo_previsit.cuh"
#include "cuda_solo_team.cuh"

/* ---- from level to level ---- */

/* After the barrier of a level: every block computes the next state. */
__device__ static void end_level(bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn();
    note_end();
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0)
            block.now.depth++;
        note_frontier(block.count[SOLO_SOURCES + g], block.count[SOLO_FORWARD + g],
                      block.count[SOLO_FRESH], listed);
    }
    next_turn(listed);
}

/* ---- levels ---- */

/* Not inlined, as run_masks: the compiler then keeps more in registers. */
__device__ static __noinline__ void run_listed()
{
    note_way(block.now.depth, SOLO_BY_LIST);
    clear_turn();
    expand_list<REACH_LISTED>(block.target, search.list[block.now.list], block.now.pieces,
                              warp_of_grid(), warps_of_grid(), ALL_SUBGRAPHS);
    add_counts();
    barrier();
    end_level(true);
}

/* Lists a frontier that is a mask; the edges of its rows are known exactly then. */
__device__ static void run_list()
{
    clear_turn();
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(block.target, kind, warp_of_grid(), warps_of_grid());
    add_counts();
    barrier();
    read_turn();
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)block.count[SOLO_FORWARD + lane_id()];
            block.now.seen_edges[lane_id()] += edges - block.now.forward[lane_id()];
            block.now.forward[lane_id()] = edges;
        }
        __syncwarp();
        note_list(true);
    }
    next_turn(true);
}

__device__ static __noinline__ void run_masks()
{
    const cut_list cut = {search.list[block.now.list ^ 1],
                          &search.state->counts[block.now.turn].cut};
    note_way(block.now.depth, SOLO_BY_MASKS);
    clear_turn();
    pull_all(warp_of_grid(), warps_of_grid(), cut); /* first: what pulls find, pushes need not claim */
    note_pulled();
    push_all(cut, warp_of_grid(), warps_of_grid());
    barrier();
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0) {
        finish_cut(block.target, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
        barrier();
    }
    note_time(block.now.depth, SOLO_VISITED);
    if (planned.lists_next)
        previsit_into_list(warp_of_grid(), warps_of_grid());
    else
        previsit(block.target, warp_of_grid(), warps_of_grid());
    add_counts();
    barrier();
    if (threadIdx.x == 0 && block.kept < search.keeps && blockIdx.x == 0)
        search.state->kept_depth[block.kept] = block.target.depth;
    __syncthreads();
    if (threadIdx.x == 0)
        block.kept++;
    end_level(planned.lists_next);
}

/* ---- start ---- */

/* Masks and counters become zero, except the root's bit. */
__device__ static void clear()
{
    uint32_t *root = &search.of[search.root_kind].visited[search.root / 32];
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < search.mask_words;
         i += threads)
        search.masks[i] = &search.masks[i] == root ? 1u << (search.root % 32) : 0;
    for (unsigned turn = 0; turn < 3; turn++)
        clear_counts(turn);
}

/* The root is what the first level finds. */
__device__ static void start()
{
    if (threadIdx.x == 0) {
        block = block_state{};
        block.arrivals = *(volatile unsigned *)&search.state->arrivals;
        block.now.fresh = 1;
        block.team_edges = search.team * blockDim.x;
        set_target();
    }
    begin_notes(search.out);
    for (unsigned i = lane_id(); i < COUNTERS; i += WARP)
        own_space().count[i] = 0;
    clear();
    barrier();
}

/* ---- the team ---- */

/* After the team has moved on, as after a level of the grid. */
__device__ static void end_team_levels()
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn();
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            block.now.seen[g] += (double)*(volatile unsigned long long *)&search.state->seen[g];
            block.now.seen_edges[g] +=
                (double)*(volatile unsigned long long *)&search.state->seen_edges[g];
        }
        if (threadIdx.x == 0)
            block.now.depth = *(volatile int32_t *)&search.state->depth;
        __syncwarp();
        note_frontier(block.count[SOLO_SOURCES + g], block.count[SOLO_FORWARD + g],
                      block.count[SOLO_FRESH], true);
    }
    next_turn(true);
}

/* The team works, the others wait. What it leaves is for the grid, until there are half as many edges. */
__device__ static void leave_to_team(bool at_root)
{
    clear_turn();
    if (is_in_team())
        run_team(at_root);
    add_counts();
    barrier();
    if (*(volatile uint32_t *)&search.state->moved)
        end_team_levels();
    if (threadIdx.x == 0)
        block.team_edges = min(block.team_edges, block.choice.push_edges / 2);
    __syncthreads();
}

__device__ static bool is_small_level()
{
    const unsigned lanes = search.team * blockDim.x;
    return !block.choice.masks && search.mode != SOLO_PULL &&
           block.now.fresh <= search.team * TEAM_SHORT_ROWS &&
           block.now.pieces <= 2 * lanes && block.choice.push_edges <= block.team_edges;
}

/* About as many as are not visited. */
__device__ static double vertices_ahead()
{
    double rows = 0;
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        rows += (double)search.of[kind].count -
                max(block.now.seen[kind << 1], block.now.seen[kind << 1 | 1]);
    return rows;
}

/* Whether all edges that are left make a small level. By one thread. */
__device__ static bool is_followed_by_list(double ahead)
{
    double edges = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        edges += search.graph.edges[g] - block.now.seen_edges[g];
    return ahead <= SOLO_LISTED_EDGES && is_small(edges);
}

__device__ static void choose_level()
{
    if (threadIdx.x < WARP)
        choose();
    if (threadIdx.x < WARP && block.choice.masks) {
        if (threadIdx.x == 0) {
            const double ahead = vertices_ahead();
            block.dense = 8 * block.choice.push_edges > ahead;
            choose_marks(ahead);
            planned.lists_next = is_followed_by_list(ahead);
        }
        lay_out_pulls(warps_of_grid());
        lay_out_pushes(warps_of_grid());
    }
    __syncthreads();
}

__device__ static void run_level()
{
    note_begin(block.now.depth);
    choose_level();
    if (!block.now.listed && !block.choice.masks) {
        run_list();
        choose_level();
    }
    note_time(block.now.depth, SOLO_CHOSEN);
    if (is_small_level()) {
        leave_to_team(false);
    } else if (block.choice.masks) {
        run_masks();
    } else {
        run_listed();
    }
}

__global__ static void __launch_bounds__(1024, 1)
    solo_kernel(const __grid_constant__ gpu_solo parameters)
{
    for (unsigned i = threadIdx.x; i < sizeof search / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)&search)[i] = ((const unsigned *)&parameters)[i];
    __syncthreads();
    start();
    leave_to_team(true);
    while (block.now.fresh != 0) {
        run_level();
        __syncthreads();
    }
    end_notes(block.now.depth);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        search.state->arrivals = block.arrivals;
        search.state->kept = min(block.kept, search.keeps);
        __threadfence_system();
        search.out.mail->report = (uint64_t)search.number << 32 | (uint32_t)block.now.depth;
    }
}

static struct solo_program program()
{
    return solo_program{(const void *)solo_kernel, sizeof(warp_space)};
}

#endif

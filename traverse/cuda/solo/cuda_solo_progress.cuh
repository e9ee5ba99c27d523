/* cuda_solo_progress.cuh: what a search knows between two levels, and what it does next; see cuda_solo.h */
#ifndef DBFS_CUDA_SOLO_PROGRESS_CUH
#define DBFS_CUDA_SOLO_PROGRESS_CUH

#include "cuda_solo_list.cuh"

/* Whether a list of so many edges costs less than any level by masks. */
__device__ static inline bool is_small(double edges)
{
    return search.mode != SOLO_PULL &&
           edges * search.graph.rates.list_edge <= search.graph.rates.masks;
}

/* A list is the frontier. By one warp: what the level knows of it; and the choice, if the level is too small
 * for a look at the costs. */
__device__ static inline void note_list(bool listed)
{
    const unsigned g = lane_id();
    double edges = g < SUBGRAPHS ? block.now.forward[g] : 0;
    edges += __shfl_xor_sync(ALL_LANES, edges, 1);
    edges += __shfl_xor_sync(ALL_LANES, edges, 2);
    if (g < SUBGRAPHS)
        block.choice.pull[g] = 0;
    if (g == 0) {
        block.now.pieces = block.pieces;
        block.now.listed = listed;
        block.pieces = 0;
        block.choice.masks = 0;
        block.choice.push_edges = edges;
        block.chosen = listed && is_small(edges);
        block.few = edges <= SOLO_FEW_EDGES;
    }
    __syncwarp();
}

/* What a level found is the frontier: a lane for each subgraph. By one warp. */
__device__ static inline void note_frontier(unsigned long long sources, unsigned long long forward,
                                            unsigned long long fresh, bool listed)
{
    solo_progress &s = block.now;
    const unsigned g = lane_id();
    if (g < SUBGRAPHS) {
        s.frontier[g] = (double)sources;
        s.forward[g] = (double)forward;
        s.seen[g] += (double)sources;
        s.seen_edges[g] += (double)forward;
    }
    if (g == 0)
        s.fresh = fresh;
    __syncwarp();
    note_list(listed);
}

/* How the next level is done. By one warp. */
__device__ static inline void choose()
{
    if (block.chosen)
        return;
    if (lane_id() < SUBGRAPHS)
        solo_weigh(&search.graph, &block.now, search.mode, lane_id(), &block.choice);
    __syncwarp();
    if (lane_id() == 0)
        solo_choose(&search.graph, &block.now, search.mode, SOLO_LISTED_EDGES, &block.choice);
    __syncwarp();
}

/* How pushes by masks set marks, where so many vertices are not visited. By one thread. */
__device__ static inline void choose_marks(double ahead)
{
    double seen = 0, all = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        seen += block.now.seen_edges[g] - block.now.forward[g]; /* before this frontier */
        all += search.graph.edges[g];
    }
    block.marks = 2 * block.choice.push_edges <= ahead ? MARK_ALL : 64 * seen > all ? MARK_UNVISITED : MARK_NEW;
}

/* For the next level of the grid. By one thread. */
__device__ static inline void set_target()
{
    block.target.next = search.list[block.now.list ^ 1];
    block.target.next_count = &search.state->counts[block.now.turn].pieces;
    block.target.depth = block.now.depth + 1;
}

/* The level took the counters of its turn and, if `listed`, filled the other list. */
__device__ static void next_turn(bool listed)
{
    if (threadIdx.x == 0) {
        block.now.turn = (block.now.turn + 1) % 3;
        block.now.list ^= listed;
        set_target();
    }
    __syncthreads();
}

#endif

/* cuda_group_state.cuh: what GPUs that search together know between two levels; see cuda_group.h
 *
 * All blocks of all GPUs choose alike whether a level goes by lists or by masks and, for nn and dd, whether it pushes
 * or pulls, by sums of counts, and so agree when to meet. For nd and dn a GPU chooses alone: its part of nd is the
 * reverse of its part of dn.
 */
#ifndef DBFS_CUDA_GROUP_STATE_CUH
#define DBFS_CUDA_GROUP_STATE_CUH

#include "cuda_group_meet.cuh"
#include "cuda_solo_masks.cuh"
#include "cuda_solo_progress.cuh"

/* ---- after a meeting ---- */

/* Of the frontier, in subgraph g: of nn and dd, on all GPUs. */
__device__ static inline unsigned long long rows_of_level(unsigned g)
{
    return g == NN || g == DD ? meeting.sum[g == NN ? GROUP_NN_ROWS : GROUP_DD_ROWS]
                              : block.count[SOLO_SOURCES + g];
}

__device__ static inline unsigned long long edges_of_level(unsigned g)
{
    return g == NN || g == DD ? meeting.sum[g == NN ? GROUP_NN_EDGES : GROUP_DD_EDGES]
                              : block.count[SOLO_FORWARD + g];
}

/* The GPUs have told each other what they found. */
__device__ static void end_level(bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn();
    if (block.now.depth >= 0)
        note_end();
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0)
            block.now.depth++;
        note_frontier(rows_of_level(g), edges_of_level(g), meeting.sum[GROUP_FRESH], listed);
    }
    next_turn(listed);
}

/* ---- choosing ---- */

/* By sums alone. Lists are chosen where they cost less than what any level by masks costs. */
__device__ static inline bool is_for_lists()
{
    const cost_graph &graph = search.graph;
    const double edges = (double)meeting.sum[GROUP_EDGES];
    const double lists =
        (block.now.listed ? 0 : graph.rates.list) + edges / group.peers * graph.rates.list_edge;
    const double masks = graph.rates.masks +
                         (graph.words[NORMALS] + graph.words[DELEGATES]) * graph.rates.word;
    return search.mode != SOLO_PULL && edges <= GROUP_LISTED_EDGES &&
           (block.now.listed || meeting.sum[GROUP_FRESH] <= GROUP_LISTED_EDGES) && lists <= masks;
}

/* By one warp: directions, and what pushes and pulls rest on. */
__device__ static void choose_directions()
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS)
        solo_weigh(&search.graph, &block.now, search.mode, (int)g, &block.choice);
    __syncwarp();
    if (g == 0) {
        const double ahead = (double)(search.of[NORMALS].count + search.of[DELEGATES].count);
        block.choice.masks = 1;
        choose_marks(ahead);
        meeting.sends = block.now.frontier[NN] > 0 && !block.choice.pull[NN];
        meeting.in_parts = block.choice.pull[DD] &&
                           search.graph.sources[DD] - block.now.seen[DD] > GROUP_PART_ROWS;
        search.csr[DD].wanted = meeting.in_parts ? group.dd_own : search.csr[DD].sources;
    }
    __syncwarp();
    lay_out_pulls(warps_of_grid());
    __syncwarp(); /* another lane has written what this one writes again */
    if (g == 0 && meeting.in_parts)
        block.pulls.count[ND] = 0; /* in the second part */
    __syncwarp();
}

__device__ static void choose_level()
{
    if (threadIdx.x < WARP) {
        const bool by_lists = is_for_lists();
        if (!by_lists)
            choose_directions();
        if (lane_id() == 0)
            meeting.by_lists = by_lists;
    }
    __syncthreads();
}

#endif

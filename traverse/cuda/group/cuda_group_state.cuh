/* cuda_group_state.cuh: what GPUs that search together know between two levels; see cuda_group.h
 *
 * All blocks of all GPUs choose alike whether a level goes by lists or by masks and, for nn and dd, whether
 * it pushes or pulls, by sums of counts, and so agree when to meet. For nd and dn a GPU chooses alone: its
 * part of nd is the reverse of its part of dn.
 */
#ifndef DBFS_CUDA_GROUP_STATE_CUH
#define DBFS_CUDA_GROUP_STATE_CUH

#include "cuda_group_meet.cuh"
#include "traverse/cuda/solo/cuda_solo_masks.cuh"
#include "traverse/cuda/solo/cuda_solo_previsit.cuh"
#include "traverse/cuda/solo/cuda_solo_progress.cuh"

/* ---- after a meeting ---- */

/* Of a count of cuda_solo.h: of what was found, and of what was taken. */
__device__ static inline unsigned long long told_of_both(unsigned g, unsigned count)
{
    return told_of(g, GROUP_FOUND + count) + told_of(g, GROUP_TAKEN + count);
}

/* Of all GPUs and subgraphs. */
__device__ static inline unsigned long long sum_of_edges(unsigned value)
{
    unsigned long long sum = 0;
    for (unsigned g = 0; g < SUBGRAPHS; g++)
        sum += sum_of(value + SOLO_FORWARD + g);
    return sum;
}

/* By one thread, for the next level of a block that is alone: it leaves the counters of the grid as they
 * are. */
__device__ static inline void set_target_alone()
{
    block.target.next = search.list[block.now.list ^ 1];
    block.target.next_count = &pieces_alone;
    block.target.depth = block.now.depth + 1;
}

/* After a barrier. */
__device__ static inline void read_list()
{
    if (!meeting.alone) {
        read_turn();
        return;
    }
    if (threadIdx.x == 0)
        block.pieces = pieces_alone;
    __syncthreads();
}

/* The level filled the other list, if `listed`. */
__device__ static inline void go_on(bool listed)
{
    if (!meeting.alone) {
        next_turn(listed);
        return;
    }
    if (threadIdx.x == 0) {
        block.now.list ^= 1;
        set_target_alone();
    }
    __syncthreads();
}

/* Of a frontier, on all GPUs. By one thread. */
__device__ static inline void note_seen(unsigned long long vertices, unsigned long long edges)
{
    meeting.seen += (double)vertices;
    meeting.seen_edges += (double)edges;
}

/* The GPUs have told each other what they found and took. */
__device__ static void end_level(bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_list();
    if (block.now.depth >= 0)
        note_end();
    if (threadIdx.x < WARP) {
        const unsigned long long fresh = sum_of(GROUP_FOUND + SOLO_FRESH) + sum_of(GROUP_TAKEN + SOLO_FRESH);
        if (threadIdx.x == 0) {
            block.now.depth++;
            meeting.found = fresh;
            meeting.edges = sum_of_edges(GROUP_FOUND) + sum_of_edges(GROUP_TAKEN);
            note_seen(fresh, meeting.edges);
            meeting.certain = false;
        }
        note_frontier(told_of_both(g, SOLO_SOURCES), told_of_both(g, SOLO_FORWARD), fresh, listed);
    }
    go_on(listed);
}

/* ---- choosing ---- */

/* By sums alone. Lists are chosen where they cost less than what any level by masks costs. */
__device__ static inline bool is_for_lists(unsigned long long all_edges)
{
    const cost_graph &graph = search.graph;
    const double edges = (double)all_edges;
    const double lists =
        (block.now.listed ? 0 : graph.rates.list) + edges / group.peers * graph.rates.list_edge;
    const double masks = graph.rates.masks +
                         (graph.words[NORMALS] + graph.words[DELEGATES]) * graph.rates.word;
    return search.mode != SOLO_PULL && edges <= GROUP_LISTED_EDGES &&
           (block.now.listed || block.now.fresh <= GROUP_LISTED_EDGES) && lists <= masks;
}

/* Whether so little is left that the next level goes by lists, whatever this one finds. Other components count as left.
 * By sums alone. */
__device__ static inline bool is_followed_by_list()
{
    const double vertices = group.whole.vertices - meeting.seen,
                 edges = group.whole.edges - meeting.seen_edges;
    return search.mode != SOLO_PULL && vertices <= GROUP_LISTED_EDGES && edges <= 2 * GROUP_LISTED_EDGES;
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
        planned.lists_next = is_followed_by_list();
        choose_marks(ahead);
        block.dense = !planned.lists_next && 8 * block.choice.push_edges > group.peers * ahead;
        meeting.sends = block.now.frontier[NN] > 0 && !block.choice.pull[NN];
        meeting.in_parts = block.choice.pull[DD] &&
                           search.graph.sources[DD] - block.now.seen[DD] > GROUP_PART_ROWS;
        search.csr[DD].wanted = meeting.in_parts ? group.dd_own : search.csr[DD].sources;
    }
    __syncwarp();
    lay_out_pulls(warps_of_grid());
    lay_out_pushes(warps_of_grid());
    __syncwarp(); /* another lane has written what this one writes again */
    if (g == 0 && meeting.in_parts)
        block.pulls.count[ND] = 0; /* in the second part */
    __syncwarp();
}

__device__ static void choose_level()
{
    if (threadIdx.x < WARP && !meeting.certain) {
        const bool by_lists = is_for_lists(meeting.edges);
        if (!by_lists)
            choose_directions();
        if (lane_id() == 0)
            meeting.by_lists = by_lists;
    }
    __syncthreads();
}

#endif

/* cuda_group_state.cuh: what GPUs that search together know between two levels; see cuda_group.h
 *
 * All blocks of all GPUs choose alike whether a level goes by lists or by masks and, for nn and dd, whether
 * it pushes or pulls, by sums of counts, and so agree when to meet. For nd and dn a GPU chooses alone: its
 * part of nd is the reverse of its part of dn.
 */
#ifndef DBFS_CUDA_GROUP_STATE_CUH
#define DBFS_CUDA_GROUP_STATE_CUH

#include "cuda_group_send.cuh"
#include "traverse/cuda/visit/cuda_push_words.cuh"
#include "traverse/cuda/visit/cuda_previsit_words.cuh"
#include "traverse/cuda/solo/cuda_solo_progress.cuh"

/* ---- after a meeting ---- */

/* Of a count of cuda_solo.h: of what was found, and of what was taken. */
template <class S> __device__ static inline unsigned long long told_of_both(S &s, unsigned g, unsigned count)
{
    return told_of(s, g, GROUP_FOUND + count) + told_of(s, g, GROUP_TAKEN + count);
}

/* Of all GPUs and subgraphs. */
template <class S> __device__ static inline unsigned long long sum_of_edges(S &s, unsigned value)
{
    unsigned long long sum = 0;
    for (unsigned g = 0; g < SUBGRAPHS; g++)
        sum += sum_of(s, value + SOLO_FORWARD + g);
    return sum;
}

/* By one thread, for the next level of a block that is alone: it leaves the counters of the grid as they
 * are. */
template <class S> __device__ static inline void set_target_alone(S &s)
{
    s.block.target.next = s.list[s.block.now.list ^ 1];
    s.block.target.next_count = &s.pieces_alone;
    s.block.target.depth = s.block.now.depth + 1;
}

/* After a barrier. */
template <class S> __device__ static inline void read_list(S &s)
{
    if (!s.meeting.alone) {
        read_turn(s);
        return;
    }
    if (threadIdx.x == 0)
        s.block.pieces = s.pieces_alone;
    __syncthreads();
}

/* The level filled the other list, if `listed`. */
template <class S> __device__ static inline void go_on(S &s, bool listed)
{
    if (!s.meeting.alone) {
        next_turn(s, listed);
        return;
    }
    if (threadIdx.x == 0) {
        s.block.now.list ^= 1;
        set_target_alone(s);
    }
    __syncthreads();
}

/* Of a frontier, on all GPUs. By one thread. */
template <class S>
__device__ static inline void note_seen(S &s, unsigned long long vertices, unsigned long long edges)
{
    s.meeting.seen += (double)vertices;
    s.meeting.seen_edges += (double)edges;
}

/* The GPUs have told each other what they found and took. */
template <class S> __device__ static void end_level(S &s, bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_list(s);
    if (s.block.now.depth >= 0)
        note_end(s);
    if (threadIdx.x < WARP) {
        const unsigned long long fresh = sum_of(s, GROUP_FOUND + SOLO_FRESH) + sum_of(s, GROUP_TAKEN + SOLO_FRESH);
        if (threadIdx.x == 0) {
            s.block.now.depth++;
            s.meeting.found = fresh;
            s.meeting.edges = sum_of_edges(s, GROUP_FOUND) + sum_of_edges(s, GROUP_TAKEN);
            note_seen(s, fresh, s.meeting.edges);
            s.meeting.certain = false;
        }
        note_frontier(s, told_of_both(s, g, SOLO_SOURCES), told_of_both(s, g, SOLO_FORWARD), fresh, listed);
    }
    go_on(s, listed);
}

/* ---- choosing ---- */

/* By sums alone. Lists are chosen where they cost less than what any level by masks costs. */
template <class S> __device__ static inline bool is_for_lists(S &s, unsigned long long all_edges)
{
    const cost_graph &graph = s.graph;
    const double edges = (double)all_edges;
    const double lists = (s.block.now.listed ? 0 : graph.rates.list) + edges / s.group.peers * graph.rates.list_edge;
    const double masks = graph.rates.masks + (graph.words[NORMALS] + graph.words[DELEGATES]) * graph.rates.word;
    return s.mode != SOLO_PULL && edges <= GROUP_LISTED_EDGES &&
           (s.block.now.listed || s.block.now.fresh <= GROUP_LISTED_EDGES) && lists <= masks;
}

/* Whether so little is left that the next level goes by lists, whatever this one finds. Other components count as left.
 * By sums alone. */
template <class S> __device__ static inline bool is_followed_by_list(S &s)
{
    const double vertices = s.group.whole.vertices - s.meeting.seen,
                 edges = s.group.whole.edges - s.meeting.seen_edges;
    return s.mode != SOLO_PULL && vertices <= GROUP_LISTED_EDGES && edges <= 2 * GROUP_LISTED_EDGES;
}

/* By one warp: directions, and what pushes and pulls rest on. */
template <class S> __device__ static void choose_directions(S &s)
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS)
        solo_weigh(&s.graph, &s.block.now, s.mode, (int)g, &s.block.choice);
    __syncwarp();
    if (g == 0) {
        const double ahead = (double)(s.of[NORMALS].count + s.of[DELEGATES].count);
        s.block.choice.masks = 1;
        s.planned.lists_next = is_followed_by_list(s);
        choose_marks(s, ahead);
        s.block.dense = !s.planned.lists_next && 8 * s.block.choice.push_edges > s.group.peers * ahead;
        s.meeting.sends = s.block.now.frontier[NN] > 0 && !s.block.choice.pull[NN];
        s.meeting.in_parts = s.block.choice.pull[DD] && s.graph.sources[DD] - s.block.now.seen[DD] > GROUP_PART_ROWS;
        s.csr[DD].wanted = s.meeting.in_parts ? s.group.dd_own : s.csr[DD].sources;
    }
    __syncwarp();
    lay_out_pulls(s, warps_of_grid());
    lay_out_pushes(s, warps_of_grid());
    __syncwarp(); /* another lane has written what this one writes again */
    if (g == 0 && s.meeting.in_parts)
        s.block.pulls.count[ND] = 0; /* in the second part */
    __syncwarp();
}

template <class S> __device__ static void choose_level(S &s)
{
    if (threadIdx.x < WARP && !s.meeting.certain) {
        const bool by_lists = is_for_lists(s, s.meeting.edges);
        if (!by_lists)
            choose_directions(s);
        if (lane_id() == 0)
            s.meeting.by_lists = by_lists;
    }
    __syncthreads();
}

#endif

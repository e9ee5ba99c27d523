/* cuda_fused_choose.cuh: the choice of a level's way; see cuda_fused.h
 *
 * All blocks of all GPUs choose alike whether a level goes by lists or by masks, and whether it pushes or pulls.
 * Several GPUs choose by sums of counts, and so agree when to meet.
 */
#ifndef DBFS_CUDA_WHOLE_CHOOSE_CUH
#define DBFS_CUDA_WHOLE_CHOOSE_CUH

#include "cuda_fused_progress.cuh"
#include "traverse/cuda/visit/cuda_push_words.cuh"
#include "traverse/cuda/visit/cuda_previsit_words.cuh"

/* ---- lists or masks ---- */

/* Whether several GPUs choose lists, by sums alone: if lists cost less than any level by masks. */
template <class S> __device__ static inline bool is_for_lists(S &s, unsigned long long all_edges)
{
    const bool listed = s.block.now.listed;
    return s.mode != FUSED_PULL && all_edges <= s.joint.listed_edges[listed] &&
           (listed || s.block.now.fresh <= PEERS_LISTED_EDGES);
}

/* Whether lists are chosen already. */
template <class S> __device__ static inline bool is_chosen(S &s)
{
    if constexpr (S::together)
        return s.meeting.certain || is_for_lists(s, s.meeting.edges);
    else
        return s.block.chosen;
}

/* Chooses lists or masks, and directions. By one warp. Not inlined, as plan_masks(). */
template <class S> __device__ static __noinline__ void choose(S &s)
{
    if (is_chosen(s))
        return;
    if (lane_id() < SUBGRAPHS)
        fused_weigh(&s.graph, &s.block.now, s.mode, lane_id(), &s.block.choice);
    __syncwarp();
    if (lane_id() < SUBGRAPHS)
        fused_weigh_behind(&s.graph, &s.block.now, s.mode, lane_id(), &s.block.choice);
    __syncwarp();
    if (lane_id() == 0) {
        if (S::together)
            s.block.choice.masks = 1;
        else
            fused_choose(&s.graph, &s.block.now, s.mode, FUSED_LISTED_EDGES, &s.block.choice);
    }
    __syncwarp();
}

/* ---- plans of pushes, pulls and the previsit ---- */

/* About the number of vertices that are not visited; for several GPUs, of all vertices, delegates on each. */
template <class S> __device__ static double vertices_ahead(S &s)
{
    if constexpr (S::together)
        return s.joint.total.vertices;
    double rows = 0;
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        rows += (double)s.of[kind].count - max(s.block.now.seen[kind << 1], s.block.now.seen[kind << 1 | 1]);
    return rows;
}

/* Whether so little is left that the next level goes by lists, whatever this one finds. Other
 * components count as left. By one thread; for several GPUs by sums alone. */
template <class S> __device__ static bool is_followed_by_list(S &s, double ahead)
{
    if constexpr (S::together) {
        return s.mode != FUSED_PULL && s.joint.total.vertices - s.meeting.seen <= PEERS_LISTED_EDGES &&
               s.joint.total.edges - s.meeting.seen_edges <= 2 * PEERS_LISTED_EDGES;
    } else {
        double edges = 0;
        for (int g = 0; g < SUBGRAPHS; g++)
            edges += s.graph.edges[g] - s.block.now.seen_edges[g];
        return ahead <= FUSED_LISTED_EDGES && is_small(s, edges);
    }
}

/* Chooses the marks of pushes by masks, with so many vertices not visited. By one thread. */
template <class S> __device__ static inline void choose_marks(S &s, double ahead)
{
    double seen = 0, all = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        seen += s.block.now.seen_edges[g] - s.block.now.forward[g]; /* before this frontier */
        all += s.graph.edges[g];
    }
    s.block.marks = 2 * s.block.choice.push_edges <= ahead ? MARK_ALL : 64 * seen > all ? MARK_UNVISITED : MARK_NEW;
}

/* Chooses the parts of a level by masks, and whether it sends to peers. By one thread. */
template <class S> __device__ static inline void choose_parts(S &s)
{
    s.meeting.sends = s.block.now.frontier[NN] > 0 && !s.block.choice.pull[NN];
    s.meeting.in_parts = s.block.choice.pull[DD] && s.graph.sources[DD] - s.block.now.seen[DD] > PEERS_PART_ROWS;
    s.pulled[DD].wanted = s.meeting.in_parts ? s.joint.dd_own : s.pulled[DD].sources;
}

/* Plans a level by masks. By one warp. Not inlined: the kernel then keeps more in registers. */
template <class S> __device__ static __noinline__ void plan_masks(S &s)
{
    if (lane_id() == 0) {
        const double ahead = vertices_ahead(s);
        s.planned.lists_next = is_followed_by_list(s, ahead);
        choose_marks(s, ahead);
        s.block.dense = 8 * s.block.choice.push_edges > ahead;
        if constexpr (S::together)
            choose_parts(s);
    }
    if (S::together)
        __syncwarp();
    lay_out_pulls(s, warps_of_grid());
    lay_out_pushes(s, warps_of_grid());
    if constexpr (S::together) {
        __syncwarp(); /* another lane has written what this one writes again */
        if (lane_id() == 0 && s.meeting.in_parts)
            s.block.pulls.count[ND] = 0; /* in the second part */
    }
}

template <class S> __device__ static void choose_level(S &s)
{
    if (threadIdx.x < WARP) {
        choose(s);
        if (s.block.choice.masks)
            plan_masks(s);
    }
    __syncthreads();
}

#endif

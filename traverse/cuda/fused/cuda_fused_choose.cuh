/* cuda_fused_choose.cuh: the choice of a level: sparse or dense, and push or pull for each subgraph
 *
 * All blocks of all GPUs choose alike. Several GPUs choose by sums of counts, and so agree when their barriers are.
 */
#ifndef DBFS_CUDA_FUSED_CHOOSE_CUH
#define DBFS_CUDA_FUSED_CHOOSE_CUH

#include "cuda_fused_progress.cuh"
#include "traverse/cuda/visit/cuda_push_words.cuh"
#include "traverse/cuda/visit/cuda_previsit_words.cuh"

/* Whether several GPUs do a sparse level, by sums alone: if such a level of `all_edges` edges costs less than any dense one. */
template <class S> __device__ static inline bool is_for_sparse(S &s, unsigned long long all_edges)
{
    const bool sparse = s.block.now.sparse;
    return s.mode != FUSED_PULL && all_edges <= s.joint.listed_edges[sparse] &&
           (sparse || s.block.now.fresh <= PEERS_LISTED_EDGES);
}

/* Whether a sparse level is chosen without a look at costs. */
template <class S> __device__ static inline bool is_chosen(S &s)
{
    if constexpr (S::together)
        return s.peers.certainly_sparse || is_for_sparse(s, s.peers.edges);
    else
        return s.block.sparse_is_chosen;
}

/* Chooses s.block.choice. All lanes of the first warp call it. Not inlined, as plan_dense. */
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
            s.block.choice.dense = 1;
        else
            fused_choose(&s.graph, &s.block.now, s.mode, FUSED_LISTED_EDGES, &s.block.choice);
    }
    __syncwarp();
}

/* ---- the plan of a dense level ---- */

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

/* Whether so little is left that the level behind this dense one is sparse, whatever this one finds. Other components count as
 * left. Several GPUs decide by sums alone. One thread of a block calls it. */
template <class S> __device__ static bool is_followed_by_sparse(S &s, double ahead)
{
    if constexpr (S::together) {
        return s.mode != FUSED_PULL && s.joint.total.vertices - s.peers.seen <= PEERS_LISTED_EDGES &&
               s.joint.total.edges - s.peers.seen_edges <= 2 * PEERS_LISTED_EDGES;
    } else {
        double edges = 0;
        for (int g = 0; g < SUBGRAPHS; g++)
            edges += s.graph.edges[g] - s.block.now.seen_edges[g];
        return ahead <= FUSED_LISTED_EDGES && is_small(s, edges);
    }
}

/* Chooses which bits a push sets, with so many vertices not visited. One thread of a block calls it. */
__device__ static inline pushed_bits choose_push_bits(const cost_graph &graph, const fused_progress &now, double push_edges,
                                                      double ahead)
{
    double seen = 0, all = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        seen += now.seen_edges[g] - now.forward[g]; /* before this frontier */
        all += graph.edges[g];
    }
    return 2 * push_edges <= ahead ? PUSH_ALL : 64 * seen > all ? PUSH_UNVISITED : PUSH_UNFOUND;
}

/* Plans a dense level: s.plan, s.block.push_bits, finds_many and pulls; of several GPUs, what they send, and whether dd is pulled
 * in two parts. All lanes of the first warp call it. Not inlined: the kernel then keeps more in registers. */
template <class S> __device__ static __noinline__ void plan_dense(S &s)
{
    if (lane_id() == 0) {
        const double ahead = vertices_ahead(s);
        s.plan.sparse_next = is_followed_by_sparse(s, ahead);
        s.block.push_bits = choose_push_bits(s.graph, s.block.now, s.block.choice.push_edges, ahead);
        s.block.finds_many = 8 * s.block.choice.push_edges > ahead;
        if constexpr (S::together) {
            s.peers.sends = s.block.now.frontier[NN] > 0 && !s.block.choice.pull[NN];
            s.peers.in_parts = s.block.choice.pull[DD] && s.graph.sources[DD] - s.block.now.seen[DD] > PEERS_PART_ROWS;
            s.pulled[DD].wanted = s.peers.in_parts ? s.joint.dd_own : s.pulled[DD].sources;
        }
    }
    if (S::together)
        __syncwarp();
    lay_out_pulls(s, warps_of_grid());
    lay_out_pushes(s, warps_of_grid());
    if constexpr (S::together) {
        __syncwarp(); /* another lane has written what this one writes again */
        if (lane_id() == 0 && s.peers.in_parts)
            s.block.pulls.count[ND] = 0; /* in the second part */
    }
}

/* Chooses the kind of the next level, and plans a dense one. All threads call it. */
template <class S> __device__ static void choose_level(S &s)
{
    if (threadIdx.x < WARP) {
        choose(s);
        if (s.block.choice.dense)
            plan_dense(s);
    }
    __syncthreads();
}

#endif

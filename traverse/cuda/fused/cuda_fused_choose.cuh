/* cuda_fused_choose.cuh: the choice of a level: sparse or dense, and push or pull for each subgraph
 *
 * All blocks of all GPUs choose alike without a message, as they choose by the same counts. Several GPUs choose by sums of counts,
 * which all of them have from the flags of their last barrier.
 */
#ifndef DBFS_CUDA_FUSED_CHOOSE_CUH
#define DBFS_CUDA_FUSED_CHOOSE_CUH

#include "cuda_fused_progress.cuh"
#include "traverse/cuda/visit/cuda_push_words.cuh"
#include "traverse/cuda/visit/cuda_previsit_words.cuh"

/* Returns whether the next level of several GPUs is sparse: whether a sparse level of `all_edges` edges on all GPUs costs less
 * than any dense level. All GPUs call it with the same numbers, and so get the same result. */
__device__ static inline bool is_for_sparse(const gpu_fused_peers &joint, fused_mode mode, const fused_progress &now,
                                            unsigned long long all_edges)
{
    return mode != FUSED_PULL && all_edges <= joint.listed_edges[now.sparse != 0] &&
           (now.sparse || now.fresh <= PEERS_LISTED_EDGES);
}

/* Chooses a sparse or a dense level, and push or pull for each subgraph: writes s.block.choice, which prepare_choice has set to
 * a sparse level. Very small levels stay sparse. Otherwise a single GPU takes the cheaper kind of level, and several GPUs take
 * a dense one. All lanes of the first warp call it. Not inlined, so that the kernel keeps more values in registers. */
template <class S> __device__ static __noinline__ void choose_by_cost(S &s)
{
    if constexpr (S::together) {
        if (s.peers.certainly_sparse || is_for_sparse(s.joint, s.mode, s.block.now, s.peers.edges))
            return;
    } else if (s.block.sparse_is_chosen) {
        return;
    }
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

/* Plans a dense level: writes s.plan, and push_bits, finds_many and pulls of s.block. With several GPUs it also decides whether
 * the level pushes along nn (s.peers.sends), and whether it pulls dd in two parts (s.peers.in_parts). Between the two parts
 * each GPU learns which delegates its peers have found. All lanes of the first warp call it. Not inlined, so that the kernel
 * keeps more values in registers.
 *
 * s.plan.sparse_next becomes true if so few vertices and edges are unvisited that the next level is certainly sparse. Vertices
 * that the search cannot reach count as unvisited, too. Several GPUs decide this by sums that all of them know. */
template <class S> __device__ static __noinline__ void plan_dense(S &s)
{
    if (lane_id() == 0) {
        const fused_progress &now = s.block.now;
        double ahead = 0; /* an estimate of the unvisited vertices; with several GPUs, the number of all vertices */
        /* edges of rows that were visited before this frontier (`before`), of all rows, and of unvisited rows (`left`) */
        double before = 0, all = 0, left = 0;
        for (int g = 0; g < SUBGRAPHS; g++) {
            before += now.seen_edges[g] - now.forward[g];
            all += s.graph.edges[g];
            left += s.graph.edges[g] - now.seen_edges[g];
        }
        if constexpr (S::together) {
            ahead = s.joint.total.vertices;
            s.plan.sparse_next = s.mode != FUSED_PULL && ahead - s.peers.seen <= PEERS_LISTED_EDGES &&
                                 s.joint.total.edges - s.peers.seen_edges <= 2 * PEERS_LISTED_EDGES;
            s.peers.sends = now.frontier[NN] > 0 && !s.block.choice.pull[NN];
            s.peers.in_parts = s.block.choice.pull[DD] && s.graph.sources[DD] - now.seen[DD] > PEERS_PART_ROWS;
            s.pulled[DD].wanted = s.peers.in_parts ? s.joint.dd_own : s.pulled[DD].sources;
        } else {
            for (int kind = 0; kind < VERTEX_KINDS; kind++)
                ahead += (double)s.of[kind].count - max(now.seen[kind << 1], now.seen[kind << 1 | 1]);
            s.plan.sparse_next = ahead <= FUSED_LISTED_EDGES && is_small(s, left);
        }
        s.block.push_bits = 2 * s.block.choice.push_edges <= ahead ? PUSH_ALL
                            : 64 * before > all                    ? PUSH_UNVISITED
                                                                   : PUSH_UNFOUND;
        s.block.finds_many = 8 * s.block.choice.push_edges > ahead;
    }
    if (S::together)
        __syncwarp();
    lay_out_pulls(s, s.block.choice, s.block.pulls, warps_of_grid());
    lay_out_pushes(s, s.block.now, s.plan, warps_of_grid());
    if constexpr (S::together) {
        __syncwarp(); /* lane 0 overwrites the spans of nd, which another lane has written in lay_out_pulls */
        if (lane_id() == 0 && s.peers.in_parts)
            s.block.pulls.instead_of_push[ND] = 0; /* the pull that replaces a push along nd is done in the second part */
    }
}

/* Chooses the kind and the directions of the next level, and plans the level if it is dense. All threads of a block call it. */
template <class S> __device__ static void choose_level(S &s)
{
    if (threadIdx.x < WARP) {
        choose_by_cost(s);
        if (s.block.choice.dense)
            plan_dense(s);
    }
    __syncthreads();
}

#endif

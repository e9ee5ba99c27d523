/* cuda_fused_levels.cuh: levels of all blocks, by lists and by masks; see cuda_fused.h
 *
 * A level is the same on one GPU and on several. A meeting of one is the barrier of its grid;
 * several send each other their counts (cuda_peers_list.cuh, cuda_peers_masks.cuh). The kernel is
 * compiled for one of the two.
 */
#ifndef DBFS_CUDA_WHOLE_LEVELS_CUH
#define DBFS_CUDA_WHOLE_LEVELS_CUH

#include "cuda_peers_list.cuh"
#include "cuda_peers_masks.cuh"

/* ---- by lists ---- */

/* Not inlined: the compiler then keeps more in registers. */
template <class S> __device__ static __noinline__ void run_listed(S &s)
{
    begin_turn(s);
    if constexpr (S::together) {
        expand_by_few(s);
        take_in(s);
    } else {
        expand_list<REACH_LISTED>(s, s.list[s.block.now.list], s.block.now.pieces, warp_of_grid(), warps_of_grid(),
                                  ALL_SUBGRAPHS);
        list_left(s);
        peers_barrier(s);
        if (threadIdx.x == 0)
            s.block.left = 0;
        end_level(s, true);
    }
}

/* Lists a frontier that is a mask; the edges of its rows are known exactly then. */
template <class S> __device__ static void run_list(S &s)
{
    begin_turn(s);
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(s, kind, warp_of_grid(), warps_of_grid());
    peers_barrier(s);
    read_turn(s);
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)found_of(s, FUSED_FORWARD, lane_id());
            s.block.now.seen_edges[lane_id()] += edges - s.block.now.forward[lane_id()];
            s.block.now.forward[lane_id()] = edges;
        }
        if constexpr (S::together) {
            if (lane_id() == 0)
                correct_edges(s);
        }
        __syncwarp();
        note_list(s, true);
    }
    next_turn(s, true);
}

/* ---- by masks ---- */

/* Visits the pieces of long rows, when all are cut. Returns whether there were some; mostly
 * none. */
template <class S> __device__ static inline bool finish_pieces(S &s, const cut_list &cut)
{
    barrier(s);
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0)
        finish_cut(s, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
    return pieces > 0;
}

/* Notes that a frontier is kept, by one thread, when it is made. */
template <class S> __device__ static inline void keep_frontier(S &s)
{
    if (s.block.kept < s.keeps && blockIdx.x == 0)
        s.state->kept_depth[s.block.kept] = s.block.target.depth;
    s.block.kept++;
}

template <class S> __device__ static inline void run_masks(S &s)
{
    const cut_list cut = {s.list[s.block.now.list ^ 1], &s.state->counts[s.block.now.turn].cut};
    begin_turn(s);
    if constexpr (S::together)
        gather_for_pulls(s);
    keep_hub_bitmap(s);
    pull_all(s, warp_of_grid(), warps_of_grid(), cut); /* first: pushes need not claim these vertices */
    note_pulled(s);
    push_all(s, cut, warp_of_grid(), warps_of_grid());
    const bool was_cut = finish_pieces(s, cut);
    if constexpr (S::together)
        finish_parts(s, cut);
    else if (was_cut)
        barrier(s);
    note_time(s.notes, s.block.now.depth, FUSED_VISITED);
    if (s.planned.lists_next)
        previsit_into_list(s, warp_of_grid(), warps_of_grid());
    else
        previsit(s, warp_of_grid(), warps_of_grid());
    if constexpr (S::together)
        clear_sent_before(s);
    peers_barrier(s);
    if constexpr (S::together)
        note_read(s, 0, (s.joint.peers - 1) * most_words_shared(s));
    if (threadIdx.x == 0) {
        keep_frontier(s);
        if constexpr (S::together)
            turn_buffers(s);
    }
    end_level(s, s.planned.lists_next);
}

/* The same, not inlined, so that the kernel of one GPU keeps more in registers. For several GPUs
 * run_list, and not run_masks, is better apart. */
template <class S> __device__ static __noinline__ void run_masks_apart(S &s)
{
    run_masks(s);
}

template <class S> __device__ static __noinline__ void run_list_apart(S &s)
{
    run_list(s);
}

#endif

/* cuda_fused_progress.cuh: the state of a search between two levels, and its next step; see cuda_fused.h */
#ifndef DBFS_CUDA_WHOLE_PROGRESS_CUH
#define DBFS_CUDA_WHOLE_PROGRESS_CUH

#include "cuda_peers_send.cuh"

/* ---- the frontier ---- */

/* Whether a list of so many edges costs less than any level by masks. */
template <class S> __device__ static inline bool is_small(S &s, double edges)
{
    return s.mode != FUSED_PULL && edges * s.graph.rates.list_edge <= s.graph.rates.masks;
}

/* Notes the list of the frontier, if `listed`, and makes the choice if the level is too small for a
 * look at the costs. By one warp. */
template <class S> __device__ static inline void note_list(S &s, bool listed)
{
    const unsigned g = lane_id();
    double edges = g < SUBGRAPHS ? s.block.now.forward[g] : 0;
    edges += __shfl_xor_sync(ALL_LANES, edges, 1);
    edges += __shfl_xor_sync(ALL_LANES, edges, 2);
    if (g < SUBGRAPHS)
        s.block.choice.pull[g] = 0;
    if (g == 0) {
        s.block.now.pieces = s.block.pieces;
        s.block.now.listed = listed;
        s.block.pieces = 0;
        s.block.choice.masks = 0;
        s.block.choice.push_edges = edges;
        s.block.chosen = listed && is_small(s, edges);
        s.block.few = edges <= FUSED_FEW_EDGES;
    }
    __syncwarp();
}

/* Makes the vertices that a level found the frontier. By one warp, a lane for each subgraph. */
template <class S>
__device__ static inline void note_frontier(S &s, unsigned long long sources, unsigned long long forward,
                                            unsigned long long fresh, bool listed)
{
    fused_progress &now = s.block.now;
    const unsigned g = lane_id();
    if (g < SUBGRAPHS) {
        now.frontier[g] = (double)sources;
        now.forward[g] = (double)forward;
        now.seen[g] += (double)sources;
        now.seen_edges[g] += (double)forward;
    }
    if (g == 0)
        now.fresh = fresh;
    __syncwarp();
    note_list(s, listed);
}

/* ---- the end of a level ---- */

/* A count of subgraph g of the vertices that a level found, on all GPUs. */
template <class S> __device__ static inline unsigned long long found_of(S &s, unsigned count, unsigned g)
{
    if constexpr (S::together)
        return sum_of(s, PEERS_FOUND + count + g) + sum_of(s, PEERS_TAKEN + count + g);
    else
        return s.block.count[count + g];
}

template <class S> __device__ static inline unsigned long long found_vertices(S &s)
{
    if constexpr (S::together)
        return sum_of(s, PEERS_FOUND + FUSED_FRESH) + sum_of(s, PEERS_TAKEN + FUSED_FRESH);
    else
        return s.block.count[FUSED_FRESH];
}

/* Counts a frontier of all GPUs as seen. By one thread. */
template <class S>
__device__ static inline void note_seen(S &s, unsigned long long vertices, unsigned long long edges)
{
    s.meeting.seen += (double)vertices;
    s.meeting.seen_edges += (double)edges;
}

/* All blocks, of all GPUs, get the counts of each other, and see each other's writes. */
template <class S> __device__ static inline void peers_barrier(S &s)
{
    add_counts(s);
    if constexpr (S::together)
        meet(s, PEERS_FOUND_NOW, true);
    else
        barrier(s);
}

/* Sets the output of the next level. By one thread. */
template <class S> __device__ static inline void set_target(S &s)
{
    s.block.target.next = s.list[s.block.now.list ^ 1];
    s.block.target.next_count = count_of_pieces(s);
    s.block.target.depth = s.block.now.depth + 1;
}

/* Goes on to the next counters and, if `listed`, to the list that the level has filled. */
template <class S> __device__ static void next_turn(S &s, bool listed)
{
    if (threadIdx.x == 0) {
        if (!is_alone(s))
            s.block.now.turn = (s.block.now.turn + 1) % 3;
        s.block.now.list ^= listed;
        set_target(s);
    }
    __syncthreads();
}

/* Computes the next state, in every block, after the barrier or the meeting of a level. */
template <class S> __device__ static void end_level(S &s, bool listed)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_turn(s);
    note_end(s);
    if (threadIdx.x < WARP) {
        const unsigned long long fresh = found_vertices(s);
        if (threadIdx.x == 0) {
            s.block.now.depth++;
            if constexpr (S::together) {
                s.meeting.found = fresh;
                s.meeting.edges = sum_of_edges(s, PEERS_FOUND) + sum_of_edges(s, PEERS_TAKEN);
                s.meeting.certain = false;
                note_seen(s, fresh, s.meeting.edges);
            }
        }
        note_frontier(s, found_of(s, FUSED_SOURCES, g), found_of(s, FUSED_FORWARD, g), fresh, listed);
    }
    next_turn(s, listed);
}

/* ---- of a whole search ---- */

/* Clears the state of a block and its warps. The first level of the search finds the frontier of `depth` + 1. */
template <class S> __device__ static inline void begin_search(S &s, int32_t depth)
{
    if (threadIdx.x == 0) {
        s.block = {};
        s.block.arrivals = *(volatile unsigned *)&s.state->arrivals;
        s.block.now.depth = depth;
        set_target(s);
    }
    begin_notes(s.notes, s.out);
    for (unsigned i = lane_id(); i < S::counters; i += WARP)
        own_space(s).count[i] = 0;
}

/* Leaves its state to the next search, and reports to the host. By one thread. */
template <class S> __device__ static inline void report_search(S &s)
{
    s.state->arrivals = s.block.arrivals;
    s.state->kept = min(s.block.kept, s.keeps);
    __threadfence_system();
    s.out.mapped->report = (uint64_t)s.order.number << 32 | (uint32_t)s.block.now.depth;
}

#endif

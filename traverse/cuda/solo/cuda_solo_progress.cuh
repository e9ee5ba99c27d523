/* cuda_solo_progress.cuh: what a search knows between two levels, and what it does next; see cuda_solo.h */
#ifndef DBFS_CUDA_SOLO_PROGRESS_CUH
#define DBFS_CUDA_SOLO_PROGRESS_CUH

#include "traverse/cuda/visit/cuda_list.cuh"

/* Whether a list of so many edges costs less than any level by masks. */
template <class S> __device__ static inline bool is_small(S &s, double edges)
{
    return s.mode != SOLO_PULL && edges * s.graph.rates.list_edge <= s.graph.rates.masks;
}

/* A list is the frontier. By one warp: what the level knows of it; and the choice, if the level is too small
 * for a look at the costs. */
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
        s.block.few = edges <= SOLO_FEW_EDGES;
    }
    __syncwarp();
}

/* What a level found is the frontier: a lane for each subgraph. By one warp. */
template <class S>
__device__ static inline void note_frontier(S &s, unsigned long long sources, unsigned long long forward,
                                            unsigned long long fresh, bool listed)
{
    solo_progress &now = s.block.now;
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

/* How the next level is done. By one warp. */
template <class S> __device__ static inline void choose(S &s)
{
    if (s.block.chosen)
        return;
    if (lane_id() < SUBGRAPHS)
        solo_weigh(&s.graph, &s.block.now, s.mode, lane_id(), &s.block.choice);
    __syncwarp();
    if (lane_id() == 0)
        solo_choose(&s.graph, &s.block.now, s.mode, SOLO_LISTED_EDGES, &s.block.choice);
    __syncwarp();
}

/* How pushes by masks set marks, where so many vertices are not visited. By one thread. */
template <class S> __device__ static inline void choose_marks(S &s, double ahead)
{
    double seen = 0, all = 0;
    for (int g = 0; g < SUBGRAPHS; g++) {
        seen += s.block.now.seen_edges[g] - s.block.now.forward[g]; /* before this frontier */
        all += s.graph.edges[g];
    }
    s.block.marks = 2 * s.block.choice.push_edges <= ahead ? MARK_ALL : 64 * seen > all ? MARK_UNVISITED : MARK_NEW;
}

/* For the next level of the grid. By one thread. */
template <class S> __device__ static inline void set_target(S &s)
{
    s.block.target.next = s.list[s.block.now.list ^ 1];
    s.block.target.next_count = &s.state->counts[s.block.now.turn].pieces;
    s.block.target.depth = s.block.now.depth + 1;
}

/* The level took the counters of its turn and, if `listed`, filled the other list. */
template <class S> __device__ static void next_turn(S &s, bool listed)
{
    if (threadIdx.x == 0) {
        s.block.now.turn = (s.block.now.turn + 1) % 3;
        s.block.now.list ^= listed;
        set_target(s);
    }
    __syncthreads();
}

/* ---- of a whole search ---- */

/* What a block and its warps know is cleared; the first level of the search finds the frontier of `depth` + 1. */
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

/* By one thread: what the next search and the host want to know. */
template <class S> __device__ static inline void report_search(S &s)
{
    s.state->arrivals = s.block.arrivals;
    s.state->kept = min(s.block.kept, s.keeps);
    __threadfence_system();
    s.out.mail->report = (uint64_t)s.number << 32 | (uint32_t)s.block.now.depth;
}

#endif

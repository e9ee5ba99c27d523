/* cuda_fused_progress.cuh: the state of a search between two levels, s.block.now; each block has it, and all have it
 * alike */
#ifndef DBFS_CUDA_FUSED_PROGRESS_CUH
#define DBFS_CUDA_FUSED_PROGRESS_CUH

#include "cuda_peers_barrier.cuh"
#include "traverse/cuda/visit/cuda_expand.cuh"

/* Whether a sparse level of so many edges costs less than any dense level. */
__device__ static inline bool is_small(const gpu_fused &s, double edges)
{
    return s.mode != FUSED_PULL && edges * s.graph.rates.list_edge <= s.graph.rates.masks;
}

/* Prepares the choice of the next level, s.block.choice, from the edges of the frontier: nothing is pulled yet, and costs
 * need not be computed if the level is small. `sparse`: all vertices of the frontier have work items, s.block.items of
 * them. All lanes of the first warp call it. */
template <class S> __device__ static inline void prepare_choice(S &s, bool sparse)
{
    const unsigned g = lane_id();
    double edges = g < SUBGRAPHS ? s.block.now.forward[g] : 0;
    edges += __shfl_xor_sync(ALL_LANES, edges, 1);
    edges += __shfl_xor_sync(ALL_LANES, edges, 2);
    if (g < SUBGRAPHS)
        s.block.choice.pull[g] = 0;
    if (g == 0) {
        s.block.now.items = s.block.items;
        s.block.now.sparse = sparse;
        s.block.items = 0;
        s.block.choice.dense = 0;
        s.block.choice.push_edges = edges;
        s.block.sparse_is_chosen = sparse && is_small(s, edges);
        s.block.few_edges = edges <= FUSED_FEW_EDGES;
    }
    __syncwarp();
}

/* Makes the vertices that a level found the frontier, and counts them as seen: `fresh` vertices, and in subgraph g of lane
 * g so many sources with `forward` edges. All lanes of the first warp call it. */
template <class S>
__device__ static inline void set_frontier(S &s, unsigned long long sources, unsigned long long forward,
                                           unsigned long long fresh, bool sparse)
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
    prepare_choice(s, sparse);
}

/* Returns a count of the vertices that a level found, on all GPUs: FUSED_FRESH, FUSED_SOURCES + g or FUSED_FORWARD + g. */
template <class S> __device__ static inline unsigned long long found_of(S &s, unsigned count)
{
    if constexpr (S::together)
        return s.sums[PEERS_FOUND + count] + s.sums[PEERS_TAKEN + count];
    else
        return s.block.count[count];
}

/* The barrier of the search: all blocks, of all GPUs, get the counts of each other and see each other's writes. */
template <class S> __device__ static inline void search_barrier(S &s)
{
    add_counts(s);
    if constexpr (S::together)
        peers_barrier(s, TALLY_FOUND, true);
    else
        grid_barrier(s);
}

/* Sets the output of a sparse level: the other frontier, and the counter of the work items that this round puts there. A
 * single block counts them by itself, so that the counters of the grid stay as they are. One thread of a block calls it. */
template <class S> __device__ static inline void set_target(S &s)
{
    s.block.target.next = s.sparse[s.block.now.current ^ 1];
    s.block.target.next_count = &s.state->counts[s.block.now.round].items;
    s.block.target.depth = s.block.now.depth + 1;
    if constexpr (S::together) {
        if (s.peers.single_block)
            s.block.target.next_count = &s.single_items;
    }
}

/* Goes on to the next round and, if `sparse`, to the work items that the level has appended. All threads call it. */
template <class S> __device__ static void next_round(S &s, bool sparse)
{
    if (threadIdx.x == 0) {
        if (!is_single_block(s))
            s.block.now.round = (s.block.now.round + 1) % 3;
        s.block.now.current ^= sparse;
        set_target(s);
    }
    __syncthreads();
}

/* Writes the counts of a level of the grid, s.block.count, to its note. All threads call it after the counts were read. */
template <class S> __device__ static inline void note_end(S &s)
{
    if constexpr (S::noted) {
        const volatile fused_counts &counts = s.state->counts[s.block.now.round];
        if (!is_noter(s.notes) || s.block.now.depth < 0) /* the root is no level */
            return;
        fused_note &note = note_of(s.notes, s.block.now.depth);
        for (int g = 0; g < SUBGRAPHS; g++) {
            note.probes[g] = s.block.count[FUSED_PROBES + g];
            note.pulled |= (s.block.choice.pull[g] ? 1u : 0) << g;
        }
        if (counts.last_pulled != 0) {
            note.at[FUSED_FIRST_PULLED] = ~counts.first_pulled;
            note.at[FUSED_LAST_PULLED] = counts.last_pulled;
        }
    }
}

/* Ends a level, after its barrier: the vertices that it found become the frontier. `sparse`: they have work items. All
 * threads call it. */
template <class S> __device__ static void end_level(S &s, bool sparse)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    read_counts(s);
    note_end(s);
    if (threadIdx.x < WARP) {
        const unsigned long long fresh = found_of(s, FUSED_FRESH);
        if (threadIdx.x == 0) {
            s.block.now.depth++;
            if constexpr (S::together) {
                s.peers.found = fresh;
                s.peers.edges = sum_of_edges(s.sums + PEERS_FOUND) + sum_of_edges(s.sums + PEERS_TAKEN);
                s.peers.certainly_sparse = false;
                s.peers.seen += (double)fresh;
                s.peers.seen_edges += (double)s.peers.edges;
            }
        }
        set_frontier(s, found_of(s, FUSED_SOURCES + g), found_of(s, FUSED_FORWARD + g), fresh, sparse);
    }
    next_round(s, sparse);
}

#endif

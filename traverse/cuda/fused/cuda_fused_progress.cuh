/* cuda_fused_progress.cuh: what happens between two levels: the barrier of all blocks, counters, and the state of the search
 *
 * Each block has a copy of the state, s.block.now. All copies are alike.
 *
 * A round is a step of the search that ends with a barrier of the grid. Rounds use three sets of counters in turn. While blocks
 * add to the set of a round, slow blocks may still read that of the round before, and the set of the next round is cleared.
 *
 * If several GPUs search together (S::together), the barrier of the GPUs takes the place of the barrier of the grid (cuda_peers.h).
 */
#ifndef DBFS_CUDA_FUSED_PROGRESS_CUH
#define DBFS_CUDA_FUSED_PROGRESS_CUH

#include "cuda_peers_barrier.cuh"
#include "traverse/cuda/visit/cuda_expand.cuh"

/* ---- all blocks, and their counters ---- */

/* Returns the index of this warp among all warps of the grid. Warps with neighbouring indices are in different blocks, so that
 * all processors get a share even of little work. */
__device__ static inline uint32_t warp_of_grid()
{
    return threadIdx.x / WARP * gridDim.x + blockIdx.x;
}

/* Returns the number of warps of the grid. */
__device__ static inline uint32_t warps_of_grid()
{
    return gridDim.x * (blockDim.x / WARP);
}

/* Copies the struct *from to *to. All threads of a block call it and share the words. There is no barrier at the end. */
template <typename T> __device__ static inline void copy_words(T *to, const T *from)
{
    for (unsigned i = threadIdx.x; i < sizeof(T) / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)to)[i] = ((const unsigned *)from)[i];
}

/* Waits until all blocks of the grid have called it. Each block then sees the earlier writes of all blocks. s.state->arrived
 * counts the arrivals of blocks, and grows by gridDim.x in each barrier. s.block.arrivals is its value at the end of the last
 * barrier. All threads of the grid call it. */
template <class S> __device__ static inline void grid_barrier(S &s)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned target = s.block.arrivals += gridDim.x;
        unsigned spins = 0;
        fence_of_gpu();
        atomicAdd(&s.state->arrived, 1u);
        while ((int)(load_acquire(&s.state->arrived) - target) < 0) {
            if (++spins > 256)
                __nanosleep(64);
        }
    }
    __syncthreads();
}

/* Adds up the counters of this block's warps, and clears them. The sums are added to the counters of the level. With several
 * GPUs the sums of vertices and edges are instead written to s.block_counts, which peers_barrier sends to the peers. If the
 * search is noted, the times of the block's pulls go to the counters of the level, too. All threads of a block call it. */
template <class S> __device__ static inline void add_counts(S &s)
{
    fused_counts &counts = s.state->counts[s.block.now.round];
    const unsigned warps = blockDim.x / WARP;
    __syncthreads();
    if constexpr (S::noted) {
        if (threadIdx.x == 0 && s.notes.last_pulled != 0) {
            atomicMax(&counts.first_pulled, s.notes.first_pulled);
            atomicMax(&counts.last_pulled, s.notes.last_pulled);
            s.notes.first_pulled = s.notes.last_pulled = 0;
        }
    }
    for (unsigned i = threadIdx.x / WARP; i < S::counters; i += warps) {
        unsigned long long own = 0;
        if (lane_id() < warps) {
            unsigned long long &count = ((typename S::space *)memory)[lane_id()].count[i];
            own = count;
            count = 0;
        }
        const unsigned long long sum = __any_sync(ALL_LANES, own != 0) ? warp_sum(own) : 0;
        if constexpr (S::together) {
            if (i < FUSED_COUNTS) {
                if (lane_id() == 0)
                    s.block_counts.word[i] = sum;
                continue;
            }
        }
        if (lane_id() == 0 && sum != 0)
            atomicAdd(&counts.count[i], sum);
    }
}

/* Returns whether this block does levels by itself, while the GPU's other blocks wait (cuda_peers_sparse.cuh). Always false if
 * a single GPU searches, since its thread group does such levels. */
template <class S> __device__ static inline bool is_single_block(S &s)
{
    if constexpr (S::together)
        return s.peers.single_block;
    else
        return false;
}

/* Clears the counters of a round and, with several GPUs, its tallies. Only the threads of the first block do so, and all of
 * them must call it. Calls of other blocks do nothing. */
template <class S> __device__ static inline void clear_round(S &s, unsigned round)
{
    unsigned *words = (unsigned *)&s.state->counts[round];
    if (blockIdx.x != 0)
        return;
    if (threadIdx.x < sizeof(fused_counts) / sizeof *words)
        words[threadIdx.x] = 0;
    if constexpr (S::together) {
        if (threadIdx.x < PEERS_TALLIES * PEERS_TALLY_WORDS)
            s.joint.state->tally[round][threadIdx.x / PEERS_TALLY_WORDS].word[threadIdx.x % PEERS_TALLY_WORDS] = 0;
    }
}

/* Begins a round: clears the counters and tallies of the next round, which no block uses now, and with several GPUs also the
 * counters that only this block uses. A block that does levels by itself clears nothing else. All threads of the level call
 * it. */
template <class S> __device__ static inline void begin_round(S &s)
{
    if (!is_single_block(s))
        clear_round(s, (s.block.now.round + 1) % 3);
    if constexpr (S::together) {
        if (s.peers.single_block && threadIdx.x < s.joint.count)
            s.block_counts.word[FUSED_COUNTS + threadIdx.x] = 0;
        if (threadIdx.x < PEERS_TALLIES)
            s.peers.rounds[threadIdx.x] = 0;
        if (threadIdx.x == 0)
            s.single_items = 0;
        __syncthreads();
    }
}

/* Reads the counters of the level after its barrier: the counts into s.block.count, and the number of work items of the next
 * frontier into s.block.items. A block that does levels by itself reads only this number. All threads of a block call it. */
template <class S> __device__ static inline void read_counts(S &s)
{
    if constexpr (S::together) {
        if (s.peers.single_block) {
            if (threadIdx.x == 0)
                s.block.items = s.single_items;
            __syncthreads();
            return;
        }
    }
    const fused_counts *c = &s.state->counts[s.block.now.round];
    if (threadIdx.x < S::counters)
        s.block.count[threadIdx.x] = ((const volatile unsigned long long *)c->count)[threadIdx.x];
    if (threadIdx.x == S::counters)
        s.block.items = *(const volatile unsigned *)&c->items;
    __syncthreads();
}

/* ---- the state of a search ---- */

/* Returns whether a sparse level of `edges` edges costs less than any dense level. Returns false if the search always pulls. */
__device__ static inline bool is_small(const gpu_fused &s, double edges)
{
    return s.mode != FUSED_PULL && edges * s.graph.rates.list_edge <= s.graph.rates.masks;
}

/* Prepares the choice of the next level: makes s.block.choice a sparse level without pulls, and sets its push_edges to the
 * edges of the frontier. Sets few_edges if the frontier has few edges, and sparse_is_chosen if it has so few that costs need
 * not be computed. `sparse` says whether all vertices of the frontier have work items. The number of work items moves from
 * s.block.items to s.block.now.items. All lanes of the first warp call it. */
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

/* Sets the next frontier, which is the vertices that a level found: writes its counts to s.block.now, and adds them to the
 * counts of all that was visited. Then prepares the choice of the next level. `fresh` is the number of the vertices. Lane g has
 * two counts for subgraph g: vertices with a row (`sources`), and edges of these rows (`forward`). `sparse` says whether all
 * the vertices have work items. All lanes of the first warp call it. */
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

/* Returns a count of what the level found on all GPUs, after read_counts: vertices (count FUSED_FRESH), vertices with a row in
 * subgraph g (FUSED_SOURCES + g), or edges of these rows (FUSED_FORWARD + g). */
template <class S> __device__ static inline unsigned long long found_of(S &s, unsigned count)
{
    if constexpr (S::together)
        return s.sums_of_flags[PEERS_FOUND + count] + s.sums_of_flags[PEERS_TAKEN + count];
    else
        return s.block.count[count];
}

/* Ends the work of a level: adds up the counters of all blocks of all GPUs, and waits for all of them. Afterwards each block
 * sees the sums and the earlier writes of all blocks. All threads of the grid call it. */
template <class S> __device__ static inline void search_barrier(S &s)
{
    add_counts(s);
    if constexpr (S::together)
        peers_barrier(s, TALLY_FOUND, true);
    else
        grid_barrier(s);
}

/* Sets s.block.target, which tells the next sparse level where to put the vertices that it reaches: their work items go
 * into the sparse frontier that is not in use. The number of work items is counted in the counters of the round or, by a block
 * that does levels by itself, in s.single_items. The vertices get the present depth + 1. One thread of each block calls it. */
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

/* Goes on to the next round: selects the next set of counters and, if `sparse`, the sparse frontier that was just written. Then
 * sets s.block.target. A block that does levels by itself keeps its set of counters. All threads of a block call it. */
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

/* Completes the note of a level that ends, if the search is noted: with the probes, the subgraphs that were pulled, and the
 * times at which the first and the last warp ended its pulls. All threads call it after read_counts. */
template <class S> __device__ static inline void note_end(S &s)
{
    if constexpr (S::noted) {
        if (!is_noter(s.notes))
            return;
        /* volatile, since otherwise the compiler lets all threads read what thread 0 is about to increase */
        const int32_t depth = *(volatile int32_t *)&s.block.now.depth;
        const volatile fused_counts &counts = s.state->counts[*(volatile unsigned *)&s.block.now.round];
        if (depth < 0) /* depth -1 stands for the start of the search, not for a level */
            return;
        fused_note &note = note_of(s.notes, depth);
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

/* Ends a level, after its barrier: makes the vertices that it found the frontier, and increases the depth. Also completes the
 * note of the level, prepares the choice of the next one, and goes on to the next round. `sparse` says whether the vertices
 * have work items already. All threads of the grid call it, or all threads of the single block that does the level. */
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
                s.peers.edges = sum_of_edges(s.sums_of_flags + PEERS_FOUND) + sum_of_edges(s.sums_of_flags + PEERS_TAKEN);
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

/* cuda_peers_sparse.cuh: sparse levels of several GPUs that search together (cuda_peers.h)
 *
 * If a GPU reaches a vertex that another GPU must visit, it sends the vertex: it writes 8 bytes into the other GPU's memory, the
 * vertex and the number of the next barrier. The flag of this barrier tells how many vertices were sent. At most one is sent for
 * each edge of the frontier, so PEERS_LISTED_EDGES elements suffice for a receive buffer. Barriers use two receive buffers in turn,
 * since a GPU reads the vertices of one barrier before it comes to the next.
 *
 * Most levels have one barrier. Its flags tell how many vertices were found and sent, and so bound the edges of the next frontier.
 * If the bound is low enough, the next level is certainly sparse, and counts of the received vertices can wait for the flags of that
 * level. Otherwise a second barrier exchanges these counts at once.
 *
 * If the frontier of a GPU is very small, its first block goes from level to level by itself, without barriers of the grid, while
 * the GPU's other blocks wait. It is called the single block. Peers do not notice any difference.
 */
#ifndef DBFS_CUDA_PEERS_SPARSE_CUH
#define DBFS_CUDA_PEERS_SPARSE_CUH

#include "cuda_fused_choose.cuh"

/* ---- vertices for other GPUs ---- */

/* Returns the shard of a column of nn: the upper bits of the column. */
__device__ static inline uint32_t shard_of_column(const gpu_fused_peers &joint, uint32_t column)
{
    return column >> joint.columns.local_bits;
}

/* Returns the local id of the vertex of a column of nn: the lower bits of the column. */
__device__ static inline uint32_t local_of_column(const gpu_fused_peers &joint, uint32_t column)
{
    return column & ((1u << joint.columns.local_bits) - 1);
}

/* Returns whether the vertex of a column of nn is in the shard of this GPU. */
__device__ static inline bool is_own_column(const gpu_fused_peers &joint, uint32_t column)
{
    return shard_of_column(joint, column) == joint.shard[joint.own];
}

/* Returns the parent to record for a row that found this column of nn in a pull: the column's local id if it is in this shard,
 * otherwise REMOTE_PARENT. */
template <class S> __device__ static inline uint32_t parent_of_shards(S &s, uint32_t column)
{
    return is_own_column(s.joint, column) ? local_of_column(s.joint, column) : REMOTE_PARENT;
}

/* Replaces columns of nn in `e` that belong to this shard by normals with their local ids. Does nothing if not `wanted`, as
 * dense levels need local ids only to write parents. */
template <class S> __device__ static inline void keep_own(S &s, slots &e, bool wanted)
{
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
        if (wanted && e.end[j] != NO_HEAD && e.kind[j] == FUSED_COLUMNS && is_own_column(s.joint, e.end[j])) {
            e.kind[j] = NORMALS;
            e.end[j] = local_of_column(s.joint, e.end[j]);
        }
    }
}

/* Returns the buffer for vertices of one peer that barrier `number` uses. `arrivals` is the first of the two buffers. */
template <typename T> __device__ static inline T *arrivals_of(T *arrivals, unsigned number)
{
    return arrivals + (size_t)(number & 1) * PEERS_LISTED_EDGES;
}

/* Sends reached vertices to the peers that must visit them. A normal of another shard goes to that shard's GPU. A delegate goes
 * to all peers, if this thread was the first on this GPU to visit it (`mine`). The vertices go to the receive buffers of the
 * next barrier. The tally counts them, by one atomic of the warp for each peer. All lanes of the warp call it. */
template <class S> __device__ static inline void send_reached(S &s, const slots &e, const bool (&mine)[SLOTS])
{
    const unsigned number = s.peers.barriers + 1;
    for (unsigned i = 0; i < s.joint.count; i++) {
        if (i == s.joint.own)
            continue;
        append_ends<unsigned>(
            &words_of_tally(s, TALLY_FOUND)[FUSED_COUNTS + i],
            [&](int j) {
                if (e.end[j] == NO_HEAD)
                    return false;
                return e.kind[j] == FUSED_COLUMNS ? shard_of_column(s.joint, e.end[j]) == s.joint.shard[i]
                                                  : mine[j] && e.kind[j] == DELEGATES;
            },
            [&](int j, unsigned at) {
                const uint32_t v = e.kind[j] == DELEGATES ? e.end[j] | KIND_BIT : local_of_column(s.joint, e.end[j]);
                store_for_peer(&arrivals_of(s.joint.peer[i].arrivals, number)[at],
                               (unsigned long long)number << 32 | v);
            });
    }
}

/* ---- vertices from other GPUs ---- */

/* Returns the number of warps that share a level: those of the grid, or of the single block if it does the level. */
template <class S> __device__ static inline uint32_t warps_at_work(S &s)
{
    return s.peers.single_block ? blockDim.x / WARP : warps_of_grid();
}

/* Returns the index of this warp among the warps that share a level (warps_at_work). */
template <class S> __device__ static inline uint32_t warp_at_work(S &s)
{
    return s.peers.single_block ? threadIdx.x / WARP : warp_of_grid();
}

/* Visits the vertices that peers sent before the last barrier. A vertex that was not visited on this GPU gets its visited bit
 * and its depth, and joins the next frontier. A normal also gets the parent REMOTE_PARENT. s.flags has the number of the
 * vertices, but they may arrive later than the flags, so each one is waited for. All threads that share the level call it. */
template <class S> __device__ static __noinline__ void take_arrivals(S &s)
{
    const unsigned number = s.peers.barriers;
    for (unsigned i = 0; i < s.joint.count; i++) {
        if (i == s.joint.own)
            continue;
        const unsigned long long *from = arrivals_of(s.joint.peer[i].arrived, number);
        const uint32_t count = (uint32_t)s.flags[i][PEERS_FOR_PEER], stride = warps_at_work(s) * WARP;
        note_read(s, count, 0);
        for (uint32_t first = warp_at_work(s) * WARP; first < count; first += stride) {
            const bool has = first + lane_id() < count;
            unsigned long long word = 0;
            while (has && (word = load_awaited(&from[first + lane_id()])) >> 32 != number)
                ;
            const uint32_t v = (uint32_t)word, id = v & ~KIND_BIT;
            const gpu_vertices &to = s.of[v >> 31];
            __syncwarp();
            const bool mine = has && claim(to, id, !s.block.few_edges);
            if (mine) {
                to.depth[id] = s.block.target.depth;
                if (v == id && to.parent != NULL)
                    to.parent[id] = REMOTE_PARENT; /* only for normals: the peer has written the parent of a delegate */
            }
            list_vertices<S>(s.csr, s.block.target, v, mine);
        }
    }
}

/* ---- a level ---- */

/* Ends a sparse level without a second barrier of the GPUs, as the next level is certainly sparse. The next frontier is the
 * vertices that were found in this level and those received from peers. Received vertices are in no flag yet, so
 * s.counts_for_flags.taken keeps their counts for the next flag. All threads that share the level call it.
 *
 * The depth grows by 1, unless the frontier of this level had no vertices. This can be known only now: it happens if peers had
 * visited all vertices sent to them. Such a level does not count, and the search is over. */
template <class S> __device__ static void end_certain_level(S &s)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    const unsigned long long *found = s.sums_of_flags + PEERS_FOUND;
    __syncthreads();
    if (!s.peers.single_block) {
        if (threadIdx.x < WARP)
            add_to_tally(s, TALLY_TAKEN);
        grid_barrier(s);
    }
    if (threadIdx.x < FUSED_COUNTS)
        s.counts_for_flags.taken[threadIdx.x] =
            (s.peers.single_block ? s.block_counts.word[threadIdx.x]
                                  : load_awaited(&words_of_tally(s, TALLY_TAKEN)[threadIdx.x])) &
            (TALLY_ARRIVAL - 1);
    read_counts(s);
    note_end(s);
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            const bool was_empty = s.peers.found + s.sums_of_flags[PEERS_TAKEN + FUSED_FRESH] == 0;
            s.block.now.depth += !was_empty;
            s.peers.found = found[FUSED_FRESH];
            s.peers.seen += (double)found[FUSED_FRESH];
            s.peers.seen_edges += (double)sum_of_edges(found);
        }
        set_frontier(s, found[FUSED_SOURCES + g], found[FUSED_FORWARD + g], found[FUSED_FRESH] + s.sums_of_flags[PEERS_SENT],
                     true);
    }
    next_round(s, true);
}

/* Runs a sparse level of several GPUs: pushes along all edges of the frontier, sends vertices to peers, waits for the barrier
 * of the GPUs, and visits the vertices that peers sent. If the next level is not certainly sparse, the level ends with a second
 * barrier. All threads of the grid call it, or all threads of the single block that does the level. */
template <class S> __device__ static void run_sparse_together(S &s)
{
    uint32_t warps = warps_at_work(s);
    /* A single block uses one warp for 8 work items, or for 16 edges if rows are long. More warps would slow each other down.
     * Fewer would take too long, as a warp appends only 32 vertices at a time. */
    if (s.peers.single_block) {
        const uint32_t edges = (uint32_t)s.peers.edges / s.joint.count;
        warps = min(max((s.block.now.items + 7) / 8, edges / 16), warps);
    }
    if (warp_at_work(s) < warps)
        expand_items<REACH_SPARSE>(s, s.sparse[s.block.now.current], s.block.now.items, warp_at_work(s), warps,
                                   ALL_SUBGRAPHS);
    if (threadIdx.x == 0)
        s.peers.gathered = false;
    add_counts(s);
    peers_barrier(s, TALLY_FOUND, false);
    note_time(s.notes, s.block.now.depth, FUSED_VISITED);
    /* Adds vertices received in the level before to what was visited, and decides whether the next level is certainly sparse. */
    if (threadIdx.x < WARP) {
        const unsigned g = lane_id();
        const unsigned long long *taken = s.sums_of_flags + PEERS_TAKEN;
        if (g < SUBGRAPHS) {
            s.block.now.seen[g] += (double)taken[FUSED_SOURCES + g];
            s.block.now.seen_edges[g] += (double)taken[FUSED_FORWARD + g];
        }
        if (g == 0) {
            s.peers.seen += (double)taken[FUSED_FRESH];
            s.peers.seen_edges += (double)sum_of_edges(taken);
            s.peers.edges =
                sum_of_edges(s.sums_of_flags + PEERS_FOUND) + s.sums_of_flags[PEERS_SENT] * s.joint.total.most_edges;
            s.peers.certainly_sparse = is_for_sparse(s.joint, s.mode, s.block.now, s.peers.edges);
        }
    }
    take_arrivals(s);
    add_counts(s);
    if (s.peers.certainly_sparse) {
        end_certain_level(s);
    } else {
        peers_barrier(s, TALLY_TAKEN, true);
        end_level(s, true);
    }
}

/* ---- levels of one block ---- */

/* What the single block hands to the other blocks after its levels. */
struct peers_progress {
    fused_progress now;
    peers_block peers;
};
static_assert(sizeof(peers_progress) <= sizeof(peers_state::progress), "there is capacity");

/* Returns whether this GPU has few work items, and all GPUs together have few edges: at most `times` the limits of a level that
 * a single block begins with. */
template <class S> __device__ static inline bool is_for_one_block(S &s, unsigned times)
{
    return s.block.now.items <= times * PEERS_BLOCK_ITEMS && s.peers.edges <= times * PEERS_BLOCK_EDGES * s.joint.count;
}

/* Returns whether the first block of this GPU begins to do levels by itself. */
template <class S> __device__ static inline bool begins_single_block(S &s)
{
    return is_for_one_block(s, 1);
}

/* Returns whether the single block does the next level, too, which may be twice as large as its first one. */
template <class S> __device__ static inline bool stays_single_block(S &s)
{
    return is_for_one_block(s, 2);
}

/* Lets the first block of this GPU do one or more sparse levels by itself, while the frontier is small. The GPU's other blocks
 * wait, and then copy its state. Before the block begins, all blocks must have read the flags of the last barrier, as two more
 * barriers overwrite them. All threads of the grid call it. */
template <class S> __device__ static __noinline__ void leave_to_first_block(S &s)
{
    peers_progress *progress = (peers_progress *)s.joint.state->progress;
    if (!s.peers.certainly_sparse) /* otherwise all blocks have met in end_certain_level since they read the flags */
        grid_barrier(s);
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            s.peers.single_block = true;
            set_target(s);
        }
        if (threadIdx.x < S::counters)
            s.block.count[threadIdx.x] = 0;
        __syncthreads();
        do {
            note_level(s.notes, s.block.now.depth, LEVEL_BLOCK);
            run_sparse(s);
        } while (s.peers.certainly_sparse && s.block.now.fresh != 0 && s.block.now.depth < s.order.deepest &&
                 stays_single_block(s));
        __syncthreads();
        if (threadIdx.x == 0)
            s.peers.single_block = false;
        __syncthreads();
        copy_words(&progress->now, &s.block.now);
        copy_words(&progress->peers, &s.peers);
    }
    grid_barrier(s);
    if (blockIdx.x != 0) {
        copy_words(&s.block.now, &progress->now);
        copy_words(&s.peers, &progress->peers);
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            s.block.items = s.block.now.items;
            set_target(s);
        }
        __syncwarp();
        prepare_choice(s, true);
    }
    __syncthreads();
}

#endif

/* cuda_peers_list.cuh: levels by lists of GPUs that search together; see cuda_peers.h
 *
 * Most levels have one meeting. Its signals have the numbers of found and sent vertices, and so give an
 * upper bound of the next frontier's edges. If even so many are for lists, the level is certain: signals
 * of the next level have the counts of vertices taken from peers. Otherwise a second meeting has them
 * now.
 *
 * If the list of a GPU is short, its first block goes from level to level alone, without barriers of the
 * grid. The others wait. Peers need not know.
 */
#ifndef DBFS_CUDA_GROUP_LIST_CUH
#define DBFS_CUDA_GROUP_LIST_CUH

#include "cuda_fused_choose.cuh"

template <class S> __device__ static inline uint32_t warps_at_work(S &s)
{
    return s.meeting.alone ? blockDim.x / WARP : warps_of_grid();
}

template <class S> __device__ static inline uint32_t warp_at_work(S &s)
{
    return s.meeting.alone ? threadIdx.x / WARP : warp_of_grid();
}

/* ---- a level ---- */

/* Waits for a vertex that a peer sent. It comes soon after its signal. */
__device__ static inline uint32_t await_vertex(const unsigned long long *from, unsigned number)
{
    unsigned long long sent;
    while ((sent = load_awaited(from)) >> 32 != number)
        ;
    return (uint32_t)sent;
}

/* Vertices that a peer sent join the next list, unless they are visited. */
template <class S> __device__ static void take_from(S &s, unsigned peer)
{
    const unsigned long long *box =
        box_of(s, s.joint.arrivals, s.meeting.meetings) + (size_t)peer * PEERS_LISTED_EDGES;
    const uint32_t count = (uint32_t)s.signals[peer][PEERS_FOR_PEER], stride = warps_at_work(s) * WARP;
    note_read(s, count, 0);
    for (uint32_t first = warp_at_work(s) * WARP; first < count; first += stride) {
        const bool has = first + lane_id() < count;
        const uint32_t v = has ? await_vertex(&box[first + lane_id()], s.meeting.meetings) : 0, id = v & ~KIND_BIT;
        const gpu_vertices &to = s.of[v >> 31];
        __syncwarp();
        const bool mine = has && claim<REACH_LISTED>(s, to, id);
        if (mine) {
            to.depth[id] = s.block.target.depth;
            if (v == id && to.parent != NULL)
                to.parent[id] = REMOTE_PARENT; /* the peer knows those of delegates */
        }
        list_vertices(s, v, mine);
    }
}

template <class S> __device__ static __noinline__ void take_arrivals(S &s)
{
    for (unsigned i = 0; i < s.joint.peers; i++) {
        if (i != s.joint.own)
            take_from(s, i);
    }
}

/* Called after the first meeting, by one warp: counts the vertices taken in the level before as
 * seen, and finds out whether this level is certain. */
template <class S> __device__ static inline void read_signals(S &s)
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS) {
        s.block.now.seen[g] += (double)sum_of(s, PEERS_TAKEN + FUSED_SOURCES + g);
        s.block.now.seen_edges[g] += (double)sum_of(s, PEERS_TAKEN + FUSED_FORWARD + g);
    }
    if (g == 0) {
        note_seen(s, sum_of(s, PEERS_TAKEN + FUSED_FRESH), sum_of_edges(s, PEERS_TAKEN));
        s.meeting.edges = sum_of_edges(s, PEERS_FOUND) + sum_of(s, PEERS_SENT) * s.joint.total.longest;
        s.meeting.certain = is_for_lists(s, s.meeting.edges);
    }
}

/* Whether the frontier of this level, which was certain, had no vertex: all that peers had sent was
 * visited. Then this level is none, and the search is over. */
template <class S> __device__ static inline bool was_empty(S &s)
{
    return s.meeting.found + sum_of(s, PEERS_TAKEN + FUSED_FRESH) == 0;
}

/* Completes the list, and gets the counts of the vertices taken. */
template <class S> __device__ static inline void complete_list(S &s)
{
    __syncthreads();
    if (!s.meeting.alone) {
        if (threadIdx.x < WARP)
            add_to_tally(s, PEERS_TAKEN_NOW);
        barrier(s);
    }
    if (threadIdx.x < FUSED_COUNTS)
        s.own_counts.taken[threadIdx.x] =
            (s.meeting.alone ? s.counted.word[threadIdx.x]
                             : load_awaited(&words_of_tally(s, PEERS_TAKEN_NOW)[threadIdx.x])) &
            (GROUP_ARRIVAL - 1);
    read_turn(s);
}

/* The next frontier is the found vertices and the taken ones, which are in no signal yet. */
template <class S> __device__ static void end_certain_level(S &s)
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    complete_list(s);
    note_end(s);
    if (threadIdx.x < WARP) {
        const unsigned long long found = sum_of(s, PEERS_FOUND + FUSED_FRESH);
        if (threadIdx.x == 0) {
            s.block.now.depth += !was_empty(s);
            s.meeting.found = found;
            note_seen(s, found, sum_of_edges(s, PEERS_FOUND));
        }
        note_frontier(s, sum_of(s, PEERS_FOUND + FUSED_SOURCES + g), sum_of(s, PEERS_FOUND + FUSED_FORWARD + g),
                      found + sum_of(s, PEERS_SENT), true);
    }
    next_turn(s, true);
}

/* The warps that a block alone uses: one for 8 pieces, or for 16 edges if rows are long. Few warps
 * disturb each other less, but each of them lists only 32 vertices at a time. */
template <class S> __device__ static inline uint32_t few_warps(S &s)
{
    const uint32_t edges = (uint32_t)s.meeting.edges / s.joint.peers;
    return max((s.block.now.pieces + 7) / 8, edges / 16);
}

/* Not inlined, as meet() and run_listed(): the compiler then keeps more in registers. */
template <class S> __device__ static __noinline__ void expand_by_few(S &s)
{
    const uint32_t warps = s.meeting.alone ? min(few_warps(s), warps_at_work(s)) : warps_at_work(s);
    if (warp_at_work(s) < warps)
        expand_list<REACH_LISTED>(s, s.list[s.block.now.list], s.block.now.pieces, warp_at_work(s), warps,
                                  ALL_SUBGRAPHS);
}

/* Ends the expansion of a list: the GPUs meet, and take in the vertices that were sent to them. */
template <class S> __device__ static void take_in(S &s)
{
    if (threadIdx.x == 0)
        s.meeting.gathered = false;
    add_counts(s);
    meet(s, PEERS_FOUND_NOW, false);
    note_time(s.notes, s.block.now.depth, FUSED_VISITED);
    if (threadIdx.x < WARP)
        read_signals(s);
    take_arrivals(s);
    add_counts(s);
    if (s.meeting.certain) {
        end_certain_level(s);
    } else {
        meet(s, PEERS_TAKEN_NOW, true);
        end_level(s, true);
    }
}

/* Corrects the edges of a frontier, which were an estimate, once it is listed. By one thread. */
template <class S> __device__ static inline void correct_edges(S &s)
{
    const unsigned long long edges = sum_of_edges(s, PEERS_FOUND);
    s.meeting.seen_edges += (double)edges - (double)s.meeting.edges;
    s.meeting.edges = edges;
}

/* ---- levels of one block ---- */

/* The state that other blocks need to go on. */
struct peers_progress {
    fused_progress now;
    peers_block meeting;
};
static_assert(sizeof(peers_progress) <= sizeof(peers_state::progress), "there is room");

/* Whether this GPU has so few of the frontier's rows that its first block goes alone: it begins
 * with few, and goes on with `times` as many. */
template <class S> __device__ static inline bool is_for_first_block(S &s, unsigned times)
{
    return s.block.now.pieces <= times * PEERS_BLOCK_ITEMS &&
           s.meeting.edges <= times * PEERS_BLOCK_EDGES * s.joint.peers;
}

/* Does levels by the first block alone. By all its threads. */
template <class S> __device__ static void run_single(S &s)
{
    if (threadIdx.x == 0) {
        s.meeting.alone = true;
        set_target(s);
    }
    if (threadIdx.x < S::counters)
        s.block.count[threadIdx.x] = 0;
    __syncthreads();
    do {
        note_level(s.notes, s.block.now.depth, LEVEL_BLOCK);
        run_listed(s);
    } while (s.meeting.certain && s.block.now.fresh != 0 && s.block.now.depth < s.order.deepest && is_for_first_block(s, 2));
    __syncthreads();
    if (threadIdx.x == 0)
        s.meeting.alone = false;
    __syncthreads();
}

/* The first block works while the others wait. Before, all must have read the signals of the last
 * meeting, as two more meetings overwrite them. */
template <class S> __device__ static __noinline__ void leave_to_first_block(S &s)
{
    peers_progress *progress = (peers_progress *)s.joint.state->progress;
    if (!s.meeting.certain) /* no barrier followed it */
        barrier(s);
    if (blockIdx.x == 0) {
        run_single(s);
        copy_words(&progress->now, &s.block.now);
        copy_words(&progress->meeting, &s.meeting);
    }
    barrier(s);
    if (blockIdx.x != 0) {
        copy_words(&s.block.now, &progress->now);
        copy_words(&s.meeting, &progress->meeting);
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            s.block.pieces = s.block.now.pieces;
            set_target(s);
        }
        __syncwarp();
        note_list(s, true);
    }
    __syncthreads();
}

#endif

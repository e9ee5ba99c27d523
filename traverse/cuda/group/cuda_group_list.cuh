/* cuda_group_list.cuh: levels by lists of GPUs that search together; see cuda_group.h
 *
 * Most levels have one meeting. It tells how many vertices were found and sent, and so an upper bound of
 * the next frontier's edges. If even that many are for lists, the level is certain: what a GPU takes from
 * its peers is told with the letters of the next level. Otherwise a second meeting tells it now.
 *
 * If the list of a GPU is short, its first block goes from level to level alone, without barriers of the
 * grid. The others wait. Peers need not know.
 */
#ifndef DBFS_CUDA_GROUP_LIST_CUH
#define DBFS_CUDA_GROUP_LIST_CUH

#include "cuda_group_state.cuh"

__device__ static inline uint32_t warps_at_work()
{
    return meeting.alone ? blockDim.x / WARP : warps_of_grid();
}

__device__ static inline uint32_t warp_at_work()
{
    return meeting.alone ? threadIdx.x / WARP : warp_of_grid();
}

/* ---- a level ---- */

/* A vertex that a peer sent. It is there soon, if its letter is. */
__device__ static inline uint32_t await_vertex(const unsigned long long *from, unsigned number)
{
    unsigned long long sent;
    while ((sent = load_awaited(from)) >> 32 != number)
        ;
    return (uint32_t)sent;
}

/* What a peer sent joins the next list, where it is not visited. */
__device__ static void take_from(unsigned peer)
{
    const unsigned long long *box =
        box_of(group.arrivals, meeting.meetings) + (size_t)peer * GROUP_LISTED_EDGES;
    const uint32_t count = (uint32_t)letters[peer][GROUP_FOR_PEER], stride = warps_at_work() * WARP;
    note_read(count, 0);
    for (uint32_t first = warp_at_work() * WARP; first < count; first += stride) {
        const bool has = first + lane_id() < count;
        const uint32_t v = has ? await_vertex(&box[first + lane_id()], meeting.meetings) : 0,
                       id = v & ~KIND_BIT;
        const gpu_vertices &to = search.of[v >> 31];
        __syncwarp();
        const bool mine = has && claim<REACH_LISTED>(to, id);
        if (mine) {
            to.depth[id] = block.target.depth;
            if (v == id && to.parent != NULL)
                to.parent[id] = REMOTE_PARENT; /* of a delegate the peer knows it */
        }
        list_vertices(block.target, v, mine);
    }
}

__device__ static __noinline__ void take_arrivals()
{
    for (unsigned i = 0; i < group.peers; i++) {
        if (i != group.own)
            take_from(i);
    }
}

/* After the first meeting, by one warp: what was taken in the level before has been seen, too; and whether
 * this level is certain. */
__device__ static inline void look_at_letters()
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS) {
        block.now.seen[g] += (double)told_of(g, GROUP_TAKEN + SOLO_SOURCES);
        block.now.seen_edges[g] += (double)told_of(g, GROUP_TAKEN + SOLO_FORWARD);
    }
    if (g == 0) {
        note_seen(sum_of(GROUP_TAKEN + SOLO_FRESH), sum_of_edges(GROUP_TAKEN));
        meeting.edges = sum_of_edges(GROUP_FOUND) + sum_of(GROUP_SENT) * group.whole.longest;
        meeting.certain = is_for_lists(meeting.edges);
    }
}

/* Whether the frontier of this level, which was certain, had no vertex: all that peers had sent was
 * visited. Then this level is none, and the search is over. */
__device__ static inline bool was_empty()
{
    return meeting.found + sum_of(GROUP_TAKEN + SOLO_FRESH) == 0;
}

/* The list is complete, and its first block knows what was taken. */
__device__ static inline void complete_list()
{
    if (!meeting.alone) {
        if (threadIdx.x < WARP)
            add_to_tally(GROUP_TAKEN_NOW);
        barrier();
    }
    if (threadIdx.x < SOLO_COUNTS)
        telling.taken[threadIdx.x] =
            (meeting.alone ? counted.word[threadIdx.x]
                           : load_awaited(&words_of_tally(GROUP_TAKEN_NOW)[threadIdx.x])) &
            (GROUP_ARRIVAL - 1);
    read_list();
}

/* The next frontier is what was found, and what was taken, which no letter has told yet. */
__device__ static void end_certain_level()
{
    const unsigned g = lane_id() < SUBGRAPHS ? lane_id() : 0;
    complete_list();
    note_end();
    if (threadIdx.x < WARP) {
        const unsigned long long found = sum_of(GROUP_FOUND + SOLO_FRESH);
        if (threadIdx.x == 0) {
            block.now.depth += !was_empty();
            meeting.found = found;
            note_seen(found, sum_of_edges(GROUP_FOUND));
        }
        note_frontier(told_of(g, GROUP_FOUND + SOLO_SOURCES), told_of(g, GROUP_FOUND + SOLO_FORWARD),
                      found + sum_of(GROUP_SENT), true);
    }
    go_on(true);
}

/* Of a block that is alone: a warp for 8 pieces, or for 16 edges if rows are long. Few warps disturb each other
 * less, but each of them lists only 32 vertices at a time. */
__device__ static inline uint32_t few_warps()
{
    const uint32_t edges = (uint32_t)meeting.edges / group.peers;
    return max((block.now.pieces + 7) / 8, edges / 16);
}

/* Not inlined, as meet() and run_listed(): the compiler then keeps more in registers. */
__device__ static __noinline__ void expand_frontier()
{
    const uint32_t warps = meeting.alone ? min(few_warps(), warps_at_work()) : warps_at_work();
    if (warp_at_work() < warps)
        expand_list<REACH_LISTED>(block.target, search.list[block.now.list], block.now.pieces,
                                  warp_at_work(), warps, ALL_SUBGRAPHS);
}

__device__ static __noinline__ void run_listed()
{
    begin_turn();
    if (threadIdx.x == 0)
        meeting.gathered = false;
    expand_frontier();
    count_block();
    meet(GROUP_FOUND_NOW, false);
    note_time(block.now.depth, SOLO_VISITED);
    if (threadIdx.x < WARP)
        look_at_letters();
    take_arrivals();
    count_block();
    if (meeting.certain) {
        end_certain_level();
    } else {
        meet(GROUP_TAKEN_NOW, true);
        end_level(true);
    }
}

/* ---- levels of one block ---- */

/* What the other blocks must know when they go on. */
struct group_handing {
    solo_progress now;
    group_block meeting;
};
static_assert(sizeof(group_handing) <= sizeof(group_state::handed), "there is room");

/* Whether this GPU has so few of the frontier's rows. It begins alone with few, and goes on with `times` as
 * many. */
__device__ static inline bool is_for_one(unsigned times)
{
    return block.now.pieces <= times * GROUP_ONE_PIECES && meeting.edges <= times * GROUP_ONE_EDGES * group.peers;
}

/* By all threads of the first block. */
__device__ static void run_alone()
{
    if (threadIdx.x == 0) {
        meeting.alone = true;
        set_target_alone();
    }
    if (threadIdx.x < COUNTERS)
        block.count[threadIdx.x] = 0;
    __syncthreads();
    do {
        note_team(block.now.depth, SOLO_BY_BLOCK);
        run_listed();
    } while (meeting.certain && block.now.fresh != 0 && is_for_one(2));
    __syncthreads();
    if (threadIdx.x == 0)
        meeting.alone = false;
    __syncthreads();
}

template <typename T> __device__ static inline void copy_words(T *to, const T *from)
{
    for (unsigned i = threadIdx.x; i < sizeof(T) / sizeof(unsigned); i += blockDim.x)
        ((unsigned *)to)[i] = ((const unsigned *)from)[i];
}

/* The first block works, the others wait. Before, all must have read the letters of the last meeting, as
 * two more overwrite them. */
__device__ static __noinline__ void leave_to_one()
{
    group_handing *handed = (group_handing *)group.state->handed;
    if (!meeting.certain) /* no barrier followed it */
        barrier();
    if (blockIdx.x == 0) {
        run_alone();
        copy_words(&handed->now, &block.now);
        copy_words(&handed->meeting, &meeting);
    }
    barrier();
    if (blockIdx.x != 0) {
        copy_words(&block.now, &handed->now);
        copy_words(&meeting, &handed->meeting);
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            block.pieces = block.now.pieces;
            set_target();
        }
        __syncwarp();
        note_list(true);
    }
    __syncthreads();
}

/* ---- from masks to lists ---- */

/* Lists the frontier, which is a mask, with its rows. Their edges are known exactly then. */
__device__ static __noinline__ void list_frontier()
{
    begin_turn();
    for (int kind = 0; kind < VERTEX_KINDS; kind++)
        list_kind(block.target, kind, warp_of_grid(), warps_of_grid());
    count_block();
    meet(GROUP_FOUND_NOW, true);
    read_turn();
    if (threadIdx.x < WARP) {
        if (lane_id() < SUBGRAPHS) {
            const double edges = (double)told_of(lane_id(), GROUP_FOUND + SOLO_FORWARD);
            block.now.seen_edges[lane_id()] += edges - block.now.forward[lane_id()];
            block.now.forward[lane_id()] = edges;
        }
        if (lane_id() == 0) {
            const unsigned long long edges = sum_of_edges(GROUP_FOUND);
            meeting.seen_edges += (double)edges - (double)meeting.edges; /* which were about right */
            meeting.edges = edges;
        }
        __syncwarp();
        note_list(true);
    }
    next_turn(true);
}

#endif

/* cuda_peers_barrier.cuh: meetings of the GPUs of a host, and reads of each other's memory; see cuda_peers.h
 *
 * Each half of a value in a signal is a word of 8 bytes that carries the number of its meeting, too. A
 * GPU that waits for the signal reads these words, so nothing must order them, and no flag follows. The
 * counts of a GPU come to its first block in the same way: each block adds to a tally, which also counts
 * the blocks that have added. So a meeting costs one way through the memory of the GPU, and one to its
 * peers.
 */
#ifndef DBFS_CUDA_GROUP_MEET_CUH
#define DBFS_CUDA_GROUP_MEET_CUH

#include "cuda_peers.h"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "cuda_fused_grid.cuh"

/* The state that all threads of a block share, beside block_state. */
struct peers_block {
    unsigned meetings;
    unsigned rounds[PEERS_TALLIES]; /* of each tally in this level, for the first block */
    unsigned buffer;              /* the one that this level writes, and peers read */
    bool sends;                   /* this level pushes nn */
    bool sent_before;             /* the other buffer has vertices, too */
    bool in_parts;                /* dd is pulled in two parts */
    bool gathered;                /* the frontier's normals are known to all peers: a level by masks found them */
    bool certain;                 /* the next level goes by lists, whatever peers have sent */
    bool alone;                   /* this block does levels by lists alone, for its GPU */
    unsigned long long edges;     /* of the frontier, on all GPUs, at most */
    unsigned long long found;     /* vertices of the frontier, except those that were taken from peers */
    double seen,
        seen_edges; /* of all frontiers, on all GPUs: vertices, delegates on each; edges of their rows, about */
};

/* The first block's counts for signals: of this level, or taken after the last signals. */
struct peers_counts {
    unsigned long long found[FUSED_COUNTS], taken[FUSED_COUNTS];
};

/* The search of a GPU among several; see cuda_searching.cuh. */
template <bool NOTED, bool PACKED> struct peers_searching : searching<NOTED, PACKED, true> {
    typedef gpu_fused_peers parameters;
    gpu_fused_peers joint; /* its `fused` is not used: it is the base of this */
    peers_block meeting;
    peers_counts own_counts;
    peers_tally counted;                                  /* of this block; sent ones only if it is alone */
    unsigned pieces_alone;                                /* of the next list, if the block is alone */
    unsigned long long signals[MOST_PEERS][PEERS_VALUES]; /* of the last meeting */
    unsigned long long sums[PEERS_VALUES];                /* of these, over all GPUs, for the first warp */
};

#define GROUP_PATIENCE 20000000000ull /* ns that a GPU waits for a peer, which may start late */
#define GROUP_ARRIVAL_SHIFT 48        /* of a word of a tally: above it, how many blocks have added */
#define GROUP_ARRIVAL (1ull << GROUP_ARRIVAL_SHIFT)

/* A word of a mask that a peer writes between meetings. */
__device__ static inline uint32_t peek(const uint32_t *mask, uint64_t word)
{
    return ((const volatile uint32_t *)mask)[word];
}

/* ---- values of signals ---- */

/* Adds up the signals. By the first warp, a lane for each value: one thread would read them one after the other. */
template <class S> __device__ static inline void add_up_signals(S &s)
{
    unsigned long long sum = 0;
    for (unsigned i = 0; i < s.joint.peers && lane_id() < PEERS_VALUES; i++)
        sum += s.signals[i][lane_id()];
    if (lane_id() < PEERS_VALUES)
        s.sums[lane_id()] = sum;
    __syncwarp();
}

/* The functions below are for the first warp. */

template <class S> __device__ static inline unsigned long long sum_of(S &s, unsigned value)
{
    return s.sums[value];
}

/* The edges of all GPUs and subgraphs. */
template <class S> __device__ static inline unsigned long long sum_of_edges(S &s, unsigned value)
{
    unsigned long long sum = 0;
    for (unsigned g = 0; g < SUBGRAPHS; g++)
        sum += sum_of(s, value + FUSED_FORWARD + g);
    return sum;
}

/* ---- tallies ---- */

template <class S> __device__ static inline unsigned long long *words_of_tally(S &s, unsigned tally)
{
    return s.meeting.alone ? s.counted.word : s.joint.state->tally[s.block.now.turn][tally].word;
}

/* The number of vertices that a peer gets. */
template <class S> __device__ static inline unsigned long long *sent_to(S &s, unsigned peer)
{
    return &words_of_tally(s, PEERS_FOUND_NOW)[FUSED_COUNTS + peer];
}

template <class S> __device__ static inline void clear_tallies(S &s, unsigned turn)
{
    if (blockIdx.x == 0 && threadIdx.x < PEERS_TALLIES * PEERS_TALLY_WORDS)
        s.joint.state->tally[turn][threadIdx.x / PEERS_TALLY_WORDS].word[threadIdx.x % PEERS_TALLY_WORDS] = 0;
}

/* A level begins: its tallies are clear, and those of the next level become so. */
template <class S> __device__ static inline void begin_tallies(S &s)
{
    if (!s.meeting.alone) {
        clear_tallies(s, (s.block.now.turn + 1) % 3);
    } else if (threadIdx.x < s.joint.peers) {
        s.counted.word[FUSED_COUNTS + threadIdx.x] = 0;
    }
    if (threadIdx.x < PEERS_TALLIES)
        s.meeting.rounds[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s.pieces_alone = 0;
    __syncthreads();
}

/* Adds this block's counts to a tally. By its first warp. */
template <class S> __device__ static inline void add_to_tally(S &s, unsigned tally)
{
    const unsigned k = lane_id();
    if (k < FUSED_COUNTS + s.joint.peers)
        atomicAdd(&words_of_tally(s, tally)[k], GROUP_ARRIVAL | (k < FUSED_COUNTS ? s.counted.word[k] : 0));
}

/* Waits until all blocks have added to the tally. Returns its word of the lane. Lanes without a word take
 * the first one, so that each sees all that blocks wrote before they added. By the first warp of the first
 * block. */
template <class S> __device__ static inline unsigned long long await_tally(S &s, unsigned tally)
{
    const unsigned word = lane_id() < FUSED_COUNTS + s.joint.peers ? lane_id() : 0,
                   arrivals = gridDim.x * (s.meeting.rounds[tally] + 1);
    const unsigned long long *from = &words_of_tally(s, tally)[word];
    unsigned long long value = *from;
    if (!s.meeting.alone) {
        while ((value = load_awaited(from)) >> GROUP_ARRIVAL_SHIFT != arrivals)
            ;
    }
    __syncwarp();
    if (lane_id() == 0)
        s.meeting.rounds[tally]++;
    return value & (GROUP_ARRIVAL - 1);
}

/* ---- signals ---- */

/* The value of each lane in the signals, except PEERS_FOR_PEER, from the words of a tally. */
template <class S>
__device__ static inline unsigned long long value_of_signal(S &s, unsigned tally, unsigned long long word)
{
    const unsigned k = lane_id();
    const unsigned long long count = __shfl_sync(ALL_LANES, word, k % FUSED_COUNTS);
    const bool is_sent = k >= FUSED_COUNTS && k < FUSED_COUNTS + s.joint.peers;
    const unsigned sent = sum_lanes(is_sent ? (unsigned)word : 0);
    if (k < PEERS_TAKEN) {
        if (tally == PEERS_FOUND_NOW)
            s.own_counts.found[k] = count;
        return s.own_counts.found[k];
    }
    if (k >= PEERS_SENT)
        return sent;
    const unsigned long long before = s.own_counts.taken[k - PEERS_TAKEN];
    s.own_counts.taken[k - PEERS_TAKEN] = 0;
    return tally == PEERS_TAKEN_NOW ? count : before;
}

/* Writes signals to all peers. By the first warp of the first block, a lane for each value. */
template <class S>
__device__ static inline void write_signals(S &s, unsigned number, unsigned tally, unsigned long long word)
{
    const unsigned k = lane_id();
    unsigned long long value = value_of_signal(s, tally, word);
    for (unsigned i = 0; i < s.joint.peers; i++) {
        const unsigned long long sent = __shfl_sync(ALL_LANES, word, FUSED_COUNTS + i);
        peer_flags &out = s.joint.peer[i].state->signal[number & 1][s.joint.own];
        if (k == PEERS_FOR_PEER)
            value = sent;
        if (k < PEERS_VALUES) {
            store_for_peer(&out.half[0][k], (unsigned long long)number << 32 | (uint32_t)value);
            store_for_peer(&out.half[1][k], (unsigned long long)number << 32 | value >> 32);
        }
    }
}

/* A peer did not come: reports this to the host, and ends the kernel. */
template <class S> __device__ static inline void give_up(S &s)
{
    s.out.mapped->report = (uint64_t)s.order.number << 32 | PEERS_FAILED;
    __threadfence_system();
    __trap();
}

__device__ static inline bool is_too_late(unsigned long long &begin)
{
    const unsigned long long now = device_nanoseconds();
    begin = begin == 0 ? now : begin;
    return now - begin > GROUP_PATIENCE;
}

/* Waits for a signal. If `ordered`, the warp then sees all that the signal releases. By a warp, a lane for
 * each value. */
template <class S> __device__ static inline void await_signal(S &s, unsigned number, unsigned from, bool ordered)
{
    const unsigned k = lane_id() < PEERS_VALUES ? lane_id() : 0;
    const peer_flags &in = s.joint.state->signal[number & 1][from];
    unsigned long long low, high, begin = 0;
    for (unsigned polls = 1;; polls++) {
        high = load_awaited(&in.half[1][k]);
        low = ordered ? load_acquire_system(&in.half[0][k]) : load_awaited(&in.half[0][k]);
        if (low >> 32 == number && high >> 32 == number)
            break;
        if (polls % 1024 == 0 && is_too_late(begin)) /* the clock is slow to read */
            give_up(s);
    }
    s.signals[from][k] = (uint32_t)low | high << 32;
}

/* Sends the counts of add_counts, since the last meeting of this level or since it began, to all GPUs. All
 * threads call it. If `ordered`, all threads then see all writes that any thread made before: each block
 * releases its writes by a fence to the tally, the first block takes these over and releases them by a
 * fence to the signals, and fences pass on all that was seen before. Otherwise threads see only the
 * signals. */
template <class S> __device__ static __noinline__ void meet(S &s, unsigned tally, bool ordered)
{
    const unsigned number = s.meeting.meetings + 1, warp = threadIdx.x / WARP;
    unsigned long long begun = 0;
    __syncthreads(); /* all have read the number */
    if (warp == 0) {
        if (!s.meeting.alone) {
            if (ordered)
                fence_of_gpu();
            add_to_tally(s, tally);
        }
        if (blockIdx.x == 0) {
            const unsigned long long word = await_tally(s, tally);
            if (ordered)
                fence_of_system();
            begun = note_clock(s);
            write_signals(s, number, tally, word);
        }
    }
    if (warp < s.joint.peers)
        await_signal(s, number, warp, ordered);
    if (threadIdx.x == 0)
        s.meeting.meetings = number;
    __syncthreads();
    if (warp == 0)
        add_up_signals(s);
    note_wait(s, begun);
}

/* ---- masks ---- */

__device__ static inline void set_words(uint32_t *to, uint64_t words, uint32_t value)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads)
        to[i] = value;
}

/* Clears the words that have vertices, in a mask over nn's columns. */
template <class S> __device__ static inline void clear_columns(S &s, uint32_t *mask)
{
    for (unsigned i = 0; s.joint.columns.words > 0 && i < s.joint.peers; i++)
        set_words(mask + (uint64_t)s.joint.shard[i] * s.joint.columns.shard_words, s.joint.peer[i].words, 0);
}

/* ---- vertices that peers found ---- */

/* The delegates of a word that any GPU has found in this level. */
template <class S> __device__ static inline uint32_t found_delegates(S &s, uint64_t word)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < s.joint.peers; i++)
        found |= peek(s.joint.peer[i].found[s.meeting.buffer], word);
    return found;
}

/* The normals of a word of this shard that nn's pushes on any GPU have found. */
template <class S> __device__ static inline uint32_t found_normals(S &s, uint64_t word)
{
    const uint64_t at = (uint64_t)s.joint.shard[s.joint.own] * s.joint.columns.shard_words + word;
    uint32_t found = 0;
    for (unsigned i = 0; i < s.joint.peers; i++)
        found |= peek(s.joint.peer[i].sent[s.meeting.buffer], at);
    return found;
}

/* Words of the peers' masks of normals. */
template <class S> __device__ static inline uint64_t words_of_peers(S &s)
{
    uint64_t words = 0;
    for (unsigned i = 0; i < s.joint.peers; i++)
        words += i != s.joint.own ? s.joint.peer[i].words : 0;
    return words;
}

/* Writes a word of this GPU's visited normals into the memory of all that pull nn. They see it when the GPUs have met. */
template <class S> __device__ static inline void share_visited(S &s, uint32_t word, uint32_t visited)
{
    for (unsigned i = 0; i < s.joint.peers; i++) {
        if (s.joint.peer[i].gathered != NULL)
            s.joint.peer[i].gathered[word] = visited;
    }
}

/* Reads the visited normals of all shards. A pull of nn needs this after a level by lists, which writes them to no
 * peer. Vertices of levels before the last one may be missing: their neighbours are all visited. */
template <class S> __device__ static inline void gather_visited(S &s)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (unsigned i = 0; i < s.joint.peers; i++) {
        const gpu_fused_peer &peer = s.joint.peer[i];
        uint32_t *to = s.joint.gathered + (uint64_t)s.joint.shard[i] * s.joint.columns.shard_words;
        for (uint64_t w = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; w < peer.words; w += threads)
            to[w] = peek(peer.visited, w);
    }
}

#endif

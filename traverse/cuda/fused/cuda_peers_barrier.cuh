/* cuda_peers_barrier.cuh: the barrier of several GPUs of a host, and words of peers
 *
 * A barrier has a number. Each GPU writes a flag to each peer, in the memory of the peer, and waits for theirs. A flag has
 * counts, each in two words of 8 bytes: half of the count, and the number of the barrier. A GPU that waits reads these
 * words, so nothing must order them, and nothing else follows. The counts of a GPU come to its first block in the same
 * way: each block adds to a tally, which also counts the blocks that have added. So a barrier costs one way through the
 * memory of the GPU, and one to its peers.
 */
#ifndef DBFS_CUDA_PEERS_BARRIER_CUH
#define DBFS_CUDA_PEERS_BARRIER_CUH

#include "cuda_peers.h"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "traverse/cuda/visit/cuda_frontier.cuh"

/* The state that all threads of a block share, beside block_state. */
struct peers_block {
    unsigned barriers;            /* the number of the last barrier of the GPUs */
    unsigned rounds[PEERS_TALLIES]; /* of each tally in this level, for the first block */
    unsigned buffer;              /* of two, the one that this level writes, and peers read */
    bool sends;                   /* this level pushes nn */
    bool sent_before;             /* the other buffer has vertices, too */
    bool in_parts;                /* dd is pulled in two parts */
    bool gathered;                /* all peers know the frontier's normals: a dense level found them */
    bool certainly_sparse;        /* the next level is sparse, whatever peers have sent */
    bool single_block;            /* this block does sparse levels for its GPU, and the others wait */
    unsigned long long edges;     /* of the frontier, on all GPUs, at most */
    unsigned long long found;     /* vertices of the frontier, except those that were taken from peers */
    double seen, seen_edges;      /* vertices of all frontiers, on all GPUs, delegates on each; about their edges */
};

/* The first block's counts for flags: of this level, and of vertices that were taken after the last flags. */
struct peers_counts {
    unsigned long long found[FUSED_COUNTS], taken[FUSED_COUNTS];
};

/* The search of a GPU among several. */
template <bool NOTED, bool PACKED> struct peers_searching : searching<NOTED, PACKED, true> {
    typedef gpu_fused_peers parameters;
    gpu_fused_peers joint; /* its `fused` is not used: it is the base of this */
    peers_block peers;
    peers_counts own_counts;
    peers_tally counted;                                /* of this block; sent vertices only if it is the single one */
    unsigned single_items;                              /* of the next frontier, if the block is the single one */
    unsigned long long flags[MOST_PEERS][PEERS_VALUES]; /* of the last barrier */
    unsigned long long sums[PEERS_VALUES];              /* of these, over all GPUs; the first warp reads them */
};

#define PEERS_PATIENCE_NS 20000000000ull /* a GPU waits so long for a peer, which may start late */
#define TALLY_ARRIVAL_SHIFT 48           /* bits of a word of a tally from here on count the blocks that have added */
#define TALLY_ARRIVAL (1ull << TALLY_ARRIVAL_SHIFT)

/* Adds vertices that arrived from peers, and words read of their bitmaps, to the note of the level. All threads call it. */
template <class S> __device__ static inline void note_read(S &s, unsigned long long vertices, unsigned long long words)
{
    if constexpr (S::noted) {
        if (is_noter(s.notes)) {
            note_of(s.notes, s.block.now.depth).arrived += vertices;
            note_of(s.notes, s.block.now.depth).words += words;
        }
    }
}

/* Reads a word of a bitmap that a peer writes between barriers. */
__device__ static inline uint32_t peek(const uint32_t *bitmap, uint64_t word)
{
    return ((const volatile uint32_t *)bitmap)[word];
}

/* Returns the edges of all subgraphs: the sum of counts[FUSED_FORWARD + g]. */
__device__ static inline unsigned long long sum_of_edges(const unsigned long long *counts)
{
    unsigned long long sum = 0;
    for (unsigned g = 0; g < SUBGRAPHS; g++)
        sum += counts[FUSED_FORWARD + g];
    return sum;
}

/* ---- tallies ---- */

/* Returns the words of a tally of this level: in the memory of the GPU, or of its single block. */
template <class S> __device__ static inline unsigned long long *words_of_tally(S &s, unsigned tally)
{
    return s.peers.single_block ? s.counted.word : s.joint.state->tally[s.block.now.round][tally].word;
}

/* Adds this block's counts to a tally. Its first warp calls it. */
template <class S> __device__ static inline void add_to_tally(S &s, unsigned tally)
{
    const unsigned k = lane_id();
    if (k < FUSED_COUNTS + s.joint.count)
        atomicAdd(&words_of_tally(s, tally)[k], TALLY_ARRIVAL | (k < FUSED_COUNTS ? s.counted.word[k] : 0));
}

/* ---- flags ---- */

/* Waits until all blocks have added to the tally, then writes the flags of barrier `number` to all peers, a lane for each
 * value. Counts of the other tally are those of the last barrier; counts of taken vertices are told once. If `ordered`, a
 * fence of the system comes first, so that the flags release the writes of all blocks. Returns the time at which it writes,
 * for notes. The first warp of the first block calls it. */
template <class S>
__device__ static inline unsigned long long write_flags(S &s, unsigned number, unsigned tally, bool ordered)
{
    /* a lane without a word of the tally waits for the first one, so that it sees all that blocks wrote before they added */
    const unsigned k = lane_id(), words = FUSED_COUNTS + s.joint.count, arrivals = gridDim.x * (s.peers.rounds[tally] + 1);
    const unsigned long long *from = &words_of_tally(s, tally)[k < words ? k : 0];
    unsigned long long word = *from;
    if (!s.peers.single_block) {
        while ((word = load_awaited(from)) >> TALLY_ARRIVAL_SHIFT != arrivals)
            ;
    }
    word &= TALLY_ARRIVAL - 1;
    __syncwarp();
    if (k == 0)
        s.peers.rounds[tally]++;
    if (ordered)
        fence_of_system();
    const unsigned long long begun = S::noted ? device_nanoseconds() : 0;
    const unsigned long long count = __shfl_sync(ALL_LANES, word, k % FUSED_COUNTS);
    unsigned long long value = sum_lanes(k >= FUSED_COUNTS && k < words ? (unsigned)word : 0); /* PEERS_SENT */
    if (k < PEERS_TAKEN) {
        if (tally == TALLY_FOUND)
            s.own_counts.found[k] = count;
        value = s.own_counts.found[k];
    } else if (k < PEERS_SENT) {
        value = tally == TALLY_TAKEN ? count : s.own_counts.taken[k - PEERS_TAKEN];
        s.own_counts.taken[k - PEERS_TAKEN] = 0;
    }
    for (unsigned i = 0; i < s.joint.count; i++) {
        const unsigned long long for_peer = __shfl_sync(ALL_LANES, word, FUSED_COUNTS + i);
        peer_flags &out = s.joint.peer[i].state->flag[number & 1][s.joint.own];
        if (k == PEERS_FOR_PEER)
            value = for_peer;
        if (k < PEERS_VALUES) {
            store_for_peer(&out.half[0][k], (unsigned long long)number << 32 | (uint32_t)value);
            store_for_peer(&out.half[1][k], (unsigned long long)number << 32 | value >> 32);
        }
    }
    return begun;
}

/* Waits for the flag of a peer, and copies it to s.flags, a lane each value. If `ordered`, the warp then sees all that the
 * flag releases. If the peer does not come in time, it reports this to the host and ends the kernel. All lanes of a warp
 * call it. */
template <class S> __device__ static inline void await_flags(S &s, unsigned number, unsigned from, bool ordered)
{
    const unsigned k = lane_id() < PEERS_VALUES ? lane_id() : 0;
    const peer_flags &in = s.joint.state->flag[number & 1][from];
    unsigned long long low, high, begin = 0;
    for (unsigned polls = 1;; polls++) {
        high = load_awaited(&in.half[1][k]);
        low = ordered ? load_acquire_system(&in.half[0][k]) : load_awaited(&in.half[0][k]);
        if (low >> 32 == number && high >> 32 == number)
            break;
        if (polls % 1024 != 0) /* the clock is slow to read */
            continue;
        const unsigned long long now = device_nanoseconds();
        begin = begin == 0 ? now : begin;
        if (now - begin > PEERS_PATIENCE_NS) {
            s.out.mapped->report = (uint64_t)s.order.number << 32 | PEERS_FAILED;
            __threadfence_system();
            __trap();
        }
    }
    s.flags[from][k] = (uint32_t)low | high << 32;
}

/* The barrier of all GPUs. All threads of all GPUs call it. It sends the counts that add_counts has added up in tally
 * number `tally` to every GPU, and waits until those of every GPU are here: s.flags has them by GPU, s.sums their sums. If
 * `ordered`, every thread then sees what any thread of any GPU has written before the barrier: each block ends its writes
 * by a fence before it adds to the tally, and the first block passes them on by a fence of the system before it writes the
 * flags. Otherwise threads see the flags only. */
template <class S> __device__ static __noinline__ void peers_barrier(S &s, unsigned tally, bool ordered)
{
    const unsigned number = s.peers.barriers + 1, warp = threadIdx.x / WARP, value = lane_id();
    unsigned long long begun = 0;
    __syncthreads(); /* all have read the number */
    if (warp == 0) {
        if (!s.peers.single_block) {
            if (ordered)
                fence_of_gpu();
            add_to_tally(s, tally);
        }
        if (blockIdx.x == 0)
            begun = write_flags(s, number, tally, ordered);
    }
    if (warp < s.joint.count)
        await_flags(s, number, warp, ordered);
    if (threadIdx.x == 0)
        s.peers.barriers = number;
    __syncthreads();
    if (warp == 0) { /* a lane for each value: one thread would read flags one after the other */
        unsigned long long sum = 0;
        for (unsigned i = 0; i < s.joint.count && value < PEERS_VALUES; i++)
            sum += s.flags[i][value];
        if (value < PEERS_VALUES)
            s.sums[value] = sum;
        __syncwarp();
    }
    if constexpr (S::noted) {
        if (is_noter(s.notes) && s.block.now.depth >= 0)
            note_of(s.notes, s.block.now.depth).waited += device_nanoseconds() - begun;
    }
}

/* ---- words ---- */

/* Sets `words` words from `to` on to a value. All threads of the grid call it. */
__device__ static inline void set_words(uint32_t *to, uint64_t words, uint32_t value)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads)
        to[i] = value;
}

/* Clears a bitmap over nn's columns: of each shard, the words that have vertices. All threads of the grid call it. */
__device__ static inline void clear_columns(const gpu_fused_peers &joint, uint32_t *bitmap)
{
    for (unsigned i = 0; joint.columns.words > 0 && i < joint.count; i++)
        set_words(bitmap + (uint64_t)joint.shard[i] * joint.columns.shard_words, joint.peer[i].words, 0);
}

/* Returns the delegates of a word that any GPU has found in this level. */
__device__ static inline uint32_t found_delegates(const gpu_fused_peers &joint, unsigned buffer, uint64_t word)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < joint.count; i++)
        found |= peek(joint.peer[i].found[buffer], word);
    return found;
}

/* ---- the start of a search ---- */

/* Begins a search of several GPUs: the state of a block, with the number of the last barrier. Words of peers carry such
 * numbers, and those of long ago must not be taken for new ones. So numbers begin anew in time, and arrivals are cleared:
 * peers send none before the first barrier. The flags of that barrier lie in the other buffer than those of the last one.
 * All threads of the grid call it. Inlined, it would cost the kernel registers. */
template <class S> __device__ static __noinline__ void begin_peers(S &s)
{
    unsigned last = *(volatile unsigned *)&s.joint.state->barriers;
    if (last >= PEERS_NUMBERS) {
        set_words((uint32_t *)s.joint.arrivals, 4ull * s.joint.count * PEERS_LISTED_EDGES, 0);
        last &= 1;
    }
    if (threadIdx.x == 0) {
        s.peers = peers_block{};
        s.own_counts = peers_counts{};
        s.peers.barriers = last;
    }
}

/* Clears the bitmaps over nn's columns, where the last search has left vertices; most searches leave both bitmaps `sent`
 * clear. Clears the parents of delegates. All threads of the grid call it before any has reached the first barrier. */
template <class S> __device__ static inline void clear_for_peers(S &s)
{
    const unsigned sent = *(volatile unsigned *)&s.joint.state->sent;
    for (unsigned i = 0; i < 2; i++) {
        if (!s.joint.clean || sent == i + 1)
            clear_columns(s.joint, s.joint.sent[i]);
    }
    clear_columns(s.joint, s.joint.gathered);
    if (s.of[DELEGATES].parent != NULL) /* PARENT_NONE: those that find one know its parent */
        set_words(s.of[DELEGATES].parent, s.of[DELEGATES].count, ~0u);
}

/* Lets the first level find the root, whose visited bit is set: on its owner, or on all GPUs if it is a delegate. All
 * threads call it. */
template <class S> __device__ static void put_root(S &s)
{
    if (blockIdx.x != 0 || threadIdx.x >= WARP)
        return;
    const gpu_vertices &v = s.of[s.root.kind];
    const bool has = lane_id() == 0 && s.root.index != NO_ROOT_HERE;
    if (has) {
        v.depth[s.root.index] = 0;
        if (v.parent != NULL)
            v.parent[s.root.index] = ROOT_PARENT;
    }
    list_vertices<S>(s.csr, s.block.target, s.root.index | (s.root.kind == DELEGATES ? KIND_BIT : 0), has);
}

#endif

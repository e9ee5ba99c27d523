/* cuda_peers_barrier.cuh: the barrier of several GPUs of a host, and how their search starts
 *
 * Barriers are numbered. For a barrier each GPU writes a flag with counts (enum peers_value) into the memory of each peer, and
 * waits for the flags of all peers. Each count is split over two words of 8 bytes, which both carry the number of the barrier. A
 * GPU reads a flag until all its words have this number. So the words may arrive in any order, and no further message is needed.
 * The blocks of a GPU pass their counts to the first block by a tally, to which each block adds its counts and 1 for its arrival.
 * So a barrier costs one way through the memory of the GPU, and one way to its peers.
 */
#ifndef DBFS_CUDA_PEERS_BARRIER_CUH
#define DBFS_CUDA_PEERS_BARRIER_CUH

#include "cuda_peers.h"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "traverse/cuda/visit/cuda_frontier.cuh"

/* What a block keeps of a search of several GPUs, in addition to block_state. The values are alike in all blocks of a GPU, but
 * only the first block keeps `rounds`. While a single block does levels for its GPU, the other blocks have older values. */
struct peers_block {
    unsigned barriers;            /* the number of the last barrier of the GPUs */
    unsigned rounds[PEERS_TALLIES]; /* how often each tally was sent to peers in this level */
    unsigned buffer;              /* 0 or 1: index of the bitmaps `found` and `sent` that this level writes and peers read */
    bool sends;                   /* this level pushes nn, so bitmap `sent` of this buffer gets vertices */
    bool sent_before;             /* bitmap `sent` of the other buffer has vertices from the dense level before */
    bool in_parts;                /* the level pulls dd in two parts */
    bool gathered;                /* the level before was dense, so joint.gathered has the frontier's normals of all shards */
    bool certainly_sparse;        /* the next level is sparse, whatever vertices peers have sent */
    bool single_block;            /* this block does sparse levels for its GPU, and the GPU's other blocks wait */
    unsigned long long edges;     /* upper bound of the edges of the frontier, summed up over all GPUs */
    unsigned long long found;     /* vertices of the frontier on all GPUs, except those from peers that are in no flag yet */
    /* The vertices of all frontiers so far on all GPUs, and an estimate of their edges. A delegate counts on each GPU. */
    double seen, seen_edges;
};

/* What the first block keeps for flags: counts of vertices found in this level, and of those received since the last flags. */
struct peers_counts {
    unsigned long long found[FUSED_COUNTS], taken[FUSED_COUNTS];
};

/* The search of one GPU among several, in one block. */
template <bool NOTED, bool PACKED> struct peers_searching : searching<NOTED, PACKED, true> {
    typedef gpu_fused_peers parameters;
    gpu_fused_peers joint; /* the parameters; joint.fused is not used, as the base of this struct is a copy of it */
    peers_block peers;
    peers_counts counts_for_flags;
    peers_tally block_counts;   /* what this block has counted; only in a single block also the vertices for each peer */
    unsigned single_items; /* work items of the next frontier, counted by the single block */
    unsigned long long flags[MOST_PEERS][PEERS_VALUES]; /* the values of the flags of the last barrier, by GPU */
    unsigned long long sums_of_flags[PEERS_VALUES]; /* the sums of `flags` over all GPUs; only the first warp reads the sums */
    /* the lengths of the messages to far GPUs that the next flags announce (write_message): to peer i alone, and at the end to all. The
     * first block's */
    unsigned message_length[ALL_FAR_PEERS + 1];
    message_sums sums_of_messages; /* scratch of sum_counts */
};

#define PEERS_PATIENCE_NS 20000000000ull /* the nanoseconds that a GPU waits for a peer; a peer may start late */
#define TALLY_ARRIVAL_SHIFT 48           /* bits 48 to 63 of a word of a tally count the blocks that have added */
#define TALLY_ARRIVAL (1ull << TALLY_ARRIVAL_SHIFT)

/* Adds what was exchanged with peers to the note of the level, if the search is noted: vertices that arrived, and words of
 * bitmaps that were read or written. All threads call it. */
template <class S> __device__ static inline void note_read(S &s, unsigned long long vertices, unsigned long long words)
{
    if constexpr (S::noted) {
        if (is_noter(s.notes)) {
            note_of(s.notes, s.block.now.depth).arrived += vertices;
            note_of(s.notes, s.block.now.depth).words += words;
        }
    }
}

/* Returns whether some peers are far, so that messages go to them. */
__device__ static inline bool has_far_peers(const gpu_fused_peers &joint)
{
    return joint.near < joint.count;
}

/* Returns a word of a bitmap that a peer may write between barriers. Each call reads the word from memory. */
__device__ static inline uint32_t peek(const uint32_t *bitmap, uint64_t word)
{
    return ((const volatile uint32_t *)bitmap)[word];
}

/* Returns the number of edges in all subgraphs, the sum of counts[FUSED_FORWARD + g], from the counts of a level. */
__device__ static inline unsigned long long sum_of_edges(const unsigned long long *counts)
{
    unsigned long long sum = 0;
    for (unsigned g = 0; g < SUBGRAPHS; g++)
        sum += counts[FUSED_FORWARD + g];
    return sum;
}

/* ---- tallies ---- */

/* Returns the words of a tally of this round, in the GPU's memory, or in shared memory if a single block does the level. */
template <class S> __device__ static inline unsigned long long *words_of_tally(S &s, unsigned tally)
{
    return s.peers.single_block ? s.block_counts.word : s.joint.state->tally[s.block.now.round][tally].word;
}

/* Adds this block's arrival and counts (s.block_counts) to a tally of the GPU. The first warp of each block calls it. */
template <class S> __device__ static inline void add_to_tally(S &s, unsigned tally)
{
    const unsigned k = lane_id();
    if (k < FUSED_COUNTS + s.joint.count)
        atomicAdd(&words_of_tally(s, tally)[k], TALLY_ARRIVAL | (k < FUSED_COUNTS ? s.block_counts.word[k] : 0));
}

/* ---- flags ---- */

/* Writes the flags of barrier `number` to all peers, after all blocks of this GPU have added their counts to the tally. A flag
 * has the counts of found vertices and those of received vertices. One of these two comes from `tally`, the other from
 * s.counts_for_flags. Received vertices are counted in one flag only. If `ordered`, a fence comes before the flags, so that
 * they release the writes of all blocks. The lanes of the first block's first warp call it, and each writes one value. */
template <class S>
__device__ static inline void write_flags(S &s, unsigned number, unsigned tally, bool ordered)
{
    /* Each lane waits for a word of the tally, to see what the blocks wrote before. Lanes without a word wait for word 0. */
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
    const unsigned long long count = __shfl_sync(ALL_LANES, word, k % FUSED_COUNTS);
    unsigned long long value = sum_lanes(k >= FUSED_COUNTS && k < words ? (unsigned)word : 0); /* PEERS_SENT */
    if (k < PEERS_TAKEN) {
        if (tally == TALLY_FOUND)
            s.counts_for_flags.found[k] = count;
        value = s.counts_for_flags.found[k];
    } else if (k < PEERS_SENT) {
        value = tally == TALLY_TAKEN ? count : s.counts_for_flags.taken[k - PEERS_TAKEN];
        s.counts_for_flags.taken[k - PEERS_TAKEN] = 0;
    }
    for (unsigned i = 0; i < s.joint.count; i++) {
        const unsigned long long for_peer = __shfl_sync(ALL_LANES, word, FUSED_COUNTS + i);
        peer_flags &out = s.joint.peer[i].flag[number & 1];
        if (k == PEERS_FOR_PEER)
            value = tally == TALLY_FOUND ? for_peer : 0; /* a single block has one set of words for both tallies */
        if (k == PEERS_SINGLE || k == PEERS_ALL)
            value = i < s.joint.near ? 0 : s.message_length[k == PEERS_SINGLE ? i : ALL_FAR_PEERS];
        if (k < PEERS_VALUES) {
            store_for_peer(&out.half[0][k], (unsigned long long)number << 32 | (uint32_t)value);
            store_for_peer(&out.half[1][k], (unsigned long long)number << 32 | value >> 32);
        }
    }
    __syncwarp();
    if (k <= ALL_FAR_PEERS)
        s.message_length[k] = 0;
}

/* Waits for the flag of barrier `number` from GPU `from`, and copies its values to s.flags[from], with a lane for each value.
 * The flag of a far GPU lies in memory of the host, which only the first block reads: it copies the flag to where the other
 * blocks wait. If `ordered`, the warp afterwards sees all writes that the flag releases. If the flag does not come within
 * PEERS_PATIENCE_NS, reports this to the host and ends the kernel by a trap. All lanes of a warp call it. */
template <class S> __device__ static inline void await_flags(S &s, unsigned number, unsigned from, bool ordered)
{
    const unsigned k = lane_id() < PEERS_VALUES ? lane_id() : 0;
    const bool from_far = blockIdx.x == 0 && s.joint.peer[from].flag_in != NULL;
    peer_flags &own = s.joint.state->flag[from][number & 1];
    const peer_flags &in = from_far ? s.joint.peer[from].flag_in[number & 1] : own;
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
            s.out.mapped->report = (uint64_t)s.order.number << 32 | (PEERS_FAILED - from);
            __threadfence_system();
            __trap();
        }
    }
    s.flags[from][k] = (uint32_t)low | high << 32;
    if (from_far && !s.peers.single_block) {
        if (ordered)
            fence_of_system();
        store_for_peer(&own.half[0][k], low);
        store_for_peer(&own.half[1][k], high);
    }
}

/* Comes to the next barrier of the GPUs, with the counts that add_counts has written to s.block_counts: on each GPU the counts of
 * all blocks are added up in a tally (`tally` is TALLY_FOUND or TALLY_TAKEN), and sent to every GPU. All threads of a GPU call it
 * or, if a single block does the level for the GPU, all threads of this block. leave_barrier must follow; between them there may
 * be work, and barriers of the grid.
 *
 * If `ordered`, every thread sees after leave_barrier all that any thread of any GPU wrote before this call. For this each block
 * ends its writes by a fence before it adds to the tally, and the first block executes a fence of the system before it writes the
 * flags. If not `ordered`, threads see only the flags. */
template <class S> __device__ static inline void enter_barrier(S &s, unsigned tally, bool ordered)
{
    const unsigned number = s.peers.barriers + 1;
    __syncthreads(); /* all threads have written s.block_counts and read the number of the last barrier */
    if (threadIdx.x < WARP) {
        if (!s.peers.single_block) {
            if (ordered)
                fence_of_gpu();
            add_to_tally(s, tally);
        }
        if (blockIdx.x == 0)
            write_flags(s, number, tally, ordered);
    }
}

/* Waits until all GPUs have come to the barrier that this one has entered. Afterwards s.flags has the counts of each GPU, and
 * s.sums_of_flags has the sums over all GPUs. The same threads call it, with the same `ordered`. */
template <class S> __device__ static inline void leave_barrier(S &s, bool ordered)
{
    const unsigned number = s.peers.barriers + 1, warp = threadIdx.x / WARP, value = lane_id();
    const unsigned long long begun = S::noted ? device_nanoseconds() : 0;
    __syncthreads(); /* all threads have read the number of the last barrier */
    if (warp < s.joint.count)
        await_flags(s, number, warp, ordered);
    if (threadIdx.x == 0)
        s.peers.barriers = number;
    __syncthreads();
    if (warp == 0) { /* each lane sums up one value; a single thread would read the values one after the other */
        unsigned long long sum = 0;
        for (unsigned i = 0; i < s.joint.count && value < PEERS_VALUES; i++)
            sum += s.flags[i][value];
        if (value < PEERS_VALUES)
            s.sums_of_flags[value] = sum;
        __syncwarp();
    }
    if constexpr (S::noted) {
        if (is_noter(s.notes) && s.block.now.depth >= 0)
            note_of(s.notes, s.block.now.depth).waited += device_nanoseconds() - begun;
    }
}

/* Waits until all GPUs have come to this barrier, and exchanges counts: enter_barrier and leave_barrier. */
template <class S> __device__ static __noinline__ void peers_barrier(S &s, unsigned tally, bool ordered)
{
    enter_barrier(s, tally, ordered);
    leave_barrier(s, ordered);
}

/* ---- words ---- */

/* Sets the words to[0] to to[words - 1] to `value`. All threads of the grid call it, and share the words. */
__device__ static inline void set_words(uint32_t *to, uint64_t words, uint32_t value)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads)
        to[i] = value;
}

/* Clears a bitmap over nn's columns, except the words behind the last vertex of a shard. All threads of the grid call it. */
__device__ static inline void clear_columns(const gpu_fused_peers &joint, uint32_t *bitmap)
{
    for (unsigned i = 0; joint.columns.words > 0 && i < joint.count; i++)
        set_words(bitmap + (uint64_t)joint.shard[i] * joint.columns.shard_words, joint.peer[i].words, 0);
}

/* Returns which delegates of a bitmap word any GPU has found in this level: the OR of the bitmaps `found` of all near GPUs, and of
 * what far GPUs have told. */
__device__ static inline uint32_t found_delegates(const gpu_fused_peers &joint, unsigned buffer, uint64_t word)
{
    uint32_t found = has_far_peers(joint) ? joint.far.known[word] : 0;
    for (unsigned i = 0; i < joint.near; i++)
        found |= peek(joint.peer[i].found[buffer], word);
    return found;
}

/* ---- the start of a search ---- */

/* Begins a search of several GPUs in a block: clears s.peers and s.counts_for_flags, and goes on from the number of the last
 * barrier. All threads of the grid call it. Not inlined, as inlining would cost the kernel registers.
 *
 * Words from peers carry numbers of barriers, and an old word must not have the number of a new barrier. So when the numbers
 * have become large, they begin again at 0 or 1, and the buffers of vertices are cleared. This is safe, as peers send nothing
 * before the first barrier, and its flags lie in another buffer than the flags of the last barrier. */
template <class S> __device__ static __noinline__ void begin_peers(S &s)
{
    unsigned last = *(volatile unsigned *)&s.joint.state->barriers;
    if (last >= PEERS_NUMBERS) {
        set_words((uint32_t *)s.joint.arrivals, 4ull * s.joint.count * PEERS_LISTED_EDGES, 0);
        for (unsigned i = s.joint.near; i < s.joint.count; i++)
            set_words((uint32_t *)s.joint.peer[i].arrivals, 4ull * PEERS_LISTED_EDGES, 0);
        last &= 1; /* whether the number is even or odd stays, as it selects one of two buffers */
    }
    if (threadIdx.x == 0) {
        s.peers = peers_block{};
        s.counts_for_flags = peers_counts{};
        s.peers.barriers = last;
    }
    if (threadIdx.x <= ALL_FAR_PEERS)
        s.message_length[threadIdx.x] = 0;
}

/* Clears what the last search of several GPUs has left: the bitmaps over nn's columns, and the parents of delegates. Bitmaps
 * `sent` are cleared only if they may have vertices, which is rare. All threads of the grid call it before the first
 * barrier. */
template <class S> __device__ static inline void clear_for_peers(S &s)
{
    const unsigned sent = *(volatile unsigned *)&s.joint.state->sent;
    for (unsigned i = 0; i < 2; i++) {
        if (!s.joint.last_was_fused || sent == i + 1)
            clear_columns(s.joint, s.joint.sent[i]);
    }
    clear_columns(s.joint, s.joint.gathered);
    if (has_far_peers(s.joint)) {
        set_words(s.joint.far.known, s.of[DELEGATES].words, 0);
        set_words(s.joint.far.reached, s.of[NORMALS].words, 0);
        set_words(s.joint.far.told, s.of[NORMALS].words, 0);
    }
    if (s.of[DELEGATES].parent != NULL) /* to PARENT_NONE, as only a GPU that finds a delegate writes a parent */
        set_words(s.of[DELEGATES].parent, s.of[DELEGATES].count, ~0u);
}

#endif

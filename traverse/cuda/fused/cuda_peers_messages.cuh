/* cuda_peers_messages.cuh: dense levels of GPUs that are far from each other: messages in place of reads (cuda_peers.h)
 *
 * A message tells which bits of a bitmap are new. Only some bits may be new (may_at), and both sides know which. It is either a list
 * of the ids of the new bits or, if that is shorter, one bit for each bit that may be new, in order and without gaps. 32 words of the
 * bitmap are a chunk. Each chunk's bits begin at a word of the message, so that warps write and read chunks apart. All GPUs tell
 *
 *   visited   before a pull of nn: the normals with nn edges that were visited since the last such message. New may be those that
 *             no such message has told
 *   found     after the visits, before the previsit: the delegates that this GPU found. New may be those that are not visited.
 *             If dd is pulled in two parts, also between the parts, of the delegates that the GPU owns
 *   sent      with `found`, to each far GPU alone: the normals of its shard that pushes of nn found. If dd is pulled in two
 *             parts this goes with the first `found`, as pushes of nn are over by then
 *
 * Each warp has some chunks in a row. It counts ids and bits of these (message_counts); sums over the warps before it say where
 * its part of the message begins. So nothing is collected first, and the parts are written to memory of the host at once.
 */
#ifndef DBFS_CUDA_PEERS_MESSAGES_CUH
#define DBFS_CUDA_PEERS_MESSAGES_CUH

#include "cuda_fused_progress.cuh"
#include "traverse/cuda/device/cuda_bits.cuh"

#define MESSAGE_OF_BITS 1u /* added to the bytes of a message, a multiple of 4, that has bits and not ids */

/* ---- parts of warps ---- */

/* Returns the array [PEERS_MOST_WARPS] for the counts of a message: the one to far peer i alone, or the one to ALL_FAR_PEERS. */
template <class S> __device__ static inline message_counts *counts_of_message(S &s, unsigned i)
{
    return s.joint.far.counts + (i == ALL_FAR_PEERS ? 0 : i - s.joint.near + 1) * (size_t)PEERS_MOST_WARPS;
}

/* The chunks of a bitmap that a warp has. */
struct warp_chunks {
    uint32_t first, end;
};

/* Returns the index of this warp if those of a block follow each other. */
__device__ static inline uint32_t warp_by_block()
{
    return blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
}

/* Returns the chunks of this warp in a bitmap of `words` words. */
__device__ static inline warp_chunks chunks_of_warp(uint32_t words)
{
    const uint32_t chunks = (words + WARP - 1) / WARP, each = (chunks + warps_of_grid() - 1) / warps_of_grid(),
                   first = min(warp_by_block() * each, chunks);
    return warp_chunks{first, min(first + each, chunks)};
}

/* Counts the ids and the words of bits of this warp's part of a message, into counts[warp]. new_at(w) is the word w of the bitmap
 * of new vertices, may_at(w) that of those that may be new. All threads of the grid call it. */
template <class NEW, class MAY>
__device__ static inline void count_part(message_counts *counts, uint32_t words, const NEW &new_at, const MAY &may_at)
{
    const warp_chunks own = chunks_of_warp(words);
    unsigned ids = 0, bit_words = 0;
    for (uint32_t chunk = own.first; chunk < own.end; chunk++) {
        const uint32_t word = chunk * WARP + lane_id();
        ids += word < words ? __popc(new_at(word)) : 0;
        bit_words += words_of_bits(sum_lanes(word < words ? __popc(may_at(word)) : 0));
    }
    ids = sum_lanes(ids);
    if (lane_id() == 0)
        counts[warp_by_block()] = message_counts{ids, bit_words};
}

/* Returns the sums of two counts. */
__device__ static inline message_counts sum_of(const message_counts &a, const message_counts &b)
{
    return message_counts{a.ids + b.ids, a.bit_words + b.bit_words};
}

/* Adds the counts of all lanes of the warp to `sum`, in shared memory. */
__device__ static inline void add_of_warp(message_counts &sum, const message_counts &own)
{
    const message_counts of_warp = {sum_lanes(own.ids), sum_lanes(own.bit_words)};
    if (lane_id() == 0) {
        atomicAdd(&sum.ids, of_warp.ids);
        atomicAdd(&sum.bit_words, of_warp.bit_words);
    }
}

/* Returns the sums of the counts of all warps (.all) and of the warps before this one (.before), when all warps have stored theirs
 * (count_part) and met at a barrier of the grid. All threads of a block call it. */
template <class S> __device__ static inline message_sums sum_counts(S &s, const message_counts *counts)
{
    const uint32_t in_block = blockDim.x / WARP, first = blockIdx.x * in_block, warps = warps_of_grid();
    message_counts before = {0, 0}, all = {0, 0};
    __syncthreads();
    if (threadIdx.x == 0)
        s.sums_of_messages = message_sums{};
    __syncthreads();
    /* warps of other blocks, by shared memory */
    for (uint32_t i = threadIdx.x; i < warps; i += blockDim.x) {
        const volatile message_counts &of_warp = counts[i];
        const message_counts c = {of_warp.ids, of_warp.bit_words};
        all = sum_of(all, c);
        before = i < first ? sum_of(before, c) : before;
    }
    add_of_warp(s.sums_of_messages.all, all);
    add_of_warp(s.sums_of_messages.before, before);
    __syncthreads();
    /* warps of this block, by lanes */
    message_sums sums = s.sums_of_messages;
    const bool is_before = lane_id() < threadIdx.x / WARP;
    const volatile message_counts &other = counts[first + (is_before ? lane_id() : 0)];
    sums.before = sum_of(sums.before, message_counts{sum_lanes(is_before ? other.ids : 0),
                                                     sum_lanes(is_before ? other.bit_words : 0)});
    return sums;
}

/* ---- writing ---- */

/* Writes the ids of this warp's part of a message, from out[at] on. The ids of a chunk are collected in shared memory first: single
 * words written to memory of the host would take 1.25 ns each. */
template <class S, class NEW>
__device__ static inline void write_ids(uint32_t *out, uint32_t at, uint32_t words, const NEW &new_at)
{
    const warp_chunks own = chunks_of_warp(words);
    uint16_t *list = own_space<S>().pull.list;
    for (uint32_t chunk = own.first; chunk < own.end; chunk++) {
        const uint32_t word = chunk * WARP + lane_id();
        uint32_t bits = word < words ? new_at(word) : 0;
        const unsigned count = __popc(bits), before = warp_prefix(count),
                       all = __shfl_sync(ALL_LANES, before + count, WARP - 1);
        for (unsigned i = before; bits != 0; bits &= bits - 1)
            list[i++] = (uint16_t)(lane_id() * 32 + __ffs(bits) - 1);
        __syncwarp();
        for (unsigned i = lane_id(); i < all; i += WARP)
            out[at + i] = chunk * WARP * 32 + list[i];
        __syncwarp();
        at += all;
    }
}

/* Writes the bits of this warp's part of a message, from out[at] on. */
template <class S, class NEW, class MAY>
__device__ static inline void write_bits(uint32_t *out, uint32_t at, uint32_t words, const NEW &new_at, const MAY &may_at)
{
    const warp_chunks own = chunks_of_warp(words);
    uint32_t *packed = own_space<S>().pull.found;
    for (uint32_t chunk = own.first; chunk < own.end; chunk++) {
        const uint32_t word = chunk * WARP + lane_id(), may = word < words ? may_at(word) : 0;
        const uint32_t bits = may != 0 ? gather_bits(new_at(word), may) : 0;
        const unsigned count = __popc(may), before = warp_prefix(count),
                       length = words_of_bits(__shfl_sync(ALL_LANES, before + count, WARP - 1));
        packed[lane_id()] = 0;
        __syncwarp();
        if (bits != 0) {
            atomicOr(&packed[before / 32], bits << before % 32);
            if (before % 32 != 0 && bits >> (32 - before % 32) != 0)
                atomicOr(&packed[before / 32 + 1], bits >> (32 - before % 32));
        }
        __syncwarp();
        if (lane_id() < length)
            out[at + lane_id()] = packed[lane_id()];
        __syncwarp();
        at += length;
    }
}

/* Writes this block's part of a message, after count_part and a barrier of the grid. Returns the length of the message for the flag: its
 * bytes, plus MESSAGE_OF_BITS if it has bits. */
template <class S, class NEW, class MAY>
__device__ static inline unsigned write_message(S &s, uint32_t *out, const message_counts *counts, uint32_t words,
                                                const NEW &new_at, const MAY &may_at)
{
    const message_sums sums = sum_counts(s, counts);
    if (sums.all.ids < sums.all.bit_words) {
        write_ids<S>(out, sums.before.ids, words, new_at);
        return 4 * sums.all.ids;
    }
    write_bits<S>(out, sums.before.bit_words, words, new_at, may_at);
    return 4 * sums.all.bit_words + (sums.all.bit_words > 0 ? MESSAGE_OF_BITS : 0);
}

/* ---- reading ---- */

/* Takes in the ids of a message: sets their bits in `to`. All threads of the grid call it. */
__device__ static inline void take_ids(const uint32_t *in, uint32_t count, uint32_t *to, uint32_t words)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint32_t id = peek(in, i);
        if (id / 32 < words)
            atomicOr(&to[id / 32], 1u << (id % 32));
    }
}

/* Takes in the bits of this warp's part of a message, from in[at] on. */
template <class MAY>
__device__ static inline void take_bits(const uint32_t *in, uint32_t at, uint32_t *to, uint32_t words, const MAY &may_at)
{
    const warp_chunks own = chunks_of_warp(words);
    for (uint32_t chunk = own.first; chunk < own.end; chunk++) {
        const uint32_t word = chunk * WARP + lane_id(), may = word < words ? may_at(word) : 0;
        const unsigned count = __popc(may), before = warp_prefix(count),
                       length = words_of_bits(__shfl_sync(ALL_LANES, before + count, WARP - 1));
        const uint32_t packed = lane_id() < length ? peek(in, at + lane_id()) : 0;
        const uint32_t low = __shfl_sync(ALL_LANES, packed, before / 32 % WARP),
                       high = __shfl_sync(ALL_LANES, packed, (before / 32 + 1) % WARP);
        const uint32_t bits = before % 32 == 0 ? low : low >> before % 32 | high << (32 - before % 32);
        const uint32_t set = scatter_bits(count == 32 ? bits : bits & ((1u << count) - 1), may);
        if (set != 0)
            atomicOr(&to[word], set);
        at += length;
    }
}

/* Takes in a message, whose `length` came in the flag (write_message): sets bits in the bitmap `to` of `words` words. Other blocks may set
 * bits of `to` meanwhile, for the message before or after, by atomics too. may_at must not depend on such bits. All threads of the grid
 * call it. */
template <class S, class MAY>
__device__ static inline void take_message(S &s, const uint32_t *in, uint64_t length, uint32_t *to, uint32_t words,
                                           const MAY &may_at)
{
    note_read(s, 0, length / 4);
    if (!(length & MESSAGE_OF_BITS)) {
        take_ids(in, (uint32_t)(length / 4), to, words);
        return;
    }
    message_counts *counts = counts_of_message(s, ALL_FAR_PEERS);
    grid_barrier(s); /* the counts of the last message have been read */
    count_part(counts, words, [](uint32_t) { return 0u; }, may_at);
    grid_barrier(s);
    take_bits(in, sum_counts(s, counts).before.bit_words, to, words, may_at);
}

/* ---- the messages of a level ---- */

/* Returns the message to all GPUs that far peer i sent before the barrier that all have just left. */
template <class S> __device__ static inline const uint32_t *message_to_all(S &s, unsigned i)
{
    return s.joint.peer[i].all_in + (s.peers.barriers & 1) * s.joint.far.all_second;
}

/* Keeps the length of a message to far peer i, or to ALL_FAR_PEERS, for the next flags. */
template <class S> __device__ static inline void announce(S &s, unsigned i, unsigned length)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        s.message_length[i] = length;
}

/* Gives far GPUs the visited normals of this GPU that have nn edges, and enters a barrier of the GPUs, which take_visited leaves.
 * Until then the level may do what needs no visited normals of other shards. All threads of the grid call it. */
template <class S> __device__ static __noinline__ void tell_visited(S &s)
{
    const peers_far &far = s.joint.far;
    const uint32_t words = (uint32_t)s.of[NORMALS].words, *visited = s.of[NORMALS].visited;
    const uint32_t *own_sources = far.sources + (uint64_t)s.joint.shard[s.joint.own] * s.joint.columns.shard_words;
    const auto may_at = [&](uint32_t w) { return own_sources[w] & ~far.told[w]; };
    const auto new_at = [&](uint32_t w) { return visited[w] & may_at(w); };
    message_counts *counts = counts_of_message(s, ALL_FAR_PEERS);
    count_part(counts, words, new_at, may_at);
    grid_barrier(s);
    announce(s, ALL_FAR_PEERS, write_message(s, far.all_out, counts, words, new_at, may_at));
    grid_barrier(s);
    for (uint32_t w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x)
        far.told[w] |= new_at(w);
    add_counts(s); /* a barrier sends counts, and there are none yet in this level */
    enter_barrier(s, TALLY_FOUND, true /* in order behind the message */);
}

/* Gets the visited normals of far GPUs into joint.gathered, and waits for all blocks. All threads of the grid call it. */
template <class S> __device__ static __noinline__ void take_visited(S &s)
{
    const uint32_t *sources = s.joint.far.sources;
    leave_barrier(s, true);
    for (unsigned i = s.joint.near; i < s.joint.count; i++) {
        const uint64_t first = (uint64_t)s.joint.shard[i] * s.joint.columns.shard_words;
        uint32_t *gathered = s.joint.gathered + first;
        take_message(s, message_to_all(s, i), s.flags[i][PEERS_ALL], gathered, (uint32_t)s.joint.peer[i].words,
                     [sources, first, gathered](uint32_t w) { return sources[first + w] & ~gathered[w]; });
    }
    grid_barrier(s);
}

/* Returns the bitmap of the delegates that the messages of shard `shard` tell of in this step: after the first pull of dd those that it
 * owns; NULL: all. */
template <class S> __device__ static inline const uint32_t *told_delegates(S &s, peers_step step, uint32_t shard)
{
    return step == STEP_FIRST_PULL ? s.joint.far.owned + (uint64_t)shard * s.of[DELEGATES].words : NULL;
}

/* Returns word w of the delegates that may be new: those of the bitmap `chosen` (NULL: all) that are not visited. */
__device__ static inline uint32_t unvisited_of(const uint32_t *chosen, const uint32_t *visited, uint32_t w)
{
    return ~visited[w] & (chosen != NULL ? chosen[w] : ~0u);
}

/* Writes the messages of exchange_found, after all blocks have done their visits. All threads of the grid call it. */
template <class S> __device__ static __noinline__ void tell_found(S &s, peers_step step)
{
    const peers_far &far = s.joint.far;
    const bool sends_singles = s.peers.sends && (step == STEP_FIRST_PULL || !s.peers.in_parts);
    const uint32_t delegates = (uint32_t)s.of[DELEGATES].words;
    const uint32_t *found = s.joint.found[s.peers.buffer], *sent = s.joint.sent[s.peers.buffer],
                   *visited = s.of[DELEGATES].visited;
    const uint32_t *chosen = told_delegates(s, step, s.joint.shard[s.joint.own]);
    const auto may_at = [&](uint32_t w) { return unvisited_of(chosen, visited, w); };
    const auto new_at = [&](uint32_t w) { return found[w] & may_at(w) & ~far.known[w]; };
    const auto any = [](uint32_t) { return ~0u; };
    const auto sent_to = [&](unsigned i) {
        const uint32_t *of_shard = sent + (uint64_t)s.joint.shard[i] * s.joint.columns.shard_words;
        return [of_shard](uint32_t w) { return of_shard[w]; };
    };
    grid_barrier(s); /* visits are done, and counts of the last message were read */
    count_part(counts_of_message(s, ALL_FAR_PEERS), delegates, new_at, may_at);
    for (unsigned i = s.joint.near; sends_singles && i < s.joint.count; i++)
        count_part(counts_of_message(s, i), (uint32_t)s.joint.peer[i].words, sent_to(i), any);
    grid_barrier(s);
    announce(s, ALL_FAR_PEERS, write_message(s, far.all_out, counts_of_message(s, ALL_FAR_PEERS), delegates, new_at, may_at));
    for (unsigned i = s.joint.near; sends_singles && i < s.joint.count; i++)
        announce(s, i, write_message(s, s.joint.peer[i].single_out, counts_of_message(s, i), (uint32_t)s.joint.peer[i].words,
                                     sent_to(i), any));
}

/* Takes in the messages of exchange_found, and waits for all blocks. If a second part of a pull of dd follows, what this GPU has
 * told is known then, too, and is not told again. */
template <class S> __device__ static __noinline__ void take_found(S &s, peers_step step)
{
    const peers_far &far = s.joint.far;
    const uint32_t delegates = (uint32_t)s.of[DELEGATES].words, normals = (uint32_t)s.of[NORMALS].words;
    const uint32_t *visited = s.of[DELEGATES].visited;
    for (unsigned i = s.joint.near; i < s.joint.count; i++) {
        const uint32_t *chosen = told_delegates(s, step, s.joint.shard[i]);
        take_message(s, message_to_all(s, i), s.flags[i][PEERS_ALL], far.known, delegates,
                     [chosen, visited](uint32_t w) { return unvisited_of(chosen, visited, w); });
        take_message(s, s.joint.peer[i].single_in, s.flags[i][PEERS_SINGLE], far.reached, normals, [](uint32_t) { return ~0u; });
    }
    const uint32_t *own = told_delegates(s, step, s.joint.shard[s.joint.own]);
    for (uint32_t w = blockIdx.x * blockDim.x + threadIdx.x; own != NULL && w < delegates; w += gridDim.x * blockDim.x) {
        const uint32_t found = s.joint.found[s.peers.buffer][w] & own[w];
        if (found != 0)
            atomicOr(&far.known[w], found);
    }
    grid_barrier(s);
}

/* Ends visits by a barrier of the GPUs, before which they tell each other what they found. Near peers read it in memory, far ones
 * get messages. All threads of the grid call it. */
template <class S> __device__ static inline void exchange_found(S &s, peers_step step)
{
    if (has_far_peers(s.joint))
        tell_found(s, step);
    search_barrier(s);
    if (has_far_peers(s.joint))
        take_found(s, step);
}

#endif

/* cuda_peers_dense.cuh: dense levels of several GPUs that search together (cuda_peers.h)
 *
 * Peers are the GPUs that search the other shards of the graph. They read from two bitmaps what a GPU has found: delegates from
 * `found`, and normals of all shards from `sent`. A pair of these bitmaps is a buffer. There are two buffers: a dense level writes
 * one of them and clears the other.
 */
#ifndef DBFS_CUDA_PEERS_DENSE_CUH
#define DBFS_CUDA_PEERS_DENSE_CUH

#include "cuda_fused_choose.cuh"
#include "cuda_peers_messages.cuh"

/* ---- visits ---- */

/* Puts the visited bits of the normals of all shards into joint.gathered, where pulls of nn look them up, and waits for all
 * blocks. Bits of near peers are copied from their memory, unless the level before was dense, which has already written the bits
 * of its new frontier there. Bits of older vertices may then be missing, but all neighbours of these are visited. Bits of far
 * peers come by messages, for which take_visited waits later. Does nothing if nn is not pulled. All threads of the grid call it. */
template <class S> __device__ static void gather_for_pulls(S &s)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    uint64_t words = 0;
    if (!s.block.choice.pull[NN])
        return;
    if (has_far_peers(s.joint))
        tell_visited(s);
    if (s.peers.gathered)
        return;
    for (unsigned i = 0; i < s.joint.near; i++) {
        const gpu_fused_peer &peer = s.joint.peer[i];
        uint32_t *to = s.joint.gathered + (uint64_t)s.joint.shard[i] * s.joint.columns.shard_words;
        for (uint64_t w = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; w < peer.words; w += threads)
            to[w] = peek(peer.visited, w);
        words += i != s.joint.own ? peer.words : 0;
    }
    note_read(s, 0, words);
    grid_barrier(s);
}

/* Lets delegates of the bitmap `rows` look for parents in their rows of subgraph g, if they are not visited and no GPU has
 * found them in this level. A delegate that finds a parent gets its bit in `next`. Pieces of long rows are appended to `cut`.
 * All threads of the grid call it. Not inlined, so that both calls of it share one copy of the code. */
template <class S> __device__ static __noinline__ void pull_unfound(S &s, int g, const uint32_t *rows, const cut_list &cut)
{
    const pulling q = start_pulling<S::together>(s, g);
    const uint32_t words = (uint32_t)s.of[DELEGATES].words, warps = warps_of_grid(),
                   span = span_of(words, SPANS_A_WARP * warps, WARP);
    for (uint32_t base = warp_of_grid() * span; base < words; base += warps * span) {
        const uint32_t word = base + lane_id();
        uint32_t todo = 0;
        if (lane_id() < span && word < words)
            todo = rows[word] & ~q.visited[word];
        if (todo != 0)
            todo &= ~found_delegates(s.joint, s.peers.buffer, word);
        pull_words(s, q, base, todo, cut);
    }
}

/* Ends the visits of a dense level by a barrier of the GPUs. If dd is pulled in two parts, this barrier ends the first part.
 * Then the second part is done here, and another barrier ends it. All threads of the grid call it.
 *
 * The second part is for delegates that no GPU has found in the first part. Shards that do not own such a delegate look for a
 * parent in its row of dd. If the level pulls along nd, all shards also look in its row of dn. Few such delegates are left, as
 * all edges of a delegate to delegates of higher degree are on the shard that owns it. */
template <class S> __device__ static void finish_parts(S &s, const cut_list &cut)
{
    exchange_found(s, s.peers.in_parts ? STEP_FIRST_PULL : STEP_FOUND);
    if (!s.peers.in_parts)
        return;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *cut.count = 0; /* the pieces of the first part are done, so the list is emptied for the second part */
    grid_barrier(s);
    pull_unfound(s, DD, s.joint.dd_others, cut);
    if (s.block.choice.pull[ND] && s.pulled[DN].edges != 0)
        pull_unfound(s, DN, s.pulled[DN].wanted, cut);
    note_pulled(s.notes);
    finish_pieces(s, cut);
    exchange_found(s, STEP_FOUND);
}

/* ---- previsit ---- */

/* Returns which vertices of a bitmap word were found in this level: in `next` the delegates that any GPU found, or the normals
 * that this GPU found, and in `sent` the normals of this shard that pushes of nn on any GPU found. Other members are 0. */
template <class S> __device__ static inline found_word found_by_all(S &s, int kind, uint32_t word)
{
    if (kind == DELEGATES)
        return found_word{found_delegates(s.joint, s.peers.buffer, word), 0, 0, 0, 0};
    uint32_t sent = 0;
    if (s.peers.sends) {
        const uint64_t at = (uint64_t)s.joint.shard[s.joint.own] * s.joint.columns.shard_words + word;
        for (unsigned i = 0; i < s.joint.near; i++)
            sent |= peek(s.joint.peer[i].sent[s.peers.buffer], at);
        if (has_far_peers(s.joint))
            sent |= s.joint.far.reached[word];
    }
    return found_word{s.of[NORMALS].next[word], sent, 0, 0, 0};
}

/* Does the part of a previsit that only several GPUs need, for one word of vertices of each lane. `in` is false if the lane has
 * no word. What far peers have told of the word is cleared. For delegates, it clears the word in the other buffer's bitmap
 * `found`, which peers do not read now. For normals:
 * - It clears the word of the bitmap `next`, which has vertices that this GPU itself has found.
 * - If the word has new vertices (`fresh`), it writes the word's visited normals to all peers that pull nn. The peers see them
 *   after the next barrier.
 * - New normals that only pushes of nn have found (`sent`) get the parent REMOTE_PARENT. Their parents are found after the search.
 * All lanes of the warp call it. */
template <class S>
__device__ static inline void share_word(S &s, int kind, uint32_t base, bool in, uint32_t next, uint32_t visited,
                                         uint32_t fresh, uint32_t sent)
{
    const uint32_t word = base + lane_id();
    if (in && has_far_peers(s.joint) && (kind == DELEGATES || s.peers.sends))
        (kind == DELEGATES ? s.joint.far.known : s.joint.far.reached)[word] = 0;
    if (kind == DELEGATES) {
        if (in)
            s.joint.found[s.peers.buffer ^ 1][word] = 0;
        return;
    }
    if (next != 0)
        s.of[NORMALS].next[word] = 0;
    for (unsigned i = 0; fresh != 0 && i < s.joint.near; i++) {
        if (s.joint.peer[i].gathered != NULL)
            s.joint.peer[i].gathered[word] = visited;
    }
    if (s.of[NORMALS].parent != NULL)
        fill(s.of[NORMALS].parent, base, fresh & sent, REMOTE_PARENT);
}

/* ---- buffers ---- */

/* Clears the bitmap `sent` of the dense level before, if it has vertices. All peers have read it by now. Also adds the words
 * that the previsit has read from peers to the note of the level. All threads of the grid call it. */
template <class S> __device__ static inline void clear_sent_before(S &s)
{
    if (s.peers.sent_before)
        clear_columns(s.joint, s.joint.sent[s.peers.buffer ^ 1]);
    note_read(s, 0,
              (s.joint.near - 1) * (s.of[DELEGATES].words + (s.peers.sends ? s.of[NORMALS].words : 0)));
}

/* Adds to the note of the level how many words of visited normals this GPU has written to peers (an upper bound). All threads
 * call it after the barrier of the previsit. This code is not in swap_buffers, because there it would cost the kernel
 * registers. */
template <class S> __device__ static inline void note_shared(S &s)
{
    const unsigned long long fresh = s.flags[s.joint.own][PEERS_FOUND + FUSED_FRESH];
    note_read(s, 0,
              (s.joint.near - 1) * min(fresh, (unsigned long long)s.of[NORMALS].words));
}

/* Makes the next dense level write the other buffer (bitmaps `found` and `sent`), which peers do not read now. Sets
 * s.peers.gathered, as all peers have the visited bits of the frontier's normals. One thread of each block calls it at the end
 * of a dense level. */
template <class S> __device__ static void swap_buffers(S &s)
{
    s.peers.sent_before = s.peers.sends;
    s.peers.sends = false;
    s.peers.buffer ^= 1;
    s.peers.gathered = true;
    s.of[DELEGATES].next = s.joint.found[s.peers.buffer];
    s.of[FUSED_COLUMNS].next = s.joint.sent[s.peers.buffer];
}

#endif

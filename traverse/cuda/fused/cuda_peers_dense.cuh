/* cuda_peers_dense.cuh: dense levels of several GPUs that search together
 *
 * cuda_peers.h describes these levels. A peer is another GPU that searches a shard of the same graph. Each dense level
 * writes one of two buffers, the bitmaps `found` and `sent`, while the other one is cleared. */
#ifndef DBFS_CUDA_PEERS_DENSE_CUH
#define DBFS_CUDA_PEERS_DENSE_CUH

#include "cuda_fused_choose.cuh"

/* ---- visits ---- */

/* Copies the visited normals of all shards from the memory of the peers to joint.gathered, where pulls of nn look them
 * up, and waits for all blocks. Does nothing if the level does not pull nn, or if peers have written these bits here
 * already, as they do in dense levels. Vertices visited before the last level may be missing, as their neighbours are all
 * visited. All threads of the grid call it. */
template <class S> __device__ static void gather_for_pulls(S &s)
{
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    uint64_t words = 0;
    if (!s.block.choice.pull[NN] || s.peers.gathered)
        return;
    for (unsigned i = 0; i < s.joint.count; i++) {
        const gpu_fused_peer &peer = s.joint.peer[i];
        uint32_t *to = s.joint.gathered + (uint64_t)s.joint.shard[i] * s.joint.columns.shard_words;
        for (uint64_t w = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; w < peer.words; w += threads)
            to[w] = peek(peer.visited, w);
        words += i != s.joint.own ? peer.words : 0;
    }
    note_read(s, 0, words);
    grid_barrier(s);
}

/* Lets delegates look for parents in their rows of subgraph g: those of the bitmap `rows` that are not visited and that
 * no GPU has found in this level. Those that find a parent join `next`; pieces of long rows are appended to `cut`. All
 * threads of the grid call it. Not inlined, so that its two calls share one copy. */
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

/* Ends the visits of a dense level of several GPUs by a barrier of the GPUs. If the level is done in two parts, does the
 * second part behind this barrier, and ends it by another one. The second part pulls dd's rows of delegates that other
 * shards own and, if the level pulls nd's edges, all wanted rows of dn. It leaves out delegates that any GPU has found,
 * which are most of them: their owners have all their edges to delegates of higher degree. All threads of the grid call
 * it. */
template <class S> __device__ static void finish_parts(S &s, const cut_list &cut)
{
    search_barrier(s);
    if (!s.peers.in_parts)
        return;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *cut.count = 0; /* the pieces of the first part are done: the list begins anew */
    grid_barrier(s);
    pull_unfound(s, DD, s.joint.dd_others, cut);
    if (s.block.choice.pull[ND] && s.pulled[DN].edges != 0)
        pull_unfound(s, DN, s.pulled[DN].wanted, cut);
    note_pulled(s.notes);
    finish_pieces(s, cut);
    search_barrier(s);
}

/* ---- previsit ---- */

/* Returns the vertices of a word that were found in this level. For delegates: by any GPU (`next`). For normals: by this
 * GPU (`next`), and by pushes of nn on any GPU (`sent`). Other members are 0. */
template <class S> __device__ static inline found_word found_by_all(S &s, int kind, uint32_t word)
{
    if (kind == DELEGATES)
        return found_word{found_delegates(s.joint, s.peers.buffer, word), 0, 0, 0, 0};
    uint32_t sent = 0;
    if (s.peers.sends) {
        const uint64_t at = (uint64_t)s.joint.shard[s.joint.own] * s.joint.columns.shard_words + word;
        for (unsigned i = 0; i < s.joint.count; i++)
            sent |= peek(s.joint.peer[i].sent[s.peers.buffer], at);
    }
    return found_word{s.of[NORMALS].next[word], sent, 0, 0, 0};
}

/* Does what a previsit of several GPUs does with a word besides visiting its vertices. Clears the word of found vertices
 * for the next level; of delegates, in the bitmap `found` that peers do not read now. Writes the visited normals of the
 * word to all peers that pull nn, which see them after the next barrier. A new normal that only pushes of nn found
 * (`fresh` and `sent`) gets REMOTE_PARENT: its parent is asked for after the search. `in`: the lane has a word. `next`:
 * what this GPU found in it. All lanes of the warp call it. */
template <class S>
__device__ static inline void share_word(S &s, int kind, uint32_t base, bool in, uint32_t next, uint32_t visited,
                                         uint32_t fresh, uint32_t sent)
{
    const uint32_t word = base + lane_id();
    if (kind == DELEGATES) {
        if (in)
            s.joint.found[s.peers.buffer ^ 1][word] = 0;
        return;
    }
    if (next != 0)
        s.of[NORMALS].next[word] = 0;
    for (unsigned i = 0; fresh != 0 && i < s.joint.count; i++) {
        if (s.joint.peer[i].gathered != NULL)
            s.joint.peer[i].gathered[word] = visited;
    }
    if (s.of[NORMALS].parent != NULL)
        fill(s.of[NORMALS].parent, base, fresh & sent, REMOTE_PARENT);
}

/* ---- buffers ---- */

/* Clears the bitmap `sent` of the dense level before, which all peers have read, if pushes of nn wrote it. Also adds the
 * words that the previsit has read from peers to the note of the level. All threads of the grid call it. */
template <class S> __device__ static inline void clear_sent_before(S &s)
{
    if (s.peers.sent_before)
        clear_columns(s.joint, s.joint.sent[s.peers.buffer ^ 1]);
    note_read(s, 0,
              (s.joint.count - 1) * (s.of[DELEGATES].words + (s.peers.sends ? s.of[NORMALS].words : 0)));
}

/* Adds to the note of the level at most how many words of visited normals this GPU has written to its peers. All threads
 * call it after the barrier of the previsit. By one thread, in swap_buffers, it would cost the kernel registers. */
template <class S> __device__ static inline void note_shared(S &s)
{
    const unsigned long long fresh = s.flags[s.joint.own][PEERS_FOUND + FUSED_FRESH];
    note_read(s, 0,
              (s.joint.count - 1) * min(fresh, (unsigned long long)s.of[NORMALS].words));
}

/* Lets the next dense level write the other buffer, which peers do not read now: the bitmaps `found` and `sent`. Notes
 * that peers have the visited normals of this frontier (s.peers.gathered). One thread of a block calls it at the end of a
 * dense level. */
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

/* cuda_peers_masks.cuh: levels by masks of GPUs that search together; see cuda_peers.h */
#ifndef DBFS_CUDA_GROUP_MASKS_CUH
#define DBFS_CUDA_GROUP_MASKS_CUH

#include "cuda_fused_choose.cuh"

/* ---- visits ---- */

/* Rows look for a parent, except those of delegates that any GPU has found. */
template <class S> __device__ static void pull_unfound(S &s, int g, const uint32_t *rows, const cut_list &cut)
{
    const pulling q = start_pulling(s, g);
    const uint32_t words = (uint32_t)s.of[DELEGATES].words, warps = warps_of_grid(),
                   span = span_of(words, SPANS_A_WARP * warps, WARP);
    for (uint32_t base = warp_of_grid() * span; base < words; base += warps * span) {
        const uint32_t word = base + lane_id();
        uint32_t todo = 0;
        if (lane_id() < span && word < words)
            todo = rows[word] & ~q.visited[word];
        if (todo != 0)
            todo &= ~found_delegates(s, word);
        pull_words(s, q, base, todo, cut);
    }
}

/* Counts the pieces of the second part from zero: those of the first part are finished. */
__device__ static void restart_cut(const cut_list &cut)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *cut.count = 0;
}

/* Gathers the normals that all peers have visited, which pulls of nn look up. */
template <class S> __device__ static void gather_for_pulls(S &s)
{
    if (s.block.choice.pull[NN] && !s.meeting.gathered) {
        gather_visited(s);
        note_read(s, 0, words_of_peers(s));
        barrier(s);
    }
}

/* The GPUs meet when rows are visited. In two parts, dd's rows of delegates that other GPUs own, and all of dn, come
 * after this meeting. By then most of these delegates are found: their owners have all edges to delegates of higher
 * degree. */
template <class S> __device__ static void finish_parts(S &s, const cut_list &cut)
{
    peers_barrier(s);
    if (!s.meeting.in_parts)
        return;
    restart_cut(cut);
    barrier(s);
    pull_unfound(s, DD, s.joint.dd_others, cut);
    if (s.block.choice.pull[ND] && has_pulled(s, DN))
        pull_unfound(s, DN, s.pulled[DN].wanted, cut);
    note_pulled(s);
    finish_pieces(s, cut);
    peers_barrier(s);
}

/* ---- previsit ---- */

/* The vertices of a word that this GPU and its peers have found. */
template <class S> __device__ static inline found_word found_by_all(S &s, int kind, uint32_t word)
{
    if (kind == DELEGATES)
        return found_word{found_delegates(s, word), 0, 0, 0, 0};
    return found_word{s.of[NORMALS].next[word], s.meeting.sends ? found_normals(s, word) : 0, 0, 0, 0};
}

/* Clears a word for the next level. Its mask of delegates is not the one that peers read now. */
template <class S> __device__ static inline void clear_found(S &s, int kind, uint32_t word, bool in, uint32_t next)
{
    if (in && kind == DELEGATES)
        s.joint.found[s.meeting.buffer ^ 1][word] = 0;
    if (kind == NORMALS && next != 0)
        s.of[NORMALS].next[word] = 0;
}

/* Writes visited normals to peers that pull nn. Parents of vertices that peers sent are asked for
 * after the search. */
template <class S>
__device__ static inline void share_fresh(S &s, int kind, uint32_t base, uint32_t visited, uint32_t fresh, uint32_t sent)
{
    if (kind != NORMALS)
        return;
    if (fresh != 0)
        share_visited(s, base + lane_id(), visited);
    if (s.of[NORMALS].parent != NULL)
        fill(s.of[NORMALS].parent, base, fresh & sent, REMOTE_PARENT);
}

/* ---- buffers ---- */

/* A bound on the words of visited normals that this GPU has written to each peer. */
template <class S> __device__ static inline unsigned long long most_words_shared(S &s)
{
    return min(s.signals[s.joint.own][PEERS_FOUND + FUSED_FRESH], (unsigned long long)s.of[NORMALS].words);
}

/* Clears the mask that nn's pushes sent in the level before: all peers have read it. */
template <class S> __device__ static inline void clear_sent_before(S &s)
{
    if (s.meeting.sent_before)
        clear_columns(s, s.joint.sent[s.meeting.buffer ^ 1]);
    note_read(s, 0, (s.joint.peers - 1) * (s.of[DELEGATES].words + (s.meeting.sends ? s.of[NORMALS].words : 0)));
}

/* By one thread, when a frontier is made: lets the next level by masks write the other buffer,
 * which peers do not read now. */
template <class S> __device__ static void turn_buffers(S &s)
{
    s.meeting.sent_before = s.meeting.sends;
    s.meeting.sends = false;
    s.meeting.buffer ^= 1;
    s.meeting.gathered = true;
    s.of[DELEGATES].next = s.joint.found[s.meeting.buffer];
    s.of[FUSED_COLUMNS].next = s.joint.sent[s.meeting.buffer];
}

#endif

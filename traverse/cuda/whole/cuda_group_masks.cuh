/* cuda_group_masks.cuh: levels by masks of GPUs that search together; see cuda_group.h */
#ifndef DBFS_CUDA_GROUP_MASKS_CUH
#define DBFS_CUDA_GROUP_MASKS_CUH

#include "cuda_whole_choose.cuh"

/* ---- visits ---- */

/* Rows that look for a parent, except those of delegates that any GPU has found. */
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

/* The pieces of the first part are finished; those of the second one are counted from zero. */
__device__ static void restart_cut(const cut_list &cut)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *cut.count = 0;
}

/* Pulls of nn look up the normals that all peers have visited. */
template <class S> __device__ static void gather_for_pulls(S &s)
{
    if (s.block.choice.pull[NN] && !s.meeting.gathered) {
        gather_visited(s);
        note_read(s, 0, words_of_peers(s));
        barrier(s);
    }
}

/* Rows are visited, and the GPUs meet. In two parts: the rows of dd whose owners are other GPUs, and all of dn, wait
 * for that. Most of these delegates are found then: their owners have all edges to delegates of higher degree. */
template <class S> __device__ static void finish_parts(S &s, const cut_list &cut)
{
    meet_all(s);
    if (!s.meeting.in_parts)
        return;
    restart_cut(cut);
    barrier(s);
    pull_unfound(s, DD, s.group.dd_others, cut);
    if (s.block.choice.pull[ND])
        pull_unfound(s, DN, s.csr[DN].wanted, cut);
    note_pulled(s);
    finish_pieces(s, cut);
    meet_all(s);
}

/* ---- previsit ---- */

/* What this GPU and its peers have found in a word. */
template <class S> __device__ static inline found_word found_by_all(S &s, int kind, uint32_t word)
{
    if (kind == DELEGATES)
        return found_word{found_delegates(s, word), 0, 0, 0, 0};
    return found_word{s.of[NORMALS].next[word], s.meeting.sends ? found_normals(s, word) : 0, 0, 0, 0};
}

/* Masks of the next level. That of delegates is not the one that peers read now. */
template <class S> __device__ static inline void clear_found(S &s, int kind, uint32_t word, bool in, uint32_t next)
{
    if (in && kind == DELEGATES)
        s.group.found[s.meeting.buffer ^ 1][word] = 0;
    if (kind == NORMALS && next != 0)
        s.of[NORMALS].next[word] = 0;
}

/* Peers that pull nn know what is visited. Who sent a vertex is asked after the search. */
template <class S>
__device__ static inline void tell_fresh(S &s, int kind, uint32_t base, uint32_t visited, uint32_t fresh, uint32_t sent)
{
    if (kind != NORMALS)
        return;
    if (fresh != 0)
        tell_visited(s, base + lane_id(), visited);
    if (s.of[NORMALS].parent != NULL)
        fill(s.of[NORMALS].parent, base, fresh & sent, REMOTE_PARENT);
}

/* ---- buffers ---- */

/* How many words of visited normals this GPU has written to each peer, at most. */
template <class S> __device__ static inline unsigned long long most_words_told(S &s)
{
    return min(s.letters[s.group.own][GROUP_FOUND + WHOLE_FRESH], (unsigned long long)s.of[NORMALS].words);
}

/* What nn's pushes sent in the level before has been read by all peers. */
template <class S> __device__ static inline void clear_sent_before(S &s)
{
    if (s.meeting.sent_before)
        clear_columns(s, s.group.sent[s.meeting.buffer ^ 1]);
    note_read(s, 0, (s.group.peers - 1) * (s.of[DELEGATES].words + (s.meeting.sends ? s.of[NORMALS].words : 0)));
}

/* By one thread, when a frontier is made: the next level by masks writes the other buffer, which its peers do not
 * read now. */
template <class S> __device__ static void turn_buffers(S &s)
{
    s.meeting.sent_before = s.meeting.sends;
    s.meeting.sends = false;
    s.meeting.buffer ^= 1;
    s.meeting.gathered = true;
    s.of[DELEGATES].next = s.group.found[s.meeting.buffer];
    s.of[WHOLE_COLUMNS].next = s.group.sent[s.meeting.buffer];
}

#endif

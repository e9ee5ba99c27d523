/* cuda_group_masks.cuh: levels by masks of GPUs that search together; see cuda_group.h */
#ifndef DBFS_CUDA_GROUP_MASKS_CUH
#define DBFS_CUDA_GROUP_MASKS_CUH

#include "cuda_group_state.cuh"

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

/* The pieces of long rows, and then all is visited. Few levels have any. */
template <class S> __device__ static void finish_pieces(S &s, const cut_list &cut)
{
    barrier(s);
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0)
        finish_cut(s, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
}

/* The pieces of the first part are finished; those of the second one are counted from zero. */
__device__ static void restart_cut(const cut_list &cut)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *cut.count = 0;
}

/* In two parts: the rows of dd whose owners are other GPUs, and all of dn, wait until the GPUs have met. Most of these
 * delegates are found then: their owners have all edges to delegates of higher degree. */
template <class S> __device__ static void visit_by_masks(S &s)
{
    const cut_list cut = {s.list[s.block.now.list ^ 1], &s.state->counts[s.block.now.turn].cut};
    begin_turn(s);
    if (s.block.choice.pull[NN] && !s.meeting.gathered) {
        gather_visited(s);
        note_read(s, 0, words_of_peers(s));
        barrier(s);
    }
    pull_all(s, warp_of_grid(), warps_of_grid(), cut);
    note_pulled(s);
    push_all(s, cut, warp_of_grid(), warps_of_grid());
    finish_pieces(s, cut);
    count_block(s);
    meet(s, GROUP_FOUND_NOW, true);
    if (!s.meeting.in_parts)
        return;
    restart_cut(cut);
    barrier(s);
    pull_unfound(s, DD, s.group.dd_others, cut);
    if (s.block.choice.pull[ND])
        pull_unfound(s, DN, s.csr[DN].wanted, cut);
    note_pulled(s);
    finish_pieces(s, cut);
    count_block(s);
    meet(s, GROUP_FOUND_NOW, true);
}

/* ---- previsit ---- */

/* What a previsit reads of a word of the masks. It is asked for early, as some of it lies in the memory of peers. */
struct found_word {
    uint32_t next, sent;              /* found by this GPU; of normals, by its peers */
    uint32_t visited, in_one, in_two; /* where much is found */
};

/* A word a lane of span i. */
template <class S> __device__ static inline found_word ask_for_span(S &s, const previsit_spans &all, uint32_t i)
{
    const previsit_place at = place_of_span(all, i);
    const uint32_t word = at.base + lane_id();
    found_word w = {0, 0, 0, 0, 0};
    if (i >= all.count || lane_id() >= all.size || word >= s.of[at.kind].words)
        return w;
    if (at.kind == DELEGATES) {
        w.next = found_delegates(s, word);
    } else {
        w.next = s.of[NORMALS].next[word];
        w.sent = s.meeting.sends ? found_normals(s, word) : 0;
    }
    if (s.block.dense) {
        w.visited = s.of[at.kind].visited[word];
        read_sources(s, at.kind, word, w.in_one, w.in_two);
    }
    return w;
}

/* What was found in a span becomes the frontier. Returns what is fresh, of the lane's word. */
template <class S>
__device__ static inline uint32_t join_frontier(S &s, int kind, uint32_t base, uint32_t span, found_word &w)
{
    const gpu_vertices &v = s.of[kind];
    const uint32_t word = base + lane_id();
    const bool in = lane_id() < span && word < v.words;
    if (in && kind == DELEGATES)
        s.group.found[s.meeting.buffer ^ 1][word] = 0;
    if (!s.block.dense && (w.next | w.sent) != 0) {
        w.visited = v.visited[word];
        read_sources(s, kind, word, w.in_one, w.in_two);
    }
    if (kind == NORMALS && w.next != 0)
        v.next[word] = 0;
    const uint32_t sent = w.sent & ~w.next, fresh = (w.next | sent) & ~w.visited;
    if (in)
        frontier_mask(s, kind, s.block.kept + 1)[word] = fresh;
    if (fresh != 0) {
        v.visited[word] = w.visited | fresh;
        if (kind == NORMALS)
            tell_visited(s, word, w.visited | fresh);
    }
    if (kind == NORMALS && v.parent != NULL)
        fill(v.parent, base, fresh & sent, REMOTE_PARENT);
    if (s.block.kept >= s.keeps)
        fill(v.depth, base, fresh, s.block.target.depth);
    return fresh;
}

/* The fresh vertices of a span, and about how many edges they have. */
template <class S>
__device__ static inline void count_fresh(S &s, int kind, uint32_t base, uint32_t span, uint32_t fresh, found_word &w,
                                          uint64_t edges)
{
    const uint32_t word = base + lane_id();
    if (!__any_sync(ALL_LANES, fresh != 0))
        return;
    if (!s.block.dense && lane_id() < span && word < s.of[kind].words) /* the means want all rows */
        read_sources(s, kind, word, w.in_one, w.in_two);
    const unsigned count = sum_lanes(__popc(fresh));
    if (lane_id() == 0)
        own_space(s).count[SOLO_FRESH] += count; /* delegates on all GPUs: the sum is for the end of the search */
    count_span(s, kind << 1 | 1, fresh, w.in_two, __shfl_sync(ALL_LANES, edges, 1));
    count_span(s, kind << 1, fresh, w.in_one, __shfl_sync(ALL_LANES, edges, 0));
}

/* A span is asked for while the one before it is at work. */
template <class S> __device__ static void make_frontier(S &s)
{
    const uint32_t warp = warp_of_grid(), warps = warps_of_grid();
    const previsit_spans all = lay_out_previsit(s, warps);
    found_word asked = ask_for_span(s, all, warp);
    for (uint32_t i = warp; i < all.count; i += warps) {
        const previsit_place at = place_of_span(all, i);
        const uint32_t words = (uint32_t)s.of[at.kind].words,
                       end = at.base + all.size < words ? at.base + all.size : words;
        const gpu_csr &one = s.csr[at.kind << 1], &two = s.csr[at.kind << 1 | 1];
        const uint64_t edges = lane_id() < 2 ? edges_between(lane_id() ? two : one, at.base, end) : 0;
        found_word now = asked;
        asked = ask_for_span(s, all, i + warps);
        const uint32_t fresh = join_frontier(s, at.kind, at.base, all.size, now);
        count_fresh(s, at.kind, at.base, all.size, fresh, now, edges);
    }
}

/* The same, where the next level certainly goes by lists: fresh vertices are listed, which counts them, too. Not
 * inlined: other levels would have fewer registers. */
template <class S> __device__ static __noinline__ void make_listed_frontier(S &s)
{
    const uint32_t warp = warp_of_grid(), warps = warps_of_grid();
    const previsit_spans all = lay_out_previsit(s, warps);
    found_word asked = ask_for_span(s, all, warp);
    for (uint32_t i = warp; i < all.count; i += warps) {
        const previsit_place at = place_of_span(all, i);
        found_word now = asked;
        asked = ask_for_span(s, all, i + warps);
        const uint32_t fresh = join_frontier(s, at.kind, at.base, all.size, now);
        if (__any_sync(ALL_LANES, fresh != 0))
            list_words(s, at.kind, at.base, fresh);
    }
}

/* How many words of visited normals this GPU has written to each peer, at most. */
template <class S> __device__ static inline unsigned long long most_words_told(S &s)
{
    return min(s.letters[s.group.own][GROUP_FOUND + SOLO_FRESH], (unsigned long long)s.of[NORMALS].words);
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
    s.of[SOLO_COLUMNS].next = s.group.sent[s.meeting.buffer];
    s.block.kept++;
}

template <class S> __device__ static void run_masks(S &s)
{
    visit_by_masks(s);
    note_time(s.notes, s.block.now.depth, SOLO_VISITED);
    if (s.planned.lists_next)
        make_listed_frontier(s);
    else
        make_frontier(s);
    if (s.meeting.sent_before) /* all peers have read it */
        clear_columns(s, s.group.sent[s.meeting.buffer ^ 1]);
    note_read(s, 0, (s.group.peers - 1) * (s.of[DELEGATES].words + (s.meeting.sends ? s.of[NORMALS].words : 0)));
    count_block(s);
    meet(s, GROUP_FOUND_NOW, true);
    note_read(s, 0, (s.group.peers - 1) * most_words_told(s));
    if (threadIdx.x == 0) {
        if (s.block.kept < s.keeps && blockIdx.x == 0)
            s.state->kept_depth[s.block.kept] = s.block.target.depth;
        turn_buffers(s);
    }
    end_level(s, s.planned.lists_next);
}

#endif

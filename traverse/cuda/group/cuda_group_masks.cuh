/* cuda_group_masks.cuh: levels by masks of GPUs that search together; see cuda_group.h */
#ifndef DBFS_CUDA_GROUP_MASKS_CUH
#define DBFS_CUDA_GROUP_MASKS_CUH

#include "cuda_group_state.cuh"

/* ---- visits ---- */

/* Rows that look for a parent, except those of delegates that any GPU has found. */
__device__ static void pull_unfound(int g, const uint32_t *rows, const cut_list &cut)
{
    const pulling q = start_pulling(g);
    const uint32_t words = (uint32_t)search.of[DELEGATES].words, warps = warps_of_grid(),
                   span = span_of(words, SPANS_A_WARP * warps, WARP);
    for (uint32_t base = warp_of_grid() * span; base < words; base += warps * span) {
        const uint32_t word = base + lane_id();
        uint32_t todo = 0;
        if (lane_id() < span && word < words)
            todo = rows[word] & ~q.visited[word];
        if (todo != 0)
            todo &= ~found_delegates(word);
        pull_words(q, base, todo, cut);
    }
}

/* The pieces of long rows, and then all is visited. Few levels have any. */
__device__ static void finish_pieces(const cut_list &cut)
{
    barrier();
    const unsigned pieces = *(volatile unsigned *)cut.count;
    if (pieces > 0)
        finish_cut(block.target, cut.pieces, pieces, warp_of_grid(), warps_of_grid());
}

/* The pieces of the first part are finished; those of the second one are counted from zero. */
__device__ static void restart_cut(const cut_list &cut)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *cut.count = 0;
}

/* In two parts: the rows of dd whose owners are other GPUs, and all of dn, wait until the GPUs have met. Most of these
 * delegates are found then: their owners have all edges to delegates of higher degree. */
__device__ static void visit_by_masks()
{
    const cut_list cut = {search.list[block.now.list ^ 1],
                          &search.state->counts[block.now.turn].cut};
    begin_turn();
    if (block.choice.pull[NN] && !meeting.gathered) {
        gather_visited();
        note_read(0, words_of_peers());
        barrier();
    }
    pull_all(warp_of_grid(), warps_of_grid(), cut);
    note_pulled();
    push_all(cut, warp_of_grid(), warps_of_grid());
    finish_pieces(cut);
    count_block();
    meet(GROUP_FOUND_NOW, true);
    if (!meeting.in_parts)
        return;
    restart_cut(cut);
    barrier();
    pull_unfound(DD, group.dd_others, cut);
    if (block.choice.pull[ND])
        pull_unfound(DN, search.csr[DN].wanted, cut);
    note_pulled();
    finish_pieces(cut);
    count_block();
    meet(GROUP_FOUND_NOW, true);
}

/* ---- previsit ---- */

/* What a previsit reads of a word of the masks. It is asked for early, as some of it lies in the memory of peers. */
struct found_word {
    uint32_t next, sent;             /* found by this GPU; of normals, by its peers */
    uint32_t visited, in_one, in_two; /* where much is found */
};

/* A word a lane of span i. */
__device__ static inline found_word ask_for_span(const previsit_spans &all, uint32_t i)
{
    const previsit_place at = place_of_span(all, i);
    const uint32_t word = at.base + lane_id();
    found_word w = {0, 0, 0, 0, 0};
    if (i >= all.count || lane_id() >= all.size || word >= search.of[at.kind].words)
        return w;
    if (at.kind == DELEGATES) {
        w.next = found_delegates(word);
    } else {
        w.next = search.of[NORMALS].next[word];
        w.sent = meeting.sends ? found_normals(word) : 0;
    }
    if (block.dense) {
        w.visited = search.of[at.kind].visited[word];
        read_sources(at.kind, word, w.in_one, w.in_two);
    }
    return w;
}

/* What was found in a span becomes the frontier. Returns what is fresh, of the lane's word. */
__device__ static inline uint32_t join_frontier(int kind, uint32_t base, uint32_t span, found_word &w)
{
    const gpu_vertices &v = search.of[kind];
    const uint32_t word = base + lane_id();
    const bool in = lane_id() < span && word < v.words;
    if (in && kind == DELEGATES)
        group.found[meeting.buffer ^ 1][word] = 0;
    if (!block.dense && (w.next | w.sent) != 0) {
        w.visited = v.visited[word];
        read_sources(kind, word, w.in_one, w.in_two);
    }
    if (kind == NORMALS && w.next != 0)
        v.next[word] = 0;
    const uint32_t sent = w.sent & ~w.next, fresh = (w.next | sent) & ~w.visited;
    if (in)
        frontier_mask(kind, block.kept + 1)[word] = fresh;
    if (fresh != 0) {
        v.visited[word] = w.visited | fresh;
        if (kind == NORMALS)
            tell_visited(word, w.visited | fresh);
    }
    if (kind == NORMALS && v.parent != NULL)
        fill(v.parent, base, fresh & sent, REMOTE_PARENT);
    if (block.kept >= search.keeps)
        fill(v.depth, base, fresh, block.target.depth);
    return fresh;
}

/* The fresh vertices of a span, and about how many edges they have. */
__device__ static inline void count_fresh(int kind, uint32_t base, uint32_t span, uint32_t fresh, found_word &w,
                                          uint64_t edges)
{
    const uint32_t word = base + lane_id();
    if (!__any_sync(ALL_LANES, fresh != 0))
        return;
    if (!block.dense && lane_id() < span && word < search.of[kind].words) /* the means want all rows */
        read_sources(kind, word, w.in_one, w.in_two);
    const unsigned count = sum_lanes(__popc(fresh));
    if (lane_id() == 0)
        own_space().count[SOLO_FRESH] += count; /* delegates on all GPUs: the sum is for the end of the search */
    count_span(kind << 1 | 1, fresh, w.in_two, __shfl_sync(ALL_LANES, edges, 1));
    count_span(kind << 1, fresh, w.in_one, __shfl_sync(ALL_LANES, edges, 0));
}

/* A span is asked for while the one before it is at work. */
__device__ static void make_frontier()
{
    const uint32_t warp = warp_of_grid(), warps = warps_of_grid();
    const previsit_spans all = lay_out_previsit(warps);
    found_word asked = ask_for_span(all, warp);
    for (uint32_t i = warp; i < all.count; i += warps) {
        const previsit_place at = place_of_span(all, i);
        const uint32_t words = (uint32_t)search.of[at.kind].words,
                       end = at.base + all.size < words ? at.base + all.size : words;
        const gpu_csr &one = search.csr[at.kind << 1], &two = search.csr[at.kind << 1 | 1];
        const uint64_t edges = lane_id() < 2 ? edges_between(lane_id() ? two : one, at.base, end) : 0;
        found_word now = asked;
        asked = ask_for_span(all, i + warps);
        const uint32_t fresh = join_frontier(at.kind, at.base, all.size, now);
        count_fresh(at.kind, at.base, all.size, fresh, now, edges);
    }
}

/* The same, where the next level certainly goes by lists: fresh vertices are listed, which counts them, too. Not
 * inlined: other levels would have fewer registers. */
__device__ static __noinline__ void make_listed_frontier()
{
    const uint32_t warp = warp_of_grid(), warps = warps_of_grid();
    const previsit_spans all = lay_out_previsit(warps);
    found_word asked = ask_for_span(all, warp);
    for (uint32_t i = warp; i < all.count; i += warps) {
        const previsit_place at = place_of_span(all, i);
        found_word now = asked;
        asked = ask_for_span(all, i + warps);
        const uint32_t fresh = join_frontier(at.kind, at.base, all.size, now);
        if (__any_sync(ALL_LANES, fresh != 0))
            list_words(block.target, at.kind, at.base, fresh);
    }
}

/* How many words of visited normals this GPU has written to each peer, at most. */
__device__ static inline unsigned long long most_words_told()
{
    return min(letters[group.own][GROUP_FOUND + SOLO_FRESH], (unsigned long long)search.of[NORMALS].words);
}

/* By one thread, when a frontier is made: the next level by masks writes the other buffer, which its peers do not
 * read now. */
__device__ static void turn_buffers()
{
    meeting.sent_before = meeting.sends;
    meeting.sends = false;
    meeting.buffer ^= 1;
    meeting.gathered = true;
    search.of[DELEGATES].next = group.found[meeting.buffer];
    search.of[SOLO_COLUMNS].next = group.sent[meeting.buffer];
    block.kept++;
}

__device__ static void run_masks()
{
    visit_by_masks();
    note_time(block.now.depth, SOLO_VISITED);
    if (planned.lists_next)
        make_listed_frontier();
    else
        make_frontier();
    if (meeting.sent_before) /* all peers have read it */
        clear_columns(group.sent[meeting.buffer ^ 1]);
    note_read(0, (group.peers - 1) * (search.of[DELEGATES].words +
                                      (meeting.sends ? search.of[NORMALS].words : 0)));
    count_block();
    meet(GROUP_FOUND_NOW, true);
    note_read(0, (group.peers - 1) * most_words_told());
    if (threadIdx.x == 0) {
        if (block.kept < search.keeps && blockIdx.x == 0)
            search.state->kept_depth[block.kept] = block.target.depth;
        turn_buffers();
    }
    end_level(planned.lists_next);
}

#endif

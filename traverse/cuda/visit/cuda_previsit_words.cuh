/* cuda_previsit_words.cuh: masks become frontiers, and lists; see cuda_fused.h
 *
 * The frontier is `next` without the vertices visited before. Bytes moved: 12 to 16 for each word of a
 * mask.
 */
#ifndef DBFS_CUDA_PREVISIT_WORDS_CUH
#define DBFS_CUDA_PREVISIT_WORDS_CUH

#include "cuda_words.cuh"

/* ---- lists of masks ---- */

/* Lists the vertices of some words of a frontier, a word a lane from `base` on. */
template <class S> __device__ static inline void list_words(S &s, int kind, uint64_t base, uint32_t bits)
{
    uint16_t *unpacked = own_space(s).pull.list;
    const unsigned total = unpack_words(unpacked, bits);
    for (unsigned i = 0; i < total; i += WARP) {
        const bool has = i + lane_id() < total;
        const uint32_t id = (uint32_t)(base * 32) + (has ? unpacked[i + lane_id()] : 0);
        list_vertices(s, id | (kind == DELEGATES ? KIND_BIT : 0), has);
    }
    __syncwarp();
}

/* ---- previsit ---- */

/* Edges of the rows of some words, behind the head columns. */
__device__ static inline uint64_t edges_between(const gpu_csr &csr, uint64_t base, uint64_t end)
{
    if (csr.edges == 0)
        return 0;
    const uint64_t first = base * 32 < csr.rows ? base * 32 : csr.rows,
                   last = end * 32 < csr.rows ? end * 32 : csr.rows;
    return offset_of(csr, last) - offset_of(csr, first);
}

/* Counts the fresh vertices that have rows in subgraph g, and about how many edges these have. Vertices are
 * in the order of their degrees, so rows of neighbouring words are about as long: the mean of the warp's
 * words stands for the rows of the frontier, which need not be looked up. */
template <class S>
__device__ static inline void count_span(S &s, int g, uint32_t fresh, uint32_t sources, uint64_t edges)
{
    const unsigned own = sum_lanes(__popc(fresh & sources)), rows = sum_lanes(__popc(sources));
    if (own == 0 || lane_id() != 0)
        return;
    typename S::space &w = own_space(s);
    edges += (uint64_t)rows * s.csr[g].head_columns;
    w.count[FUSED_SOURCES + g] += own;
    w.count[FUSED_FORWARD + g] += (edges * own + rows / 2) / rows; /* rounded, so that few edges left are known well */
}

/* Spans of the masks of both kinds, laid end to end for all warps: those of normals come first. */
struct previsit_spans {
    uint32_t size; /* words */
    uint32_t normals, count;
};

template <class S> __device__ static inline previsit_spans lay_out_previsit(S &s, uint32_t warps)
{
    const uint32_t normals = (uint32_t)s.of[NORMALS].words, delegates = (uint32_t)s.of[DELEGATES].words,
                   size = span_of((uint64_t)normals + delegates, warps, WARP), first = (normals + size - 1) / size;
    return previsit_spans{size, first, first + (delegates + size - 1) / size};
}

/* The beginning of a span. */
struct previsit_place {
    int kind;
    uint32_t base; /* its first word */
};

__device__ static inline previsit_place place_of_span(const previsit_spans &all, uint32_t i)
{
    const int kind = i < all.normals ? NORMALS : DELEGATES;
    return previsit_place{kind, (i < all.normals ? i : i - all.normals) * all.size};
}

/* The rows of a word in the two subgraphs of its kind. */
template <class S>
__device__ static inline void read_sources(S &s, int kind, uint32_t word, uint32_t &one, uint32_t &two)
{
    const gpu_csr &a = s.csr[kind << 1], &b = s.csr[kind << 1 | 1];
    one = a.edges != 0 ? a.sources[word] : 0;
    two = b.edges != 0 ? b.sources[word] : 0;
}

/* The bits that a previsit reads of a word of the masks. */
struct found_word {
    uint32_t next, sent;              /* found by this GPU; of normals, by its peers */
    uint32_t visited, in_one, in_two; /* read at once if much is found, else if next or sent is */
};

/* Whether so much is found that a previsit asks for all words at once. Lists need no rows. */
template <bool LISTS, class S> __device__ static inline bool asks_for_all(S &s)
{
    return !LISTS && s.block.dense;
}

/* Asks for a word a lane of span i. */
template <bool LISTS, class S>
__device__ static inline found_word prefetch_span(S &s, const previsit_spans &all, uint32_t i)
{
    const previsit_place at = place_of_span(all, i);
    const gpu_vertices &v = s.of[at.kind];
    const uint32_t word = at.base + lane_id();
    found_word w = {0, 0, 0, 0, 0};
    if (i >= all.count || lane_id() >= all.size || word >= v.words)
        return w;
    if constexpr (S::together)
        w = found_by_all(s, at.kind, word);
    else
        w.next = v.next[word];
    if (asks_for_all<LISTS>(s)) {
        w.visited = v.visited[word];
        read_sources(s, at.kind, word, w.in_one, w.in_two);
    }
    return w;
}

/* Makes the vertices found in a span the frontier. Returns the fresh ones of the lane's word. */
template <bool LISTS, class S>
__device__ static inline uint32_t join_frontier(S &s, int kind, uint32_t base, uint32_t span, found_word &w)
{
    const gpu_vertices &v = s.of[kind];
    const uint32_t word = base + lane_id();
    const bool in = lane_id() < span && word < v.words;
    if (!asks_for_all<LISTS>(s) && (w.next | w.sent) != 0) {
        w.visited = v.visited[word];
        if (!LISTS)
            read_sources(s, kind, word, w.in_one, w.in_two);
    }
    const uint32_t sent = S::together ? w.sent & ~w.next : 0, fresh = (w.next | sent) & ~w.visited;
    if (in)
        frontier_mask(s, kind, s.block.kept + 1)[word] = fresh;
    if constexpr (S::together)
        clear_found(s, kind, word, in, w.next);
    else if (w.next != 0)
        v.next[word] = 0;
    if (fresh != 0)
        v.visited[word] = w.visited | fresh;
    if constexpr (S::together)
        share_fresh(s, kind, base, w.visited | fresh, fresh, sent);
    if (s.block.kept >= s.keeps)
        fill(v.depth, base, fresh, s.block.target.depth);
    return fresh;
}

/* The fresh vertices of a span, and about how many edges they have: lanes 0 and 1 know those of all its rows. */
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
        own_space(s).count[FUSED_FRESH] += count; /* delegates on all GPUs: the sum is for the end of the search */
    count_span(s, kind << 1, fresh, w.in_one, __shfl_sync(ALL_LANES, edges, 0));
    count_span(s, kind << 1 | 1, fresh, w.in_two, __shfl_sync(ALL_LANES, edges, 1));
}

/* Makes found vertices that are not visited the frontier: masks, depths, counts. If it LISTS, fresh vertices join the next
 * list, which counts them. Words in the memory of peers are asked for a span ahead. */
template <bool LISTS, class S> __device__ static inline void previsit_spans_of(S &s, uint32_t warp, uint32_t warps)
{
    const previsit_spans all = lay_out_previsit(s, warps);
    found_word asked;
    if (S::together)
        asked = prefetch_span<LISTS>(s, all, warp);
    for (uint32_t i = warp; i < all.count; i += warps) {
        const previsit_place at = place_of_span(all, i);
        const uint32_t words = (uint32_t)s.of[at.kind].words,
                       end = at.base + all.size < words ? at.base + all.size : words;
        const gpu_csr &one = s.csr[at.kind << 1], &two = s.csr[at.kind << 1 | 1];
        found_word now = S::together ? asked : prefetch_span<LISTS>(s, all, i);
        const uint64_t edges = !LISTS && lane_id() < 2 ? edges_between(lane_id() ? two : one, at.base, end) : 0;
        if (S::together)
            asked = prefetch_span<LISTS>(s, all, i + warps);
        const uint32_t fresh = join_frontier<LISTS>(s, at.kind, at.base, all.size, now);
        if (!LISTS)
            count_fresh(s, at.kind, at.base, all.size, fresh, now, edges);
        else if (__any_sync(ALL_LANES, fresh != 0))
            list_words(s, at.kind, at.base, fresh);
    }
}

template <class S> __device__ static inline void previsit(S &s, uint32_t warp, uint32_t warps)
{
    previsit_spans_of<false>(s, warp, warps);
}

/* The same if the next level is certain to go by lists: saves a pass. Not inlined: other levels
 * keep more registers. */
template <class S> __device__ static __noinline__ void previsit_into_list(S &s, uint32_t warp, uint32_t warps)
{
    previsit_spans_of<true>(s, warp, warps);
}

/* Lists a frontier that is a mask. Most words are empty, so several spans are under way. */
template <class S> __device__ static void list_kind(S &s, int kind, uint32_t warp, uint32_t warps)
{
    const gpu_vertices &v = s.of[kind];
    const uint32_t *frontier = frontier_mask(s, kind, s.block.kept);
    const uint32_t span = span_of(v.words, warps, WARP);
    const uint64_t step = (uint64_t)warps * span;
    for (uint64_t base = (uint64_t)warp * span; base < v.words; base += SLOTS * step) {
        uint32_t bits[SLOTS], any = 0;
#pragma unroll
        for (int j = 0; j < SLOTS; j++) {
            const uint64_t word = base + j * step + lane_id();
            bits[j] = lane_id() < span && word < v.words ? frontier[word] : 0;
            any |= bits[j];
        }
        if (!__any_sync(ALL_LANES, any != 0))
            continue;
#pragma unroll 1
        for (int j = 0; j < SLOTS; j++) {
            list_words(s, kind, base + j * step, bits[0]);
            bits[0] = bits[1], bits[1] = bits[2], bits[2] = bits[3];
        }
    }
}

#endif

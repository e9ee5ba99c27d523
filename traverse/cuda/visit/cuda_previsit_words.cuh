/* cuda_previsit_words.cuh: previsits, which make the vertices that a level found the next frontier, dense or sparse
 *
 * The next frontier is the vertices of the bitmap `next` that were not visited before. Bytes moved: 12 to 16 for each word of a
 * bitmap.
 */
#ifndef DBFS_CUDA_PREVISIT_WORDS_CUH
#define DBFS_CUDA_PREVISIT_WORDS_CUH

#include "cuda_frontier.cuh"

/* Appends vertices of one kind, given as 32 words of a bitmap, to the next sparse frontier. `bits` of a lane is word base +
 * lane. All lanes of the warp call it. */
template <class S>
__device__ static inline void list_words(const gpu_csr *csr, const level_target &target, int kind, uint64_t base,
                                         uint32_t bits)
{
    uint16_t *unpacked = own_space<S>().pull.list;
    const unsigned total = unpack_words(unpacked, bits);
    for (unsigned i = 0; i < total; i += WARP) {
        const bool has = i + lane_id() < total;
        const uint32_t id = (uint32_t)(base * 32) + (has ? unpacked[i + lane_id()] : 0);
        list_vertices<S>(csr, target, id | (kind == DELEGATES ? KIND_BIT : 0), has);
    }
    __syncwarp();
}

/* ---- the words of a previsit ---- */

/* What a previsit reads about the 32 vertices of one bitmap word. Usually `visited`, in_one and in_two are read only if one of
 * the vertices was found. If a level finds many vertices, everything is read at once (prefetches_all). */
struct found_word {
    uint32_t next;           /* normals that this GPU found in the level, or delegates that any GPU found */
    uint32_t sent;           /* normals of this shard that pushes of nn on any GPU found; 0 for delegates */
    uint32_t visited;        /* vertices that were visited before this level */
    uint32_t in_one, in_two; /* vertices with a row in the first, and with a row in the second subgraph of their kind */
};

/* Reads which of the 32 vertices of a bitmap word have a row in csr[0] (`one`), and which in csr[1] (`two`). The set is empty
 * if a subgraph has no edges. */
__device__ static inline void read_sources(const gpu_csr *csr, uint32_t word, uint32_t &one, uint32_t &two)
{
    one = csr[0].edges != 0 ? csr[0].sources[word] : 0;
    two = csr[1].edges != 0 ? csr[1].sources[word] : 0;
}

/* Returns whether a previsit reads all members of found_word at once, which is faster if the level finds many vertices. If the
 * next frontier is sparse (TO_SPARSE), it never does, as in_one and in_two are not needed then. */
template <bool TO_SPARSE, class S> __device__ static inline bool prefetches_all(S &s)
{
    return !TO_SPARSE && s.block.finds_many;
}

/* Adds the new vertices of a span of words to the next frontier: the vertices that the level found and that were not visited
 * before. Writes them to the bitmap of the frontier, sets their visited bits, and clears the words of `next`. With several GPUs
 * it does the last step by share_word, which also tells peers about visited normals. Writes depths, too, if the bitmap will not
 * be kept until the search ends. Members of `w` that the lane has not read before (prefetches_all) are read here. Returns the
 * new vertices of the lane's word. All lanes of the warp call it. */
template <bool TO_SPARSE, class S>
__device__ static inline uint32_t join_frontier(S &s, int kind, uint32_t base, uint32_t span, found_word &w)
{
    const gpu_vertices &v = s.of[kind];
    const uint32_t word = base + lane_id();
    const bool in = lane_id() < span && word < v.words;
    if (!prefetches_all<TO_SPARSE>(s) && (w.next | w.sent) != 0) {
        w.visited = v.visited[word];
        if (!TO_SPARSE)
            read_sources(&s.csr[kind << 1], word, w.in_one, w.in_two);
    }
    const uint32_t sent = S::together ? w.sent & ~w.next : 0, fresh = (w.next | sent) & ~w.visited;
    if (in)
        frontier_bitmap(v, s.keeps, s.block.dense_frontiers + 1)[word] = fresh;
    if (fresh != 0)
        v.visited[word] = w.visited | fresh;
    if constexpr (S::together)
        share_word(s, kind, base, in, w.next, w.visited | fresh, fresh, sent);
    else if (w.next != 0)
        v.next[word] = 0;
    if (s.block.dense_frontiers >= s.keeps)
        fill(v.depth, base, fresh, s.block.target.depth);
    return fresh;
}

/* ---- counts of a dense frontier ---- */

/* Counts the new vertices of a span of words (`fresh` has those of the lane's word) in the counters of the warp: the vertices
 * in FUSED_FRESH and, for both subgraphs g of their kind, the vertices with a row in FUSED_SOURCES + g, and the edges of these
 * rows in FUSED_FORWARD + g.
 *
 * The edges are an estimate, so that rows need not be looked up: the number of the rows times the mean length of all rows of
 * the span. This is close, as vertices are in the order of their degrees. `edges` is the number of edges behind the heads in
 * all rows of the span: in lane 0 for the first subgraph, in lane 1 for the second. All lanes of the warp call it. */
template <class S>
__device__ static inline void count_fresh(S &s, int kind, uint32_t base, uint32_t span, uint32_t fresh, found_word &w,
                                          uint64_t edges)
{
    const uint32_t word = base + lane_id();
    if (!__any_sync(ALL_LANES, fresh != 0))
        return;
    if (!s.block.finds_many && lane_id() < span && word < s.of[kind].words) /* the means need the rows of all words */
        read_sources(&s.csr[kind << 1], word, w.in_one, w.in_two);
    unsigned long long *count = own_space<S>().count;
    const unsigned vertices = sum_lanes(__popc(fresh));
    if (lane_id() == 0)
        count[FUSED_FRESH] += vertices; /* each GPU counts every new delegate. A sum of 0 ends the search */
#pragma unroll
    for (int k = 0; k < VERTEX_KINDS; k++) {
        const int g = kind << 1 | k;
        const uint32_t sources = k ? w.in_two : w.in_one;
        const uint64_t of_span = __shfl_sync(ALL_LANES, edges, k);
        const unsigned own = sum_lanes(__popc(fresh & sources)), rows = sum_lanes(__popc(sources));
        if (own == 0 || lane_id() != 0)
            continue;
        count[FUSED_SOURCES + g] += own;
        /* rounded to the nearest integer, so that small numbers of edges are nearly exact */
        count[FUSED_FORWARD + g] += ((of_span + (uint64_t)rows * s.csr[g].head_columns) * own + rows / 2) / rows;
    }
}

/* ---- all words ---- */

/* Does this warp's share of a previsit: makes the vertices that the level found the next frontier, except those that were
 * visited before. If TO_SPARSE, the frontier gets work items, otherwise it is a bitmap. Both ways count vertices, rows and
 * edges. The warp is number `warp` of `warps`, and works on one span of words at a time, first of normals, then of delegates.
 * With several GPUs it begins to read the next span from the memory of peers before it works on the present one. All lanes of
 * the warp call it. Not inlined, so that the code of other steps keeps more values in registers. */
template <bool TO_SPARSE, class S> __device__ static __noinline__ void previsit(S &s, uint32_t warp, uint32_t warps)
{
    const uint32_t normals = (uint32_t)s.of[NORMALS].words, delegates = (uint32_t)s.of[DELEGATES].words,
                   size = span_of((uint64_t)normals + delegates, warps, WARP), first = (normals + size - 1) / size,
                   spans = first + (delegates + size - 1) / size; /* spans 0 to first - 1 are of normals */
    const auto prefetch = [&](uint32_t i) { /* begins to read the words of span i, one word a lane */
        const int kind = i < first ? NORMALS : DELEGATES;
        const uint32_t word = (i < first ? i : i - first) * size + lane_id();
        found_word w = {0, 0, 0, 0, 0};
        if (i >= spans || lane_id() >= size || word >= s.of[kind].words)
            return w;
        if constexpr (S::together)
            w = found_by_all(s, kind, word);
        else
            w.next = s.of[kind].next[word];
        if (prefetches_all<TO_SPARSE>(s)) {
            w.visited = s.of[kind].visited[word];
            read_sources(&s.csr[kind << 1], word, w.in_one, w.in_two);
        }
        return w;
    };
    found_word ahead;
    if (S::together)
        ahead = prefetch(warp);
    for (uint32_t i = warp; i < spans; i += warps) {
        const int kind = i < first ? NORMALS : DELEGATES;
        const uint32_t base = (i < first ? i : i - first) * size;
        const gpu_csr &own = s.csr[kind << 1 | (lane_id() & 1)];
        found_word now = S::together ? ahead : prefetch(i);
        uint64_t edges = 0; /* edges of the span behind the heads: in lane 0 for the first subgraph, in lane 1 for the second */
        if (!TO_SPARSE && lane_id() < VERTEX_KINDS && own.edges != 0) {
            const uint64_t begin = (uint64_t)base * 32, end = min((uint64_t)base + size, s.of[kind].words) * 32;
            edges = offset_of(own, min(end, own.rows)) - offset_of(own, min(begin, own.rows));
        }
        if (S::together)
            ahead = prefetch(i + warps);
        const uint32_t fresh = join_frontier<TO_SPARSE>(s, kind, base, size, now);
        if (!TO_SPARSE)
            count_fresh(s, kind, base, size, fresh, now, edges);
        else if (__any_sync(ALL_LANES, fresh != 0))
            list_words<S>(s.csr, s.block.target, kind, base, fresh);
    }
}

/* Does this warp's share of making a dense frontier sparse: appends the rows of the frontier's vertices of one kind to the next
 * sparse frontier. The warp is number `warp` of `warps`. Most words are empty, so it reads several spans before it waits for
 * the first. All lanes of the warp call it. */
template <class S> __device__ static void list_kind(S &s, int kind, uint32_t warp, uint32_t warps)
{
    const gpu_vertices &v = s.of[kind];
    const uint32_t *frontier = frontier_bitmap(v, s.keeps, s.block.dense_frontiers);
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
        for (int j = 0; j < SLOTS; j++) { /* not unrolled, to save code: bits[0] always has the words of span j */
            list_words<S>(s.csr, s.block.target, kind, base + j * step, bits[0]);
            bits[0] = bits[1], bits[1] = bits[2], bits[2] = bits[3];
        }
    }
}

#endif

/* cuda_push_words.cuh: pushes of dense levels
 *
 * The pushes and pulls of a dense level only set bits of the bitmap `next`. Visited bits do not change until both are done. Then
 * the previsit makes the vertices of `next` that are not visited yet the frontier. Their depths are written after the search, from
 * the bitmap of the frontier. If there is no memory to keep the bitmap, the previsit writes the depths.
 */
#ifndef DBFS_CUDA_PUSH_WORDS_CUH
#define DBFS_CUDA_PUSH_WORDS_CUH

#include "cuda_pull_words.cuh"

enum { MOST_PARTS = 3 /* a word is cut into at most 2^MOST_PARTS parts; a lane pushes one part */ };

/* Pushes rows of subgraph g, one from each lane: sets the bits in `next` of the vertices that their edges lead to. If a row has
 * more than S::longest_uncut_row columns behind the heads, only its heads are pushed here. Its other columns are cut into
 * pieces and appended to `cut`, for a second pass. `has` is false if the lane has no row. All lanes of the warp call it. */
template <class S> __device__ static inline void push_rows(S &s, int g, uint32_t row, bool has, const cut_list &cut)
{
    const gpu_csr &csr = s.csr[g];
    const uint64_t subgraph = (uint64_t)g << ITEM_SUBGRAPH_SHIFT;
    uint64_t begin = 0, length = 0;
    if (has) {
        const row_rest rest = rest_of_row(csr, row);
        begin = rest.begin;
        length = rest.end - begin;
    }
    const bool is_long = length > S::longest_uncut_row;
    cut_rows<S::piece_edges>(cut, __ballot_sync(ALL_LANES, is_long), begin | subgraph, length, row);
    length = is_long ? 0 : length;
    const uint64_t heads = csr.head_columns > 0 ? ITEM_HEADS : 0;
    expand<REACH_NEXT>(s, work_item{begin | subgraph | heads, (uint32_t)length, row}, has);
}

/* Returns the index of the word that a lane pushes in a round. If words are cut into parts (2^all.parts each), it returns the
 * index of the lane's part among the parts of all words. */
__device__ static inline uint32_t word_of_lane(const scattered_words &all, uint32_t round, unsigned lane)
{
    return ((round + (lane >> all.shift) * all.rounds) << all.shift) + (lane & ((1u << all.shift) - 1));
}

/* Decides for each subgraph how `warps` warps share the words of the dense frontier in a push, and writes this to plan.pushes.
 * Large groups of neighbouring words are read faster. If rows are long, groups are small nevertheless, so that the first words,
 * which have the longest rows, go to different warps. All lanes of one warp call it. */
__device__ static inline void lay_out_pushes(const gpu_fused &s, const fused_progress &now, dense_plan &plan, uint32_t warps)
{
    const unsigned g = lane_id();
    if (g >= SUBGRAPHS)
        return;
    const bool long_rows = now.forward[g] > 16 * now.frontier[g];
    uint32_t words = (uint32_t)s.of[g >> 1].words; /* after the loop below: the number of parts of words */
    unsigned parts = 0;
    while (parts < MOST_PARTS && (2ull << parts) * words <= (uint64_t)WARP * warps)
        parts++;
    words <<= parts;
    const unsigned most = !long_rows ? 5 : parts == 0, share = words / warps,
                   shift = share < 2 ? 0 : min(most, 31u - __clz(share));
    const uint32_t groups = (words + (1u << shift) - 1) >> shift, a_round = WARP >> shift,
                   rounds = max(min(groups, warps), (groups + a_round - 1) / a_round);
    plan.pushes[g] = scattered_words{rounds, (uint16_t)shift, (uint16_t)parts};
}

/* Pushes this warp's share of the dense frontier along subgraph g: sets the bits in `next` of the vertices that edges lead to.
 * The warp is number `warp` of `warps`, and s.plan.pushes[g] says how they share the rows. Pieces of long rows are appended to
 * `cut`. All lanes of the warp call it. */
template <class S> __device__ static void push_words(S &s, int g, uint32_t warp, uint32_t warps, const cut_list &cut)
{
    const gpu_vertices &from = s.of[g >> 1];
    const uint32_t words = (uint32_t)from.words;
    const scattered_words &all = s.plan.pushes[g];
    const uint32_t *sources = s.csr[g].sources, *frontier = frontier_bitmap(from, s.keeps, s.block.dense_frontiers);
    uint16_t *unpacked = own_space<S>().unpacked;
    for (uint32_t round = warp; round < all.rounds; round += warps) {
        const uint32_t part = word_of_lane(all, round, lane_id()), word = part >> all.parts;
        const unsigned rows = 32 >> all.parts, at_part = (part & ((1u << all.parts) - 1)) * rows;
        const uint32_t in_part = (rows == 32 ? ~0u : (1u << rows) - 1) << at_part;
        const uint32_t bits = word < words ? frontier[word] & sources[word] & in_part : 0;
        unsigned step = SPAN_WORDS; /* lanes whose words are unpacked at once: all of them if their rows fit */
        if (sum_lanes(__popc(bits)) <= SPAN_WORDS * 32)
            step = WARP;
        for (unsigned first = 0; first < WARP; first += step) {
            const unsigned total = unpack_words(unpacked, lane_id() / step == first / step ? bits : 0);
            for (unsigned i = 0; i < total; i += WARP) {
                const bool has = i + lane_id() < total;
                const unsigned at = has ? unpacked[i + lane_id()] : 0;
                push_rows(s, g, (word_of_lane(all, round, at / 32) >> all.parts) * 32 + at % 32, has, cut);
            }
            __syncwarp();
        }
    }
}

/* Does this warp's share of all pushes of a dense level, along the subgraphs that are not pulled: sets the bits in `next` of
 * the vertices that edges of the frontier lead to. A sparse frontier is pushed by its work items, a dense one by its bitmap.
 * Pieces of the long rows of a dense frontier are appended to `cut`. All lanes of the warp call it. */
template <class S> __device__ static void push_all(S &s, const cut_list &cut, uint32_t warp, uint32_t warps)
{
    unsigned sparse = 0;
    for (int g = SUBGRAPHS - 1; g >= 0; g--) {
        if (!(s.block.now.frontier[g] > 0) || s.block.choice.pull[g] || s.csr[g].edges == 0)
            continue;
        if (s.block.now.sparse)
            sparse |= 1u << g;
        else
            push_words(s, g, warp, warps, cut);
    }
    if (sparse != 0)
        expand_items<REACH_NEXT>(s, s.sparse[s.block.now.current], s.block.now.items, warp, warps, sparse);
}

#endif

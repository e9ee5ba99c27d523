/* cuda_push_words.cuh: the visits of levels by masks; see cuda_fused.h
 *
 * Pulls and pushes fill `next`, and `visited` does not change meanwhile. Then the previsit makes the new
 * vertices in `next` the frontier. Depths are not written: the mask of the frontier is kept.
 */
#ifndef DBFS_CUDA_PUSH_WORDS_CUH
#define DBFS_CUDA_PUSH_WORDS_CUH

#include "cuda_pull_words.cuh"

enum { MOST_PARTS = 3 /* a lane pushes at least one of 2^MOST_PARTS of a word */ };

/* Pushes one row a lane, in subgraph g. */
template <class S> __device__ static inline void push_rows(S &s, int g, uint32_t row, bool has, const cut_list &cut)
{
    const gpu_csr &csr = s.csr[g];
    const uint64_t what = (uint64_t)g << ITEM_SUBGRAPH_SHIFT;
    uint64_t begin = 0, length = 0;
    if (has) {
        const row_rest rest = rest_of_row(csr, row);
        begin = rest.begin;
        length = rest.end - begin;
    }
    const bool is_long = length > S::row_together;
    cut_rows<S::piece_edges>(cut, __ballot_sync(ALL_LANES, is_long), begin | what, length, row);
    length = is_long ? 0 : length;
    const uint64_t heads = csr.head_columns > 0 ? ITEM_HEADS : 0;
    expand<REACH_NEXT>(s, work_item{begin | what | heads, (uint32_t)length, row}, has);
}

/* Chooses groups of words. Large groups are read faster; groups are small if rows are long, as the first words have
 * the longest ones. */
__device__ static inline scattered_words scatter_words(uint32_t words, uint32_t warps, bool long_rows)
{
    unsigned parts = 0;
    while (parts < MOST_PARTS && (2ull << parts) * words <= (uint64_t)WARP * warps)
        parts++;
    words <<= parts;
    const unsigned most = !long_rows  ? 5
                          : parts > 0 ? 0
                                      : 1,
                   share = words / warps, shift = share < 2 ? 0 : min(most, 31u - __clz(share));
    const uint32_t groups = (words + (1u << shift) - 1) >> shift, a_turn = WARP >> shift;
    return scattered_words{max(min(groups, warps), (groups + a_turn - 1) / a_turn), (uint16_t)shift, (uint16_t)parts};
}

/* The number of a lane's word in a turn, or of its part of a word. */
__device__ static inline uint32_t word_of_lane(const scattered_words &all, uint32_t turn, unsigned lane)
{
    return ((turn + (lane >> all.shift) * all.turns) << all.shift) + (lane & ((1u << all.shift) - 1));
}

/* The bits of a part, at their places in the word. */
__device__ static inline uint32_t bits_of_part(const scattered_words &all, uint32_t part)
{
    const unsigned rows = 32 >> all.parts, at = (part & ((1u << all.parts) - 1)) * rows;
    return (rows == 32 ? ~0u : (1u << rows) - 1) << at;
}

/* Plans how the level's pushes take words. By one warp. */
template <class S> __device__ static inline void lay_out_pushes(S &s, uint32_t warps)
{
    const unsigned g = lane_id();
    if (g < SUBGRAPHS)
        s.planned.pushes[g] =
            scatter_words((uint32_t)s.of[g >> 1].words, warps, s.block.now.forward[g] > 16 * s.block.now.frontier[g]);
}

/* Pushes the rows `bits` of at most SPAN_WORDS words, a word a lane, in one turn. */
template <class S>
__device__ static inline void push_span(S &s, int g, const scattered_words &all, uint32_t turn, uint32_t bits,
                                        const cut_list &cut)
{
    const unsigned total = unpack_words(own_space(s).unpacked, bits);
    for (unsigned i = 0; i < total; i += WARP) {
        const bool has = i + lane_id() < total;
        const unsigned at = has ? own_space(s).unpacked[i + lane_id()] : 0;
        push_rows(s, g, (word_of_lane(all, turn, at / 32) >> all.parts) * 32 + at % 32, has, cut);
    }
    __syncwarp();
}

/* Pushes a frontier that is a mask. */
template <class S> __device__ static void push_words(S &s, int g, uint32_t warp, uint32_t warps, const cut_list &cut)
{
    const gpu_vertices &from = s.of[g >> 1];
    const uint32_t words = (uint32_t)from.words;
    const scattered_words &all = s.planned.pushes[g];
    const uint32_t *sources = s.csr[g].sources, *frontier = frontier_mask(s, g >> 1, s.block.kept);
    for (uint32_t turn = warp; turn < all.turns; turn += warps) {
        const uint32_t part = word_of_lane(all, turn, lane_id()), word = part >> all.parts;
        const uint32_t bits = word < words ? frontier[word] & sources[word] & bits_of_part(all, part) : 0;
        unsigned step = SPAN_WORDS;
        if (sum_lanes(__popc(bits)) <= SPAN_WORDS * 32)
            step = WARP;
        for (unsigned first = 0; first < WARP; first += step)
            push_span(s, g, all, turn, lane_id() / step == first / step ? bits : 0, cut);
    }
}

/* Pushes the pieces of some subgraphs. Not inlined, so that other levels keep more in registers. */
template <class S>
__device__ static __noinline__ void push_pieces(S &s, const work_item *pieces, uint32_t count, uint32_t warp, uint32_t warps,
                                                unsigned subgraphs)
{
    expand_list<REACH_NEXT>(s, pieces, count, warp, warps, subgraphs);
}

/* Does all pushes of the level. A frontier that is listed has its rows in the list. */
template <class S> __device__ static void push_all(S &s, const cut_list &cut, uint32_t warp, uint32_t warps)
{
    unsigned listed = 0;
    for (int g = SUBGRAPHS - 1; g >= 0; g--) {
        if (!(s.block.now.frontier[g] > 0) || s.block.choice.pull[g] || !has_edges(s, g))
            continue;
        if (s.block.now.listed)
            listed |= 1u << g;
        else
            push_words(s, g, warp, warps, cut);
    }
    if (listed != 0)
        push_pieces(s, s.list[s.block.now.list], s.block.now.pieces, warp, warps, listed);
}

/* Pushes or pulls the pieces that were cut. */
template <class S>
__device__ static void finish_cut(S &s, const work_item *cut, unsigned count, uint32_t warp, uint32_t warps)
{
    for (unsigned i = warp; i < count; i += warps) {
        const work_item piece = cut[i];
        if (piece.at & PIECE_PULL)
            pull_piece(s, start_pulling(s, (int)(piece.at >> ITEM_SUBGRAPH_SHIFT)), piece);
        else
            expand_one<REACH_NEXT>(s, piece);
    }
}

#endif

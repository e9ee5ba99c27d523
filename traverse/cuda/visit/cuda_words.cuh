/* cuda_words.cuh: the words of dense frontiers, which warps share */
#ifndef DBFS_CUDA_WORDS_CUH
#define DBFS_CUDA_WORDS_CUH

#include "cuda_search_notes.cuh"
#include "cuda_expand.cuh"

/* The words that a warp takes at a time: `most`, or fewer if there are not enough for all warps. */
__device__ static inline uint32_t span_of(uint64_t words, uint32_t warps, uint32_t most)
{
    const uint32_t share = (uint32_t)words / warps;
    return share < 1 ? 1 : share < most ? share : most;
}

/* Writes the set bits of the lanes' words to `to`, in order, as offsets from the first bit of lane 0. Returns their number.
 * All lanes of the warp call it. */
__device__ static inline unsigned unpack_words(uint16_t *to, uint32_t bits)
{
    if (!__any_sync(ALL_LANES, bits != 0))
        return 0;
    unsigned before = warp_prefix(__popc(bits));
    const unsigned total = __shfl_sync(ALL_LANES, before + __popc(bits), WARP - 1);
    __syncwarp();
    for (; bits != 0; bits &= bits - 1)
        to[before++] = (uint16_t)(lane_id() * 32 + __ffs(bits) - 1);
    __syncwarp();
    return total;
}

/* Cuts the rows of the lanes `many` into pieces, for a second pass. `begin` has flags, too. All lanes of the warp call it. */
template <uint32_t EDGES = ITEM_EDGES>
__device__ static inline void cut_rows(const cut_list &cut, unsigned many, uint64_t begin, uint64_t length,
                                       uint32_t row)
{
    for (; many != 0; many &= many - 1) {
        const int from = __ffs(many) - 1;
        const uint64_t edges = __shfl_sync(ALL_LANES, length, from);
        unsigned at = lane_id() == 0 ? atomicAdd(cut.count, pieces_of<EDGES>(edges)) : 0;
        at = __shfl_sync(ALL_LANES, at, 0);
        put_long_row<EDGES>(cut.pieces, at,
                            work_item{__shfl_sync(ALL_LANES, begin, from), 0, __shfl_sync(ALL_LANES, row, from)}, edges);
    }
}

/* The bitmap of the i-th dense frontier of a search, from 1 on. The first `keeps` have bitmaps of their own. */
__device__ static inline uint32_t *frontier_bitmap(const gpu_vertices &v, uint32_t keeps, unsigned i)
{
    return i <= keeps ? v.queue + (i - 1) * v.words : v.frontier;
}

__device__ static inline int reverse_of(int g)
{
    return (g & 1) << 1 | g >> 1;
}

#endif

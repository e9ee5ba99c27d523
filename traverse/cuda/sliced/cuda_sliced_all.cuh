/* cuda_sliced_all.cuh: levels of kind ALL, which read all slices of unvisited rows; see cuda_sliced.h
 *
 * A slice is four columns of a row. A row is found if one of its slices has a visited column. Each thread has the same
 * slices in all levels of a search. It keeps its first BATCH slices in registers, and reads the others again in each level.
 */
#ifndef DBFS_CUDA_SLICED_ALL_CUH
#define DBFS_CUDA_SLICED_ALL_CUH

#include "cuda_sliced_block.cuh"

enum { BATCH = 4 }; /* how many slices a thread loads before it looks at the first of them */

#define NO_SLICE 0xffffffffu /* in slice_batch.row: there is no slice here, or its row is visited */

/* BATCH slices of a thread, in registers. */
struct slice_batch {
    uint4 columns[BATCH];
    uint32_t row[BATCH]; /* for each slice, its row with the row's weight (as in gpu_sliced.row), or NO_SLICE */
};

/* Loads BATCH slices into b: slice number `first`, and then every T-th slice after it, where T is the number of threads
 * of all blocks. Places behind the last slice of the graph become NO_SLICE. */
__device__ static inline void load_batch(const gpu_sliced &s, uint32_t first, slice_batch &b)
{
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
        const uint32_t i = first + j * threads_of_grid();
        b.row[j] = i < s.count ? s.row[i] : NO_SLICE;
        b.columns[j] = i < s.count ? ((const uint4 *)s.slices)[i] : make_uint4(0, 0, 0, 0);
    }
}

/* Returns whether this lane is the first of the warp that has found a parent for its row. `found`: this lane has found
 * one. The slices of a row lie side by side, so lanes with the same row are neighbours. All lanes of the warp call it. */
__device__ static inline bool is_first_of_row(bool found, uint32_t row)
{
    const unsigned all = __ballot_sync(ALL_LANES, found), before = all & ((1u << lane_id()) - 1);
    const uint32_t last = __shfl_sync(ALL_LANES, row, before != 0 ? 31 - __clz(before) : 0);
    return found && (before == 0 || last != row);
}

/* Does a level of kind ALL for the BATCH slices `b` of this thread. If the row of a slice is unvisited and the slice has
 * a visited column, the row is found: it gets its bit in the level's `found` bitmap, depth + 1 and a parent, and is
 * counted in `tally`. If several lanes of the warp find the same row, only the first one does this. Slices of visited
 * rows become NO_SLICE in b.row, so that later levels do not look at them. All lanes of the warp call it. */
template <class B>
__device__ static inline void pull_batch(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, slice_batch &b,
                                         slice_tally &tally)
{
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
        const uint32_t row = b.row[j] & SLICED_ROW;
        const bool looks = b.row[j] != NO_SLICE && !is_visited(block, s, row);
        if (!looks)
            b.row[j] = NO_SLICE;
        if (!__any_sync(ALL_LANES, looks))
            continue;
        if (looks)
            note_columns(block, s, row, b.columns[j], false, tally);
        if (!is_first_of_row(looks && sees_visited(block, s, b.columns[j]), row))
            continue;
        atomicOr(&s.found[turn * s.words + row / 32], 1u << (row % 32));
        put_pulled(block, s, depth + 1, row, b.columns[j]);
        tally.found++;
        tally.weight += b.row[j] >> SLICED_ROW_BITS;
    }
}

/* Does a level of kind ALL: each unvisited row looks for a visited column in all its slices. `depth` is the depth of the
 * frontier. Found rows are counted in `block`, once for each warp that finds them. `own` has the first slices of the
 * thread, which stay in registers from level to level. All threads of all blocks call it. */
template <class B>
__device__ static void pull_slices(B &block, const gpu_sliced &s, unsigned turn, int32_t depth, slice_batch &own)
{
    slice_tally tally = {};
    pull_batch(block, s, turn, depth, own, tally);
    for (uint32_t first = thread_of_grid() + BATCH * threads_of_grid(); first - lane_id() < s.count;
         first += BATCH * threads_of_grid()) {
        slice_batch more;
        load_batch(s, first, more);
        pull_batch(block, s, turn, depth, more, tally);
    }
    add_tally(block, tally);
}

#endif

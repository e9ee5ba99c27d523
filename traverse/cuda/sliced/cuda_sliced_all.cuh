/* cuda_sliced_all.cuh: levels of kind ALL, which read all slices; see cuda_sliced.h */
#ifndef DBFS_CUDA_SLICED_ALL_CUH
#define DBFS_CUDA_SLICED_ALL_CUH

#include "cuda_sliced_block.cuh"

enum { BATCH = 4 }; /* slices of a thread under way; the first ones stay in its registers */

#define NO_SLICE 0xffffffffu /* in place of a row: the slice is not looked at */

/* BATCH slices of a thread. */
struct slice_batch {
    uint4 columns[BATCH];
    uint32_t row[BATCH]; /* with its weight, or NO_SLICE */
};

/* Loads the slices of a batch: number `first`, and each one as far behind the one before it as there are threads. */
__device__ static inline void load_batch(const gpu_sliced &s, uint32_t first, slice_batch &b)
{
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
        const uint32_t i = first + j * threads_of_grid();
        b.row[j] = i < s.count ? s.row[i] : NO_SLICE;
        b.columns[j] = i < s.count ? ((const uint4 *)s.slices)[i] : make_uint4(0, 0, 0, 0);
    }
}

/* Whether the lane has found a parent for its row, and no lane before it has found one for the same row. Slices of a row lie
 * side by side. All lanes of the warp call it. */
__device__ static inline bool is_first_of_row(bool found, uint32_t row)
{
    const unsigned all = __ballot_sync(ALL_LANES, found), before = all & ((1u << lane_id()) - 1);
    const uint32_t last = __shfl_sync(ALL_LANES, row, before != 0 ? 31 - __clz(before) : 0);
    return found && (before == 0 || last != row);
}

/* Looks for a visited column in each slice of a batch whose row is not visited. Rows that see one get their bit in the
 * `found` bitmap of the round, depth and parent. A row that was visited before the level becomes NO_SLICE, so that later
 * levels do not look at its slice. */
template <class B>
__device__ static inline void pull_batch(B &block, const gpu_sliced &s, unsigned round, int32_t depth, slice_batch &b,
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
        atomicOr(&s.found[round * s.words + row / 32], 1u << (row % 32));
        put_pulled(block, s, depth + 1, row, b.columns[j]);
        tally.found++;
        tally.weight += b.row[j] >> SLICED_ROW_BITS;
    }
}

/* A level of kind ALL: each unvisited row looks for a visited column in all its slices. `own`: the first slices of the
 * thread, which stay in registers from level to level. A row that several warps find is counted by each of them. */
template <class B>
__device__ static void pull_slices(B &block, const gpu_sliced &s, unsigned round, int32_t depth, slice_batch &own)
{
    slice_tally tally = {};
    pull_batch(block, s, round, depth, own, tally);
    for (uint32_t first = thread_of_grid() + BATCH * threads_of_grid(); first - lane_id() < s.count;
         first += BATCH * threads_of_grid()) {
        slice_batch more;
        load_batch(s, first, more);
        pull_batch(block, s, round, depth, more, tally);
    }
    add_tally(block, tally);
}

#endif

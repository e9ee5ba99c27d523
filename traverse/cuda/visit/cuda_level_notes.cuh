/* cuda_level_notes.cuh: notes of levels, for all kernels that are a whole search
 *
 * One thread, the noter, writes the note of each level. Kernels are compiled twice: in kernels without notes these functions
 * are empty, and cost not one instruction. One kernel that asks at run time takes 1.07 to 1.14 times as long.
 */
#ifndef DBFS_CUDA_LEVEL_NOTES_CUH
#define DBFS_CUDA_LEVEL_NOTES_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "traverse/cuda/fused/cuda_fused.h"

/* A block's shared memory for notes: nothing in a kernel without notes. */
template <bool NOTED> struct level_notes {
    fused_outputs out;
    int32_t begun;                                /* levels whose notes have begun */
    unsigned long long first_pulled, last_pulled; /* of the block's warps, as in fused_counts */
};
template <> struct level_notes<false> {
};

/* Whether this thread writes the notes of this search. */
__device__ static inline bool is_noter(const level_notes<true> &)
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

/* Returns the note of the level whose frontier has this depth. */
__device__ static inline fused_note &note_of(level_notes<true> &notes, int32_t depth)
{
    return notes.out.notes[depth % FUSED_NOTES_KEPT];
}

/* Begins the notes of a search. All threads call it before the first level. */
template <bool NOTED> __device__ static inline void begin_notes(level_notes<NOTED> &notes, const fused_outputs &out)
{
    if constexpr (NOTED) {
        if (threadIdx.x == 0)
            notes = level_notes<true>{out, 0, 0, 0};
    }
}

/* Begins the note of a level; where another kind is tried for a level, a second call has no effect. If all notes are full,
 * it waits until the host has taken them; this time belongs to no level. All threads call it. */
template <bool NOTED> __device__ static inline void note_begin(level_notes<NOTED> &notes, int32_t depth)
{
    if constexpr (NOTED) {
        if (!is_noter(notes) || depth < *(volatile int32_t *)&notes.begun) /* volatile: else all threads read it ahead */
            return;
        if (depth > 0 && depth % FUSED_NOTES_KEPT == 0) {
            volatile fused_mapped *mapped = notes.out.mapped;
            note_of(notes, depth - 1).at[FUSED_ENDED] = device_nanoseconds();
            __threadfence_system();
            mapped->written = (uint32_t)depth;
            while (mapped->taken != (uint32_t)depth)
                __nanosleep(1000);
            __threadfence_system();
        }
        notes.begun = depth + 1;
        note_of(notes, depth) = fused_note{};
        note_of(notes, depth).at[FUSED_BEGUN] = device_nanoseconds();
    }
}

/* Notes the time at which the level has come to a point: FUSED_CHOSEN, ... All threads call it. */
template <bool NOTED> __device__ static inline void note_time(level_notes<NOTED> &notes, int32_t depth, int point)
{
    if constexpr (NOTED) {
        if (is_noter(notes))
            note_of(notes, depth).at[point] = device_nanoseconds();
    }
}

/* Notes that this warp has ended its pulls, in the times of its block. All lanes of the warp call it. */
template <bool NOTED> __device__ static inline void note_pulled(level_notes<NOTED> &notes)
{
    if constexpr (NOTED) {
        if (lane_id() == 0) {
            const unsigned long long now = device_nanoseconds();
            atomicMax(&notes.first_pulled, ~now);
            atomicMax(&notes.last_pulled, now);
        }
    }
}

/* Ends the notes of a search that had so many levels. All threads call it. */
template <bool NOTED> __device__ static inline void end_notes(level_notes<NOTED> &notes, int32_t levels)
{
    note_time(notes, levels - 1, FUSED_ENDED);
}

/* Notes the kind of a level, and begins its note if that has not begun. All threads call it. */
template <bool NOTED> __device__ static inline void note_level(level_notes<NOTED> &notes, int32_t depth, level_kind kind)
{
    note_begin(notes, depth);
    if constexpr (NOTED) {
        if (is_noter(notes))
            note_of(notes, depth).kind = kind;
    }
}

#endif

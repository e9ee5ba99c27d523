/* cuda_level_notes.cuh: notes of the levels of a search that is one kernel, fused or sliced
 *
 * One thread, the noter, writes the notes of all levels: the first thread of the first block. Kernels are compiled with and
 * without notes. Without them these functions are empty and cost no instruction. A kernel that asks at run time whether it
 * should write notes takes 1.07 to 1.14 times as long.
 */
#ifndef DBFS_CUDA_LEVEL_NOTES_CUH
#define DBFS_CUDA_LEVEL_NOTES_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "traverse/cuda/fused/cuda_fused.h"

/* What a block keeps in shared memory for notes. Empty in a kernel without notes. */
template <bool NOTED> struct level_notes {
    fused_outputs out;
    int32_t begun; /* the number of levels whose notes have begun */
    unsigned long long first_pulled, last_pulled; /* when the first and the last warp of the block ended pulls, as in fused_counts */
};
template <> struct level_notes<false> {
};

/* Returns whether this thread is the noter, which writes the notes of the search. */
__device__ static inline bool is_noter(const level_notes<true> &)
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

/* Returns the note of the level whose frontier has depth `depth`. Levels use the FUSED_NOTES_KEPT notes of the device in turn. */
__device__ static inline fused_note &note_of(level_notes<true> &notes, int32_t depth)
{
    return notes.out.notes[depth % FUSED_NOTES_KEPT];
}

/* Clears what the block keeps for notes. All threads call it before the first level. */
template <bool NOTED> __device__ static inline void begin_notes(level_notes<NOTED> &notes, const fused_outputs &out)
{
    if constexpr (NOTED) {
        if (threadIdx.x == 0)
            notes = level_notes<true>{out, 0, 0, 0};
    }
}

/* Begins the note of the level whose frontier has depth `depth`: clears it and writes the time FUSED_BEGUN. Does nothing if the
 * note has begun already. If all notes of the device are full, the noter first waits until the host has copied them. This wait
 * is not counted in the time of any level. All threads call it. */
template <bool NOTED> __device__ static inline void note_begin(level_notes<NOTED> &notes, int32_t depth)
{
    if constexpr (NOTED) {
        /* volatile, since otherwise the compiler lets all threads read `begun`, not only the noter */
        if (!is_noter(notes) || depth < *(volatile int32_t *)&notes.begun)
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

/* Writes the present time into the note of a level, as the time at which the level came to `point` (FUSED_CHOSEN, ...). All
 * threads call it. */
template <bool NOTED> __device__ static inline void note_time(level_notes<NOTED> &notes, int32_t depth, int point)
{
    if constexpr (NOTED) {
        if (is_noter(notes))
            note_of(notes, depth).at[point] = device_nanoseconds();
    }
}

/* Records that this warp has now ended its pulls of the level. `notes` keeps the earliest and the latest of these times, and
 * add_counts moves both to the counters of the level. All lanes of the warp call it. */
template <bool NOTED> __device__ static inline void note_pulled(level_notes<NOTED> &notes)
{
    if constexpr (NOTED) {
        if (lane_id() == 0) {
            const unsigned long long now = device_nanoseconds();
            atomicMax(&notes.first_pulled, ~now); /* inverted: the maximum is the earliest time, and 0 stands for no time */
            atomicMax(&notes.last_pulled, now);
        }
    }
}

/* Writes the end of the last level into its note, after a search of `levels` levels. All threads call it. */
template <bool NOTED> __device__ static inline void end_notes(level_notes<NOTED> &notes, int32_t levels)
{
    note_time(notes, levels - 1, FUSED_ENDED);
}

/* Writes the kind of a level into its note, and begins the note if that has not been done. All threads call it. */
template <bool NOTED> __device__ static inline void note_level(level_notes<NOTED> &notes, int32_t depth, level_kind kind)
{
    note_begin(notes, depth);
    if constexpr (NOTED) {
        if (is_noter(notes))
            note_of(notes, depth).kind = kind;
    }
}

#endif

/* cuda_level_notes.cuh: notes of levels, for all kernels that are a whole search
 *
 * One thread, the noter, writes the note of each level. Kernels are compiled twice: in those without notes these functions
 * are empty, so that they have not one instruction more. One kernel that asks at run time takes 1.07 to 1.14 times as long.
 */
#ifndef DBFS_CUDA_LEVEL_NOTES_CUH
#define DBFS_CUDA_LEVEL_NOTES_CUH

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

typedef level_notes<true> kept_notes;
typedef level_notes<false> no_notes;

/* Whether this thread writes the notes of this search. */
__device__ static inline bool is_noter(const kept_notes &)
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

/* The note of the level whose frontier has this depth. */
__device__ static inline fused_note &note_of(kept_notes &noted, int32_t depth)
{
    return noted.out.notes[depth % FUSED_NOTES_KEPT];
}

/* Begins notes. All threads call it before the first level. */
__device__ static inline void begin_notes(kept_notes &noted, const fused_outputs &out)
{
    if (threadIdx.x == 0)
        noted = kept_notes{out, 0, 0, 0};
}

/* Begins the note of a level; where another kind is tried for a level, a second call has no effect. If all notes are full,
 * it waits until the host has taken them; this time belongs to no level. */
__device__ static inline void note_begin(kept_notes &noted, int32_t depth)
{
    if (!is_noter(noted) || depth < *(volatile int32_t *)&noted.begun) /* volatile: else all threads read it ahead */
        return;
    if (depth > 0 && depth % FUSED_NOTES_KEPT == 0) {
        volatile fused_mapped *mapped = noted.out.mapped;
        note_of(noted, depth - 1).at[FUSED_ENDED] = device_nanoseconds();
        __threadfence_system();
        mapped->written = (uint32_t)depth;
        while (mapped->taken != (uint32_t)depth)
            __nanosleep(1000);
        __threadfence_system();
    }
    noted.begun = depth + 1;
    note_of(noted, depth) = fused_note{};
    note_of(noted, depth).at[FUSED_BEGUN] = device_nanoseconds();
}

__device__ static inline void note_kind(kept_notes &noted, int32_t depth, level_kind kind)
{
    if (is_noter(noted))
        note_of(noted, depth).kind = kind;
}

/* Notes the time at which the level has come to a point: FUSED_CHOSEN, ... */
__device__ static inline void note_time(kept_notes &noted, int32_t depth, int point)
{
    if (is_noter(noted))
        note_of(noted, depth).at[point] = device_nanoseconds();
}

/* Ends the notes of a search that had so many levels. */
__device__ static inline void end_notes(kept_notes &noted, int32_t levels)
{
    if (is_noter(noted))
        note_of(noted, levels - 1).at[FUSED_ENDED] = device_nanoseconds();
}

__device__ static inline void begin_notes(no_notes &, const fused_outputs &) {}
__device__ static inline void note_begin(no_notes &, int32_t) {}
__device__ static inline void note_kind(no_notes &, int32_t, level_kind) {}
__device__ static inline void note_time(no_notes &, int32_t, int) {}
__device__ static inline void end_notes(no_notes &, int32_t) {}

/* Begins the note of a level whose kind is known. */
template <class Notes> __device__ static inline void note_level(Notes &noted, int32_t depth, level_kind kind)
{
    note_begin(noted, depth);
    note_kind(noted, depth, kind);
}

#endif

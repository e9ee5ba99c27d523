/* cuda_level_notes.cuh: notes of what levels do, for all kernels that are a whole search; see cuda_fused.h
 *
 * One thread, the noter, writes the note of each level, if the search is to note them. Kernels of slices have no register to
 * spare: they are compiled twice, and in those without notes these functions are empty.
 */
#ifndef DBFS_CUDA_LEVEL_NOTES_CUH
#define DBFS_CUDA_LEVEL_NOTES_CUH

#include "traverse/cuda/device/cuda_ptx.cuh"
#include "traverse/cuda/fused/cuda_fused.h"

/* A block's shared memory for notes. */
template <bool NOTED> struct level_notes {
    fused_outputs out;
    bool kept;                                    /* this search notes its levels */
    int32_t begun;                                /* levels whose notes have begun */
    unsigned long long first_pulled, last_pulled; /* of its warps, as in fused_counts */
};
template <> struct level_notes<false> {
};

typedef level_notes<true> kept_notes;
typedef level_notes<false> no_notes;

__device__ static inline bool is_noter(const kept_notes &noted)
{
    return noted.kept && blockIdx.x == 0 && threadIdx.x == 0;
}

__device__ static inline fused_note &note_of(kept_notes &noted, int32_t depth)
{
    return noted.out.notes[depth % FUSED_NOTES_KEPT];
}

/* Begins notes. By all threads, before the first level. */
__device__ static inline void begin_notes(kept_notes &noted, const fused_outputs &out, const fused_order &order)
{
    if (threadIdx.x == 0)
        noted = kept_notes{out, order.noted != 0, 0, 0, 0};
}

/* There is no room for the note of this level: the host takes all notes. The time until it has done so belongs
 * to no level. */
__device__ static inline void write_notes(kept_notes &noted, int32_t depth)
{
    volatile fused_mapped *mapped = noted.out.mapped;
    note_of(noted, depth - 1).at[FUSED_ENDED] = device_nanoseconds();
    __threadfence_system();
    mapped->written = (uint32_t)depth;
    while (mapped->taken != (uint32_t)depth)
        __nanosleep(1000);
    __threadfence_system();
}

/* A level begins. Called again if another way is tried for the level. */
__device__ static inline void note_begin(kept_notes &noted, int32_t depth)
{
    if (!is_noter(noted) || depth < *(volatile int32_t *)&noted.begun) /* volatile: else all threads read it ahead */
        return;
    if (depth > 0 && depth % FUSED_NOTES_KEPT == 0)
        write_notes(noted, depth);
    noted.begun = depth + 1;
    note_of(noted, depth) = fused_note{};
    note_of(noted, depth).at[FUSED_BEGUN] = device_nanoseconds();
}

__device__ static inline void note_kind(kept_notes &noted, int32_t depth, level_kind kind)
{
    if (is_noter(noted))
        note_of(noted, depth).kind = kind;
}

/* A level of a few blocks begins. */
__device__ static inline void note_level(kept_notes &noted, int32_t depth, level_kind kind)
{
    note_begin(noted, depth);
    note_kind(noted, depth, kind);
}

/* Notes the time at which the level has come to a point. */
__device__ static inline void note_time(kept_notes &noted, int32_t depth, int what)
{
    if (is_noter(noted))
        note_of(noted, depth).at[what] = device_nanoseconds();
}

/* The search is over after so many levels. */
__device__ static inline void end_notes(kept_notes &noted, int32_t levels)
{
    if (is_noter(noted))
        note_of(noted, levels - 1).at[FUSED_ENDED] = device_nanoseconds();
}

__device__ static inline void begin_notes(no_notes &, const fused_outputs &, const fused_order &) {}
__device__ static inline void note_begin(no_notes &, int32_t) {}
__device__ static inline void note_kind(no_notes &, int32_t, level_kind) {}
__device__ static inline void note_level(no_notes &, int32_t, level_kind) {}
__device__ static inline void note_time(no_notes &, int32_t, int) {}
__device__ static inline void end_notes(no_notes &, int32_t) {}

#endif

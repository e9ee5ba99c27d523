/* cuda_search_notes.cuh: notes of what a level of cuda_fused.h reads and waits for
 *
 * Visits of the level loop have no notes: S::stepped.
 */
#ifndef DBFS_CUDA_SEARCH_NOTES_CUH
#define DBFS_CUDA_SEARCH_NOTES_CUH

#include "cuda_level_notes.cuh"
#include "cuda_list.cuh"

/* Whether the search notes its levels, which is the same for all threads. */
template <class S> __device__ static inline bool is_noted(S &s)
{
    if constexpr (S::stepped)
        return false;
    else
        return s.notes.kept;
}

/* Adds to the note of level `depth` what it takes from a peer: vertices that arrived, words of bitmaps. All threads call it. */
__device__ static inline void note_read(kept_notes &noted, int32_t depth, unsigned long long vertices,
                                        unsigned long long words)
{
    if (is_noter(noted)) {
        note_of(noted, depth).arrived += vertices;
        note_of(noted, depth).words += words;
    }
}

/* Notes that this warp has ended its pulls. */
template <class S> __device__ static inline void note_pulled(S &s)
{
    if constexpr (!S::stepped) {
        if (s.notes.kept && lane_id() == 0) {
            const unsigned long long now = device_nanoseconds();
            atomicMax(&s.notes.first_pulled, ~now);
            atomicMax(&s.notes.last_pulled, now);
        }
    }
}

/* Counts columns that lanes looked at in a pull of rows that a push along g would find. All lanes of the warp call it. */
template <class S> __device__ static inline void note_probes(S &s, uint64_t columns, int g)
{
    if constexpr (!S::stepped) {
        if (!s.notes.kept)
            return;
        const unsigned sum = sum_lanes((unsigned)columns);
        if (lane_id() == 0)
            own_space<S>().count[FUSED_PROBES + g] += sum;
    }
}

/* The number of columns that a lane has read. */
template <int COUNT> __device__ static inline unsigned count_columns(const uint32_t (&column)[COUNT])
{
    unsigned columns = 0;
    for (int j = 0; j < COUNT; j++)
        columns += column[j] != NO_HEAD;
    return columns;
}

/* Writes the counts of a level of the grid, s.block.count, to its note. All threads call it after the counts were read. */
template <class S> __device__ static inline void note_end(S &s)
{
    const volatile fused_counts &counts = s.state->counts[s.block.now.round];
    if (!is_noter(s.notes) || s.block.now.depth < 0) /* the root is no level */
        return;
    fused_note &note = note_of(s.notes, s.block.now.depth);
    for (int g = 0; g < SUBGRAPHS; g++) {
        note.probes[g] = s.block.count[FUSED_PROBES + g];
        note.pulled |= (s.block.choice.pull[g] ? 1u : 0) << g;
    }
    if (counts.last_pulled != 0) {
        note.at[FUSED_FIRST_PULLED] = ~counts.first_pulled;
        note.at[FUSED_LAST_PULLED] = counts.last_pulled;
    }
}

#endif

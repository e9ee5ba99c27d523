/* cuda_search_notes.cuh: notes of what levels do; see cuda_fused.h
 *
 * One thread, the noter, writes the note of each level. A visit of the level loop has no notes.
 */
#ifndef DBFS_CUDA_SEARCH_NOTES_CUH
#define DBFS_CUDA_SEARCH_NOTES_CUH

#include "cuda_level_notes.cuh"
#include "cuda_list.cuh"

/* Whether the search notes its levels: the same for all threads. */
template <class S> __device__ static inline bool is_noted(S &s)
{
    if constexpr (S::stepped)
        return false;
    else
        return s.notes.kept;
}

/* Two GPUs have met: this one waited for the other since `begun`. */
template <class S> __device__ static inline void note_wait(S &s, unsigned long long begun)
{
    if (is_noter(s.notes) && s.block.now.depth >= 0)
        note_of(s.notes, s.block.now.depth).waited += device_nanoseconds() - begun;
}

template <class S> __device__ static inline unsigned long long note_clock(S &s)
{
    return s.notes.kept ? device_nanoseconds() : 0;
}

/* The level takes vertices from a peer, or reads words of its masks. By all threads. */
template <class S>
__device__ static inline void note_read(S &s, unsigned long long vertices, unsigned long long words)
{
    if (is_noter(s.notes)) {
        note_of(s.notes, s.block.now.depth).arrived += vertices;
        note_of(s.notes, s.block.now.depth).words += words;
    }
}

/* A warp is done with its pulls. */
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

/* All warps of the block are done. */
template <class S> __device__ static inline void add_pulled(S &s)
{
    fused_counts &counts = s.state->counts[s.block.now.turn];
    if (threadIdx.x == 0 && s.notes.last_pulled != 0) {
        atomicMax(&counts.first_pulled, s.notes.first_pulled);
        atomicMax(&counts.last_pulled, s.notes.last_pulled);
        s.notes.first_pulled = s.notes.last_pulled = 0;
    }
}

/* `columns` of each lane were looked at in a pull. All lanes of the warp call it. */
template <class S> __device__ static inline void note_probes(S &s, uint64_t columns, int g)
{
    if constexpr (!S::stepped) {
        if (!s.notes.kept)
            return;
        const unsigned sum = sum_lanes((unsigned)columns);
        if (lane_id() == 0)
            own_space(s).count[FUSED_PROBES + g] += sum;
    }
}

/* How many columns a lane has asked for. */
template <int COUNT> __device__ static inline unsigned count_columns(const uint32_t (&column)[COUNT])
{
    unsigned columns = 0;
    for (int j = 0; j < COUNT; j++)
        columns += column[j] != NO_HEAD;
    return columns;
}

/* A level of the grid is over, and its counts have been read. */
template <class S> __device__ static inline void note_end(S &s)
{
    const volatile fused_counts &counts = s.state->counts[s.block.now.turn];
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

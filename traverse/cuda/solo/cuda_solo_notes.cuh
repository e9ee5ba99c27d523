/* cuda_solo_notes.cuh: notes of what levels do; see cuda_solo.h
 *
 * One thread, the noter, writes the note of each level. In the plain kernel these functions are empty, so it has
 * not one instruction more.
 */
#ifndef DBFS_CUDA_SOLO_NOTES_CUH
#define DBFS_CUDA_SOLO_NOTES_CUH

#include "cuda_level_notes.cuh"
#include "cuda_solo_list.cuh"

#if SOLO_NOTED

/* Two GPUs have met: this one waited for the other since `begun`. */
__device__ static inline void note_wait(unsigned long long begun)
{
    if (is_noter() && block.now.depth >= 0)
        note_of(block.now.depth).waited += device_nanoseconds() - begun;
}

__device__ static inline unsigned long long note_clock()
{
    return device_nanoseconds();
}

/* The level takes vertices from a peer, or reads words of its masks. By all threads. */
__device__ static inline void note_read(unsigned long long vertices, unsigned long long words)
{
    if (is_noter()) {
        note_of(block.now.depth).arrived += vertices;
        note_of(block.now.depth).words += words;
    }
}

/* A warp is done with its pulls. */
__device__ static inline void note_pulled()
{
    if (lane_id() == 0) {
        const unsigned long long now = device_nanoseconds();
        atomicMax(&noted.first_pulled, ~now);
        atomicMax(&noted.last_pulled, now);
    }
}

/* All warps of the block are done. */
__device__ static inline void add_pulled()
{
    solo_counts &counts = search.state->counts[block.now.turn];
    if (threadIdx.x == 0 && noted.last_pulled != 0) {
        atomicMax(&counts.first_pulled, noted.first_pulled);
        atomicMax(&counts.last_pulled, noted.last_pulled);
        noted.first_pulled = noted.last_pulled = 0;
    }
}

/* `columns` of each lane were looked at in a pull. All lanes of the warp call it. */
__device__ static inline void note_probes(uint64_t columns, int g)
{
    const unsigned sum = sum_lanes((unsigned)columns);
    if (lane_id() == 0)
        own_space().count[SOLO_PROBES + g] += sum;
}

/* Of the columns that a lane has asked for. */
template <int COUNT> __device__ static inline unsigned count_columns(const uint32_t (&column)[COUNT])
{
    unsigned columns = 0;
    for (int j = 0; j < COUNT; j++)
        columns += column[j] != NO_HEAD;
    return columns;
}

/* What the level of the grid found has been read. */
__device__ static inline void note_end()
{
    const volatile solo_counts &counts = search.state->counts[block.now.turn];
    if (!is_noter())
        return;
    solo_note &note = note_of(block.now.depth);
    for (int g = 0; g < SUBGRAPHS; g++) {
        note.probes[g] = block.count[SOLO_PROBES + g];
        note.pulled |= (block.choice.pull[g] ? 1u : 0) << g;
    }
    if (counts.last_pulled != 0) {
        note.at[SOLO_FIRST_PULLED] = ~counts.first_pulled;
        note.at[SOLO_LAST_PULLED] = counts.last_pulled;
    }
}

#else

__device__ static inline void note_wait(unsigned long long) {}
__device__ static inline unsigned long long note_clock()
{
    return 0;
}
__device__ static inline void note_read(unsigned long long, unsigned long long) {}
__device__ static inline void note_pulled() {}
__device__ static inline void add_pulled() {}
__device__ static inline void note_probes(uint64_t, int) {}
template <int COUNT> __device__ static inline unsigned count_columns(const uint32_t (&)[COUNT])
{
    return 0;
}
__device__ static inline void note_end() {}

#endif

#endif

/* cuda_sliced_block.cuh: a block of a sliced search, and what all its levels do; see cuda_sliced.h
 *
 * Functions take the search `s` whole: it lies in constant memory, where each member is free, and a thread has no
 * register to spare. The case is the type of the block.
 */
#ifndef DBFS_CUDA_SLICED_BLOCK_CUH
#define DBFS_CUDA_SLICED_BLOCK_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/visit/cuda_level_notes.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "cuda_sliced.h"

enum { BLOCK_SLICES = SLICED_BLOCK_SLICES };

/* The frontier of a block that works by itself. */
struct block_frontier {
    unsigned at;    /* its count is block.count[at] */
    unsigned list;  /* its slices are block.slice[list] */
    unsigned count; /* slices: maybe more than a list has capacity for */
    unsigned seen;  /* slices of all frontiers that the block found */
    int32_t depth;
    int32_t until; /* the depth at which the block stops */
};

/* The state between two levels, the same in all blocks. */
struct sliced_progress {
    level_kind kind; /* of the next level */
    int32_t depth;
    unsigned found, weight; /* vertices of the frontier, and their slices */
    unsigned left;          /* slices of rows that are not visited */
    unsigned list;          /* the number of the last sparse frontier of all blocks */
};

/* A block's shared memory, beside its visited bits. NOTED: the kernel notes its levels. ROWS: the graph has heads. SPLIT:
 * some visited bits are far. */
template <bool NOTED, bool ROWS, bool SPLIT> struct sliced_block {
    static constexpr bool noted = NOTED, by_rows = ROWS, split = SPLIT;
    level_notes<NOTED> notes;
    sliced_progress now;
    unsigned found, weight;     /* by this block in this level: rows, and their slices */
    unsigned probes[SUBGRAPHS]; /* for notes */
    block_frontier one;
    /* lists of slices, used in turn; their counts are used in turn by three, so that one can be cleared */
    unsigned count[SLICED_ROUNDS];
    uint32_t slice[2][BLOCK_SLICES];
    unsigned told[WARP]; /* slices of a sparse frontier of all blocks, by groups of WARP blocks */
    uint32_t last;       /* where in s.found the bitmap of the level before begins: s.far may not have its bits yet */
};

extern __shared__ unsigned char memory[];

/* The visited bits of the first near_words words. */
__device__ static inline uint32_t *near_bits()
{
    return (uint32_t *)memory;
}

/* Whether the visited bits of this word, or of these four, lie in global memory. */
template <class B> __device__ static inline bool is_far(const B &, const gpu_sliced &s, uint32_t word)
{
    return B::split && word >= s.near_words;
}

/* A word of the visited bits. Near ones are in shared memory. Far ones are in global memory, which may not have
 * the bits of the level before yet: they are added here. */
template <class B> __device__ static inline uint32_t visited_word(const B &block, const gpu_sliced &s, uint32_t word)
{
    if (is_far(block, s, word))
        return ((const volatile uint32_t *)s.far)[word] | s.found[block.last + word];
    return near_bits()[word];
}

template <class B> __device__ static inline bool is_visited(const B &block, const gpu_sliced &s, uint32_t v)
{
    return visited_word(block, s, v / 32) >> (v % 32) & 1;
}

__device__ static inline uint32_t thread_of_grid()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static inline uint32_t threads_of_grid()
{
    return gridDim.x * blockDim.x;
}

/* Rounds are numbered 0 to SLICED_ROUNDS - 1: a level uses the counts and the `found` bitmap of its round. */
__device__ static inline unsigned next_round(unsigned round)
{
    return round == SLICED_ROUNDS - 1 ? 0 : round + 1;
}

__device__ static inline unsigned previous_round(unsigned round)
{
    return round == 0 ? SLICED_ROUNDS - 1 : round - 1;
}

/* ---- vertices ---- */

__device__ static inline int kind_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.normals ? DELEGATES : NORMALS;
}

__device__ static inline uint32_t id_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.normals ? v : v - s.normals;
}

/* Returns v as parents are recorded (engine.h). */
__device__ static inline uint32_t code_of(const gpu_sliced &s, uint32_t v)
{
    return id_of(s, v) | (kind_of(s, v) == DELEGATES ? KIND_BIT : 0);
}

__device__ static inline bool has_parents(const gpu_sliced &s)
{
    return s.of[NORMALS].parent != NULL;
}

/* Writes depth and parent of v. No thread waits for the writes. Others may find v in the same level: any parent is right. */
__device__ static inline void put_depth(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent)
{
    const bool normal = v >= s.normals;
    const uint32_t id = id_of(s, v);
    (normal ? s.of[NORMALS].depth : s.of[DELEGATES].depth)[id] = depth;
    if (has_parents(s))
        (normal ? s.of[NORMALS].parent : s.of[DELEGATES].parent)[id] = parent;
}

/* ---- columns ---- */

/* Returns how many slices the vertex of a link has. */
__device__ static inline unsigned slices_of(const gpu_sliced &s, const uint2 &link)
{
    const unsigned count = link.y >> SLICED_FIRST_BITS;
    return count < SLICED_MANY ? count : s.first[link.x + 1] - s.first[link.x];
}

template <class B> __device__ static inline bool sees_visited(const B &block, const gpu_sliced &s, const uint4 &c)
{
    return ((int)is_visited(block, s, c.x) | (int)is_visited(block, s, c.y) | (int)is_visited(block, s, c.z) |
            (int)is_visited(block, s, c.w)) != 0;
}

/* A row was found by a slice of its columns, of which one is visited: writes its depth, and that column as its parent. */
template <class B>
__device__ static inline void put_pulled(const B &block, const gpu_sliced &s, int32_t depth, uint32_t row, const uint4 &c)
{
    uint32_t parent = 0;
    if (has_parents(s))
        parent = code_of(s, is_visited(block, s, c.x)   ? c.x
                            : is_visited(block, s, c.y) ? c.y
                            : is_visited(block, s, c.z) ? c.z
                                                        : c.w);
    put_depth(s, row, depth, parent);
}

/* The counts of a thread in a level. */
struct slice_tally {
    unsigned found, weight;     /* vertices, and their slices */
    unsigned probes[SUBGRAPHS]; /* for notes: columns that were looked at, by the subgraph that a push would go along */
};

/* Counts the columns of a row that a pull or a push looked at, for notes. */
template <class B>
__device__ static inline void note_columns(B &, const gpu_sliced &s, uint32_t row, const uint4 &c, bool pushed,
                                           slice_tally &tally)
{
    const uint32_t columns[SLICED_COLUMNS] = {c.x, c.y, c.z, c.w};
#pragma unroll
    for (int j = 0; j < B::noted * SLICED_COLUMNS; j++) {
        const int from = kind_of(s, pushed ? row : columns[j]), to = kind_of(s, pushed ? columns[j] : row);
#pragma unroll
        for (int g = 0; g < SUBGRAPHS; g++)
            tally.probes[g] += columns[j] != row && g == (from << 1 | to);
    }
}

/* Adds the counts of all threads to those of the block. */
template <class B> __device__ static inline void add_tally(B &block, const slice_tally &tally)
{
    if (__any_sync(ALL_LANES, tally.found != 0)) {
        const unsigned found = sum_lanes(tally.found), weight = sum_lanes(tally.weight);
        if (lane_id() == 0) {
            atomicAdd(&block.found, found);
            atomicAdd(&block.weight, weight);
        }
    }
    for (int g = 0; g < B::noted * SUBGRAPHS; g++) {
        const unsigned probes = sum_lanes(tally.probes[g]);
        if (lane_id() == 0)
            atomicAdd(&block.probes[g], probes);
    }
}

#endif

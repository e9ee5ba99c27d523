/* cuda_sliced_block.cuh: the shared memory of a block of a sliced search, and functions for levels of all kinds; see
 * cuda_sliced.h
 *
 * Functions take the whole search, `s`: it lies in constant memory, where a member takes no register, and a thread has none
 * to spare. They take the block's memory, `block`, whose type B says for which case the kernel is compiled.
 */
#ifndef DBFS_CUDA_SLICED_BLOCK_CUH
#define DBFS_CUDA_SLICED_BLOCK_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/visit/cuda_level_notes.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "cuda_sliced.h"

enum { BLOCK_SLICES = SLICED_BLOCK_SLICES };

/* The frontier of a block that does levels by itself, as a list of slices. */
struct block_frontier {
    unsigned at;    /* block.count[at] counts its slices */
    unsigned list;  /* block.slice[list] has its slices */
    unsigned count; /* how many slices; may be more than the list holds */
    unsigned seen;  /* slices of all frontiers that the block has found */
    int32_t depth;
    int32_t until; /* the depth at which the block stops */
};

/* The state between two levels, alike in all blocks. */
struct sliced_progress {
    level_kind kind;        /* of the next level */
    int32_t depth;          /* of the frontier */
    unsigned found, weight; /* vertices of the frontier; their slices */
    unsigned left;          /* slices of all unvisited rows */
    unsigned list;          /* the number of the last sparse frontier of all blocks */
};

/* The shared memory of a block, beside its near bits. NOTED: the kernel notes its levels. ROWS: the graph has heads. SPLIT:
 * some visited bits are far. */
template <bool NOTED, bool ROWS, bool SPLIT> struct sliced_block {
    static constexpr bool noted = NOTED, by_rows = ROWS, split = SPLIT;
    level_notes<NOTED> notes;
    sliced_progress now;
    unsigned found, weight;          /* vertices that this block has found in this level; their slices */
    unsigned probes[SUBGRAPHS];      /* for notes: columns that this block has looked at in this level */
    block_frontier one;              /* where push_by_warp leaves its frontier for the other warps */
    uint32_t slice[2][BLOCK_SLICES]; /* two lists of slices, of frontiers in turn; or of vertices (enum listing) */
    unsigned count[SLICED_ROUNDS];   /* lengths of lists, used in turn, so that one can be cleared meanwhile */
    unsigned told[WARP];             /* slices of a sparse frontier of all blocks, by groups of WARP blocks */
    uint32_t last; /* where in s.found the bitmap of the level before begins: s.far may not have its bits yet */
};

extern __shared__ unsigned char memory[];

/* Returns the near bits: words 0 to s.near_words - 1 of the visited bits. */
__device__ static inline uint32_t *near_bits()
{
    return (uint32_t *)memory;
}

/* Whether a word of the visited bits lies in global memory. Four words from a multiple of 4 on lie together. */
template <class B> __device__ static inline bool is_far(const B &, const gpu_sliced &s, uint32_t word)
{
    return B::split && word >= s.near_words;
}

/* Returns a word of the visited bits. s.far may not have the bits of the level before yet, so they are added here. */
template <class B> __device__ static inline uint32_t visited_word(const B &block, const gpu_sliced &s, uint32_t word)
{
    if (is_far(block, s, word))
        return ((const volatile uint32_t *)s.far)[word] | s.found[block.last + word];
    return near_bits()[word];
}

/* Whether v was visited before this level, or was found in it by this block and has a near bit. */
template <class B> __device__ static inline bool is_visited(const B &block, const gpu_sliced &s, uint32_t v)
{
    return visited_word(block, s, v / 32) >> (v % 32) & 1;
}

/* Returns the number of this thread among those of all blocks. */
__device__ static inline uint32_t thread_of_grid()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Returns how many threads all blocks have. */
__device__ static inline uint32_t threads_of_grid()
{
    return gridDim.x * blockDim.x;
}

/* A level uses the counts and the `found` bitmap of its round. Rounds are numbered 0 to SLICED_ROUNDS - 1, in turn. */
__device__ static inline unsigned next_round(unsigned round)
{
    return round == SLICED_ROUNDS - 1 ? 0 : round + 1;
}

/* Returns the round of the level before. */
__device__ static inline unsigned previous_round(unsigned round)
{
    return round == 0 ? SLICED_ROUNDS - 1 : round - 1;
}

/* ---- vertices ---- */

/* Returns DELEGATES or NORMALS. */
__device__ static inline int kind_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.normals ? DELEGATES : NORMALS;
}

/* Returns the number of v among the vertices of its kind. */
__device__ static inline uint32_t id_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.normals ? v : v - s.normals;
}

/* Returns v in the form in which parents are recorded (engine.h). */
__device__ static inline uint32_t code_of(const gpu_sliced &s, uint32_t v)
{
    return id_of(s, v) | (kind_of(s, v) == DELEGATES ? KIND_BIT : 0);
}

/* Whether the search records parents. */
__device__ static inline bool has_parents(const gpu_sliced &s)
{
    return s.of[NORMALS].parent != NULL;
}

/* Writes depth and parent of v. Other threads may find v in the same level and write another parent: either is right. */
__device__ static inline void put_depth(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent)
{
    const bool normal = v >= s.normals;
    const uint32_t id = id_of(s, v);
    (normal ? s.of[NORMALS].depth : s.of[DELEGATES].depth)[id] = depth;
    if (has_parents(s))
        (normal ? s.of[NORMALS].parent : s.of[DELEGATES].parent)[id] = parent;
}

/* ---- columns ---- */

/* Whether a column of a slice is visited. Reads all four words before it tests one. */
template <class B> __device__ static inline bool sees_visited(const B &block, const gpu_sliced &s, const uint4 &c)
{
    return ((int)is_visited(block, s, c.x) | (int)is_visited(block, s, c.y) | (int)is_visited(block, s, c.z) |
            (int)is_visited(block, s, c.w)) != 0;
}

/* Writes depth and parent of a row that was found by a slice: the parent is the first visited column of the slice. */
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

/* What a thread has counted in a level. */
struct slice_tally {
    unsigned found, weight;     /* vertices that it has found; their slices */
    unsigned probes[SUBGRAPHS]; /* for notes: columns that it has looked at, by the subgraph that a push would go along */
};

/* Counts the columns of a slice that were looked at, for notes. `row`: that of the slice; `pushed`: by a push. */
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

/* Adds the counts of all threads to those of the block. All lanes of a warp call it together. */
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

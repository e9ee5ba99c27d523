/* cuda_sliced_block.cuh: a block of a search by slices, and all its levels; see cuda_sliced.h */
#ifndef DBFS_CUDA_SLICED_BLOCK_CUH
#define DBFS_CUDA_SLICED_BLOCK_CUH

#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/visit/cuda_level_notes.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"
#include "cuda_sliced.h"

enum { ONE_SLICES = SLICED_ONE_SLICES };

/* Frontiers of a block, while it goes alone. */
struct one_progress {
    unsigned at;    /* of sliced_block's `count` */
    unsigned list;  /* of `slice` */
    unsigned count; /* slices of the frontier: maybe more than the room of a list */
    unsigned seen;  /* slices of all frontiers that it found */
    int32_t depth;  /* of the frontier */
    int32_t until;  /* the depth at which it ends */
};

/* The way of a level. */
enum sliced_way { BY_ONE, BY_ALL_SLICES, BY_ROWS, BY_PUSH, BY_LIST };

/* The state between two levels, the same in all blocks. */
struct sliced_progress {
    sliced_way way;
    int32_t depth;
    unsigned found, weight; /* vertices of the frontier, and their slices */
    unsigned left;          /* slices of rows that are not visited */
    unsigned list;          /* the number of the last list of all blocks */
};

/* A block's shared memory, beside its mask of visited vertices. All functions that use it take it.
 * NOTED: the kernel notes its levels. ROWS: levels do not read all slices, and may go by lists. SPLIT: the mask has more
 * words than shared memory has room for. */
template <bool NOTED, bool ROWS, bool SPLIT> struct sliced_block {
    static constexpr bool noted = NOTED, by_rows = ROWS, split = SPLIT;
    level_notes<NOTED> notes;
    sliced_progress now;
    unsigned found, weight;     /* by this block in this level: rows, and their slices */
    unsigned probes[SUBGRAPHS]; /* for notes */
    one_progress one;
    /* its slices: lists are taken in turn by two, their counts by three */
    unsigned count[SLICED_TURNS];
    uint32_t slice[2][ONE_SLICES];
    unsigned listed[WARP]; /* slices of a list of all blocks, by groups of WARP blocks */
    uint32_t last;         /* where in s.found the mask of the level before begins: s.far may not have it yet */
};

extern __shared__ unsigned char memory[];

__device__ static inline uint32_t *visited_mask()
{
    return (uint32_t *)memory;
}

/* Whether marks of this word, or of these four, lie in global memory. */
template <class B> __device__ static inline bool is_far(const B &, const gpu_sliced &s, uint32_t word)
{
    return B::split && word >= s.far.near;
}

template <class B> __device__ static inline uint32_t visited_word(const B &block, const gpu_sliced &s, uint32_t word)
{
    if (is_far(block, s, word))
        return ((const volatile uint32_t *)s.far.mask)[word] | s.found[block.last + word];
    return visited_mask()[word];
}

/* Words 4 * i to 4 * i + 3. */
template <class B> __device__ static inline uint4 visited_words(const B &block, const gpu_sliced &s, uint32_t i)
{
    if (is_far(block, s, 4 * i))
        return make_uint4(visited_word(block, s, 4 * i), visited_word(block, s, 4 * i + 1),
                          visited_word(block, s, 4 * i + 2), visited_word(block, s, 4 * i + 3));
    return ((const uint4 *)visited_mask())[i];
}

template <class B> __device__ static inline bool is_visited(const B &block, const gpu_sliced &s, uint32_t v)
{
    return visited_word(block, s, v / 32) >> (v % 32) & 1;
}

/* Whether the lane was the first of this block to mark v, which was not visited before this level. Far ones are left to
 * the mark that all blocks see. */
template <class B> __device__ static inline bool claim(B &block, const gpu_sliced &s, uint32_t v)
{
    const uint32_t bit = 1u << (v % 32);
    if (is_far(block, s, v / 32))
        return true;
    return !is_visited(block, s, v) && !(atomicOr(&visited_mask()[v / 32], bit) & bit);
}

__device__ static inline uint32_t thread_of_grid()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static inline uint32_t threads_of_grid()
{
    return gridDim.x * blockDim.x;
}

__device__ static inline unsigned after(unsigned turn)
{
    return turn == SLICED_TURNS - 1 ? 0 : turn + 1;
}

__device__ static inline unsigned previous(unsigned turn)
{
    return turn == 0 ? SLICED_TURNS - 1 : turn - 1;
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

/* As parents are recorded (backend.h). */
__device__ static inline uint32_t code_of(const gpu_sliced &s, uint32_t v)
{
    return id_of(s, v) | (kind_of(s, v) == DELEGATES ? KIND_BIT : 0);
}

__device__ static inline bool has_parents(const gpu_sliced &s)
{
    return s.of[NORMALS].parent != NULL;
}

/* No thread waits for the writes. Others may find v in the same level: any parent is right. */
__device__ static inline void put_depth(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent)
{
    const bool normal = v >= s.normals;
    const uint32_t id = id_of(s, v);
    (normal ? s.of[NORMALS].depth : s.of[DELEGATES].depth)[id] = depth;
    if (has_parents(s))
        (normal ? s.of[NORMALS].parent : s.of[DELEGATES].parent)[id] = parent;
}

/* ---- columns ---- */

/* How many slices the vertex of a link has. */
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

/* A visited column of a slice that has one. */
template <class B>
__device__ static inline uint32_t visited_column(const B &block, const gpu_sliced &s, const uint4 &c)
{
    return is_visited(block, s, c.x) ? c.x : is_visited(block, s, c.y) ? c.y : is_visited(block, s, c.z) ? c.z : c.w;
}

/* The counts of a thread in a level. */
struct slice_tally {
    unsigned found, weight;
    unsigned
        probes[SUBGRAPHS]; /* for notes: columns that were looked at, by the subgraph that a push would go along */
};

/* Counts columns of a row that a pull or a push looked at. */
template <class B>
__device__ static inline void note_columns(B &block, const gpu_sliced &s, uint32_t row, const uint4 &c, bool pushed,
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

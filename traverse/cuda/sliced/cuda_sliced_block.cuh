/* cuda_sliced_block.cuh: the shared memory of a block of a sliced search, and functions that levels of all kinds use; see
 * cuda_sliced.h
 *
 * Functions get the whole search as `s`. It lies in constant memory, because a thread has no registers to spare for its
 * members. They get the shared memory of the block as `block`, whose type B says for which kind of graph the kernel is
 * compiled. Vertices of both kinds have one numbering here, in which the delegates come first.
 */
#ifndef DBFS_CUDA_SLICED_BLOCK_CUH
#define DBFS_CUDA_SLICED_BLOCK_CUH

#include "traverse/cuda/device/cuda_sum_barrier.cuh"
#include "traverse/cuda/visit/cuda_level_notes.cuh"
#include "cuda_sliced.h"

enum { BLOCK_SLICES = SLICED_BLOCK_SLICES };

/* The frontier of a block that does levels by itself (kind BLOCK): a list of slices in the memory of the block. */
struct block_frontier {
    unsigned count_index; /* which element of block.count was the length of the list while the list was made */
    unsigned list_index;  /* which of the two lists of block.slice has the slices */
    unsigned count; /* the number of slices of the frontier, which may be more than the list has room for */
    unsigned last;  /* the number of slices of the frontier before */
    unsigned seen;  /* the number of slices of all frontiers that the block has found by itself so far */
    int32_t depth;  /* of the frontier */
    int32_t until;  /* the depth at which the block stops */
};

/* The state of a search between two levels. Each block has a copy, with the same values. */
struct sliced_progress {
    level_kind kind;        /* of the next level */
    int32_t depth;          /* of the frontier */
    unsigned found, weight; /* the number of vertices of the frontier; the number of their slices */
    /* the number of slices of all unvisited rows. Exact in graphs with heads (all_visited). Without heads no level is chosen by it, and ALL
     * counts a row once for each warp that finds it */
    unsigned left;
    unsigned last;          /* the number of slices of the frontier before */
    unsigned list_number;   /* the number of the last sparse frontier of the search (struct sparse_frontier) */
    bool lacks_slices;      /* the last level was BLOCK, and its list of the frontier lacks slices (slice_list.of_warp) */
    bool each;              /* with B::long_rows: the next level is BLOCK, and each block pushes it by itself (run_few) */
    bool pull_failed;       /* the last PULL found less than 1 / PULL_LEAST (advance) of the slices of all rows that looked */
};

/* A sparse frontier of all blocks: slices in lists of the blocks, or in parts of s.list. Each thread has a copy, with the same values. */
struct sparse_frontier {
    /* the number of times that blocks have told lengths in the search; parts lie in s.list[number % 2] */
    unsigned number;
    unsigned total;  /* the number of slices of all parts or lists */
    bool fits;       /* no part is longer than s.list_capacity, so no slice is missing; all blocks can go on with their own lists */
};

/* The shared memory of a block, except the visited bits there (near bits). NOTED: the kernel notes its levels. ROWS: the
 * graph has heads, so dense levels pull or push rows. SPLIT: some visited bits lie in global memory (far bits). LONG: the graph has
 * heads, no far bits and long rows (s.long_rows), and a level may be pushed by each block (run_few). */
template <bool NOTED, bool ROWS, bool SPLIT, bool LONG> struct sliced_block {
    static constexpr bool noted = NOTED, by_rows = ROWS, split = SPLIT, long_rows = LONG;
    level_notes<NOTED> notes;
    sliced_progress now;
    /* the number of vertices that this block has found in this level; the number of their slices */
    unsigned found, weight;
    unsigned probes[SUBGRAPHS];      /* for notes: how many columns this block has looked at in this level */
    /* after levels that the first warp did alone (push_by_warp): the frontier, for the other warps */
    block_frontier one;
    /* slices of the frontier and of the next one in BLOCK levels. Otherwise slice[1] has vertices (add_found) or part_ends() */
    uint32_t slice[2][BLOCK_SLICES];
    /* lengths of lists. Levels take the three elements in turn, so that the next one is zero when a level begins */
    unsigned count[SLICED_TURNS];
    block_barrier barrier;
    sparse_frontier frontier;      /* the result of the last barrier */
    unsigned told[WARP];           /* the number of slices of a sparse frontier in each group of WARP blocks */
    unsigned far;       /* 0 or 1: which of the two far bitmaps this level reads (far_bits) */
    unsigned leaves;    /* how many leaves this block has found in BLOCK levels and not yet counted (sliced_progress.left) */
    int32_t leaf_depth; /* the depth of the leaves that this block found last in BLOCK levels; 0: none */
};

extern __shared__ unsigned char memory[];

/* Returns the near bits of this block: words 0 to s.near_words - 1 of the visited bits, in shared memory. */
__device__ static inline uint32_t *near_bits()
{
    return (uint32_t *)memory;
}

/* Returns whether a word of the visited bits is far (in global memory). Words 4 i to 4 i + 3 are all far or all near. */
template <class B> __device__ static inline bool is_far(const B &, const gpu_sliced &s, uint32_t word)
{
    return B::split && word >= s.near_words;
}

/* Returns the far bitmap that this level reads: all vertices found before. Only BLOCK sets bits in it, as no other block reads them then;
 * other levels set bits of what they find in the other bitmap (next_far_bits). */
template <class B> __device__ static inline uint32_t *far_bits(const B &block, const gpu_sliced &s)
{
    return s.far + block.far * s.words;
}

/* Returns the far bitmap that the next level will read, and none reads in this one. The last level read it, so it lacks what that level
 * found: add_far_words adds these vertices, and set_next_far those of this level. */
template <class B> __device__ static inline uint32_t *next_far_bits(const B &block, const gpu_sliced &s)
{
    return s.far + (block.far ^ 1) * s.words;
}

/* If a word is far, sets `bits` in it in the next far bitmap: vertices that this level has found. */
template <class B>
__device__ static inline void set_next_far(const B &block, const gpu_sliced &s, uint32_t word, uint32_t bits)
{
    if (is_far(block, s, word))
        atomicOr(&next_far_bits(block, s)[word], bits);
}

/* Returns a word of the visited bits, near or far. A far word may come from the L1 cache. No other block sets bits in this bitmap within a
 * level, and at each barrier of all blocks a thread of each block loads as an acquire, which empties the cache. Bits that this block sets
 * itself, in BLOCK levels, it sets by atomics, which drop the word from the cache. */
template <class B> __device__ static inline uint32_t visited_word(const B &block, const gpu_sliced &s, uint32_t word)
{
    if (is_far(block, s, word))
        return far_bits(block, s)[word];
    return near_bits()[word];
}

/* Returns whether v was visited before this level, or this block has set a near bit of v in this level. */
template <class B> __device__ static inline bool is_visited(const B &block, const gpu_sliced &s, uint32_t v)
{
    return visited_word(block, s, v / 32) >> (v % 32) & 1;
}

/* Returns the number of this thread among the threads of all blocks. */
__device__ static inline uint32_t thread_of_grid()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Returns the number of threads of all blocks. */
__device__ static inline uint32_t threads_of_grid()
{
    return gridDim.x * blockDim.x;
}

/* Returns the turn of the next level: turns 0 to SLICED_TURNS - 1 follow each other again and again. The turn of a level
 * says which sums and which `found` bitmap the level uses. */
__device__ static inline unsigned next_turn(unsigned turn)
{
    return turn == SLICED_TURNS - 1 ? 0 : turn + 1;
}

/* Returns the turn of the level before (see next_turn). */
__device__ static inline unsigned previous_turn(unsigned turn)
{
    return turn == 0 ? SLICED_TURNS - 1 : turn - 1;
}

/* Returns whether a frontier of `slices` slices is steady, where the one before had `last`, and not too large for one block. In road
 * networks, grids and chains hundreds of such levels follow each other. One block takes about .9 us for each, and 2.3 more for 1,000
 * slices (one H200), and all blocks together 3 to 5 us. A frontier that grows fast is soon too large for a block, so all blocks begin
 * with it earlier. One that shrinks fast is soon small, and until then a block gains nothing (RMAT 16 took 1.09 times as long). */
__device__ static inline bool is_steady(const gpu_sliced &s, unsigned slices, unsigned last)
{
    return slices <= s.steady_capacity && slices - slices / 4 <= last && last / 4 <= slices;
}

/* Returns whether one block that has begun to push levels by itself (BLOCK) goes on with a frontier; see is_steady. */
__device__ static inline bool fits_one_block(const gpu_sliced &s, unsigned slices, unsigned last)
{
    return slices <= s.block_capacity || is_steady(s, slices, last);
}

/* ---- vertices ---- */

/* Returns the kind of vertex v: DELEGATES or NORMALS. */
__device__ static inline int kind_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.first_normal ? DELEGATES : NORMALS;
}

/* Returns the number of v among the vertices of its kind. */
__device__ static inline uint32_t id_of(const gpu_sliced &s, uint32_t v)
{
    return v < s.first_normal ? v : v - s.first_normal;
}

/* Returns the code by which v is recorded as a parent (engine.h): its number in its kind, with KIND_BIT for a delegate. */
__device__ static inline uint32_t code_of(const gpu_sliced &s, uint32_t v)
{
    return id_of(s, v) | (kind_of(s, v) == DELEGATES ? KIND_BIT : 0);
}

/* Returns whether the search records parents. */
__device__ static inline bool has_parents(const gpu_sliced &s)
{
    return s.of[NORMALS].parent != NULL;
}

/* Writes the depth of v, and `parent` (a code of code_of) if the search records parents. Other threads may find v in the
 * same level and write other parents, all of which are right. */
__device__ static inline void put_depth(const gpu_sliced &s, uint32_t v, int32_t depth, uint32_t parent)
{
    const bool normal = v >= s.first_normal;
    const uint32_t id = id_of(s, v);
    (normal ? s.of[NORMALS].depth : s.of[DELEGATES].depth)[id] = depth;
    if (has_parents(s))
        (normal ? s.of[NORMALS].parent : s.of[DELEGATES].parent)[id] = parent;
}

/* ---- columns ---- */

/* Returns whether any of the four columns `c` of a slice is visited. Reads all near bits first, so that the reads overlap, and far
 * ones only if no near one is set, because these reads take longest. */
template <class B> __device__ static inline bool sees_visited(const B &block, const gpu_sliced &s, const uint4 &c)
{
    const uint32_t column[SLICED_COLUMNS] = {c.x, c.y, c.z, c.w};
    int near = 0, far = 0;
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        near |= !is_far(block, s, column[j] / 32) ? is_visited(block, s, column[j]) : 0;
    if (!B::split || near)
        return near;
#pragma unroll
    for (int j = 0; j < SLICED_COLUMNS; j++)
        far |= is_far(block, s, column[j] / 32) ? is_visited(block, s, column[j]) : 0;
    return far;
}

/* Writes depth and parent of a row that has seen a visited column in a slice with the columns `c`. The parent is the
 * first visited column. `depth` is the new depth of the row. */
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

/* Counts of one thread in a level. */
struct slice_tally {
    unsigned found, weight; /* the number of vertices that the thread has found; the number of their slices */
    /* for notes: how many columns the thread has looked at. A pulled edge counts for the subgraph in which a push takes it */
    unsigned probes[SUBGRAPHS];
};

/* For notes: adds the four columns `c` of a slice of `row` to tally.probes, each to its subgraph, except those that only fill
 * up the slice. `pushed`: the row was pushed; otherwise it looked for a parent. Without notes does nothing. */
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

/* Adds the lanes' counts to block.found, block.weight and, for notes, block.probes. All lanes of the warp call it. */
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

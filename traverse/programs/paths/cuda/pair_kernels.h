/* pair_kernels.h: launches the kernels that search between pairs of vertices, from plain C or CUDA. pair_cpu.c does the
 * same work on a CPU.
 *
 * In the first kernel, each block works on one pair after the other, without the other blocks. If a frontier has too many
 * edges, the block leaves the pair to the second kernel, in which all blocks together work on one pair after the other.
 *
 * A search has two sides. The side of the source grows along edges, and the side of the target grows against edges. A
 * vertex has two marks, a bit for each side. The steps of both sides are in one array: those of the source go forwards from
 * the first element, and those of the target backwards from the last element. At its end, a search clears the marks of the
 * vertices in its steps, so the cost of a pair depends on the number of visited vertices, and not on n.
 *
 * All pointers are device memory, except the pointer to struct gpu_pairs. */
#ifndef DBFS_PAIR_KERNELS_H
#define DBFS_PAIR_KERNELS_H

#include "traverse/programs/joined/cuda/joined_rows.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PAIR_SIDES = 2, PAIR_MARKS = 16 /* number of vertices with marks in one word */ };

/* PAIR_BLOCK_EDGES: a block leaves a pair if a frontier has more edges than this. PAIR_LONG_ROW: a row with more edges than
 * this is long, and the second kernel cuts it into pieces of this number of edges. */
#ifdef DBFS_EMULATED
enum { PAIR_BLOCK_EDGES = 600, PAIR_LONG_ROW = 100 };
#else
enum { PAIR_BLOCK_EDGES = 1 << 15, PAIR_LONG_ROW = 2048 };
#endif

/* A step is a found vertex, and the index of the step from which it was found. */
struct gpu_pair_step {
    uint32_t vertex, from;
};

/* The result of a search between the two vertices of a pair. */
struct gpu_pair_result {
    /* the distance plus 1; 0: there is no path; PAIR_ONE_WAY: the rows of two vertices contradict each other */
    unsigned long long found;
    unsigned long long edges, vertices, nanoseconds;
    /* index in `paths` of the first vertex of the path; PAIR_NO_PATH: there is no path, it did not fit, or it is not wanted */
    unsigned long long path;
};

#define PAIR_NO_PATH UINT64_MAX
/* The value of `found` if two rows contradict each other: one vertex has an edge, and the vertex at the other end does not have
 * it. The member `path` is then (vertex << 32 | other end). */
#define PAIR_ONE_WAY UINT64_MAX

/* A piece of a long row, which is the row of the vertex of step `step`. `number` counts the pieces of the row from 0. */
struct gpu_pair_piece {
    uint32_t step, number;
};

/* The counts of a level, while it is searched. */
struct gpu_pair_level {
    unsigned long long edges; /* number of edges of the rows of the found vertices */
    /* count: number of found vertices. pieces: number of pieces of the long rows of the frontier. */
    uint32_t count, pieces;
    /* the edge at which the sides have met, (step of the growing side << 32 | vertex of the other side); or PAIR_NOT_MET */
    unsigned long long met;
};

/* The part of the state of a search that all threads of the search share. */
struct gpu_pair_live {
    /* The counts of the last, the present and the next level, used in turn. Threads add to the counts of the present level,
     * while the first thread clears those of the next level. */
    struct gpu_pair_level level[3];
    unsigned long long edges;       /* number of edges that all threads have read; complete when the search is over */
    /* the step of the other side's frontier at which the sides have met; PAIR_NO_STEP: not found yet */
    uint32_t other;
    uint32_t arrived;               /* number of arrivals of blocks at barriers; used by the second kernel only */
};

#define PAIR_NOT_MET UINT64_MAX
#define PAIR_NO_STEP UINT32_MAX

/* Counts over all pairs. All zero before the first kernel. */
struct gpu_pair_counts {
    uint32_t taken;               /* number of pairs that blocks have begun */
    uint32_t left;                /* number of pairs that blocks have left to the second kernel */
    unsigned long long path_vertices; /* number of vertices of all paths, including the paths that do not fit */
    struct gpu_pair_live live;    /* the shared state of the search of all blocks together, in the second kernel */
};

/* The pairs to search between, and the memory of the searches. Passed to kernels. */
struct gpu_pairs {
    /* the rows that each side reads */
    struct gpu_rows rows[PAIR_SIDES];
    uint64_t vertices;
    const uint32_t *ends;          /* [2 * count] source and target of each pair; the two are different vertices */
    uint32_t count;
    int one_sided;
    uint32_t *marks;               /* marks, zero before a pair: `words` words for each block */
    /* number of words of marks of one search */
    uint64_t words;
    struct gpu_pair_step *steps;   /* steps: [vertices + 1] for each block */
    struct gpu_pair_piece *pieces; /* pieces of long rows, for the search of all blocks together */
    uint32_t *left;                /* [count] the pairs that blocks have left to the second kernel */
    struct gpu_pair_counts *counts;
    /* [count] the results, zero before the first kernel; if a block leaves a pair, they keep its edges and time so far */
    struct gpu_pair_result *results;
    uint32_t *paths;                 /* [path_capacity] the paths, one after the other; NULL: no paths are wanted */
    uint64_t path_capacity;          /* number of vertices for which `paths` has memory */
};

/* Returns the number of blocks of these kernels that the current GPU can run at the same time; 1 if it is not known. */
int cuda_pair_blocks(void);

/* Launches the first kernel with `blocks` blocks. It lists the pairs that are left to the second kernel in pairs->left. */
void cuda_pairs_by_blocks(const struct gpu_pairs *pairs, int blocks, cudaStream_t stream);

/* Launches the second kernel, for the pairs in pairs->left, after cuda_pairs_by_blocks. Returns the error of the launch. */
cudaError_t cuda_pairs_by_all(const struct gpu_pairs *pairs, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

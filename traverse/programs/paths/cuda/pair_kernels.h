/* pair_kernels.h: the launches of the kernels that search between pairs of vertices, in plain C.
 *
 * pair_cpu.c does the same on a CPU. There are two kernels. In the first kernel each block takes one pair after the other,
 * and searches between the two vertices by itself. If a frontier has too many edges, the block leaves the pair to the
 * second kernel. In the second kernel all blocks together search between one pair after the other.
 *
 * A search has two sides: the source's side grows along edges, and the target's side grows against edges. A search has two
 * marks for each vertex, a bit for each side, and an array of steps. The steps of the source's side lie from the first
 * element on. The steps of the target's side lie from the last element backwards. A search ends by clearing the marks of
 * the vertices in its steps. So the cost of a pair depends on the number of visited vertices, and not on n. All pointers
 * but the pointer to struct gpu_pairs are device memory. */
#ifndef DBFS_PAIR_KERNELS_H
#define DBFS_PAIR_KERNELS_H

#include "traverse/programs/joined/cuda/joined_rows.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PAIR_SIDES = 2, PAIR_MARKS = 16 /* vertices whose marks are in one word */ };

/* PAIR_BLOCK_EDGES: a block leaves a pair if a frontier has more edges. PAIR_LONG_ROW: a row with more edges is a long row,
 * which the second kernel cuts into pieces of PAIR_LONG_ROW edges. */
#ifdef DBFS_EMULATED
enum { PAIR_BLOCK_EDGES = 600, PAIR_LONG_ROW = 100 };
#else
enum { PAIR_BLOCK_EDGES = 1 << 15, PAIR_LONG_ROW = 2048 };
#endif

/* A found vertex, and the index of the step whose vertex has found this vertex. */
struct gpu_pair_step {
    uint32_t vertex, from;
};

/* The result of a search between the two vertices of a pair. */
struct gpu_pair_result {
    unsigned long long found; /* the distance plus 1; 0: there is no path; PAIR_ONE_WAY: the rows contradict each other */
    unsigned long long edges, vertices, nanoseconds;
    /* index of the path's first vertex in `paths`; PAIR_NO_PATH: the path did not fit, there is none, or none is wanted */
    unsigned long long path;
};

#define PAIR_NO_PATH UINT64_MAX
/* Instead of a distance: the rows of a vertex have an edge that the rows of the other end lack. The member `path` is then
 * (vertex << 32 | other end). */
#define PAIR_ONE_WAY UINT64_MAX

/* Piece number `number`, counted from 0, of the row of the vertex of a step. */
struct gpu_pair_piece {
    uint32_t step, number;
};

/* The counts of a level: what it has found so far. */
struct gpu_pair_level {
    unsigned long long edges; /* edges of the rows of the found vertices */
    uint32_t count, pieces;   /* number of found vertices; number of pieces of the frontier's long rows */
    /* (step << 32 | vertex) of an edge from a step to a vertex of the other side; PAIR_NOT_MET: no such edge was read */
    unsigned long long met;
};

/* The state of a search that all its threads share. */
struct gpu_pair_live {
    /* used in turn: the threads fill the counts of a level, while the first thread clears the counts of the next level */
    struct gpu_pair_level level[3];
    unsigned long long edges;       /* edges that all threads have read; complete when the search is over */
    /* the step of the other side's frontier at which the sides met; PAIR_NO_STEP: none is found yet */
    uint32_t other;
    uint32_t arrived;               /* how often blocks have arrived at barriers; used by the second kernel only */
};

#define PAIR_NOT_MET UINT64_MAX
#define PAIR_NO_STEP UINT32_MAX

/* Counts over all pairs. Zero before the first kernel. */
struct gpu_pair_counts {
    uint32_t taken;               /* number of pairs that blocks have taken */
    uint32_t left;                /* number of pairs that blocks have left to the second kernel */
    unsigned long long path_vertices; /* vertices of all paths, also of paths that do not fit */
    struct gpu_pair_live live;    /* the search of all blocks together, in the second kernel */
};

/* The pairs to search between, and the memory of the searches, as kernels get them. */
struct gpu_pairs {
    /* for each side: the rows that it reads */
    struct gpu_rows rows[PAIR_SIDES];
    uint64_t vertices;
    const uint32_t *ends;          /* [2 * count] source and target of each pair, which are different vertices */
    uint32_t count;
    int one_sided;
    uint32_t *marks;               /* for each block `words` words of marks, which are zero before a pair */
    /* words of marks of a search */
    uint64_t words;
    struct gpu_pair_step *steps;   /* for each block [vertices + 1] steps */
    struct gpu_pair_piece *pieces; /* pieces of long rows, for the search of all blocks together */
    uint32_t *left;                /* [count] the pairs that blocks have left to the second kernel */
    struct gpu_pair_counts *counts;
    struct gpu_pair_result *results; /* [count], zero before; includes the work of blocks that have left the pair */
    uint32_t *paths;                 /* [path_capacity] paths, one behind the other; NULL: no paths are wanted */
    uint64_t path_capacity;          /* number of vertices for which `paths` has memory */
};

/* Returns the number of blocks of these kernels that the current GPU can run at the same time; 1 if it cannot be found
 * out. */
int cuda_pair_blocks(void);

/* Launches the first kernel with `blocks` blocks. Each block searches between one pair at a time, and lists pairs whose
 * frontiers have too many edges in pairs->left. */
void cuda_pairs_by_blocks(const struct gpu_pairs *pairs, int blocks, cudaStream_t stream);

/* Launches the second kernel, which must come after the first kernel. All blocks together search between the pairs in
 * pairs->left, one after the other. Returns the error of the launch. */
cudaError_t cuda_pairs_by_all(const struct gpu_pairs *pairs, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

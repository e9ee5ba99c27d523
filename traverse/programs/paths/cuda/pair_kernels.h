/* pair_kernels.h: the launches of the kernels that search between pairs of vertices, in plain C.
 *
 * The twin is pair_cpu.c. One kernel searches between many pairs: a block takes a pair, and then the next one. Blocks leave
 * pairs whose frontiers have many edges to a second kernel, all blocks of which search between one pair after the other.
 *
 * A search has two marks for each vertex, a bit for each side, and an array of steps. The steps of the source's side lie
 * from the first element on, and those of the target's side from the last element backwards. Marks are cleared by the
 * steps, so the cost of a pair follows its visits, and nothing is in proportion to n. All pointers but that of struct
 * gpu_pairs are device memory. */
#ifndef DBFS_PAIR_KERNELS_H
#define DBFS_PAIR_KERNELS_H

#include "traverse/programs/joined/cuda/joined_rows.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PAIR_SIDES = 2, PAIR_MARKS = 16 /* vertices of a word of marks */ };

/* PAIR_BLOCK_EDGES: the most edges of a frontier that a single block searches. PAIR_LONG_ROW: the second kernel cuts rows
 * with more edges into pieces of so many. */
#ifdef DBFS_EMULATED
enum { PAIR_BLOCK_EDGES = 600, PAIR_LONG_ROW = 100 };
#else
enum { PAIR_BLOCK_EDGES = 1 << 15, PAIR_LONG_ROW = 2048 };
#endif

/* A found vertex, and the step of the vertex from which its side found it. */
struct gpu_pair_step {
    uint32_t vertex, from;
};

struct gpu_pair_result {
    unsigned long long found; /* the distance plus 1; 0: there is no path; PAIR_ONE_WAY */
    unsigned long long edges, vertices, nanoseconds;
    unsigned long long path; /* index of its first vertex in `paths`; PAIR_NO_PATH: it did not fit, or none was wanted */
};

#define PAIR_NO_PATH UINT64_MAX
/* The rows of a vertex have an edge that the rows of the other end do not have; `path` is (vertex << 32 | other end). */
#define PAIR_ONE_WAY UINT64_MAX

/* Piece `number` of the row of a step. */
struct gpu_pair_piece {
    uint32_t step, number;
};

/* What a level has found so far. */
struct gpu_pair_level {
    unsigned long long edges; /* of the rows of found vertices */
    uint32_t count, pieces;   /* found vertices; pieces of long rows of the frontier */
    unsigned long long met;   /* (step << 32 | vertex): an edge from a step to a vertex of the other side; PAIR_NOT_MET */
};

/* A search, as all its threads see it. */
struct gpu_pair_live {
    struct gpu_pair_level level[3]; /* used in rounds: one is filled while the next one is cleared */
    unsigned long long edges;       /* read, when the search is over */
    uint32_t other;                 /* the step of the other side's frontier at which the sides met; PAIR_NO_STEP */
    uint32_t arrived;               /* arrivals of blocks at all barriers; used by the second kernel only */
};

#define PAIR_NOT_MET UINT64_MAX
#define PAIR_NO_STEP UINT32_MAX

/* Counts over all pairs, zero before a launch. */
struct gpu_pair_counts {
    uint32_t taken;               /* pairs that blocks have taken */
    uint32_t left;                /* pairs that blocks have left to the second kernel */
    unsigned long long path_vertices; /* vertices of all paths, also of those that do not fit */
    struct gpu_pair_live live;    /* of the search of all blocks */
};

/* The pairs to search between, as they are passed to kernels. */
struct gpu_pairs {
    struct gpu_rows rows[PAIR_SIDES];
    uint64_t vertices;
    const uint32_t *ends;          /* [2 * count]: source and target of each pair, which are not the same */
    uint32_t count;
    int one_sided;
    uint32_t *marks;               /* of each block, `words` of them, zero before a pair */
    uint64_t words;
    struct gpu_pair_step *steps;   /* of each block, [vertices + 1] */
    struct gpu_pair_piece *pieces; /* of long rows; of all blocks */
    uint32_t *left;                /* [count] the pairs that blocks have left */
    struct gpu_pair_counts *counts;
    struct gpu_pair_result *results; /* [count], zero before; the work of blocks that left their pairs is counted, too */
    uint32_t *paths;                 /* NULL: no paths are wanted */
    uint64_t path_capacity;          /* vertices for which `paths` has memory */
};

/* Returns how many blocks of these kernels the current GPU can run at the same time. */
int cuda_pair_blocks(void);

/* Launches the first kernel with `blocks` blocks: each block searches between one pair at a time, and lists pairs
 * with too many edges in pairs->left. */
void cuda_pairs_by_blocks(const struct gpu_pairs *pairs, int blocks, cudaStream_t stream);

/* Launches the second kernel, after the first one: all blocks together search between the pairs in pairs->left, one
 * after the other. */
cudaError_t cuda_pairs_by_all(const struct gpu_pairs *pairs, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

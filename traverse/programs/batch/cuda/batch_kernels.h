/* batch_kernels.h: launches the kernels for searches from a batch of roots (batch_search.h), from plain C or CUDA
 *
 * batch_sparse.c and batch_dense.c do the same work on a CPU. All pointers are device memory, except the pointer to struct
 * gpu_batch. The functions do not wait for the kernels. */
#ifndef DBFS_BATCH_KERNELS_H
#define DBFS_BATCH_KERNELS_H

#include "traverse/programs/joined/cuda/joined_rows.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* BATCH_PUSH_PIECE: number of columns of a piece of a row to push. BATCH_PULL_PIECE: number of columns of a piece of a long row
 * to pull. A row is long if it has more columns than gpu_batch.short_row, from BATCH_LEAST_SHORT to BATCH_MOST_SHORT. A vertex that has
 * more columns than BATCH_FEW is a hub.
 * BATCH_LOGGED: number of levels that one launch runs at most. BATCH_FIRST_COPIED: number of levels of a launch whose counts are
 * copied to the host before the number of levels is known there. */
#ifdef DBFS_EMULATED
enum {
    BATCH_PUSH_PIECE = 16, BATCH_LEAST_SHORT = 24, BATCH_MOST_SHORT = 24, BATCH_PULL_PIECE = 160, BATCH_FEW = 12, BATCH_LOGGED = 4,
    BATCH_FIRST_COPIED = 2
};
#else
enum {
    BATCH_PUSH_PIECE = 64, BATCH_LEAST_SHORT = 64, BATCH_MOST_SHORT = 512, BATCH_PULL_PIECE = 2048, BATCH_FEW = 128,
    BATCH_LOGGED = 256, BATCH_FIRST_COPIED = 24
};
#endif

/* A piece of the row of a vertex. `number` counts the pieces of the row from 0. */
struct gpu_batch_piece {
    uint32_t vertex, number;
};

/* The counts of a level: the found vertices, and the work that they bring to the next level. Zeroed before a level. */
struct gpu_batch_level {
    /* number of vertices in the list of the frontier from which the level started, and of pieces of their rows; 0 if it was sparse already.
     * Only cuda_batch_levels makes that list here */
    unsigned long long frontier_listed, frontier_pieces;
    unsigned long long listed;     /* number of found vertices in `list` */
    unsigned long long pieces;     /* number of pieces of the rows of the vertices in `list` */
    unsigned long long vertices;   /* number of vertices of the found frontier, listed or not */
    unsigned long long edges;      /* number of edges of the rows of the found frontier */
    /* number of edges that later pulls may read: of vertices that a root in `active` has not seen; only in a dense level */
    unsigned long long pull_edges_left;
    unsigned long long read;       /* number of edges that pushes and pulls have read */
    unsigned long long count[256]; /* for each root: number of found vertices */
    /* for each root: estimated number of edges of the found vertices; only in a dense level */
    unsigned long long weight[256];
    /* only by cuda_batch_levels: the clock of the GPU at the end of the level; its kind, and a bit for each root: it pulled */
    unsigned long long end_ns;
    uint64_t pulls[4];
    uint32_t is_sparse;
};

/* The levels that a launch of cuda_batch_levels has run. level[0] are the counts of the frontier that it started from. */
struct gpu_batch_log {
    uint32_t arrived; /* number of arrivals of blocks at barriers */
    uint32_t levels;  /* number of levels: level[1] and on */
    uint32_t roots[256]; /* the vertices of the roots; BATCH_NO_ROOT: a root without edges */
    struct gpu_batch_level level[1 + BATCH_LOGGED];
};

/* A search, as it is passed to kernels. */
struct gpu_batch {
    struct gpu_rows push, pull;
    uint64_t vertices;                       /* those with rows; ghosts have the numbers from here on (joined_graph.h) */
    uint64_t noted;                          /* vertices from this number on are counted as found; 0 if no ranks divide the graph */
    uint64_t pull_from, pull_end;            /* cuda_batch_pull takes the vertices pull_from to pull_end - 1 */
    int words;                               /* number of 64-bit words per vertex: 1, 2 or 4 */
    /* [vertices and ghosts][words] a bit for each root: the seen words, frontier words and next words (batch_search.h) */
    uint64_t *seen, *now, *next;
    /* [vertices and ghosts] during a sparse level, the vertices found so far; after it, the list of the frontier, and of ghosts */
    uint32_t *list;
    uint32_t *frontier;                      /* [vertices and ghosts] the list of the frontier, while cuda_batch_levels makes `list` */
    /* [vertices and ghosts] bitmap of the vertices in `list`. Not used if there is one word per vertex. */
    uint32_t *listed;
    struct gpu_batch_piece *pieces;          /* the pieces of the rows of the frontier */
    /* [vertices and ghosts] the brief of the words of `now` of each vertex (batch_words.cuh). NULL: pulls read `now`. */
    const uint32_t *brief;
    /* [vertices and ghosts] the brief of the words of `next` of each vertex; written by pulls if there are several words per vertex */
    uint32_t *next_brief;
    const struct gpu_batch_piece *long_rows; /* [long_pieces] pieces of all long rows to pull */
    uint64_t long_pieces;
    uint64_t hubs;                           /* vertices from this number on are no hubs */
    uint64_t short_row;                      /* a row to pull is long if it has more columns than this */
    struct gpu_batch_level *level;
    uint64_t active[4];                      /* a bit for each root; 1: the root found a vertex in the last level */
    /* a bit for each root in `active`; 1: the root pulls in this level; 0: it pushes */
    uint64_t pulls[4];
    int is_pushed;                           /* 1: roots have pushed bits into `next` in this dense level */
};

/* Stands for the vertex of a root that has no edges. */
#define BATCH_NO_ROOT UINT32_MAX

/* ---- a sparse level: `next` must be zero before the level ---- */

/* Sets bit i in the next words of vertex root[i], and lists the vertex, for each i below `count`. Skips BATCH_NO_ROOT. */
void cuda_batch_roots(const struct gpu_batch *b, const uint32_t *root, uint32_t count, cudaStream_t stream);

/* Pushes along the first `pieces` pieces of the rows of the frontier. The frontier words of the row's vertex are ORed into
 * the next words of the neighbours in the piece, without bits that a neighbour has seen. Lists each neighbour that gets its
 * first new bit. */
void cuda_batch_push(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* Makes the listed vertices, of which there are at most `most`, the next frontier: adds their next words to their seen
 * words, counts the vertices in *level, and cuts their rows into pieces, which replace the old pieces. */
void cuda_batch_take_list(const struct gpu_batch *b, uint64_t most, cudaStream_t stream);

/* ---- a dense level ---- */

/* Pushes in a dense level, for the roots that do not pull, along the first `pieces` pieces. ORs the frontier bits of the vertex
 * that has the row into the next words of the neighbours in the piece, even bits that a neighbour has seen. Lists no vertex. If
 * `pieces` is BATCH_AS_LISTED, pushes along all pieces that cuda_batch_list has made in this level. `next` must be zero. */
#define BATCH_AS_LISTED UINT64_MAX
void cuda_batch_scatter(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* Pulls along the long rows, before cuda_batch_pull, which goes on with what was found. */
void cuda_batch_pull_long(const struct gpu_batch *b, cudaStream_t stream);

/* Finds the next frontier of a dense level, among the vertices pull_from to pull_end - 1. Each vertex pulls bits of roots from its
 * neighbours, and takes the bits that other roots have pushed; bits of roots that have seen it before are left out. The new bits are
 * stored in `next` and `next_brief`, added to `seen`, and counted in *level. */
void cuda_batch_pull(const struct gpu_batch *b, cudaStream_t stream);

/* ---- many levels ---- */

/* A search whose frontier is in place, as it is passed to the kernel of many levels. */
struct gpu_batch_walk {
    struct gpu_batch b;            /* its members from `brief` on, but for rows, are set by the kernel */
    uint32_t *brief[2];            /* briefs of the frontier words (0) and of the next words (1), as b.brief and b.next_brief */
    struct gpu_batch_log *log;     /* device memory: level[0] has the counts of the frontier; all others that are used are zero */
    /* as in struct batch_levels and struct batch_backend (batch_search.h) */
    uint64_t edges_left[256], pull_edges_left, push_cost, list_cost, all_vertices;
    uint64_t mean_edges;           /* batch_mean_edges of the graph */
    uint64_t words_of;             /* number of vertices and ghosts */
    uint32_t roots, most_levels;   /* number of roots; the most levels that the kernel runs, at most BATCH_LOGGED */
    int is_sparse;                 /* the frontier is a list, b.list */
    int blocks;                    /* cuda_batch_levels_blocks */
};

/* Returns the number of blocks with which cuda_batch_levels runs a search on the current device. */
int cuda_batch_levels_blocks(const struct gpu_batch *b);

/* Runs levels until one finds no vertex, by the rules of batch_choose.h. Each level exchanges
 * `now` and `next`, a sparse one `list` and `frontier`, too, and a dense one the briefs. Returns the error of the launch. */
cudaError_t cuda_batch_levels(const struct gpu_batch_walk *walk, cudaStream_t stream);

/* ---- frontiers ---- */

/* Zeroes the words of each vertex that has one of the first `count` pieces. `words` is an array such as `now`. */
void cuda_batch_clear(const struct gpu_batch *b, uint64_t *words, const struct gpu_batch_piece *pieces, uint64_t count,
                      cudaStream_t stream);

/* Lists a dense frontier for the roots that push: the vertices with bits of these roots, and the pieces of their rows. */
void cuda_batch_list(const struct gpu_batch *b, cudaStream_t stream);

/* Copies the frontier words of `count` listed vertices, from entry `first` of the list on, to `to` [count][words]. */
void cuda_batch_gather(const struct gpu_batch *b, uint64_t first, uint64_t count, uint64_t *to, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

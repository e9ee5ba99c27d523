/* batch_kernels.h: the launches of the kernels that search from many roots at once (batch_search.h), in plain C.
 *
 * batch_sparse.c and batch_dense.c do the same on a CPU. All pointers but the pointer to struct gpu_batch are device
 * memory. Launches do not wait for the kernels. */
#ifndef DBFS_BATCH_KERNELS_H
#define DBFS_BATCH_KERNELS_H

#include "traverse/programs/joined/cuda/joined_rows.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* BATCH_PUSH_PIECE: columns of a piece of a row to push. BATCH_SHORT_ROW: a row to pull with more columns is a long row.
 * BATCH_PULL_PIECE: columns of a piece of a long row. */
#ifdef DBFS_EMULATED
enum { BATCH_PUSH_PIECE = 16, BATCH_SHORT_ROW = 24, BATCH_PULL_PIECE = 160 };
#else
enum { BATCH_PUSH_PIECE = 64, BATCH_SHORT_ROW = 512, BATCH_PULL_PIECE = 2048 };
#endif

/* Piece number `number`, counted from 0, of the row of a vertex. */
struct gpu_batch_piece {
    uint32_t vertex, number;
};

/* Counts of a level: the vertices that it found, and the work of the next level. Zeroed before a level. */
struct gpu_batch_level {
    unsigned long long listed;     /* found vertices in `list` */
    unsigned long long pieces;     /* pieces of the rows of these vertices */
    unsigned long long vertices;   /* vertices of the found frontier, listed or not */
    unsigned long long edges;      /* edges of the rows of the found frontier */
    unsigned long long left;       /* edges of the rows of vertices that lack a wanted root; only in a dense level */
    unsigned long long read;       /* edges that pushes and pulls have read */
    unsigned long long count[256]; /* for each root: found vertices */
    unsigned long long weight[256]; /* for each root: estimated edges of these vertices; only in a dense level */
};

/* A search, as kernels get it. */
struct gpu_batch {
    struct gpu_rows push, pull;
    uint64_t vertices;
    int words;                               /* 64-bit words per vertex: 1, 2 or 4 */
    /* [vertices][words] bits by root: seen words, frontier words, next words (batch_search.h) */
    uint64_t *seen, *now, *next;
    /* [vertices] list of the vertices found in a sparse level; the list of the frontier after the level */
    uint32_t *list;
    /* [vertices] bitmap of the vertices in `list`; not used with one word per vertex */
    uint32_t *listed;
    struct gpu_batch_piece *pieces;          /* pieces of the rows of the frontier */
    /* [vertices] the words of `now` in brief (batch_words.cuh); NULL: pulls read `now` */
    const uint32_t *brief;
    /* [vertices] the words of `next` in brief; pulls write it if there are several words per vertex */
    uint32_t *next_brief;
    const struct gpu_batch_piece *long_rows; /* [long_pieces] pieces of all long rows to pull */
    uint64_t long_pieces;
    struct gpu_batch_level *level;
    uint64_t wanted[4];                      /* bits of the roots that found a vertex in the last level */
    /* bits of the roots in `wanted` that pull in this level; the other roots push */
    uint64_t pulls[4];
    int is_pushed;                           /* whether roots have pushed bits into `next` in this dense level */
};

/* Stands for the vertex of a root that has no edges. */
#define BATCH_NO_ROOT UINT32_MAX

/* ---- a sparse level: `next` must be zero before ---- */

/* Sets bit i in the next words of vertex root[i], and lists the vertex, for each i below `count`. Skips roots that are
 * BATCH_NO_ROOT. */
void cuda_batch_roots(const struct gpu_batch *b, const uint32_t *root, uint32_t count, cudaStream_t stream);

/* Pushes along the first `pieces` pieces of the frontier's rows. Each piece pushes the frontier words of the row's vertex
 * to its neighbours in the piece: the bits that are new to a neighbour are ORed into the next words of the neighbour. Lists
 * each neighbour that gets its first new bit. */
void cuda_batch_push(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* Makes the listed vertices, of which there are `most` at most, the next frontier. Adds their next words to their seen
 * words, counts them in *level, and cuts their rows into pieces, which replace the old pieces. */
void cuda_batch_take_list(const struct gpu_batch *b, uint64_t most, cudaStream_t stream);

/* ---- a dense level ---- */

/* Pushes along the first `pieces` pieces in a dense level. Each piece pushes the frontier words of the row's vertex,
 * without the roots that pull, to its neighbours in the piece: the bits are ORed into the next words of each neighbour, new
 * or not. Lists no vertex. BATCH_AS_LISTED instead of a number stands for all pieces that cuda_batch_list has made in this
 * level. `next` must be zero before. */
#define BATCH_AS_LISTED UINT64_MAX
void cuda_batch_scatter(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* Finds the next frontier of a dense level, for all vertices. Each vertex pulls the roots that pull, that the vertex lacks,
 * and that have a neighbour in their frontier. Adds the bits that other roots have pushed, and drops bits that the vertex
 * had seen. Stores the new bits in `next` and `next_brief`, adds them to `seen`, and counts them in *level. */
void cuda_batch_pull(const struct gpu_batch *b, cudaStream_t stream);

/* ---- frontiers ---- */

/* Zeroes the elements of `words`, an array such as `now`, that belong to the vertices of the first `count` pieces. */
void cuda_batch_clear(const struct gpu_batch *b, uint64_t *words, const struct gpu_batch_piece *pieces, uint64_t count,
                      cudaStream_t stream);

/* Makes a list of a dense frontier: appends the vertices with frontier bits of roots that push to `list`, and the pieces of
 * their rows to `pieces`. */
void cuda_batch_list(const struct gpu_batch *b, cudaStream_t stream);

/* Copies the frontier words of `count` listed vertices, from entry `first` of the list on, to `to` [count][words]. */
void cuda_batch_gather(const struct gpu_batch *b, uint64_t first, uint64_t count, uint64_t *to, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

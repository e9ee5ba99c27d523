/* batch_kernels.h: the launches of the kernels that search from many roots at once (batch_search.h), in plain C.
 *
 * Twins are in batch_sparse.c and batch_dense.c. All pointers but that of struct gpu_batch are device memory. Launches do
 * not wait. */
#ifndef DBFS_BATCH_KERNELS_H
#define DBFS_BATCH_KERNELS_H

#include "traverse/programs/joined/cuda/joined_rows.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* BATCH_PUSH_PIECE: columns of a piece of a row to push. BATCH_SHORT_ROW: most columns of a row to pull that is no
 * long row. BATCH_PULL_PIECE: columns of a piece of a long row. */
#ifdef DBFS_EMULATED
enum { BATCH_PUSH_PIECE = 16, BATCH_SHORT_ROW = 24, BATCH_PULL_PIECE = 160 };
#else
enum { BATCH_PUSH_PIECE = 64, BATCH_SHORT_ROW = 512, BATCH_PULL_PIECE = 2048 };
#endif

/* Piece `number`, counted from 0, of the row of a vertex. */
struct gpu_batch_piece {
    uint32_t vertex, number;
};

/* Counts of a level: what it found, and the work of the next level. Zeroed before a level. */
struct gpu_batch_level {
    unsigned long long listed;     /* vertices in the list */
    unsigned long long pieces;     /* pieces of their rows */
    unsigned long long vertices;   /* vertices of the found frontier */
    unsigned long long edges;      /* edges of their rows */
    unsigned long long left;       /* edges of rows whose vertex lacks a wanted root; only in a dense level */
    unsigned long long read;       /* edges that were pushed or pulled */
    unsigned long long count[256]; /* found vertices by root */
    unsigned long long weight[256]; /* estimated edges of these; only in a dense level */
};

/* A search, as it is passed to kernels. */
struct gpu_batch {
    struct gpu_rows push, pull;
    uint64_t vertices;
    int words;                               /* 64-bit words per vertex: 1, 2 or 4 */
    uint64_t *seen, *now, *next;             /* [vertices][words] bits by root: seen, frontier, found */
    uint32_t *list;                          /* [vertices] the vertices found in a sparse level, then the frontier */
    uint32_t *listed;                        /* bitmap of the vertices in the list; not used with one word */
    struct gpu_batch_piece *pieces;          /* of the frontier's rows */
    const uint32_t *brief;                   /* [vertices] the words of `now` in brief; NULL: pulls read `now` */
    uint32_t *next_brief;                    /* [vertices] the words of `next` in brief; pulls write it if words > 1 */
    const struct gpu_batch_piece *long_rows; /* [long_pieces] pieces of all rows to pull that are not short */
    uint64_t long_pieces;
    struct gpu_batch_level *level;
    uint64_t wanted[4];                      /* roots whose last level found something */
    uint64_t pulls[4];                       /* the members of `wanted` that pull in this level; the others push */
    int is_pushed;                           /* `next` holds what the roots that push have pushed */
};

/* The vertex of a root that has no edges. */
#define BATCH_NO_ROOT UINT32_MAX

/* ---- a sparse level: `next` is zero before ---- */

/* Sets bit i in the next words of vertex root[i], unless that is BATCH_NO_ROOT, and lists the vertex; for i < count. */
void cuda_batch_roots(const struct gpu_batch *b, const uint32_t *root, uint32_t count, cudaStream_t stream);

/* Pushes the frontier words of the vertices of the first `pieces` pieces to the columns of these pieces; vertices with
 * new bits are listed. */
void cuda_batch_push(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* Makes the listed vertices, `most` at most, the next frontier: adds their next words to the seen words, counts them, and
 * cuts their rows into pieces, which replace the old pieces. */
void cuda_batch_take_list(const struct gpu_batch *b, uint64_t most, cudaStream_t stream);

/* ---- a dense level ---- */

/* Pushes the frontier words of roots that do not pull to the columns of the first `pieces` pieces, seen or not; nothing is
 * listed. BATCH_AS_LISTED: all pieces that cuda_batch_list has made in this level. `next` is zero before. */
#define BATCH_AS_LISTED UINT64_MAX
void cuda_batch_scatter(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* For all vertices: finds the roots that a vertex lacks and its neighbours have, adds the bits that other roots have pushed,
 * and drops bits that were seen before. Stores the new bits in `next`, adds them to `seen`, and counts them. */
void cuda_batch_pull(const struct gpu_batch *b, cudaStream_t stream);

/* ---- frontiers ---- */

/* Zeroes the words, an array such as `now`, of the vertices of pieces[0..count). */
void cuda_batch_clear(const struct gpu_batch *b, uint64_t *words, const struct gpu_batch_piece *pieces, uint64_t count,
                      cudaStream_t stream);

/* Makes the list of the vertices with frontier bits of roots that push, and the pieces of their rows. */
void cuda_batch_list(const struct gpu_batch *b, cudaStream_t stream);

/* Copies the frontier words of `count` listed vertices, from entry `first` of the list on, to `to` [count][words]. */
void cuda_batch_gather(const struct gpu_batch *b, uint64_t first, uint64_t count, uint64_t *to, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

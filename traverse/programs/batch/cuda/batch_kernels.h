/* batch_kernels.h: the launch interface of the kernels that search from many roots at once, in plain C.
 *
 * Twins: batch_list.c, batch_all.c. All pointers but that of struct gpu_batch are device memory; launches are
 * asynchronous on the stream given.
 */
#ifndef DBFS_BATCH_KERNELS_H
#define DBFS_BATCH_KERNELS_H

#include "traverse/programs/joined/cuda/joined_rows.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of a pushed piece of a row; most columns of a row that eight lanes pull; columns of a piece of a longer
 * one. */
#ifdef DBFS_EMULATED
enum { BATCH_PUSH_PIECE = 16, BATCH_SHORT_ROW = 24, BATCH_PULL_PIECE = 160 };
#else
enum { BATCH_PUSH_PIECE = 64, BATCH_SHORT_ROW = 512, BATCH_PULL_PIECE = 2048 };
#endif

struct gpu_batch_piece {
    uint32_t vertex, number;
};

/* The finds of a level, and the work they mean for the next one. Zeroed before a level. */
struct gpu_batch_level {
    unsigned long long listed;     /* vertices in `fresh` */
    unsigned long long pieces;     /* of their rows */
    unsigned long long vertices;   /* of the frontier */
    unsigned long long edges;      /* of their rows */
    unsigned long long left;       /* edges of rows that lack a root; of a level by all vertices */
    unsigned long long read;       /* edges that were pushed or pulled */
    unsigned long long count[256]; /* vertices by root */
    unsigned long long weight[256]; /* edges of their rows, about; of a level by all vertices */
};

/* The vertices reached in a level by list, and then the next frontier. */
struct gpu_batch_list {
    uint32_t *fresh;                /* [vertices] */
    uint32_t *marks;                /* mask of what is in `fresh`; not used with one word */
    struct gpu_batch_piece *pieces; /* of the frontier's rows */
};

struct gpu_batch {
    struct gpu_rows push, pull;
    uint64_t vertices;
    int words;                               /* of a vertex: 1, 2 or 4 */
    uint64_t *seen, *now, *next;             /* [vertices][words] */
    struct gpu_batch_list list;
    const uint32_t *brief;                   /* [vertices] of the words of `now`; NULL: pulls do not read it */
    uint32_t *next_brief;                    /* of those of `next`, after a level by all vertices with several words */
    const struct gpu_batch_piece *long_rows; /* of all rows to pull that are no short ones */
    uint64_t long_pieces;
    struct gpu_batch_level *level;
    uint64_t wanted[4];                      /* roots whose last level found something */
    uint64_t pulls[4];                       /* those of them that pull in this level; the others push */
    int is_pushed;                           /* `next` has what the others found */
};

#define BATCH_NO_ROOT UINT32_MAX

/* ---- a level by list: `next` is zero before it ---- */

/* Root i marks root[i], unless that is BATCH_NO_ROOT. */
void cuda_batch_roots(const struct gpu_batch *b, const uint32_t *root, uint32_t count, cudaStream_t stream);

/* Pushes the frontier's rows, in so many pieces, to their columns. */
void cuda_batch_push(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* Marks the reached vertices, at most `most`, as seen, counts them, and cuts their rows into pieces, over the old ones. */
void cuda_batch_take_list(const struct gpu_batch *b, uint64_t most, cudaStream_t stream);

/* ---- a level by all vertices ---- */

/* The roots that push reach the columns of so many pieces, seen or not; BATCH_AS_LISTED: of all that cuda_batch_list has made
 * in this level. `next` is zero before. */
#define BATCH_AS_LISTED UINT64_MAX
void cuda_batch_scatter(const struct gpu_batch *b, uint64_t pieces, cudaStream_t stream);

/* Makes `next` of what a vertex lacks and its neighbours found, or other roots have pushed; that is seen, and counted. */
void cuda_batch_pull(const struct gpu_batch *b, cudaStream_t stream);

/* ---- frontiers ---- */

/* The words of the vertices that have these pieces become zero. */
void cuda_batch_clear(const struct gpu_batch *b, uint64_t *words, const struct gpu_batch_piece *pieces, uint64_t count,
                      cudaStream_t stream);

/* From words of roots that push to a list of vertices and pieces of their rows. */
void cuda_batch_list(const struct gpu_batch *b, cudaStream_t stream);

/* Gathers to[i] = the words of vertex fresh[first + i]. */
void cuda_batch_gather(const struct gpu_batch *b, uint64_t first, uint64_t count, uint64_t *to, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

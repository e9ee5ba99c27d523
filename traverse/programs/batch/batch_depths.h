/* batch_depths.h: the distances from the roots of a batch. They are noted level by level, in a checksum for each root and,
 * if wanted, in an array for each root. */
#ifndef DBFS_BATCH_DEPTHS_H
#define DBFS_BATCH_DEPTHS_H

#include "bit_sums.h"

#include "traverse/cpu/thread_pool.h"
#include "traverse/programs/joined/joined_graph.h"

/* The vertices that a level has found, of all roots together or of a single root. */
struct batch_level {
    uint64_t depth;        /* distance of the found vertices from the roots that found them */
    int words;             /* 64-bit words per vertex in `found` */
    /* [vertices][words] bit r: root r found the vertex. NULL: root number `root` found all vertices of the list */
    const uint64_t *found;
    const uint32_t *list;  /* [count] the vertices with a bit in `found`; NULL: any vertex may have a bit */
    uint64_t count;        /* length of the list; if there is no list, the number of all vertices */
    uint32_t root;         /* number of the single root in the batch; used only if `found` is NULL */
};

struct batch_depths {
    const struct joined_graph *graph;
    struct thread_pool *pool;
    int threads, checksums; /* threads: of the pool; checksums: whether checksums are wanted */
    uint64_t *sums;  /* [threads][BATCH_MOST] for each thread and root: the sum of the hashes that the thread has noted */
    int32_t *depth;  /* [batch][vertices] distances by root; NULL: no arrays are wanted */
};

/* Opens *depths for batches of up to `batch` roots, with `threads` threads. `arrays`: distances of all vertices are wanted.
 * `checksums`: checksums are wanted. After a failure, too, batch_depths_close is to be called. */
enum status batch_depths_open(struct batch_depths *depths, const struct joined_graph *graph, uint64_t batch, int threads,
                              int arrays, int checksums, struct error *e);
void batch_depths_close(struct batch_depths *depths); /* frees all memory; *depths may be all zeros */

/* Forgets all distances and checksums. Called when a batch of `count` roots begins, or begins anew. */
void batch_depths_begin(struct batch_depths *depths, uint32_t count);

/* Returns whether anything is to be noted: arrays or checksums are wanted. */
static inline int batch_depths_wanted(const struct batch_depths *depths)
{
    return depths->depth != NULL || depths->checksums;
}

/* Notes the distances of the vertices that a level has found. Called for each level, from level 0 (the roots) on. For
 * levels of single roots several threads may call it at once, each for its own root. */
void batch_depths_note(struct batch_depths *depths, const struct batch_level *level);

/* Returns the checksum of the distances from root `number` of the last batch; 0 if no checksums are wanted. `id`: the input
 * id of the root. `isolated`: the root has no edges, so no level of the batch has noted it. */
uint64_t batch_depths_checksum(const struct batch_depths *depths, uint32_t number, uint64_t id, int isolated);

/* Returns the distances from root `number` of the last batch, [vertices] by vertex of the joined graph. DEPTH_UNREACHED:
 * the root has not reached the vertex. Called only if arrays are wanted. */
static inline int32_t *batch_depths_of(const struct batch_depths *depths, uint32_t number)
{
    return depths->depth + number * depths->graph->vertices;
}

#endif

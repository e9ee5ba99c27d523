/* batch_depths.h: notes the distances from the roots of a batch, level by level. Each root has a checksum of its distances
 * and, if wanted, an array of them. */
#ifndef DBFS_BATCH_DEPTHS_H
#define DBFS_BATCH_DEPTHS_H

#include "bit_sums.h"

#include "batch_level.h"

#include "traverse/programs/joined/joined_graph.h"

struct batch_depths {
    const struct joined_graph *graph;
    int threads, checksums; /* threads: the most threads that note a level; checksums: 1 if checksums are wanted */
    uint64_t *sums;  /* [threads][BATCH_MOST] the sum of the hashes that a thread has noted for a root */
    int32_t *depth;  /* [batch][vertices] the distances from each root; NULL: no arrays are wanted */
};

/* Opens *depths for batches of up to `batch` roots, whose levels up to `threads` threads note. `arrays` and `checksums` are 1 if arrays of
 * distances and checksums are wanted. The caller calls batch_depths_close even after a failure. */
enum status batch_depths_open(struct batch_depths *depths, const struct joined_graph *graph, uint64_t batch, int threads,
                              int arrays, int checksums, struct error *e);
void batch_depths_close(struct batch_depths *depths); /* frees all memory; *depths may be all zeros */

/* Forgets all distances and checksums. Called when a batch of `count` roots begins, or begins again from the start. */
void batch_depths_begin(struct batch_depths *depths, uint32_t count);

/* Notes the distances of the vertices that a level has found. Called for each level, from level 0 (the roots) on. For
 * levels of single roots, several threads may call the function at once, each with its own root. */
void batch_depths_note(struct batch_depths *depths, const struct batch_level *level);

/* Returns the checksum of the distances from root `number` of the last batch; 0 if no checksums are wanted. `id` is the
 * input id of the root. `isolated` is 1 if the root has no edges, so that no level has noted it. */
uint64_t batch_depths_checksum(const struct batch_depths *depths, uint32_t number, uint64_t id, int isolated);

/* Returns the distances [vertices] from root `number` of the last batch, by vertex of the joined graph. Vertices that were
 * not reached have DEPTH_UNREACHED. Called only if arrays are wanted. */
static inline int32_t *batch_depths_of(const struct batch_depths *depths, uint32_t number)
{
    return depths->depth + number * depths->graph->vertices;
}

#endif

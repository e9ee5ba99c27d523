/* batch_depths.h: distances from the roots of a batch, noted level by level: as a checksum of each root, and as
 * arrays if wanted */
#ifndef DBFS_BATCH_DEPTHS_H
#define DBFS_BATCH_DEPTHS_H

#include "batch_search.h"

#include "traverse/cpu/thread_pool.h"

struct batch_depths {
    const struct joined_graph *graph;
    struct thread_pool *pool;
    int threads, checksums;
    uint32_t count;  /* roots of this batch */
    uint64_t *sums;  /* [threads][BATCH_MOST] */
    int32_t *depth;  /* [batch][vertices]; NULL: not wanted */
};

/* Opens for batches of up to `batch` roots. `arrays` and `checksums`: the forms that are wanted. */
enum status batch_depths_open(struct batch_depths *depths, const struct joined_graph *graph, uint64_t batch, int threads,
                              int arrays, int checksums, struct error *e);
void batch_depths_close(struct batch_depths *depths); /* a zeroed one is allowed */

/* Returns the watcher that notes the distances of a batch of `count` roots. */
struct batch_watcher batch_depths_watcher(struct batch_depths *depths, uint32_t count);

/* The checksum of root `number`, whose input id is `id`. */
uint64_t batch_depths_checksum(const struct batch_depths *depths, uint32_t number, uint64_t id, int isolated);

/* The distances of root `number` by vertex; DEPTH_UNREACHED: not reached. */
static inline int32_t *batch_depths_of(const struct batch_depths *depths, uint32_t number)
{
    return depths->depth + number * depths->graph->vertices;
}

#endif

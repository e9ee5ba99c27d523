/* batch_depths.h: distances from the roots of a batch, noted level by level: as a checksum of each root, and as
 * arrays if wanted */
#ifndef DBFS_BATCH_DEPTHS_H
#define DBFS_BATCH_DEPTHS_H

#include "batch_search.h"

#include "traverse/cpu/thread_pool.h"

struct batch_depths {
    const struct joined_graph *graph;
    struct thread_pool *pool;
    int threads, checksums; /* checksums: whether they are wanted */
    uint32_t count;  /* roots of the present batch */
    uint64_t *sums;  /* [threads][BATCH_MOST] checksums by root, of what each thread saw */
    int32_t *depth;  /* [batch][vertices] distances by root; NULL: not wanted */
};

/* Opens *depths for batches of up to `batch` roots, with `threads` threads. `arrays`: distances by vertex are wanted;
 * `checksums`: checksums are. */
enum status batch_depths_open(struct batch_depths *depths, const struct joined_graph *graph, uint64_t batch, int threads,
                              int arrays, int checksums, struct error *e);
void batch_depths_close(struct batch_depths *depths); /* a zeroed one is allowed */

/* Returns the watcher that notes the distances of the coming batch, of `count` roots; its functions use *depths. */
struct batch_watcher batch_depths_watcher(struct batch_depths *depths, uint32_t count);

/* Returns the checksum of root `number` of the last batch; 0 if none is wanted. `id`: its input id; `isolated`: it has
 * no edges, so the batch has not seen it. */
uint64_t batch_depths_checksum(const struct batch_depths *depths, uint32_t number, uint64_t id, int isolated);

/* Returns the distances from root `number` of the last batch, [vertices]; DEPTH_UNREACHED: the vertex was not reached. */
static inline int32_t *batch_depths_of(const struct batch_depths *depths, uint32_t number)
{
    return depths->depth + number * depths->graph->vertices;
}

#endif

/* batch_depths.h: the distances from the roots of a batch, noted level by level: as a checksum of each root, and as
 * arrays if wanted */
#ifndef DBFS_BATCH_DEPTHS_H
#define DBFS_BATCH_DEPTHS_H

#include "bit_sums.h"

#include "traverse/cpu/thread_pool.h"
#include "traverse/programs/joined/joined_graph.h"

/* The vertices found in a level, of all roots together or of a single root. */
struct batch_level {
    uint64_t depth;        /* distance of the found vertices from the roots that found them */
    int words;             /* 64-bit words per vertex in `found` */
    const uint64_t *found; /* [vertices][words] bit r: root r found it; NULL: `root` found the whole list */
    const uint32_t *list;  /* [count] the vertices with a bit in `found`; NULL: any vertex may have one */
    uint64_t count;        /* length of the list; without a list the number of all vertices */
    uint32_t root;         /* number of the root in the batch; only if `found` is NULL */
};

struct batch_depths {
    const struct joined_graph *graph;
    struct thread_pool *pool;
    int threads, checksums; /* checksums: whether they are wanted */
    uint64_t *sums;  /* [threads][BATCH_MOST] checksums by root, of what each thread noted */
    int32_t *depth;  /* [batch][vertices] distances by root; NULL: not wanted */
};

/* Opens *depths for batches of up to `batch` roots, with `threads` threads. `arrays`: distances by vertex are wanted;
 * `checksums`: checksums are. */
enum status batch_depths_open(struct batch_depths *depths, const struct joined_graph *graph, uint64_t batch, int threads,
                              int arrays, int checksums, struct error *e);
void batch_depths_close(struct batch_depths *depths); /* a zeroed one is allowed */

/* Forgets all distances: a batch of `count` roots begins, or begins anew. */
void batch_depths_begin(struct batch_depths *depths, uint32_t count);

/* Returns whether levels are to be noted. */
static inline int batch_depths_wanted(const struct batch_depths *depths)
{
    return depths->depth != NULL || depths->checksums;
}

/* Notes the distances of the vertices found in a level. Each level from 0 (the roots) on is noted. Several threads may
 * call it at once for levels of single roots, each for its own root. */
void batch_depths_note(struct batch_depths *depths, const struct batch_level *level);

/* Returns the checksum of root `number` of the last batch; 0 if none is wanted. `id`: its input id; `isolated`: it has
 * no edges, so the batch has not seen it. */
uint64_t batch_depths_checksum(const struct batch_depths *depths, uint32_t number, uint64_t id, int isolated);

/* Returns the distances from root `number` of the last batch, [vertices]; DEPTH_UNREACHED: the vertex was not reached. */
static inline int32_t *batch_depths_of(const struct batch_depths *depths, uint32_t number)
{
    return depths->depth + number * depths->graph->vertices;
}

#endif

/* batch_targets.h: the distances from each root of a batch to some vertices, the targets. No array has a value for each vertex and
 * root: a bitmap of all vertices tells which are targets, and each root has a value for each target. */
#ifndef DBFS_BATCH_TARGETS_H
#define DBFS_BATCH_TARGETS_H

#include "batch_depths.h"

struct batch_targets {
    const struct joined_graph *graph;
    int ends;           /* 1: a search ends when it has found all targets */
    uint64_t count;     /* number of different targets that have edges */
    uint32_t *vertex;   /* [count] vertices of the joined graph, ascending */
    uint64_t *bitmap;   /* [mask_words(vertices)] 1: the vertex is a target */
    int32_t *distance;  /* [batch][count] the distance from each root to each target; DEPTH_UNREACHED: not found so far */
    uint64_t left[BATCH_MOST]; /* for each root: number of targets that it has not found */
    uint64_t left_of_all;      /* their sum over the roots of the batch */
};

/* Opens *targets for batches of up to `batch` roots. vertex[count] holds the targets as vertices of the joined graph, in any
 * order: a target may stand there several times, and JOINED_NOWHERE stands for one without edges, which no search finds.
 * batch_targets_close must be called, after a failure, too. */
enum status batch_targets_open(struct batch_targets *targets, const struct joined_graph *graph, const uint64_t *vertex,
                               uint64_t count, uint64_t batch, struct error *e);
void batch_targets_close(struct batch_targets *targets); /* frees all memory; *targets may be all zeros */

/* Forgets all distances. Called when a batch of these roots begins, or begins again from the start. */
void batch_targets_begin(struct batch_targets *targets, const uint64_t *roots, uint32_t count);

/* Notes the distances of those targets that a level has found. Called for each level, from level 0 on. For levels of single
 * roots, several threads may call the function at once, each with its own root. */
void batch_targets_note(struct batch_targets *targets, const struct batch_level *level);

/* Returns the index of a vertex, which must be a target, in targets->vertex. */
uint64_t batch_targets_index(const struct batch_targets *targets, uint64_t vertex);

#endif

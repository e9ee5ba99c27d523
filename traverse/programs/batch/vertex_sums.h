/* vertex_sums.h: for each vertex, sums over the distances from all roots so far: what estimates of its centrality need.
 *
 * Sums are whole numbers, so that they do not depend on the order in which batches and ranks add to them. Inverse distances are
 * rounded to units of 1 / unit. */
#ifndef DBFS_VERTEX_SUMS_H
#define DBFS_VERTEX_SUMS_H

#include "batch_depths.h"

/* Sums over those roots that have reached a vertex, without the vertex itself. */
struct vertex_sum {
    uint64_t roots;             /* number of roots */
    uint64_t distances, squares; /* of the distances, and of their squares */
    uint64_t inverses, inverse_squares; /* of unit / distance, and of unit / distance^2, each rounded */
};

struct vertex_sums {
    const struct joined_graph *graph;
    double unit;             /* a power of two, so small that no sum of inverses overflows */
    struct vertex_sum *sum;  /* [vertices] */
    int32_t *root;           /* [vertices] number of a root that has reached the vertex; -1: none has */
    uint64_t first;          /* number of the first root of the batch among all roots */
    uint64_t batches;        /* number of batches that are complete. Only the first one may begin again from the start */
    uint32_t rows;           /* most roots of a part of a batch in which each root is searched from by itself */
    int32_t *depth;          /* [rows][vertices] distances from each root of such a part; NULL: not allocated */
    uint64_t *inverse;       /* unit / distance, and unit / distance^2, of small distances */
};

/* Opens *sums for `roots` roots in all, in batches of up to `batch`. The caller calls vertex_sums_close even after a failure. */
enum status vertex_sums_open(struct vertex_sums *sums, const struct joined_graph *graph, uint64_t roots, uint64_t batch,
                             int threads, struct error *e);
/* Replaces the sums by those of `vertices` other vertices, all of them 0. */
enum status vertex_sums_resize(struct vertex_sums *sums, uint64_t vertices, struct error *e);
void vertex_sums_close(struct vertex_sums *sums); /* frees all memory; *sums may be all zeros */

/* Called when a batch begins, or begins again from the start. Then forgets what it had added. */
void vertex_sums_begin(struct vertex_sums *sums);

/* Adds the vertices of a level of all roots. Called for each level, from level 0 on. Of a level of a single root, notes the
 * distances; several threads may do so at once, each with its own root. */
void vertex_sums_note(struct vertex_sums *sums, const struct batch_level *level);

/* Prepares for a part of single roots: allocates sums->depth if needed. */
enum status vertex_sums_open_part(struct vertex_sums *sums, struct error *e);

/* Adds the distances from the `count` single roots of a part, and forgets them, by the threads of the pool. sums->first is the number
 * of the first one. */
void vertex_sums_add_part(struct vertex_sums *sums, uint32_t count, struct thread_pool *pool, int threads);

#endif

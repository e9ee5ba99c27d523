/* claim_windows.h: depths, parents and nearest roots in memory, in which the ends of edges are looked up.
 *
 * A vertex takes one word, its level, and with parents a second word in the same cache line. With nearest roots it takes one
 * more, the index of its nearest root among the roots. If the budget cannot hold the
 * words of all vertices, they are divided into windows of consecutive ids. Two windows are in memory at a time, and each pair
 * of windows takes a pass over the edges.
 *
 * One bit of a level says that the vertex is settled: an edge was found that proves its depth. claim_windows_settle collects
 * these bits in a mask of all vertices.
 */
#ifndef DBFS_CLAIM_WINDOWS_H
#define DBFS_CLAIM_WINDOWS_H

#include "claims.h"
#include "formats/base/memory.h"

#include <stddef.h>

enum { CLAIM_MOST_WINDOWS = 64 };

#define LEVEL_UNREACHED UINT32_MAX
#define LEVEL_SETTLED UINT32_C(1) /* the lowest bit; the depth is above it */
#define LEVEL_MOST_DEPTH (UINT32_MAX / 2 - 2)

struct claim_windows {
    const struct claims *claims;
    uint64_t size;  /* ids of a window; n if there is only one */
    uint32_t count; /* windows */
    uint32_t stride; /* words of a vertex: 1, one more with parents, and one more with nearest roots */
    uint32_t *word; /* [size * stride] or [2 * size * stride] */
    uint16_t *parent_high; /* [size] or [2 * size]: bits 32 and up of parents; NULL where n <= 2^32 */
    uint64_t *settled;     /* mask of all n vertices */
    int threads;
    struct memory_budget *budget;
};

/* Allocates windows of at most `room` bytes. All ranks give the same `room`, because they make the same passes. ST_RESOURCE if
 * more than CLAIM_MOST_WINDOWS windows are needed, or more than one and there are no depths (tree_levels.h). */
enum status claim_windows_open(struct claim_windows *w, const struct claims *claims,
                                int threads, struct memory_budget *budget, uint64_t room,
                                struct error *e);
void claim_windows_close(struct claim_windows *w);

/* Reads window `index` of the vertices into half 0 or 1 of the memory, which holds two windows. Without depths, every reached
 * vertex gets level 0. */
enum status claim_windows_load(struct claim_windows *w, uint32_t index, int half, struct error *e);

/* Marks the settled vertices of window `index`, which is in this half of the memory, in the mask of all vertices. A vertex that
 * was not reached counts as settled. */
void claim_windows_settle(struct claim_windows *w, uint32_t index, int half);

uint64_t claim_window_begin(const struct claim_windows *w, uint32_t index);
uint64_t claim_window_end(const struct claim_windows *w, uint32_t index);

/* The parent of the vertex in place `slot` of the memory. */
static inline uint64_t claim_parent(const struct claim_windows *w, uint64_t slot)
{
    uint64_t low = w->word[slot * w->stride + 1];
    return w->parent_high == NULL ? low : (uint64_t)w->parent_high[slot] << 32 | low;
}

/* The nearest root of the vertex in place `slot`, as an index among the roots. */
static inline uint32_t claim_nearest(const struct claim_windows *w, uint64_t slot)
{
    return w->word[(slot + 1) * w->stride - 1];
}

#endif

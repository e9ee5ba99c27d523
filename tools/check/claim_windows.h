/* claim_windows.h: depths and parents in memory, for looking up the ends of edges.
 *
 * A vertex takes one word, its level; with parents, a second word beside it, so that both are in
 * one line of the cache. If the budget cannot hold the words of all vertices, the vertices are
 * divided into windows of consecutive ids, two of which are in memory at a time, and each pair of
 * windows takes a pass over the edges.
 *
 * A bit in the word of a level says that the vertex is settled: that an edge was found which proves its
 * depth. claim_windows_settle collects the bits of all windows in one mask.
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
    uint32_t stride; /* words of a vertex: 1, or with parents 2 */
    uint32_t *word; /* [size * stride] or [2 * size * stride] */
    uint16_t *parent_high; /* [size] or [2 * size]: bits 32 and up of parents; NULL where n <= 2^32 */
    uint64_t *settled;     /* mask of all n vertices */
    int threads;
    struct memory_budget *budget;
};

/* Takes the memory, up to `room` bytes. All ranks pass the same `room`, because they pass over the
 * edges together, once for each pair of windows. ST_RESOURCE: more than CLAIM_MOST_WINDOWS windows
 * would be needed; or more than one if there are only parents, since their levels cannot be found
 * in windows. */
enum status claim_windows_open(struct claim_windows *w, const struct claims *claims,
                                int threads, struct memory_budget *budget, uint64_t room,
                                struct error *e);
void claim_windows_close(struct claim_windows *w);

/* Reads window `index` into half 0 or 1 of the memory. Without depths, a level is 0 for every vertex
 * reached. */
enum status claim_windows_load(struct claim_windows *w, uint32_t index, int half, struct error *e);

/* Adds to the mask which vertices of that half are settled. Vertices that were not reached are settled too.
 * */
void claim_windows_settle(struct claim_windows *w, uint32_t index, int half);

uint64_t claim_window_begin(const struct claim_windows *w, uint32_t index);
uint64_t claim_window_end(const struct claim_windows *w, uint32_t index);

/* The parent of the vertex in place `slot` of the memory. */
static inline uint64_t claim_parent(const struct claim_windows *w, uint64_t slot)
{
    uint64_t low = w->word[slot * w->stride + 1];
    return w->parent_high == NULL ? low : (uint64_t)w->parent_high[slot] << 32 | low;
}

#endif

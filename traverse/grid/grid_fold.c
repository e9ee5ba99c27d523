/* grid_fold.c: brings destinations to their owners along a grid row; see grid_search.h */
#include "grid_search.h"

#include <stdlib.h>
#include <string.h>

static void append(struct grid_list *to, const struct grid_list *from)
{
    memcpy(to->ids + to->count, from->ids, 4 * from->count);
    to->count += from->count;
}

/* A swap with two processors of the row. */
static void swap(struct grid_search *g, uint32_t to, const struct grid_list *list, uint32_t from, struct grid_list *got,
                 struct grid_counts *counts)
{
    got->count = comm_swap(g->comm, grid_shard(g, g->i, to), list->ids, 4 * list->count, grid_shard(g, g->i, from),
                           got->ids, 4 * g->most_locals) / 4;
    counts->folded += list->count;
    counts->messages++;
}

/* Sends each list straight to its owner. */
static void fold_direct(struct grid_search *g, struct grid_list *got, struct grid_counts *counts)
{
    const uint32_t c = g->part.c;
    for (uint32_t distance = 1; distance < c; distance++) {
        uint32_t to = (g->j + distance) % c, from = (g->j + c - distance) % c;
        swap(g, to, &g->bins[to], from, got, counts);
        append(&g->incoming, got);
        counts->arrived += got->count;
    }
}

/* The set for owner t starts at processor t + 1 and visits all others on its way to t. Each adds its own
 * destinations and drops those it has seen: in this level, as the owner then gets them anyway, or in an earlier
 * one, as they are visited. */
static void fold_ring(struct grid_search *g, struct grid_list *got, struct grid_counts *counts)
{
    const uint32_t c = g->part.c, right = (g->j + 1) % c, left = (g->j + c - 1) % c;
    for (uint32_t step = 0; step + 1 < c; step++) {
        uint32_t leaves = (g->j + 2 * c - 1 - step) % c, comes = (g->j + 2 * c - 2 - step) % c;
        swap(g, right, &g->bins[leaves], left, got, counts);
        if (comes == g->j) {
            append(&g->incoming, got);
            counts->arrived += got->count;
            continue;
        }
        for (uint64_t k = 0; k < got->count; k++)
            counts->dropped += !grid_put(g, comes, got->ids[k]);
    }
}

enum status grid_fold_bins(struct grid_search *g, struct grid_counts *counts, struct error *e)
{
    append(&g->incoming, &g->bins[g->j]);
    if (g->part.c == 1)
        return ST_OK;
    struct grid_list got = {.ids = malloc(4 * g->most_locals)};
    if (got.ids == NULL)
        return fail_memory(e, "destinations", 4 * g->most_locals);
    if (g->fold == GRID_FOLD_RING)
        fold_ring(g, &got, counts);
    else
        fold_direct(g, &got, counts);
    free(got.ids);
    return ST_OK;
}

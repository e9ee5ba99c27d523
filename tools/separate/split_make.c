/* split_make.c: see split_make.h */
#include "split_make.h"

#include <stdlib.h>
#include <string.h>

/* Delegates in order: a counting sort by rank over vertices in the order of their ids. */
static enum status list_delegates(struct split *split, struct separation *s, uint32_t cut,
                                  struct memory_budget *budget, struct error *e)
{
    const struct ranks *ranks = &s->ranks;
    uint64_t at = 0, *next = calloc((size_t)ranks->count + 1, sizeof *next);
    if (next == NULL)
        return fail_memory(e, "delegates", ranks->count * sizeof *next);
    memory_take(budget, (void **)&split->delegate_ids, split->d, 8, "delegates", e);
    memory_take(budget, (void **)&split->delegate_degrees, split->d, 8, "delegates", e);
    for (uint32_t r = ranks->count; e->status == ST_OK && r-- > cut;) {
        next[r] = at;
        at += ranks->degrees[r].vertices;
    }
    struct vertex_values *values = &s->degrees.values;
    for (uint32_t w = 0; e->status == ST_OK && w < values->windows; w++) {
        const uint32_t *rank_of = values_load(values, w, 0, e);
        uint64_t begin = window_begin(values, w), end = window_end(values, w);
        for (uint64_t v = begin; rank_of != NULL && v < end; v++) {
            uint32_t rank = rank_of[v - begin];
            if (rank >= cut) {
                split->delegate_ids[next[rank]] = v;
                split->delegate_degrees[next[rank]++] = ranks->degrees[rank].degree;
            }
        }
    }
    free(next);
    return e->status;
}

static enum status copy_histogram(struct split *split, const struct ranks *ranks, struct error *e)
{
    split->histogram_rows = ranks->count;
    split->histogram = malloc(((size_t)ranks->count + 1) * sizeof *split->histogram);
    if (split->histogram == NULL)
        return fail_memory(e, "degree histogram", ranks->count * sizeof *split->histogram);
    if (ranks->count > 0)
        memcpy(split->histogram, ranks->degrees, ranks->count * sizeof *split->histogram);
    return ST_OK;
}

enum status split_make(struct split *split, struct separation *s, uint64_t th,
                       uint64_t suggested_p, struct memory_budget *budget, struct error *e)
{
    *split = (struct split){.direction = s->degrees.info.direction,
                            .totals = s->degrees.totals,
                            .directed_edges = s->degrees.directed_edges,
                            .th = th,
                            .suggested_p = suggested_p,
                            .d = separation_delegates(s, th)};
    if (list_delegates(split, s, ranks_cut(&s->ranks, th), budget, e) == ST_OK &&
        copy_histogram(split, &s->ranks, e) == ST_OK)
        sweep_make(&s->edges, th, &split->sweep, &split->sweep_rows, e);
    if (e->status != ST_OK)
        split_free(split);
    return e->status;
}

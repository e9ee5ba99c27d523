/* split_make.c: see split_make.h */
#include "split_make.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_AT_ONCE = 1 << 12 };

/* Reads `count` delegates in order, from number `first` on: a counting sort by rank that meets vertices in order of id. */
static enum status read_delegates(void *context, uint64_t first, uint64_t count, uint64_t *ids,
                                  uint64_t *degrees, struct error *e)
{
    struct delegate_pass *pass = context;
    const struct ranks *ranks = &pass->separation->ranks;
    struct vertex_values *values = &pass->separation->rank_of.values;
    uint64_t at = 0, *next = calloc((size_t)ranks->count + 1, sizeof *next);
    if (next == NULL)
        return fail_memory(e, "delegates", ranks->count * sizeof *next);
    for (uint32_t r = ranks->count; r-- > pass->cut;) {
        next[r] = at;
        at += ranks->degrees[r].vertices;
    }
    for (uint32_t w = 0; e->status == ST_OK && w < values->windows; w++) {
        const uint32_t *rank_of = values_load(values, w, /* half */ 0, e);
        uint64_t begin = window_begin(values, w), end = window_end(values, w);
        for (uint64_t v = begin; rank_of != NULL && v < end; v++) {
            uint32_t rank = rank_of[v - begin];
            if (rank < pass->cut)
                continue;
            uint64_t entry = next[rank]++ - first;
            if (entry < count) {
                ids[entry] = sparse_ids_original(pass->separation->sparse, v);
                degrees[entry] = ranks->degrees[rank].degree;
            }
        }
    }
    free(next);
    return e->status;
}

/* Lists all delegates in memory, if they fit into half of the memory left. Otherwise sets up a list that reads as many at a time as fit. */
static enum status list_delegates(struct split *split, struct delegate_pass *pass,
                                  struct memory_budget *budget, struct error *e)
{
    uint64_t at_once = memory_left(budget) / 2 / 16, **ids = &split->list.ids;
    uint64_t **degrees = &split->list.degrees;
    if (at_once < LEAST_AT_ONCE)
        at_once = LEAST_AT_ONCE;
    if (split->d <= at_once) {
        at_once = split->d;
        ids = &split->delegate_ids;
        degrees = &split->delegate_degrees;
    } else {
        split->list.read = read_delegates;
        split->list.context = pass;
        split->list.at_once = at_once;
    }
    if (memory_take(budget, (void **)ids, at_once, 8, "delegates", e) == ST_OK &&
        memory_take(budget, (void **)degrees, at_once, 8, "delegates", e) == ST_OK &&
        split->list.read == NULL)
        read_delegates(pass, 0, split->d, *ids, *degrees, e);
    return e->status;
}

static enum status copy_histogram(struct split *split, const struct ranks *ranks, struct error *e)
{
    split->histogram_rows = ranks->count;
    if (memory_take(split->budget, (void **)&split->histogram, ranks->count,
                    sizeof *split->histogram, "degree histogram", e) != ST_OK)
        return e->status;
    if (ranks->count > 0)
        memcpy(split->histogram, ranks->degrees, ranks->count * sizeof *split->histogram);
    return ST_OK;
}

/* Makes the split of the TH chosen. It may use `pass` and the separation until it is written. */
enum status split_make(struct split *split, struct delegate_pass *pass,
                       struct separation *s, const struct split_choice *choice,
                       struct memory_budget *budget, struct error *e)
{
    *split = (struct split){.budget = budget,
                            .direction = s->degrees.info.direction,
                            .totals = s->degrees.totals,
                            .directed_edges = s->degrees.directed_edges,
                            .th = choice->th,
                            .suggested_p = choice->p,
                            .choice = choice->by,
                            .near_edges = s->degrees.near_edges,
                            .d = separation_delegates(s, choice->th)};
    *pass = (struct delegate_pass){.separation = s, .cut = ranks_cut(&s->ranks, choice->th)};
    if (list_delegates(split, pass, budget, e) == ST_OK &&
        copy_histogram(split, &s->ranks, e) == ST_OK)
        sweep_make(&s->edges, choice->th, choice->other, &split->sweep, &split->sweep_rows, budget,
                   e);
    if (e->status != ST_OK)
        split_free(split);
    return e->status;
}

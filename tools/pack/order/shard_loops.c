/* shard_loops.c: see shard_loops.h */
#include "shard_loops.h"

#include "formats/graph/partition.h"

#include <string.h>

/* The entry for the self-loops of one vertex. */
static struct loop_count describe(const struct vertex_loops *l, uint32_t label, const struct vertex_order *o)
{
    if (label & LABEL_DELEGATE)
        return (struct loop_count){LOOP_AT_DELEGATE, label_delegate(o, label), l->count};
    if (label != LABEL_ISOLATED)
        return (struct loop_count){LOOP_AT_LOCAL, label, l->count};
    uint64_t vertex = sparse_ids_original(o->sparse, l->vertex);
    return (struct loop_count){LOOP_AT_ISOLATED, (uint32_t)slot_of_vertex(vertex, o->p), l->count};
}

/* Stores an entry for each self-loop. These come in order of vertices, so windows of labels are loaded one after the other. */
static enum status list_entries(struct shard_loops *sl, const struct loops *loops,
                                struct vertex_order *o, struct error *e)
{
    struct vertex_values *labels = &o->labels.values;
    uint64_t i = 0;
    for (uint32_t w = 0; w < labels->windows && i < loops->count; w++) {
        uint64_t begin = window_begin(labels, w), end = window_end(labels, w);
        const uint32_t *label = values_load(labels, w, /* half */ 0, e);
        if (label == NULL)
            return e->status;
        for (; i < loops->count && loops->list[i].vertex < end; i++) {
            const struct vertex_loops *l = &loops->list[i];
            sl->entries[sl->first[shard_of_vertex(l->vertex, o->p)]++] =
                describe(l, label[l->vertex - begin], o);
        }
    }
    return ST_OK;
}

/* Sorts the self-loops by shard, and describes them by labels. */
enum status shard_loops_make(struct shard_loops *sl, const struct loops *loops,
                             struct vertex_order *o, struct memory_budget *budget,
                             struct error *e)
{
    memset(sl, 0, sizeof *sl);
    sl->p = o->p;
    sl->count = loops->count;
    if (memory_take(budget, (void **)&sl->first, (uint64_t)o->p + 1, 8, "self-loops", e) != ST_OK ||
        memory_take(budget, (void **)&sl->entries, sl->count, sizeof *sl->entries, "self-loops",
                    e) != ST_OK) {
        shard_loops_free(sl, budget);
        return e->status;
    }
    for (uint64_t i = 0; i < loops->count; i++)
        sl->first[shard_of_vertex(loops->list[i].vertex, o->p) + 1]++;
    for (uint32_t s = 0; s < o->p; s++)
        sl->first[s + 1] += sl->first[s];
    if (list_entries(sl, loops, o, e) != ST_OK) {
        shard_loops_free(sl, budget);
        return e->status;
    }
    /* each start has moved to its end */
    memmove(sl->first + 1, sl->first, o->p * sizeof *sl->first);
    sl->first[0] = 0;
    return ST_OK;
}

void shard_loops_free(struct shard_loops *sl, struct memory_budget *budget)
{
    memory_release(budget, sl->first);
    memory_release(budget, sl->entries);
    memset(sl, 0, sizeof *sl);
}

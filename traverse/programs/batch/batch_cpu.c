/* batch_cpu.c: batches on the cores of the host: memory, and what threads found in a level; see batch_search.h */
#include "batch_state.h"

#include "traverse/engine/threads.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* Takes zeroed memory for s->words words per vertex, and sets *words to it. */
static enum status take_words(struct batch_search *s, uint64_t **words, struct error *e)
{
    memory_take(s->graph->budget, (void **)words, s->graph->vertices * (uint64_t)s->words, 8,
                "words of a batch (--batch sets how many)", e);
    memory_advise_huge(*words);
    if (e->status == ST_OK)
        memset(*words, 0, s->graph->vertices * (size_t)s->words * 8); /* no search waits for its pages */
    return e->status;
}

/* Takes all memory of a search but that for searches from single roots. */
static enum status take_memory(struct batch_search *s, struct error *e)
{
    struct memory_budget *budget = s->graph->budget;
    uint64_t vertices = s->graph->vertices;
    if (take_words(s, &s->seen, e) != ST_OK || take_words(s, &s->now, e) != ST_OK ||
        take_words(s, &s->next, e) != ST_OK ||
        memory_take(budget, (void **)&s->list.vertex, vertices, 4, "frontier of a batch", e) != ST_OK ||
        memory_take(budget, (void **)&s->fresh.vertex, vertices, 4, "frontier of a batch", e) != ST_OK)
        return e->status;
    if (s->threads > 1 && s->words > 1)
        memory_take(budget, (void **)&s->marks, vertices, 1, "frontier of a batch", e);
    s->tally = aligned_alloc(128, (size_t)s->threads * sizeof *s->tally);
    if (s->tally == NULL)
        return fail_memory(e, "threads", (size_t)s->threads * sizeof *s->tally);
    memset(s->tally, 0, (size_t)s->threads * sizeof *s->tally);
    return e->status;
}

/* The `open` of batch_cpu: opens *search, which batch_search_close closes, also after an error. */
static enum status batch_search_open(struct batch_search **search, const struct joined_graph *graph,
                                     const struct batch_place *place, struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "search", sizeof *s);
    *s = (struct batch_search){.graph = graph, .words = place->words, .threads = place->threads};
    for (uint64_t v = 0; v < graph->vertices; v++)
        s->weight += UINT64_C(1) << batch_weight(graph->push, v);
    if (take_memory(s, e) == ST_OK)
        pool_open(&s->pool, s->threads, e);
    return e->status;
}

/* The `close` of batch_cpu: releases all memory of a search, and ends its threads. */
static void batch_search_close(struct batch_search *s)
{
    if (s == NULL)
        return;
    struct memory_budget *budget = s->graph->budget;
    void *const arrays[] = {s->seen, s->now, s->next, s->list.vertex, s->fresh.vertex, s->marks};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        memory_release(budget, arrays[i]);
    batch_alone_close(s);
    free(s->tally);
    pool_close(s->pool);
    free(s);
}

/* ---- what a level found ---- */

/* Adds up the tallies of all threads into l->found, and zeroes them. `weighs`: the level went by all vertices, and so
 * counted weights. */
static void add_counts(struct batch_search *s, struct batch_levels *l, int weighs)
{
    struct batch_found *found = &l->found;
    memset(found, 0, sizeof *found);
    for (int i = 0; i < s->threads; i++) {
        struct tally *t = &s->tally[i];
        if (t->vertices + t->read == 0)
            continue;
        bit_sums_take(&t->sums, s->words, t->count, weighs ? t->weight : NULL, t->shift);
        for (int r = 0; r < 64 * s->words; r++) {
            found->count[r] += t->count[r];
            found->weight[r] += t->weight[r];
        }
        memset(t->count, 0, sizeof t->count);
        memset(t->weight, 0, sizeof t->weight);
        found->vertices += t->vertices;
        found->edges += t->edges;
        found->read += t->read;
        t->vertices = t->edges = t->read = 0;
    }
}

/* ---- steps ---- */

/* The `rouse` of batch_cpu: ends the threads of OpenMP, which would hold cores, and wakes the threads of the pool. */
static void rouse(struct batch_search *s)
{
    threads_let_go();
    pool_rouse(s->pool);
}

/* Puts vertex v of root number `root` into the frontier: into the list if no other root did so before, and into the
 * words. */
static void put_root(struct batch_search *s, uint64_t v, uint32_t root)
{
    const uint64_t *offsets = s->graph->push->offsets;
    uint64_t any = 0, *words = s->now + v * (uint64_t)s->words;
    for (int j = 0; j < s->words; j++)
        any |= words[j];
    if (any == 0) {
        s->list.vertex[s->list.count++] = (uint32_t)v;
        s->tally[0].edges += offsets[v + 1] - offsets[v];
    }
    words[root / 64] |= UINT64_C(1) << (root % 64);
    s->seen[v * (uint64_t)s->words + root / 64] |= UINT64_C(1) << (root % 64);
    s->tally[0].count[root] = 1;
}

/* The `start` of batch_cpu: zeroes the words, makes the roots of the run the frontier, and sets l->left and l->found. */
static void start(struct batch_search *s, const struct batch_run *run, struct batch_levels *l, struct error *e)
{
    size_t bytes = s->graph->vertices * (size_t)s->words * 8;
    (void)e;
    memset(s->seen, 0, bytes);
    if (!l->is_list) {
        memset(s->now, 0, bytes);
        memset(s->next, 0, bytes);
    }
    s->list.count = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        l->left[i] = s->weight;
        if (run->roots[i] != JOINED_NOWHERE)
            put_root(s, run->roots[i], i);
    }
    s->tally[0].vertices = s->list.count;
    add_counts(s, l, 0);
}

/* The `visit` of batch_cpu: runs one level, and swaps the frontier words and the next words. */
static void visit(struct batch_search *s, int by_list, struct batch_levels *l, struct error *e)
{
    uint64_t *words = s->now;
    (void)e;
    if (by_list)
        batch_level_by_list(s, l);
    else
        batch_level_by_all(s, l);
    s->now = s->next;
    s->next = words;
    add_counts(s, l, !by_list);
}

/* The `show` of batch_cpu: points *level at the words and, if there is one, the list of the frontier. */
static void show(struct batch_search *s, const struct batch_levels *l, struct batch_level *level, struct error *e)
{
    (void)e;
    level->found = s->now;
    if (l->is_list) {
        level->list = s->list.vertex;
        level->count = s->list.count;
    }
}

const struct batch_backend batch_cpu = {.open = batch_search_open,
                                        .close = batch_search_close,
                                        .rouse = rouse,
                                        .start = start,
                                        .visit = visit,
                                        .show = show,
                                        .open_alone = batch_alone_open,
                                        .run_single = batch_search_alone};

/* batch_search.c: the levels of a batch, and the choice of their kind: see batch_search.h */
#include "batch_state.h"

#include "traverse/devices/threads.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* A level is one by list where its frontier has fewer edges than 1 / LIST_SHARE of the vertices. In other levels a root
 * pulls where its frontier has more than 1 / PULL_SHARE of the edges left to it. */
enum { LIST_SHARE = 4, PULL_SHARE = 15 };

/* After so many levels a batch is given up if, on average, fewer roots than this find a vertex at once. */
enum { TRIAL_LEVELS = 16, LEAST_SHARED = 4 };

/* ---- memory ---- */

static enum status take_words(struct batch_search *s, uint64_t **words, struct error *e)
{
    memory_take(s->graph->budget, (void **)words, s->graph->vertices * (uint64_t)s->words, 8,
                "words of a batch (--batch sets how many)", e);
    memory_advise_huge(*words);
    if (e->status == ST_OK)
        memset(*words, 0, s->graph->vertices * (size_t)s->words * 8); /* no search waits for its pages */
    return e->status;
}

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

static enum status batch_search_open(struct batch_search **search, const struct joined_graph *graph,
                                     const struct batch_place *place, struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "search", sizeof *s);
    *s = (struct batch_search){.graph = graph, .words = place->words, .threads = place->threads, .is_list = 1};
    if (take_memory(s, e) == ST_OK)
        gang_open(&s->gang, s->threads, e);
    return e->status;
}

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
    gang_close(s->gang);
    free(s);
}

/* ---- what a level found ---- */

struct progress {
    struct batch_run *run;
    uint64_t depth;
    uint64_t roots[BATCH_MOST_WORDS];     /* roots that found something in the last level */
    uint64_t weight[BATCH_MOST];          /* edges of their frontiers */
    uint64_t left[BATCH_MOST];            /* weight of vertices that no level has found */
    int weighed;
    uint64_t found, visits;               /* vertices of all frontiers; the same, counted once for each root */
};

static void add_weights(struct batch_search *s, struct progress *p)
{
    memset(p->weight, 0, sizeof p->weight);
    for (int i = 0; i < s->threads; i++) {
        for (uint32_t r = 0; r < p->run->count; r++)
            p->weight[r] += s->tally[i].weight[r];
        memset(s->tally[i].weight, 0, sizeof s->tally[i].weight);
    }
    for (uint32_t r = 0; r < p->run->count; r++)
        p->left[r] -= p->weight[r] < p->left[r] ? p->weight[r] : p->left[r];
    p->weighed = 1;
}

static void add_count(struct progress *p, uint32_t root, uint64_t count)
{
    p->roots[root / 64] |= UINT64_C(1) << (root % 64);
    p->visits += count;
    batch_result_add(&p->run->results[root], p->depth, count);
}

/* `weighs`: the level went by all vertices, and counts weights. */
static void add_counts(struct batch_search *s, struct progress *p, int weighs)
{
    uint64_t count[BATCH_MOST] = {0};
    s->vertices = s->edges = 0;
    for (int i = 0; i < s->threads; i++) {
        struct tally *t = &s->tally[i];
        if (t->vertices + t->read == 0)
            continue;
        bit_sums_take(&t->sums, s->words, t->count, weighs ? t->weight : NULL, t->shift);
        for (uint32_t r = 0; r < p->run->count; r++)
            count[r] += t->count[r];
        memset(t->count, 0, p->run->count * sizeof *t->count);
        s->vertices += t->vertices;
        s->edges += t->edges;
        p->run->edges += t->read;
        t->vertices = t->edges = t->read = 0;
    }
    memset(p->roots, 0, sizeof p->roots);
    for (uint32_t r = 0; r < p->run->count; r++) {
        if (count[r] > 0)
            add_count(p, r, count[r]);
    }
    p->found += s->vertices;
}

static void show(const struct batch_search *s, struct progress *p)
{
    const struct batch_watcher *watcher = &p->run->watcher;
    struct batch_level level = {.depth = p->depth, .words = s->words, .found = s->now,
                                .list = s->is_list ? s->list.vertex : NULL,
                                .count = s->is_list ? s->list.count : s->graph->vertices};
    if (watcher->level == NULL || s->vertices == 0)
        return;
    double start = cli_seconds();
    watcher->level(watcher->context, &level);
    p->run->seconds -= cli_seconds() - start;
}

/* ---- levels ---- */

static void start(struct batch_search *s, struct progress *p)
{
    struct batch_run *run = p->run;
    size_t bytes = s->graph->vertices * (size_t)s->words * 8;
    const uint64_t *offsets = s->graph->push->offsets;
    memset(s->seen, 0, bytes);
    if (!s->is_list) {
        memset(s->now, 0, bytes);
        memset(s->next, 0, bytes);
    }
    s->is_list = 1;
    s->list.count = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        uint64_t v = run->roots[i], any = 0, *words;
        run->results[i] = (struct batch_result){.reached = v == JOINED_NOWHERE};
        p->left[i] = s->graph->weight;
        if (v == JOINED_NOWHERE)
            continue;
        words = s->now + v * (uint64_t)s->words;
        for (int j = 0; j < s->words; j++)
            any |= words[j];
        if (any == 0) {
            s->list.vertex[s->list.count++] = (uint32_t)v;
            s->tally[0].edges += offsets[v + 1] - offsets[v];
        }
        words[i / 64] |= UINT64_C(1) << (i % 64);
        s->seen[v * (uint64_t)s->words + i / 64] |= UINT64_C(1) << (i % 64);
        s->tally[0].count[i] = 1;
    }
    s->tally[0].vertices = s->list.count;
    add_counts(s, p, 0);
}

/* Fills in which roots pull in a level by all vertices. */
static void choose_pulls(struct batch_search *s, struct progress *p)
{
    if (!p->weighed) {
        batch_weigh_list(s);
        add_weights(s, p);
    }
    for (uint32_t i = 0; i < p->run->count; i++)
        s->pulls[i / 64] |= (uint64_t)(p->weight[i] > p->left[i] / PULL_SHARE) << (i % 64);
    for (int j = 0; j < s->words; j++)
        s->pulls[j] &= p->roots[j];
}

static void run_level(struct batch_search *s, struct progress *p)
{
    uint64_t *words = s->now, vertices = s->graph->vertices, word_bytes = 8 * (uint64_t)s->words;
    int by_list = s->edges < vertices / LIST_SHARE;
    if (!by_list)
        choose_pulls(s, p);
    p->weighed = 0;
    if (by_list && !s->is_list)
        batch_make_list(s);
    if (by_list)
        batch_level_by_list(s);
    else
        batch_level_by_all(s, p->roots);
    s->now = s->next;
    s->next = words;
    p->depth++;
    p->run->levels++;
    p->run->bytes += (by_list ? s->vertices : vertices) * (2 * word_bytes + 8);
    add_counts(s, p, !by_list);
    if (!by_list)
        add_weights(s, p);
}

static void run_noted(struct batch_search *s, struct progress *p)
{
    struct batch_note note = {.depth = p->depth + 1, .vertices = s->vertices, .edges = s->edges};
    uint64_t before = p->run->edges;
    note.seconds = -cli_seconds();
    memset(s->pulls, 0, sizeof s->pulls);
    run_level(s, p);
    note.seconds += cli_seconds();
    note.by_list = s->is_list;
    note.read = p->run->edges - before;
    note.pulls = batch_count_roots(s->pulls);
    if (p->run->note != NULL)
        p->run->note(p->run->context, &note);
    show(s, p);
}

/* Returns whether roots have so little in common that a search from each alone is better. */
static int is_shared_little(const struct batch_search *s, const struct progress *p)
{
    return p->depth == TRIAL_LEVELS && s->is_list && p->visits < LEAST_SHARED * p->found && p->run->count > 1;
}

static void search_together(struct batch_search *s, struct batch_run *run)
{
    struct progress p = {.run = run};
    start(s, &p);
    show(s, &p);
    while (s->vertices > 0 && s->alone == 0) {
        run_noted(s, &p);
        if (is_shared_little(s, &p))
            s->alone = batch_alone_open(s);
    }
    s->is_list &= s->vertices == 0; /* otherwise words are left */
}

static void begin(const struct batch_run *run)
{
    if (run->watcher.begin != NULL)
        run->watcher.begin(run->watcher.context);
}

static enum status batch_search_run(struct batch_search *s, struct batch_run *run, struct error *e)
{
    threads_let_go();
    gang_rouse(s->gang);
    run->levels = run->edges = run->bytes = 0;
    begin(run);
    run->seconds = -cli_seconds();
    if (s->alone == 0)
        search_together(s, run);
    if (s->alone > 0) {
        run->seconds += cli_seconds();
        begin(run);
        run->seconds -= cli_seconds();
        batch_search_alone(s, run, s->alone);
    }
    run->seconds += cli_seconds();
    run->bytes += run->edges * (4 + (s->alone > 0 ? 1 : 8 * (uint64_t)s->words));
    return e->status;
}

const struct batch_backend batch_cpu = {batch_search_open, batch_search_close, batch_search_run};

/* batch_search.c: the levels of a batch, and which kind each is: see batch_search.h */
#include "batch_state.h"

#include "traverse/threads.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* Nanoseconds of one thread: for an edge that is pushed from a list, and for a vertex and word of a level by all vertices
 * before any edge is read. A root pulls where its frontier has more than 1 / PULL_SHARE of the edges left to it. */
enum { PUSH_NS = 4, WORD_NS = 2, PULL_SHARE = 15 };

/* ---- pieces ---- */

struct pieces {
    struct batch_search *search;
    batch_piece *piece;
    uint64_t count, step;
};

static void do_pieces(void *context, struct turn *turn)
{
    const struct pieces *p = context;
    struct tally *tally = &p->search->tally[turn->number];
    for (uint64_t i; (i = gang_piece(turn)) != GANG_NO_PIECE;) {
        uint64_t begin = i * p->step, end = begin + p->step < p->count ? begin + p->step : p->count;
        p->piece(p->search, tally, begin, end);
    }
}

void batch_pieces(struct batch_search *s, uint64_t count, uint64_t step, uint64_t work, batch_piece *piece)
{
    enum { LEAST_WORK = 4096 }; /* of a thread */
    struct pieces p = {s, piece, count, step};
    uint64_t worth = work / LEAST_WORK;
    int threads = worth < (uint64_t)s->threads ? (int)worth : s->threads;
    if (threads <= 1)
        piece(s, &s->tally[0], 0, count);
    else
        gang_run(s->gang, threads, (count + step - 1) / step, do_pieces, &p);
}

/* ---- memory ---- */

static enum status take_words(struct batch_search *s, uint64_t **words, struct error *e)
{
    memory_take(s->graph->budget, (void **)words, s->graph->vertices * (uint64_t)s->words, 8,
                "words of a batch (--batch sets how many)", e);
    memory_advise_huge(*words);
    return e->status;
}

static enum status take_memory(struct batch_search *s, struct error *e)
{
    struct memory_budget *budget = s->graph->budget;
    uint64_t vertices = s->graph->vertices;
    if (take_words(s, &s->seen, e) != ST_OK || take_words(s, &s->now, e) != ST_OK ||
        take_words(s, &s->next, e) != ST_OK ||
        memory_take(budget, (void **)&s->list, vertices, 4, "frontier of a batch", e) != ST_OK ||
        memory_take(budget, (void **)&s->fresh, vertices, 4, "frontier of a batch", e) != ST_OK)
        return e->status;
    if (s->threads > 1 && s->words > 1)
        memory_take(budget, (void **)&s->marks, vertices, 1, "frontier of a batch", e);
    s->tally = aligned_alloc(128, (size_t)s->threads * sizeof *s->tally);
    if (s->tally == NULL)
        return fail_memory(e, "threads", (size_t)s->threads * sizeof *s->tally);
    memset(s->tally, 0, (size_t)s->threads * sizeof *s->tally);
    return e->status;
}

enum status batch_search_open(struct batch_search **search, const struct batch_graph *graph, int words, int threads,
                              struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "search", sizeof *s);
    *s = (struct batch_search){.graph = graph, .words = words, .threads = threads, .is_list = 1};
    if (take_memory(s, e) == ST_OK)
        gang_open(&s->gang, threads, e);
    return e->status;
}

void batch_search_close(struct batch_search *s)
{
    if (s == NULL)
        return;
    struct memory_budget *budget = s->graph->budget;
    void *const arrays[] = {s->seen, s->now, s->next, s->list, s->fresh, s->marks};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        memory_release(budget, arrays[i]);
    free(s->tally);
    gang_close(s->gang);
    free(s);
}

/* ---- what a level found ---- */

struct progress {
    struct batch_run *run;
    uint64_t depth;
    uint64_t roots[BATCH_MOST_WORDS];     /* that found something in the last level */
    uint64_t weight[BATCH_MOST];          /* of their frontiers */
    uint64_t left[BATCH_MOST];            /* weight of what no level has found */
    int weighed;
};

static void add_weights(struct batch_search *s, struct progress *p)
{
    memset(p->weight, 0, sizeof p->weight);
    for (int i = 0; i < s->threads; i++)
        bit_sums_take(&s->tally[i].weights, s->words, p->weight);
    for (uint32_t i = 0; i < p->run->count; i++)
        p->left[i] -= p->weight[i] < p->left[i] ? p->weight[i] : p->left[i];
    p->weighed = 1;
}

static void add_counts(struct batch_search *s, struct progress *p)
{
    uint64_t count[BATCH_MOST] = {0};
    struct batch_run *run = p->run;
    s->vertices = s->edges = 0;
    for (int i = 0; i < s->threads; i++) {
        struct tally *t = &s->tally[i];
        bit_sums_take(&t->counts, s->words, count);
        s->vertices += t->vertices;
        s->edges += t->edges;
        run->edges += t->read;
        t->vertices = t->edges = t->read = 0;
    }
    memset(p->roots, 0, sizeof p->roots);
    for (uint32_t i = 0; i < run->count; i++) {
        struct batch_result *r = &run->results[i];
        if (count[i] == 0)
            continue;
        p->roots[i / 64] |= UINT64_C(1) << (i % 64);
        r->reached += count[i];
        r->farthest = p->depth;
        r->distances += count[i] * p->depth;
        r->harmonic += p->depth > 0 ? (double)count[i] / (double)p->depth : 0;
    }
}

static void show(const struct batch_search *s, struct progress *p)
{
    const struct batch_watcher *watcher = &p->run->watcher;
    struct batch_level level = {.depth = p->depth, .words = s->words, .found = s->now,
                                .list = s->is_list ? s->list : NULL,
                                .count = s->is_list ? s->listed : s->graph->vertices};
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
    s->listed = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        uint64_t v = run->roots[i], any = 0, *words;
        run->results[i] = (struct batch_result){.reached = v == BATCH_NOWHERE};
        p->left[i] = s->graph->weight;
        if (v == BATCH_NOWHERE)
            continue;
        words = s->now + v * (uint64_t)s->words;
        for (int j = 0; j < s->words; j++)
            any |= words[j];
        if (any == 0) {
            s->list[s->listed++] = (uint32_t)v;
            s->tally[0].edges += offsets[v + 1] - offsets[v];
        }
        words[i / 64] |= UINT64_C(1) << (i % 64);
        s->seen[v * (uint64_t)s->words + i / 64] |= UINT64_C(1) << (i % 64);
        bit_sums_add(&s->tally[0].counts, (int)(i / 64), UINT64_C(1) << (i % 64), 0);
    }
    s->tally[0].vertices = s->listed;
    add_counts(s, p);
}

/* Fills in which roots pull. Returns how many. */
static int choose_pulls(struct batch_search *s, struct progress *p)
{
    int pulls = 0;
    memset(s->pulls, 0, sizeof s->pulls);
    if (!p->weighed) {
        batch_weigh_list(s);
        add_weights(s, p);
    }
    for (uint32_t i = 0; i < p->run->count; i++) {
        int pull = p->weight[i] > p->left[i] / PULL_SHARE;
        s->pulls[i / 64] |= (uint64_t)pull << (i % 64);
        pulls += pull;
    }
    for (int j = 0; j < s->words; j++)
        s->pulls[j] &= p->roots[j];
    return pulls;
}

/* Whether the next level is one by list. */
static int is_by_list(struct batch_search *s, struct progress *p)
{
    uint64_t all = s->graph->vertices * (uint64_t)s->words * WORD_NS;
    return s->edges * PUSH_NS < all || (choose_pulls(s, p) == 0 && s->vertices < s->graph->vertices / 8);
}

static void run_level(struct batch_search *s, struct progress *p)
{
    uint64_t *words = s->now, vertices = s->graph->vertices, word_bytes = 8 * (uint64_t)s->words;
    int by_list = is_by_list(s, p);
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
    add_counts(s, p);
    if (!by_list)
        add_weights(s, p);
    show(s, p);
}

void batch_search_run(struct batch_search *s, struct batch_run *run)
{
    struct progress p = {.run = run};
    threads_let_go();
    gang_rouse(s->gang);
    run->levels = run->edges = run->bytes = 0;
    run->seconds = -cli_seconds();
    start(s, &p);
    show(s, &p);
    while (s->vertices > 0)
        run_level(s, &p);
    run->seconds += cli_seconds();
    run->bytes += run->edges * (4 + 8 * (uint64_t)s->words);
}

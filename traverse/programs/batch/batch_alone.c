/* batch_alone.c: the roots of a batch one by one, each by one thread: see batch_state.h
 *
 * On a road graph two roots seldom reach a vertex in the same level. A word of 64 bits then has a single bit set, and takes
 * 64 times the room of that bit in caches. A search from a single root needs a bitmap of the vertices, and a queue. */
#include "batch_state.h"

#include "formats/base/cli.h"

enum { AHEAD = 8 };

/* Takes a queue and a bitmap for each thread, as far as memory allows. Returns the number of threads that have both. */
int batch_alone_open(struct batch_search *s)
{
    struct memory_budget *budget = s->graph->budget;
    struct error ignored = {0};
    int threads = 0;
    for (; threads < s->threads; threads++) {
        struct tally *t = &s->tally[threads];
        if (t->mask == NULL &&
            (memory_take(budget, (void **)&t->queue, s->graph->vertices, 4, "queue", &ignored) != ST_OK ||
             memory_take(budget, (void **)&t->mask, mask_words(s->graph->vertices), 8, "mask", &ignored) != ST_OK))
            break;
    }
    return threads;
}

/* Releases the queues and bitmaps of all threads. */
void batch_alone_close(struct batch_search *s)
{
    for (int i = 0; s->tally != NULL && i < s->threads; i++) {
        memory_release(s->graph->budget, s->tally[i].queue);
        memory_release(s->graph->budget, s->tally[i].mask);
    }
}

/* Visits the neighbours of queue[begin..end) of a search from a single root: appends unmarked ones to the queue, marks
 * them in t->mask, and adds the edges read to t->read. Returns the new end of the queue. */
static uint64_t visit(struct tally *t, const struct joined_rows *rows, uint64_t begin, uint64_t end)
{
    uint64_t tail = end;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t at = rows->offsets[t->queue[i]], last = rows->offsets[t->queue[i] + UINT64_C(1)];
        if (i + 2 * AHEAD < tail)
            __builtin_prefetch(&rows->offsets[t->queue[i + 2 * AHEAD]]);
        if (i + AHEAD < tail)
            __builtin_prefetch(&rows->columns[rows->offsets[t->queue[i + AHEAD]]]);
        t->read += last - at;
        for (; at < last; at++) {
            uint32_t v = rows->columns[at];
            uint64_t bit = UINT64_C(1) << (v % 64);
            if ((t->mask[v / 64] & bit) != 0)
                continue;
            t->mask[v / 64] |= bit;
            t->queue[tail++] = v;
        }
    }
    return tail;
}

/* Shows a level of a search from a single root to the watcher, if there is one, and adds the time to t->watched_s. */
static void watch(struct tally *t, const struct batch_watcher *watcher, const struct batch_level *level)
{
    if (watcher->level == NULL)
        return;
    double start = cli_seconds();
    watcher->level(watcher->context, level);
    t->watched_s += cli_seconds() - start;
}

/* Searches from root number `root` of the run, on the calling thread, whose tally is t; fills in run->results[root].
 * Leaves t->mask zero, as it was on entry. */
static void search_alone(struct batch_search *s, struct tally *t, struct batch_run *run, uint32_t root)
{
    struct batch_result *result = &run->results[root];
    uint64_t v = run->roots[root], begin = 0, end = 1, depth = 0;
    *result = (struct batch_result){.reached = v == JOINED_NOWHERE};
    if (v == JOINED_NOWHERE)
        return;
    t->queue[0] = (uint32_t)v;
    t->mask[v / 64] |= UINT64_C(1) << (v % 64);
    while (begin < end) {
        struct batch_level level = {.depth = depth, .list = t->queue + begin, .count = end - begin, .root = root};
        batch_result_add(result, depth, end - begin);
        watch(t, &run->watcher, &level);
        uint64_t tail = visit(t, s->graph->push, begin, end);
        begin = end;
        end = tail;
        depth++;
    }
    for (uint64_t i = 0; i < end; i++)
        t->mask[t->queue[i] / 64] = 0;
}

/* The call of batch_search_alone that the threads of the pool carry out. */
struct work {
    struct batch_search *search;
    struct batch_run *run;
};

/* Searches from root number `root` on thread `thread` of the pool; `context` is the struct work. Returns 0. */
static uint64_t search_one(void *context, int thread, uint64_t root)
{
    const struct work *w = context;
    search_alone(w->search, &w->search->tally[thread], w->run, (uint32_t)root);
    return 0;
}

/* Searches from the roots of the run with `threads` threads, each root by one thread, and fills in results and counts. */
void batch_search_alone(struct batch_search *s, struct batch_run *run, int threads)
{
    struct work w = {s, run};
    double watched_s = 0;
    pool_run(s->pool, threads, run->count, search_one, &w);
    for (int i = 0; i < threads; i++) {
        run->edges += s->tally[i].read;
        watched_s += s->tally[i].watched_s;
        s->tally[i].read = 0;
        s->tally[i].watched_s = 0;
    }
    run->seconds -= watched_s / threads;
    for (uint32_t r = 0; r < run->count; r++)
        run->levels = run->results[r].farthest + 1 > run->levels ? run->results[r].farthest + 1 : run->levels;
}

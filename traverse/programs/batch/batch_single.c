/* batch_single.c: the roots of a batch that was given up, each searched from by one thread (batch_search.h)
 *
 * On a road graph two roots seldom reach a vertex in the same level. A word of 64 bits then has a single bit set, and takes
 * 64 times the room of that bit in caches. A search from a single root needs a bitmap of the vertices, and a queue. */
#include "batch_cpu.h"

#include "formats/base/cli.h"

enum { AHEAD = 8 };

/* Takes a queue and a bitmap for each thread, as far as memory allows. Returns the number of threads that have both. */
int batch_single_open(struct batch_search *s)
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
void batch_single_close(struct batch_search *s)
{
    for (int i = 0; s->tally != NULL && i < s->threads; i++) {
        memory_release(s->graph->budget, s->tally[i].queue);
        memory_release(s->graph->budget, s->tally[i].mask);
    }
}

/* Visits the neighbours of queue[begin..end): appends those without a bit in t->mask to the queue, sets their bits, and adds
 * the edges read to t->read. Returns the new end of the queue. */
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

/* A call of batch_single_run. */
struct single_run {
    struct batch_search *search;
    struct batch_run *run;
};

/* Searches from root number `root` of the run on thread `thread` of the pool, notes the distances, and fills in the result
 * of the root. Leaves t->mask zero, as it was on entry. `context` is the struct single_run. Returns 0. */
static uint64_t search_root(void *context, int thread, uint64_t root)
{
    const struct single_run *single = context;
    const struct joined_rows *rows = single->search->graph->push;
    struct tally *t = &single->search->tally[thread];
    struct batch_run *run = single->run;
    uint64_t v = run->roots[root], begin = 0, end = 1, depth = 0;
    run->results[root] = (struct batch_result){.reached = v == JOINED_NOWHERE};
    if (v == JOINED_NOWHERE)
        return 0;
    t->queue[0] = (uint32_t)v;
    t->mask[v / 64] |= UINT64_C(1) << (v % 64);
    for (; begin < end; depth++) {
        const struct batch_level level = {depth, .list = t->queue + begin, .count = end - begin, .root = (uint32_t)root};
        batch_result_add(&run->results[root], depth, end - begin);
        if (batch_depths_wanted(run->depths)) {
            double start = cli_seconds();
            batch_depths_note(run->depths, &level);
            t->noting_s += cli_seconds() - start;
        }
        uint64_t tail = visit(t, rows, begin, end);
        begin = end;
        end = tail;
    }
    for (uint64_t i = 0; i < end; i++)
        t->mask[t->queue[i] / 64] = 0;
    return 0;
}

/* Searches from the roots of the run with `threads` threads, each root by one thread, and fills in results and counts. */
void batch_single_run(struct batch_search *s, struct batch_run *run, int threads)
{
    struct single_run single = {s, run};
    double noting_s = 0;
    pool_run(s->pool, threads, run->count, search_root, &single);
    for (int i = 0; i < threads; i++) {
        run->edges += s->tally[i].read;
        noting_s += s->tally[i].noting_s;
        s->tally[i].read = 0;
        s->tally[i].noting_s = 0;
    }
    run->seconds -= noting_s / threads;
    for (uint32_t r = 0; r < run->count; r++)
        run->levels = larger(run->results[r].farthest + 1, run->levels);
}

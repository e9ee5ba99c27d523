/* batch_cpu.c: searches from a batch of roots on the cores of the host, as a struct batch_backend (batch_search.h)
 *
 * The roots of a batch share work if they reach the same vertices in the same levels. If they seldom do, as on a road graph,
 * almost all bits of the words are 0, but fill the caches. Such a batch is given up, and a single thread searches from each
 * root, with only a bitmap of the vertices and a queue. */
#include "batch_ranks.h"

#include "traverse/engine/threads.h"

#include "formats/base/cli.h"

#include <stdlib.h>
#include <string.h>

/* Allocates s->words zeroed words for each vertex and ghost, within the budget, and sets *words; on failure to NULL. Touches all pages,
 * so that searches do not wait for them. */
static enum status take_words(struct batch_search *s, uint64_t **words, struct error *e)
{
    const uint64_t count = (s->graph->vertices + joined_ghosts_count(&s->graph->ghosts)) * (uint64_t)s->words;
    memory_take_huge(s->graph->budget, (void **)words, count, 8, "words of a batch (--batch sets how many)", e);
    if (e->status == ST_OK)
        memset(*words, 0, count * 8); /* touches the pages */
    return e->status;
}

/* Allocates words, lists and tallies within the budget, and starts the thread pool. */
static enum status take_memory(struct batch_search *s, struct error *e)
{
    struct memory_budget *budget = s->graph->budget;
    const uint64_t vertices = s->graph->vertices, all = vertices + joined_ghosts_count(&s->graph->ghosts);
    static const char what[] = "frontier of a batch";
    if (take_words(s, &s->seen, e) != ST_OK || take_words(s, &s->now, e) != ST_OK || take_words(s, &s->next, e) != ST_OK ||
        memory_take(budget, (void **)&s->frontier.vertex, all, 4, what, e) != ST_OK ||
        memory_take(budget, (void **)&s->found.vertex, all, 4, what, e) != ST_OK ||
        memory_take(budget, (void **)&s->touched.vertex, vertices / TOUCHED_SHARE, 4, what, e) != ST_OK ||
        (s->threads > 1 && s->words > 1 && memory_take(budget, (void **)&s->listed, all, 1, what, e) != ST_OK))
        return e->status;
    s->tally = aligned_alloc(128, (size_t)s->threads * sizeof *s->tally);
    if (s->tally == NULL)
        return fail_memory(e, "threads", (size_t)s->threads * sizeof *s->tally);
    memset(s->tally, 0, (size_t)s->threads * sizeof *s->tally);
    return pool_open(&s->pool, s->threads, e);
}

/* Opens *search on the cores of the host. Memory for searches from single roots is allocated later (open_single). Collective if
 * ranks divide the graph. The caller calls cpu_close even after a failure. */
static enum status cpu_open(struct batch_search **search, const struct joined_graph *graph,
                            const struct batch_setup *setup, struct error *e)
{
    struct batch_search *s = *search = calloc(1, sizeof *s);
    if (s == NULL)
        fail_memory(e, "search", sizeof *s);
    else
        *s = (struct batch_search){.graph = graph, .words = setup->words, .threads = setup->threads};
    if (comm_agree(graph->ghosts.comm, e) != ST_OK)
        return e->status;
    take_memory(s, e);
    if (joined_graph_is_divided(graph))
        return batch_ranks_open(&s->ranks, s, e);
    for (uint64_t v = 0; v < graph->vertices; v++)
        s->weight += UINT64_C(1) << batch_weight(graph->push, v);
    return e->status;
}

/* Frees a search, and ends its threads. `s` may be NULL, or opened in part. */
static void cpu_close(struct batch_search *s)
{
    if (s == NULL)
        return;
    void *const arrays[] = {s->seen, s->now, s->next, s->frontier.vertex, s->found.vertex, s->touched.vertex, s->listed};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        memory_release(s->graph->budget, arrays[i]);
    for (int i = 0; s->tally != NULL && i < s->threads; i++) {
        memory_release(s->graph->budget, s->tally[i].queue);
        memory_release(s->graph->budget, s->tally[i].mask);
    }
    free(s->tally);
    batch_ranks_close(s->ranks, s->graph->budget);
    pool_close(s->pool);
    free(s);
}

/* Wakes the threads of the pool before the clock starts. First ends the threads of OpenMP, which would hold cores. */
static void cpu_wake(struct batch_search *s)
{
    threads_let_go();
    pool_rouse(s->pool);
}

/* Sets l->found to the sums over the tallies of all threads, and of all ranks that divide the graph, and zeroes the tallies. `weighs` is 1
 * after a dense level, in which the threads have counted weights. Otherwise the weights of l->found become 0. */
static void add_counts(struct batch_search *s, struct batch_levels *l, int weighs)
{
    struct batch_found *found = &l->found;
    memset(found, 0, sizeof *found);
    for (int i = 0; i < s->threads; i++) {
        struct tally *t = &s->tally[i];
        if (t->vertices + t->edges + t->read == 0)
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
    if (s->ranks != NULL)
        batch_ranks_sum(s, found);
}

/* Zeroes all words that the last batch has set: those of its touched vertices, or of all vertices if it has found too many.
 * The frontier and next words are zero already if the last batch ended with an empty list (l->is_sparse is 1). */
static void forget_batch(struct batch_search *s, const struct batch_levels *l)
{
    const size_t W = (size_t)s->words, bytes = (s->graph->vertices + joined_ghosts_count(&s->graph->ghosts)) * W * 8;
    for (uint64_t i = 0; !s->touched_too_many && i < s->touched.count; i++) {
        memset(s->seen + s->touched.vertex[i] * W, 0, W * 8);
        memset(s->now + s->touched.vertex[i] * W, 0, W * 8);
    }
    if (s->touched_too_many)
        memset(s->seen, 0, bytes);
    if (s->touched_too_many && !l->is_sparse) {
        memset(s->now, 0, bytes);
        memset(s->next, 0, bytes);
    }
    s->touched.count = 0;
    s->touched_too_many = 0;
}

/* Forgets the last batch, and makes the vertices of the roots the frontier: a list with each vertex once. Sets l->edges_left of
 * each root to the weight of all vertices, and l->found to the counts of the roots. Cannot fail. */
static void cpu_start(struct batch_search *s, const struct batch_run *run, struct batch_levels *l, struct error *e)
{
    const uint64_t *offsets = s->graph->push->offsets;
    const size_t W = (size_t)s->words;
    (void)e;
    forget_batch(s, l);
    s->frontier.count = 0;
    for (uint32_t r = 0; r < run->count; r++) {
        uint64_t v = run->roots[r], bit = UINT64_C(1) << (r % 64), any = 0;
        l->edges_left[r] = s->weight;
        if (v == JOINED_NOWHERE || v == JOINED_ELSEWHERE)
            continue;
        for (size_t j = 0; j < W; j++)
            any |= s->now[v * W + j];
        if (any == 0) { /* v is not listed yet */
            s->frontier.vertex[s->frontier.count++] = (uint32_t)v;
            s->tally[0].edges += offsets[v + 1] - offsets[v];
            s->tally[0].vertices += v >= s->graph->noted;
        }
        s->now[v * W + r / 64] |= bit;
        s->seen[v * W + r / 64] |= bit;
        s->tally[0].count[r] = v >= s->graph->noted;
    }
    batch_touch(s, s->frontier.vertex, s->frontier.count);
    add_counts(s, l, 0);
}

/* Runs one level, and sets l->found to the counts of the level. Swaps the frontier and next words, so that the found
 * vertices are the frontier. Cannot fail. */
static void cpu_visit(struct batch_search *s, int sparse, struct batch_levels *l, struct error *e)
{
    uint64_t *words = s->now;
    (void)e;
    if (sparse) {
        batch_run_sparse(s, l);
        batch_touch(s, s->frontier.vertex, s->frontier.count);
    } else {
        batch_run_dense(s, l);
        s->touched_too_many = 1;
    }
    s->now = s->next;
    s->next = words;
    add_counts(s, l, !sparse);
}

/* Points level->found to the frontier words of the first vertex that this rank notes and, if the frontier is sparse, level->list to
 * the listed vertices that it notes, counted from that one. Cannot fail. */
static void cpu_show(struct batch_search *s, const struct batch_levels *l, struct batch_level *level, struct error *e)
{
    const uint64_t noted = s->graph->noted;
    (void)e;
    level->found = s->now + noted * (uint64_t)s->words;
    level->count = l->is_sparse ? s->frontier.count : s->graph->vertices - noted;
    if (l->is_sparse)
        level->list = s->frontier.vertex;
    if (s->ranks == NULL)
        return;
    level->found_by = batch_ranks_found_here(s->ranks);
    if (!l->is_sparse)
        return;
    level->list = s->found.vertex;
    level->count = 0;
    for (uint64_t i = 0; i < s->frontier.count; i++) {
        if (s->frontier.vertex[i] >= noted)
            s->found.vertex[level->count++] = (uint32_t)(s->frontier.vertex[i] - noted);
    }
}

/* ---- searches from single roots ---- */

enum { AHEAD = 8 }; /* rows are prefetched for the queue entry this number of entries ahead */

/* Allocates a queue and a bitmap for each thread, within the budget, after a batch was given up. Stops without an error
 * when memory is short. Returns the number of threads that have a queue and a bitmap. */
static int open_single(struct batch_search *s)
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

/* Visits the neighbours of the frontier, which is the entries `begin` to `end` - 1 of t->queue. Appends each neighbour that
 * is not in the bitmap t->mask to the queue, and adds it to the bitmap. Adds the number of edges read to t->read. Returns
 * the new end of the queue. */
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

/* The arguments of a call of run_single, as search_root gets them. */
struct single_run {
    struct batch_search *search;
    struct batch_run *run;
};

/* Searches from root number `root` of the run, on the calling thread alone, and fills in the result of the root. If
 * distances are wanted, passes them to run->depths, and adds the time of this to t->noting_s. t->mask is zero on entry and
 * on return. Called by pool_run for each root, with the struct single_run. Returns 0. */
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
        if (run->hops != NULL)
            batch_hops_note(run->hops, (uint32_t)root, depth, end - begin);
        if (batch_run_notes_levels(run)) {
            double start = cli_seconds();
            batch_run_note(run, &level);
            t->noting_s += cli_seconds() - start;
        }
        if (batch_run_ends(run, depth, run->targets != NULL ? run->targets->left[root] : 0))
            break;
        uint64_t tail = visit(t, rows, begin, end);
        begin = end;
        end = tail;
    }
    for (uint64_t i = 0; i < end; i++)
        t->mask[t->queue[i] / 64] = 0;
    return 0;
}

/* Searches from all roots of the run, with `threads` threads, each of which takes one root after the other. Fills in
 * run->results, adds to run->edges, and raises run->levels to the number of levels of the deepest search. Subtracts the
 * time in which distances were noted, as the mean over the threads, from run->seconds. */
static void run_single(struct batch_search *s, struct batch_run *run, int threads)
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

const struct batch_backend batch_cpu = {.push_cost = 2,
                                        .push_cost_alone = 1,
                                        .open = cpu_open,
                                        .close = cpu_close,
                                        .wake = cpu_wake,
                                        .start = cpu_start,
                                        .visit = cpu_visit,
                                        .show = cpu_show,
                                        .open_single = open_single,
                                        .run_single = run_single};

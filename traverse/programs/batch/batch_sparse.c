/* batch_sparse.c: sparse levels of a batch (batch_search.h), in which the frontier is a list of vertices
 *
 * For each edge of the frontier, a push reads the column and the neighbour's seen words. If the neighbour gets a new bit,
 * the push also writes its next words. With a long list, these accesses miss the cache, so words are prefetched some
 * vertices ahead. */
#include "batch_ranks.h"

#include <string.h>

enum {
    AHEAD = 4,     /* words of neighbours are prefetched this number of list entries ahead */
    /* at the start of a row, words are prefetched for this number of columns; then, always this number of columns ahead */
    ROW_AHEAD = 8,
    STEP = 64      /* a thread works on this number of list entries at a time */
};

/* Prefetches the seen and next words of the vertices in columns `at` to `end` - 1, of ROW_AHEAD columns at most. */
BATCH_INLINE void prefetch_words(const struct batch_search *s, uint64_t at, uint64_t end, const int W)
{
    for (end = end < at + ROW_AHEAD ? end : at + ROW_AHEAD; at < end; at++) {
        __builtin_prefetch(&s->seen[s->graph->push->columns[at] * (uint64_t)W]);
        __builtin_prefetch(&s->next[s->graph->push->columns[at] * (uint64_t)W], 1);
    }
}

/* Prefetches what push_listed will read soon after entry i of the frontier: the offset and frontier words of entry i + 4 *
 * AHEAD, the columns of entry i + 2 * AHEAD, and the words of the neighbours of entry i + AHEAD. Prefetches nothing for
 * entries from `end` on. */
BATCH_INLINE void prefetch_ahead(const struct batch_search *s, uint64_t i, uint64_t end, const int W)
{
    const struct joined_rows *rows = s->graph->push;
    const uint32_t *list = s->frontier.vertex;
    if (i + 4 * AHEAD < end) {
        __builtin_prefetch(&rows->offsets[list[i + 4 * AHEAD]]);
        __builtin_prefetch(&s->now[(uint64_t)list[i + 4 * AHEAD] * (uint64_t)W]);
    }
    if (i + 2 * AHEAD < end)
        __builtin_prefetch(&rows->columns[rows->offsets[list[i + 2 * AHEAD]]]);
    if (i + AHEAD < end)
        prefetch_words(s, rows->offsets[list[i + AHEAD]], rows->offsets[list[i + AHEAD] + UINT64_C(1)], W);
}

/* Moves the vertices that the calling thread has gathered in t->found to the list s->found, which all threads share. */
static void append_found(struct batch_search *s, struct tally *t)
{
    uint64_t at = __atomic_fetch_add(&s->found.count, t->gathered, __ATOMIC_RELAXED);
    memcpy(s->found.vertex + at, t->found, t->gathered * sizeof *t->found);
    t->gathered = 0;
}

/* Adds a found vertex to t->found. When t->found is full, moves its vertices to s->found. */
BATCH_INLINE void gather_found(struct batch_search *s, struct tally *t, uint32_t v)
{
    t->found[t->gathered++] = v;
    if (t->gathered == MOST_GATHERED)
        append_found(s, t);
}

/* ORs those bits of `bits` [W] that vertex v has not seen into the next words of v. Returns 1 if the caller must list v,
 * because v has got its first new bit of this level. If a vertex has several words, s->listed lets only one thread list it.
 * `single_thread` is 1 if no other thread pushes, so that no atomics are needed. */
BATCH_INLINE int push_to(struct batch_search *s, uint64_t v, const uint64_t *bits, const int W, const int single_thread)
{
    uint64_t *next = s->next + v * (uint64_t)W, before = 0;
    const uint64_t *seen = s->seen + v * (uint64_t)W;
    uint64_t new[BATCH_MOST_WORDS], any = 0;
    for (int j = 0; j < W; j++)
        any |= new[j] = bits[j] & ~seen[j];
    if (any == 0)
        return 0;
    for (int j = 0; j < W; j++) {
        if (single_thread) {
            before |= next[j];
            next[j] |= new[j];
        } else if ((new[j] & ~__atomic_load_n(&next[j], __ATOMIC_RELAXED)) != 0) {
            before = __atomic_fetch_or(&next[j], new[j], __ATOMIC_RELAXED);
        } else if (W == 1) {
            return 0;
        }
    }
    if (single_thread || W == 1)
        return before == 0;
    return s->listed[v] == 0 && __atomic_exchange_n(&s->listed[v], 1, __ATOMIC_RELAXED) == 0;
}

/* Pushes the frontier words of the list entries `begin` to `end` - 1 into the next words of their neighbours, without the
 * bits that a neighbour had seen. Appends each neighbour that gets its first new bit to s->found. Adds the number of edges
 * read to t->read. `single_thread` is 1 if no other thread pushes. */
BATCH_INLINE void push_listed(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W,
                              const int single_thread)
{
    const struct joined_rows *rows = s->graph->push;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t u = s->frontier.vertex[i], last = rows->offsets[u + 1], bits[BATCH_MOST_WORDS];
        prefetch_ahead(s, i, end, W);
        for (int j = 0; j < W; j++)
            bits[j] = s->now[u * (uint64_t)W + (uint64_t)j];
        for (uint64_t at = rows->offsets[u]; at < last; at++) {
            if (at + ROW_AHEAD < last)
                prefetch_words(s, at + ROW_AHEAD, at + ROW_AHEAD + 1, W);
            if (push_to(s, rows->columns[at], bits, W, single_thread))
                gather_found(s, t, rows->columns[at]);
        }
        t->read += last - rows->offsets[u];
    }
    append_found(s, t);
}
BATCH_BY_WORDS(push_by_words, push_listed(s, t, begin, end, W, 0))
BATCH_BY_WORDS(push_alone_by_words, push_listed(s, t, begin, end, W, 1))

/* Zeroes the frontier words of the list entries `begin` to `end` - 1 after they were pushed, because the array s->now
 * becomes s->next in the next level, and must start with zeros. */
BATCH_INLINE void clear_listed(struct batch_search *s, uint64_t begin, uint64_t end, const int W)
{
    for (uint64_t i = begin; i < end; i++)
        memset(s->now + s->frontier.vertex[i] * (uint64_t)W, 0, 8 * (size_t)W);
}
BATCH_BY_WORDS(clear_by_words, clear_listed(s, begin, end, W))

/* Adds the next words of entries `begin` to `end` - 1 of s->found to the seen words of these vertices. Counts the vertices
 * that this rank notes, and the edges of all, in *t. Zeroes their bytes in s->listed. */
BATCH_INLINE void see_found(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    const uint64_t *offsets = s->graph->push->offsets, noted = s->graph->noted;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t v = s->found.vertex[i];
        for (int j = 0; j < W; j++)
            s->seen[v * (uint64_t)W + (uint64_t)j] |= s->next[v * (uint64_t)W + (uint64_t)j];
        if (v >= noted) {
            bit_sums_add(&t->sums, s->next + v * (uint64_t)W, W);
            t->vertices++;
        }
        if (s->listed != NULL)
            s->listed[v] = 0;
        t->edges += offsets[v + 1] - offsets[v];
    }
}
BATCH_BY_WORDS(see_by_words, see_found(s, t, begin, end, W))

/* Lists a dense frontier before a sparse level: appends each of the vertices `begin` to `end` - 1 that has a frontier bit to
 * s->found. Zeroes the next words of all these vertices. */
BATCH_INLINE void list_frontier(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    memset(s->next + begin * (uint64_t)W, 0, (end - begin) * 8 * (size_t)W);
    for (uint64_t v = begin; v < end; v++) {
        uint64_t any = 0;
        for (int j = 0; j < W; j++)
            any |= s->now[v * (uint64_t)W + (uint64_t)j];
        if (any != 0)
            gather_found(s, t, (uint32_t)v);
    }
    append_found(s, t);
}
BATCH_BY_WORDS(list_by_words, list_frontier(s, t, begin, end, W))

/* Makes the list s->found the list of the frontier, and s->found an empty list in the array of the old frontier. */
static void swap_lists(struct batch_search *s)
{
    struct batch_list frontier = s->frontier;
    s->frontier = s->found;
    s->found = frontier;
    s->found.count = 0;
}

/* Runs a sparse level (batch_cpu.h): pushes the frontier, zeroes the frontier words, counts the found vertices, and makes their list the
 * list of the frontier. If ranks divide the graph, ghosts in the list go to their owners before. cpu_visit then swaps the frontier and
 * next words. The calling thread pushes alone if the frontier has few edges. */
void batch_run_sparse(struct batch_search *s, const struct batch_levels *l)
{
    const int single_thread = s->threads == 1 || l->found.edges < 4096;
    s->found.count = 0;
    if (!l->is_sparse) {
        batch_for(s, s->graph->vertices, 4096, s->graph->vertices, list_by_words[s->words]);
        swap_lists(s);
    }
    if (single_thread)
        push_alone_by_words[s->words](s, &s->tally[0], 0, s->frontier.count);
    else
        batch_for(s, s->frontier.count, STEP, l->found.edges, push_by_words[s->words]);
    batch_for(s, s->frontier.count, 16 * STEP, s->frontier.count, clear_by_words[s->words]);
    if (s->ranks != NULL)
        batch_ranks_move_found(s);
    batch_for(s, s->found.count, 4 * STEP, 4 * s->found.count, see_by_words[s->words]);
    swap_lists(s);
}

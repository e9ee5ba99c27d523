/* batch_list.c: levels of a batch by list: see batch_search.h
 *
 * For each edge of the frontier it reads the column, the seen words of the vertex and, if a bit is missing there,
 * its next word. In a long list these are cache misses, so they are prefetched some vertices ahead. */
#include "batch_state.h"

#include <string.h>

enum { AHEAD = 4, ROW_AHEAD = 8, STEP = 64 };

/* Prefetches the seen and next words, W per vertex, of the first ROW_AHEAD of columns at..end of the rows to push. */
BATCH_INLINE void prefetch_words(const struct batch_search *s, uint64_t at, uint64_t end, const int W)
{
    for (end = end < at + ROW_AHEAD ? end : at + ROW_AHEAD; at < end; at++) {
        __builtin_prefetch(&s->seen[s->graph->push->columns[at] * (uint64_t)W]);
        __builtin_prefetch(&s->next[s->graph->push->columns[at] * (uint64_t)W], 1);
    }
}

/* For the loop over list entries, at entry i of a piece that stops before `end`: prefetches the offset and frontier
 * words of an entry 4 * AHEAD later, the columns of one 2 * AHEAD later, and the words of the neighbours of one AHEAD
 * later. */
BATCH_INLINE void prefetch_ahead(const struct batch_search *s, uint64_t i, uint64_t end, const int W)
{
    const struct joined_rows *rows = s->graph->push;
    if (i + 4 * AHEAD < end) {
        __builtin_prefetch(&rows->offsets[s->list.vertex[i + 4 * AHEAD]]);
        __builtin_prefetch(&s->now[(uint64_t)s->list.vertex[i + 4 * AHEAD] * (uint64_t)W]);
    }
    if (i + 2 * AHEAD < end)
        __builtin_prefetch(&rows->columns[rows->offsets[s->list.vertex[i + 2 * AHEAD]]]);
    if (i + AHEAD < end)
        prefetch_words(s, rows->offsets[s->list.vertex[i + AHEAD]], rows->offsets[s->list.vertex[i + AHEAD] + UINT64_C(1)], W);
}

/* Appends the found vertices that a thread has gathered in its tally to the shared list s->fresh, and empties the
 * tally's buffer. */
static void put_fresh(struct batch_search *s, struct tally *t)
{
    uint64_t at = __atomic_fetch_add(&s->fresh.count, t->waiting, __ATOMIC_RELAXED);
    memcpy(s->fresh.vertex + at, t->fresh, t->waiting * sizeof *t->fresh);
    t->waiting = 0;
}

/* Adds a found vertex to the buffer of the calling thread, which put_fresh empties when it is full. */
BATCH_INLINE void note_fresh(struct batch_search *s, struct tally *t, uint32_t v)
{
    t->fresh[t->waiting++] = v;
    if (t->waiting == FRESH_ROOM)
        put_fresh(s, t);
}

/* ORs those of `bits` [W] that vertex v has not seen into its next words. Returns whether the vertex must be listed
 * now: it got its first new bit of this level, and no other thread lists it. single_thread: no other thread works, so
 * no atomics are used. */
BATCH_INLINE int batch_offer(struct batch_search *s, uint64_t v, const uint64_t *bits, const int W, const int single_thread)
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
    return s->marks[v] == 0 && __atomic_exchange_n(&s->marks[v], 1, __ATOMIC_RELAXED) == 0;
}

/* Pushes the frontier words of list entries begin..end to their neighbours: sets bits in the next words of those,
 * appends newly found vertices to s->fresh, and counts the edges read in *t. W: words per vertex; single_thread: no
 * other thread pushes meanwhile. */
BATCH_INLINE void push_listed(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W,
                              const int single_thread)
{
    const struct joined_rows *rows = s->graph->push;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t u = s->list.vertex[i], last = rows->offsets[u + 1], bits[BATCH_MOST_WORDS];
        prefetch_ahead(s, i, end, W);
        for (int j = 0; j < W; j++)
            bits[j] = s->now[u * (uint64_t)W + (uint64_t)j];
        for (uint64_t at = rows->offsets[u]; at < last; at++) {
            if (at + ROW_AHEAD < last)
                prefetch_words(s, at + ROW_AHEAD, at + ROW_AHEAD + 1, W);
            if (batch_offer(s, rows->columns[at], bits, W, single_thread))
                note_fresh(s, t, rows->columns[at]);
        }
        t->read += last - rows->offsets[u];
    }
    put_fresh(s, t);
}

/* push_listed for a thread of several: the piece `push`. */
BATCH_INLINE void push_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    push_listed(s, t, begin, end, W, 0);
}
BATCH_BY_WORDS(push)

/* push_listed for a single thread: the piece `push_alone`. */
BATCH_INLINE void push_alone_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    push_listed(s, t, begin, end, W, 1);
}
BATCH_BY_WORDS(push_alone)

/* Zeroes the frontier words s->now of list entries begin..end after they were pushed: s->now becomes s->next of the
 * next level, and must be zero there. */
BATCH_INLINE void clear_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    (void)t;
    for (uint64_t i = begin; i < end; i++)
        memset(s->now + s->list.vertex[i] * (uint64_t)W, 0, 8 * (size_t)W);
}
BATCH_BY_WORDS(clear)

/* Takes entries begin..end of the list of found vertices s->fresh: adds their next words to the seen words, and counts
 * them and their edges in *t. Clears their marks. */
BATCH_INLINE void take_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    const uint64_t *offsets = s->graph->push->offsets;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t v = s->fresh.vertex[i];
        for (int j = 0; j < W; j++)
            s->seen[v * (uint64_t)W + (uint64_t)j] |= s->next[v * (uint64_t)W + (uint64_t)j];
        bit_sums_add(&t->sums, s->next + v * (uint64_t)W, W);
        if (s->marks != NULL)
            s->marks[v] = 0;
        t->edges += offsets[v + 1] - offsets[v];
    }
    t->vertices += end - begin;
}
BATCH_BY_WORDS(take)

/* Lists those of vertices begin..end that are in the frontier, after a level by all vertices: appends them to
 * s->fresh. Zeroes their next words, too. */
BATCH_INLINE void list_all_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    memset(s->next + begin * (uint64_t)W, 0, (end - begin) * 8 * (size_t)W);
    for (uint64_t v = begin; v < end; v++) {
        uint64_t any = 0;
        for (int j = 0; j < W; j++)
            any |= s->now[v * (uint64_t)W + (uint64_t)j];
        if (any != 0)
            note_fresh(s, t, (uint32_t)v);
    }
    put_fresh(s, t);
}
BATCH_BY_WORDS(list_all)

/* Makes the list s->fresh the list of the frontier, and s->fresh an empty list. */
static void take_fresh(struct batch_search *s)
{
    struct batch_list list = s->list;
    s->list = s->fresh;
    s->fresh = list;
    s->fresh.count = 0;
}

/* Runs a level by list: lists the frontier if it is no list, pushes it, zeroes its words, and takes the found vertices
 * as the new list. A single thread pushes a short frontier. */
void batch_level_by_list(struct batch_search *s, const struct batch_levels *l)
{
    int single_thread = s->threads == 1 || l->found.edges < 4096;
    s->fresh.count = 0;
    if (!l->is_list) {
        batch_pieces(s, s->graph->vertices, 4096, s->graph->vertices, list_all[s->words]);
        take_fresh(s);
    }
    if (single_thread)
        push_alone[s->words](s, &s->tally[0], 0, s->list.count);
    else
        batch_pieces(s, s->list.count, STEP, l->found.edges, push[s->words]);
    batch_pieces(s, s->list.count, 16 * STEP, s->list.count, clear[s->words]);
    batch_pieces(s, s->fresh.count, 4 * STEP, 4 * s->fresh.count, take[s->words]);
    take_fresh(s);
}

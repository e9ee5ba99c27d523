/* batch_all.c: levels of a batch by all vertices: see batch_search.h
 *
 * A vertex costs the words that it has seen, read, and its next words, written; the words of a neighbour are read by
 * chance. Neighbours of high degree come first in a row: after a few of them a vertex usually has what it lacks. What is
 * read by chance is asked for before.
 */
#include "batch_state.h"

#include <string.h>

/* Vertices of a piece, and of one that pushes: hubs come first, and many of them would keep one thread. Edges that are pushed
 * ahead; edges that are looked at together. So many vertices ahead a row is asked for, and the words of its first
 * neighbours; so many edges ahead the words of the others. */
enum { STEP = 1024, PUSH_STEP = 64, PUSH_AHEAD = 16, PULL_STEP = 4, ROWS_AHEAD = 16, WORDS_AHEAD = 6, PULL_AHEAD = 20 };

/* ---- roots that push ---- */

/* Whether the vertex has seen them already is looked up when all of its words have come. */
BATCH_INLINE void add_words(uint64_t *next, const uint64_t *bits, const int W, const int alone)
{
    for (int j = 0; j < W; j++) {
        if (alone)
            next[j] |= bits[j];
        else if ((bits[j] & ~__atomic_load_n(&next[j], __ATOMIC_RELAXED)) != 0)
            __atomic_fetch_or(&next[j], bits[j], __ATOMIC_RELAXED);
    }
}

BATCH_INLINE void push_others_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    const struct joined_rows *rows = s->graph->push;
    int alone = s->threads == 1;
    for (uint64_t u = begin; u < end; u++) {
        uint64_t bits[BATCH_MOST_WORDS], any = 0, last = rows->offsets[u + 1];
        for (int j = 0; j < W; j++)
            any |= bits[j] = s->now[u * (uint64_t)W + (uint64_t)j] & ~s->pulls[j];
        if (any == 0)
            continue;
        t->read += last - rows->offsets[u];
        for (uint64_t at = rows->offsets[u]; at < last; at++) {
            if (at + PUSH_AHEAD < rows->edges)
                __builtin_prefetch(&s->next[rows->columns[at + PUSH_AHEAD] * (uint64_t)W], 1);
            add_words(s->next + rows->columns[at] * (uint64_t)W, bits, W, alone);
        }
    }
}
BATCH_BY_WORDS(push_others)

BATCH_INLINE void clear_next_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    (void)t;
    memset(s->next + begin * (uint64_t)W, 0, (end - begin) * 8 * (size_t)W);
}
BATCH_BY_WORDS(clear_next)

/* ---- roots that pull, and the finds of all roots ---- */

/* Asks for the words of so many neighbours. */
BATCH_INLINE void prefetch_words(const struct batch_search *s, const uint32_t *columns, const int W)
{
    for (int k = 0; k < PULL_STEP; k++)
        __builtin_prefetch(&s->now[columns[k] * (uint64_t)W]);
}

/* Asks for the row of a vertex that comes after v, and for the first neighbours of one that comes sooner, unless it lacks
 * nothing. */
BATCH_INLINE void prefetch_row(const struct batch_search *s, uint64_t v, const int W)
{
    const struct joined_rows *rows = s->graph->pull;
    uint64_t lacks = 0;
    if (v + ROWS_AHEAD >= s->graph->vertices)
        return;
    __builtin_prefetch(&rows->columns[rows->offsets[v + ROWS_AHEAD]]);
    v += WORDS_AHEAD;
    for (int j = 0; j < W; j++)
        lacks |= s->pulls[j] & ~s->seen[v * (uint64_t)W + (uint64_t)j];
    if (lacks != 0 && rows->offsets[v] + PULL_STEP <= rows->edges)
        prefetch_words(s, rows->columns + rows->offsets[v], W);
}

/* ORs the words of some neighbours into `got`. Nonzero: that still lacks something. */
BATCH_INLINE uint64_t pull_some(const struct batch_search *s, const uint32_t *columns, const int count,
                                const uint64_t *missing, uint64_t *got, const int W)
{
    uint64_t lacks = 0;
    for (int j = 0; j < W; j++) {
        for (int k = 0; k < count; k++)
            got[j] |= s->now[columns[k] * (uint64_t)W + (uint64_t)j];
        lacks |= missing[j] & ~got[j];
    }
    return lacks;
}

/* The words of neighbours, until they have all that is missing. Returns how many edges that took. A row that does not end
 * soon is read to its end, and so is the next one: several words of a vertex fit no cache, and are asked for. */
BATCH_INLINE uint64_t pull_row(const struct batch_search *s, uint64_t v, const uint64_t *missing, uint64_t *got,
                               const int W)
{
    const struct joined_rows *rows = s->graph->pull;
    uint64_t first = rows->offsets[v], last = rows->offsets[v + 1], at = first, lacks = 1;
    for (; at + PULL_STEP <= last && lacks != 0; at += PULL_STEP) {
        if (W > 1 && at > first && at + PULL_AHEAD + PULL_STEP <= rows->edges)
            prefetch_words(s, rows->columns + at + PULL_AHEAD, W);
        lacks = pull_some(s, rows->columns + at, PULL_STEP, missing, got, W);
    }
    for (; at < last && lacks != 0; at++)
        lacks = pull_some(s, rows->columns + at, 1, missing, got, W);
    return at - first;
}

BATCH_INLINE void find_vertex(struct batch_search *s, struct tally *t, uint64_t v, const int pushed, const int W)
{
    uint64_t missing[BATCH_MOST_WORDS], got[BATCH_MOST_WORDS] = {0}, any = 0, found = 0;
    uint64_t *seen = s->seen + v * (uint64_t)W, *next = s->next + v * (uint64_t)W;
    for (int j = 0; j < W; j++)
        any |= missing[j] = s->pulls[j] & ~seen[j];
    prefetch_row(s, v, W);
    if (any != 0)
        t->read += pull_row(s, v, missing, got, W);
    for (int j = 0; j < W; j++) {
        got[j] = (got[j] & missing[j]) | (pushed ? next[j] & ~seen[j] : 0);
        next[j] = got[j];
        found |= got[j];
    }
    if (found == 0)
        return;
    for (int j = 0; j < W; j++)
        seen[j] |= got[j];
    batch_count(t, got, batch_weight(s->graph->push, v), W);
    t->vertices++;
    t->edges += s->graph->push->offsets[v + 1] - s->graph->push->offsets[v];
}

BATCH_INLINE void find_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    for (uint64_t v = begin; v < end; v++)
        find_vertex(s, t, v, 0, W);
}
BATCH_BY_WORDS(find)

BATCH_INLINE void find_pushed_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    for (uint64_t v = begin; v < end; v++)
        find_vertex(s, t, v, 1, W);
}
BATCH_BY_WORDS(find_pushed)

void batch_level_by_all(struct batch_search *s, const struct batch_levels *l)
{
    uint64_t vertices = s->graph->vertices;
    s->pulls = l->pulls;
    if (l->pushes && !l->is_list)
        batch_pieces(s, vertices, STEP, vertices, clear_next[s->words]);
    if (l->pushes)
        batch_pieces(s, vertices, PUSH_STEP, l->found.edges, push_others[s->words]);
    batch_pieces(s, vertices, STEP, s->graph->pull->edges, (l->pushes ? find_pushed : find)[s->words]);
}

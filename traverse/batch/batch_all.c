/* batch_all.c: levels of a batch by all vertices: see batch_search.h
 *
 * For each vertex it reads its seen words and writes its next words; the words of neighbours are random reads.
 * Neighbours of high degree come first in a row, so a vertex usually has all missing bits after a few of them. */
#include "batch_state.h"

#include <string.h>

enum { STEP = 1024 };

/* ---- roots that push ---- */

BATCH_INLINE void push_others_of(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    const struct batch_rows *rows = s->graph->push;
    int alone = s->threads == 1;
    for (uint64_t u = begin; u < end; u++) {
        uint64_t bits[BATCH_MOST_WORDS], any = 0, last = rows->offsets[u + 1];
        for (int j = 0; j < W; j++)
            any |= bits[j] = s->now[u * (uint64_t)W + (uint64_t)j] & ~s->pulls[j];
        if (any == 0)
            continue;
        t->read += last - rows->offsets[u];
        for (uint64_t at = rows->offsets[u]; at < last; at++) {
            if (at + 16 < s->graph->push->edges)
                __builtin_prefetch(&s->seen[rows->columns[at + 16] * (uint64_t)W]);
            batch_offer(s, rows->columns[at], bits, W, alone);
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

/* ORs the words of neighbours into `got`, until that has all missing bits. Returns the number of edges read. */
BATCH_INLINE uint64_t pull_row(const struct batch_search *s, uint64_t v, const uint64_t *missing, uint64_t *got,
                               const int W)
{
    const struct batch_rows *rows = s->graph->pull;
    uint64_t first = rows->offsets[v], last = rows->offsets[v + 1], at = first;
    while (at < last) {
        uint64_t u = rows->columns[at++], lacks = 0;
        for (int j = 0; j < W; j++) {
            got[j] |= s->now[u * (uint64_t)W + (uint64_t)j];
            lacks |= missing[j] & ~got[j];
        }
        if (lacks == 0)
            break;
    }
    return at - first;
}

BATCH_INLINE void find_vertex(struct batch_search *s, struct tally *t, uint64_t v, const int pushed, const int W)
{
    uint64_t missing[BATCH_MOST_WORDS], got[BATCH_MOST_WORDS] = {0}, any = 0, found = 0;
    uint64_t *seen = s->seen + v * (uint64_t)W, *next = s->next + v * (uint64_t)W;
    for (int j = 0; j < W; j++)
        any |= missing[j] = s->pulls[j] & ~seen[j];
    if (any != 0)
        t->read += pull_row(s, v, missing, got, W);
    for (int j = 0; j < W; j++) {
        got[j] = (got[j] & missing[j]) | (pushed ? next[j] : 0);
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

static int any_pushes(const struct batch_search *s, const uint64_t *roots)
{
    uint64_t any = 0;
    for (int j = 0; j < s->words; j++)
        any |= roots[j] & ~s->pulls[j];
    return any != 0;
}

void batch_level_by_all(struct batch_search *s, const uint64_t *roots)
{
    uint64_t vertices = s->graph->vertices;
    int pushed = any_pushes(s, roots);
    if (pushed && !s->is_list)
        batch_pieces(s, vertices, STEP, vertices, clear_next[s->words]);
    if (pushed)
        batch_pieces(s, vertices, STEP, s->edges, push_others[s->words]);
    if (s->marks != NULL && pushed)
        memset(s->marks, 0, vertices);
    batch_pieces(s, vertices, STEP, s->graph->pull->edges, (pushed ? find_pushed : find)[s->words]);
    s->is_list = 0;
}

/* batch_dense.c: dense levels of a batch (batch_search.h): a pass over all vertices
 *
 * For each vertex the seen words are read and the next words written, in order of memory. The words of its neighbours are
 * read at random places, so they are prefetched. Neighbours of high degree come first in a row: after a few of them a
 * vertex usually has all roots that it lacks. */
#include "batch_cpu.h"

#include <string.h>

/* STEP: vertices of a piece. PUSH_STEP: vertices of a piece that pushes; it is small, as vertices of high degree come
 * first, and many of them would keep one thread busy. PUSH_AHEAD: columns ahead for which a push prefetches.
 * PULL_STEP: columns that a pull reads before it checks whether a root is still missing. ROWS_AHEAD, WORDS_AHEAD:
 * vertices ahead for which a pull prefetches the row, and the words of the first neighbours. PULL_AHEAD: columns ahead
 * for which a pull prefetches the words of later neighbours. */
enum { STEP = 1024, PUSH_STEP = 64, PUSH_AHEAD = 16, PULL_STEP = 4, ROWS_AHEAD = 16, WORDS_AHEAD = 6, PULL_AHEAD = 20 };

/* ---- roots that push ---- */

/* Zeroes the next words of vertices begin..end, before roots push. */
static void clear_next(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end)
{
    (void)t;
    memset(s->next + begin * (uint64_t)s->words, 0, (end - begin) * 8 * (size_t)s->words);
}

/* Pushes the frontier words of vertices begin..end, for the roots that do not pull, to the next words of all neighbours,
 * seen or not: find_vertices drops seen bits later. Adds the edges read to *t. Atomics are used if there are threads. */
BATCH_INLINE void push_vertices(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int W)
{
    const struct joined_rows *rows = s->graph->push;
    const int single_thread = s->threads == 1;
    for (uint64_t u = begin; u < end; u++) {
        uint64_t bits[BATCH_MOST_WORDS], any = 0, last = rows->offsets[u + 1];
        for (int j = 0; j < W; j++)
            any |= bits[j] = s->now[u * (uint64_t)W + (uint64_t)j] & ~s->pulls[j];
        if (any == 0)
            continue;
        t->read += last - rows->offsets[u];
        for (uint64_t at = rows->offsets[u]; at < last; at++) {
            uint64_t *next = s->next + rows->columns[at] * (uint64_t)W;
            if (at + PUSH_AHEAD < rows->edges)
                __builtin_prefetch(&s->next[rows->columns[at + PUSH_AHEAD] * (uint64_t)W], 1);
            for (int j = 0; j < W; j++) {
                if (single_thread)
                    next[j] |= bits[j];
                else if ((bits[j] & ~__atomic_load_n(&next[j], __ATOMIC_RELAXED)) != 0)
                    __atomic_fetch_or(&next[j], bits[j], __ATOMIC_RELAXED);
            }
        }
    }
}
BATCH_BY_WORDS(push, push_vertices(s, t, begin, end, W))

/* ---- roots that pull, and what all roots find ---- */

/* Prefetches the frontier words of the vertices columns[0..PULL_STEP). */
BATCH_INLINE void prefetch_words(const struct batch_search *s, const uint32_t *columns, const int W)
{
    for (int k = 0; k < PULL_STEP; k++)
        __builtin_prefetch(&s->now[columns[k] * (uint64_t)W]);
}

/* Prefetches for the loop over vertices at vertex v: the row of vertex v + ROWS_AHEAD, and the words of the first
 * neighbours of vertex v + WORDS_AHEAD if that vertex lacks a root that pulls. */
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

/* ORs the frontier words of the vertices columns[0..count) into `got` [W]. Returns 0 if `got` then has all bits of
 * `missing` [W]. */
BATCH_INLINE uint64_t pull_columns(const struct batch_search *s, const uint32_t *columns, const int count,
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

/* ORs the frontier words of the neighbours of v into `got` [W], until `got` has all bits of `missing` [W] or the row ends.
 * Returns how many edges were read. With several words per vertex a row that goes on after PULL_STEP columns prefetches
 * words ahead, also beyond the end of the row, as the next row is read after it. */
BATCH_INLINE uint64_t pull_row(const struct batch_search *s, uint64_t v, const uint64_t *missing, uint64_t *got,
                               const int W)
{
    const struct joined_rows *rows = s->graph->pull;
    uint64_t first = rows->offsets[v], last = rows->offsets[v + 1], at = first, lacks = 1;
    for (; at + PULL_STEP <= last && lacks != 0; at += PULL_STEP) {
        if (W > 1 && at > first && at + PULL_AHEAD + PULL_STEP <= rows->edges)
            prefetch_words(s, rows->columns + at + PULL_AHEAD, W);
        lacks = pull_columns(s, rows->columns + at, PULL_STEP, missing, got, W);
    }
    for (; at < last && lacks != 0; at++)
        lacks = pull_columns(s, rows->columns + at, 1, missing, got, W);
    return at - first;
}

/* Finds which roots reach each of vertices begin..end in this level: by a pull and, if `pushed`, from the bits that other
 * roots pushed to the next words. Sets the next words of a vertex to the new bits, adds them to the seen words, and counts
 * the vertex in *t. */
BATCH_INLINE void find_vertices(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int pushed,
                                const int W)
{
    const uint64_t *offsets = s->graph->push->offsets;
    for (uint64_t v = begin; v < end; v++) {
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
            continue;
        for (int j = 0; j < W; j++)
            seen[j] |= got[j];
        const int weight = batch_weight(s->graph->push, v);
        if (weight != t->shift) { /* t->sums counts vertices of one weight */
            bit_sums_take(&t->sums, W, t->count, t->weight, t->shift);
            t->shift = weight;
        }
        bit_sums_add(&t->sums, got, W);
        t->vertices++;
        t->edges += offsets[v + 1] - offsets[v];
    }
}
BATCH_BY_WORDS(find, find_vertices(s, t, begin, end, 0, W))
BATCH_BY_WORDS(find_pushed, find_vertices(s, t, begin, end, 1, W))

/* Runs a dense level: first the roots that do not pull push, if there are any, then each vertex pulls. */
void batch_run_dense(struct batch_search *s, const struct batch_levels *l)
{
    const uint64_t vertices = s->graph->vertices;
    s->pulls = l->pulls;
    if (l->pushes && !l->is_sparse)
        batch_for(s, vertices, STEP, vertices, clear_next);
    if (l->pushes)
        batch_for(s, vertices, PUSH_STEP, l->found.edges, push[s->words]);
    batch_for(s, vertices, STEP, s->graph->pull->edges, (l->pushes ? find_pushed : find)[s->words]);
}

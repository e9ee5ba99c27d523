/* batch_dense.c: dense levels of a batch (batch_search.h), which pass over all vertices
 *
 * A pass reads the seen words and writes the next words of all vertices, in the order of memory. The frontier words of their
 * neighbours lie at random places, so they are prefetched. Neighbours of high degree come first in a row, so usually a few
 * neighbours are enough until all roots have found the vertex. */
#include "batch_ranks.h"

#include <string.h>

enum {
    STEP = 1024, /* a thread works on this number of vertices at a time */
    /* vertices in a piece of a push; few, because vertices of high degree come first and would keep one thread busy */
    PUSH_STEP = 64,
    PUSH_AHEAD = 16, /* a push prefetches next words this number of columns ahead */
    PULL_STEP = 4,   /* a pull reads this number of columns before it tests again whether a root is missing */
    ROWS_AHEAD = 16, /* a pull prefetches rows this number of vertices ahead */
    /* a pull prefetches the words of the first neighbours of a vertex this number of vertices ahead */
    WORDS_AHEAD = 6,
    PULL_AHEAD = 20  /* a pull prefetches the words of neighbours this number of columns ahead */
};

/* ---- roots that push ---- */

/* Zeroes the next words of the vertices `begin` to `end` - 1, before roots push in a dense level. Does not use `t`. */
static void clear_next(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end)
{
    (void)t;
    memset(s->next + begin * (uint64_t)s->words, 0, (end - begin) * 8 * (size_t)s->words);
}

/* Pushes the frontier bits of the vertices `begin` to `end` - 1 into the next words of all their neighbours, for the roots
 * that do not pull. Bits that a neighbour had seen before are pushed, too; find_vertices drops them later. Adds the number
 * of edges read to t->read. Uses atomics unless there is a single thread. */
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
BATCH_BY_WORDS(push_by_words, push_vertices(s, t, begin, end, W))

/* ---- roots that pull, and what all roots find ---- */

/* Prefetches the frontier words of the PULL_STEP vertices at `columns`. */
BATCH_INLINE void prefetch_words(const struct batch_search *s, const uint32_t *columns, const int W)
{
    for (int k = 0; k < PULL_STEP; k++)
        __builtin_prefetch(&s->now[columns[k] * (uint64_t)W]);
}

/* Prefetches what find_vertices reads soon after vertex v: the row of vertex v + ROWS_AHEAD, and the frontier words of the
 * first neighbours of vertex v + WORDS_AHEAD. Leaves these neighbours out if all roots that pull have seen their vertex. */
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

/* ORs the frontier words of the `count` vertices at `columns` into `got` [W]. Returns 0 if `got` then has all bits of
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

/* Pulls for vertex v: ORs the frontier words of its neighbours into `got` [W], until `got` has all bits of `missing` [W].
 * Returns the number of edges read. With several words per vertex, also prefetches words of later neighbours, even beyond
 * the end of the row, because the next row is read next. */
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

/* Finds the roots that reach each of the vertices s->found_from + `begin` to `end` - 1 in this level. Sets the next words of the vertex to
 * the bits of these roots, adds them to its seen words, and counts the vertex in *t. For roots that pull, the bits come from the
 * neighbours. If `pushed` is 1, the next words already have the bits of the other roots; of these, bits that the vertex had
 * seen are dropped. */
BATCH_INLINE void find_vertices(struct batch_search *s, struct tally *t, uint64_t begin, uint64_t end, const int pushed,
                                const int W)
{
    const uint64_t *offsets = s->graph->push->offsets;
    for (uint64_t v = s->found_from + begin; v < s->found_from + end; v++) {
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
        tally_found(t, got, batch_weight(s->graph->push, v), W);
        t->edges += offsets[v + 1] - offsets[v];
    }
}
BATCH_BY_WORDS(find_by_words, find_vertices(s, t, begin, end, 0, W))
BATCH_BY_WORDS(find_pushed_by_words, find_vertices(s, t, begin, end, 1, W))

/* Finds the roots that reach the `count` vertices from number `first` on. */
static void find_from(struct batch_search *s, const struct batch_levels *l, uint64_t first, uint64_t count)
{
    s->found_from = first;
    batch_for(s, count, STEP, s->graph->pull->edges, (l->pushes ? find_pushed_by_words : find_by_words)[s->words]);
}

/* Runs a dense level (batch_cpu.h): first roots push, and then each vertex pulls, and takes the bits that were pushed. If ranks
 * divide the graph, ghosts are not found here but at their owners, which get the pushed bits; and what all ranks have found of a
 * delegate is put together. */
void batch_run_dense(struct batch_search *s, const struct batch_levels *l)
{
    const uint64_t vertices = s->graph->vertices, delegates = s->graph->shards->manifest.d;
    s->pulls = l->pulls;
    if (l->pushes && !l->is_sparse)
        batch_for(s, vertices, STEP, vertices, clear_next);
    if (l->pushes)
        batch_for(s, vertices, PUSH_STEP, l->found.edges, push_by_words[s->words]);
    if (s->ranks == NULL) {
        find_from(s, l, 0, vertices);
        return;
    }
    if (l->pushes)
        batch_ranks_send_pushed(s);
    batch_ranks_show_frontier(s);
    find_from(s, l, 0, delegates);
    batch_ranks_join_delegates(s);
    find_from(s, l, delegates, vertices - delegates);
    batch_ranks_clear_frontier(s);
}

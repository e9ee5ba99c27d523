/* cpu_push.c: pushes a whole frontier by several threads, and pushes nn of several shards
 *
 * The frontier's rows are divided into pieces, which threads push. Very long rows are put aside and pushed at the end, in
 * pieces of their own, so that no thread has to push a whole hub. Large pushes go into bitmaps (cpu_push_bitmaps.c). A
 * smaller push of nn puts vertices of other shards into bins, and vertices of this shard into the next frontier. Bytes that
 * must move for each edge of it: 4 of the column and 4 of a bin. Visited bits are read at random. */
#include "cpu_rows.h"

enum {
    MOST_UNITS = 256, /* the most units of rows in a piece */
    UNIT_EDGES = 256  /* edges of a unit of rows, if the rows have mean length */
};

/* A push by several threads, as they share it. */
struct shared_push {
    struct row_push rows; /* all rows of the frontier */
    int threads;
    uint64_t unit; /* number of rows of a unit; a piece has a whole number of units */
    push_piece *push; /* called for each piece */
    void *context;
    struct long_rows aside; /* rows that were put aside, and are pushed last */
};

/* Returns the first row of a piece; for a piece after the last, the number of all rows. The pieces of a thread grow
 * from 1 to MOST_UNITS units, because the first rows may be the longest. A single thread has one piece. */
static uint64_t first_row(const struct shared_push *s, uint64_t piece)
{
    uint64_t threads = (uint64_t)s->threads, all = s->rows.row_count, size = piece / threads + 1;
    if (s->threads == 1)
        return piece > 0 ? all : 0;
    if (size > MOST_UNITS)
        size = MOST_UNITS;
    /* before this piece come `threads` pieces of each smaller size, and then pieces of this size */
    uint64_t row = s->unit * (threads * size * (size - 1) / 2 + (piece - threads * (size - 1)) * size);
    return row < all ? row : all;
}

/* Pushes a piece of the rows. Threads of the pool run this for push_by_threads; `context` is a struct shared_push. */
static uint64_t push_rows_of_piece(void *context, int thread, uint64_t piece)
{
    const struct shared_push *s = context;
    uint64_t begin = first_row(s, piece);
    struct row_push p = s->rows;
    p.rows += begin;
    p.row_count = first_row(s, piece + 1) - begin;
    if (p.row_count > 0)
        s->push(s->context, thread, &p);
    return 0;
}

/* Pushes a piece of a row that was put aside. Threads of the pool run this for push_by_threads; `context` is a struct
 * shared_push. */
static uint64_t push_long_row_piece(void *context, int thread, uint64_t piece)
{
    const struct shared_push *s = context;
    struct row_push p = s->rows;
    p.row_count = 0;
    p.part = long_piece(&s->aside, piece);
    s->push(s->context, thread, &p);
    return 0;
}

/* Pushes the whole frontier: threads push pieces of its rows, and then pieces of the very long rows that they put aside. */
void push_by_threads(struct device *dev, enum subgraph g, int threads, push_piece *push, void *context)
{
    struct shared_push s = {.rows = describe_gathered_push(dev, g),
                            .threads = threads,
                            .unit = 1 + UNIT_EDGES * dev->frontier_rows[g] / (dev->frontier_edges[g] + 1),
                            .push = push,
                            .context = context};
    uint64_t pieces = 0, each = (uint64_t)threads, left;
    if (threads > 1)
        s.rows.aside = &s.aside;
    /* counts the pieces; some of the last pieces may be empty */
    while ((left = s.rows.row_count - first_row(&s, pieces)) > 0)
        pieces += each + (pieces >= MOST_UNITS * each ? left / (MOST_UNITS * s.unit) : 0);
    pool_run(dev->means.pool, threads, pieces, push_rows_of_piece, &s);
    uint64_t long_pieces = number_long_pieces(&s.aside);
    if (long_pieces > 0)
        pool_run(dev->means.pool, threads, long_pieces, push_long_row_piece, &s);
}

/* Pushes a piece of nn: puts all vertices found into this thread's bins, one for each shard, and then visits those in the
 * bin of this shard. push_by_threads calls this for each piece; `context` is the address of the number of threads. */
static void push_piece_to_shards(void *context, int thread, struct row_push *p)
{
    struct shard_bin *bins = p->dev->shard_bins + (size_t)thread * p->dev->shard->p;
    uint32_t own_parents[OWN_CAPACITY + 1];
    struct shard_push s = {.dev = p->dev,
                           .bins = bins,
                           .own = &bins[p->dev->shard->index],
                           .own_parents = own_parents,
                           .is_single_thread = *(const int *)context == 1};
    p->to.kind = PUSH_SHARDS;
    p->to.shards = &s;
    push_rows(p, 0);
    visit_own_vertices(&s);
}

/* Pushes the frontier along nn, by as many threads as its edges are worth. */
void push_nn(struct device *dev)
{
    int threads = threads_for(dev, dev->frontier_edges[NN]);
    push_by_threads(dev, NN, threads, push_piece_to_shards, &threads);
}

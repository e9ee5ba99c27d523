/* cpu_push.c: pushes of a whole frontier by several threads, and the push of nn by one of several shards
 *
 * Threads take pieces of the frontier's rows. Very long rows are put aside, and pushed at the end in pieces of their own:
 * one hub holds up nobody. Large pushes go into bitmaps (cpu_push_bitmaps.c). A smaller push of nn puts vertices of other
 * shards into bins, and vertices of this shard into the next frontier. Bytes that must move for each of its edges: 4 of the
 * column, and 4 of a bin. Visited bits are read at random. / */
#include "cpu_rows.h"

enum {
    MOST_UNITS = 256, /* of rows in a piece */
    UNIT_EDGES = 256  /* of a unit of rows, if they are of mean length */
};

/* A push by several threads, as all of them see it. */
struct shared_push {
    struct row_push rows; /* all rows of the frontier */
    int threads;
    uint64_t unit; /* rows of a unit */
    push_piece *push;
    void *context;
    struct long_rows aside;
};

/* Returns the row with which a piece begins. Each thread has pieces of 1, 2, 3, ... units, up to MOST_UNITS, as rows at the
 * front may be the longest. One thread takes all rows at once. */
static uint64_t first_row(const struct shared_push *s, uint64_t piece)
{
    uint64_t threads = (uint64_t)s->threads, all = s->rows.row_count, size = piece / threads + 1;
    if (s->threads == 1)
        return piece > 0 ? all : 0;
    if (size > MOST_UNITS)
        size = MOST_UNITS;
    uint64_t row = s->unit * (threads * size * (size - 1) / 2 + (piece - threads * (size - 1)) * size);
    return row < all ? row : all;
}

/* Pushes a piece of the rows. A pool job whose context is a struct shared_push. Returns 0, as the sum of the work is not
 * used. */
static uint64_t push_piece_of_rows(void *context, int thread, uint64_t piece)
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

/* Pushes a piece of a row that was put aside. Otherwise as push_piece_of_rows. */
static uint64_t push_long_piece(void *context, int thread, uint64_t piece)
{
    const struct shared_push *s = context;
    struct row_push p = s->rows;
    p.row_count = 0;
    p.part = long_piece(&s->aside, piece);
    s->push(s->context, thread, &p);
    return 0;
}

void push_by_threads(struct device *dev, enum subgraph g, int threads, push_piece *push, void *context)
{
    struct shared_push s = {.rows = describe_gathered_push(dev, g),
                            .threads = threads,
                            .unit = 1 + UNIT_EDGES * dev->frontier[g] / (dev->forward[g] + 1),
                            .push = push,
                            .context = context};
    uint64_t pieces = 0, each = (uint64_t)threads, left;
    if (threads > 1)
        s.rows.aside = &s.aside;
    while ((left = s.rows.row_count - first_row(&s, pieces)) > 0) /* some of the last pieces may be empty */
        pieces += each + (pieces >= MOST_UNITS * each ? left / (MOST_UNITS * s.unit) : 0);
    pool_run(dev->means.pool, threads, pieces, push_piece_of_rows, &s);
    uint64_t long_pieces = number_long_pieces(&s.aside);
    if (long_pieces > 0)
        pool_run(dev->means.pool, threads, long_pieces, push_long_piece, &s);
}

/* Pushes a piece of nn into the bins of a thread. The context is the number of threads. */
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

void push_nn(struct device *dev)
{
    int threads = threads_for(dev, dev->forward[NN]);
    push_by_threads(dev, NN, threads, push_piece_to_shards, &threads);
}

/* cpu_push.c: pushes a whole frontier by several threads, and pushes nn if there are several shards
 *
 * The frontier's rows are divided into pieces, which threads push. Very long rows are put aside, and are pushed at the
 * end in separate pieces, so no thread has to push a whole hub. Large pushes go into bitmaps (cpu_push_bitmaps.c). A
 * smaller push of nn puts vertices of other shards into bins, and vertices of this shard into the next frontier. Bytes
 * that must move for each edge of such a push: 4 of the column, and 4 of a bin. Visited bits are read at random. */
#include "cpu_rows.h"

enum {
    MOST_UNITS = 256, /* the largest number of units of rows in a piece */
    UNIT_EDGES = 256  /* number of edges of a unit of rows, if the rows have mean length */
};

/* A push by several threads, with the members that all threads use. */
struct shared_push {
    struct row_push rows; /* all rows of the frontier */
    int threads;
    uint64_t unit; /* number of rows of a unit; a piece has a whole number of units */
    push_piece *push; /* called for each piece */
    void *context;
    struct long_rows aside; /* rows that were put aside, and are pushed last */
};

/* Returns the index of the first row of a piece. For a piece after the last piece returns the number of all rows. The
 * pieces of a thread grow: they have 1, 2, 3, ... units, up to MOST_UNITS, because the first rows may be the longest. A
 * single thread has one piece with all rows. */
static uint64_t first_row(const struct shared_push *s, uint64_t piece)
{
    uint64_t threads = (uint64_t)s->threads, all = s->rows.row_count, size = piece / threads + 1;
    if (s->threads == 1)
        return piece > 0 ? all : 0;
    if (size > MOST_UNITS)
        size = MOST_UNITS;
    /* Before this piece there are `threads` pieces of each smaller size, and then pieces of this size */
    uint64_t row = s->unit * (threads * size * (size - 1) / 2 + (piece - threads * (size - 1)) * size);
    return row < all ? row : all;
}

/* Pushes a piece of the rows, as thread number `thread`. Puts very long rows aside. Returns 0. Called by threads of the
 * pool, for push_by_threads. `context` is a struct shared_push. */
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

/* Pushes a piece of a row that was put aside, as thread number `thread`. Returns 0. Called by threads of the pool, for
 * push_by_threads. `context` is a struct shared_push. */
static uint64_t push_long_row_piece(void *context, int thread, uint64_t piece)
{
    const struct shared_push *s = context;
    struct row_push p = s->rows;
    p.row_count = 0;
    p.part = long_piece(&s->aside, piece);
    s->push(s->context, thread, &p);
    return 0;
}

/* Pushes the rows of the whole frontier along g. `threads` threads call `push` for pieces of the rows. If there are
 * several threads, very long rows are put aside, and are pushed last in pieces. Returns when everything is pushed. */
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
    /* counts the pieces; some of the last pieces may be empty */
    while ((left = s.rows.row_count - first_row(&s, pieces)) > 0)
        pieces += each + (pieces >= MOST_UNITS * each ? left / (MOST_UNITS * s.unit) : 0);
    pool_run(dev->means.pool, threads, pieces, push_rows_of_piece, &s);
    uint64_t long_pieces = number_long_pieces(&s.aside);
    if (long_pieces > 0)
        pool_run(dev->means.pool, threads, long_pieces, push_long_row_piece, &s);
}

/* Pushes a piece of nn: puts every vertex found into this thread's bin for the shard of the vertex. Then empties the bin
 * of this shard: new vertices in it go into the next frontier. Called by threads of the pool, for each piece of the
 * frontier (push_by_threads). `context` points to the number of threads. */
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

/* Pushes the frontier along nn. Called if there are several shards. The number of threads depends on the number of edges.
 * Vertices of other shards go into dev->shard_bins. New normals of this shard are appended to next_sparse. Sets
 * dev->shard_bins_error if memory for a bin is missing. */
void push_nn(struct device *dev)
{
    int threads = threads_for(dev, dev->forward[NN]);
    push_by_threads(dev, NN, threads, push_piece_to_shards, &threads);
}

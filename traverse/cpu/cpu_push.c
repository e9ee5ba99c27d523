/* cpu_push.c: pushes a whole frontier by several threads, and pushes nn if there are several shards
 *
 * Threads take pieces of the frontier's rows. Very long rows are put aside, and are pushed at the end in pieces of their
 * own, so no thread has to push a whole hub. Large pushes go into bitmaps (cpu_push_bitmaps.c). A smaller push of nn puts
 * vertices of other shards into bins, and vertices of this shard into the next frontier. Bytes that must move for each edge
 * of such a push: 4 of the column, and 4 of a bin. Visited bits are read at random.
 */
#include "cpu_rows.h"

enum {
    MOST_UNITS = 256, /* units of rows in a piece, at most */
    UNIT_EDGES = 256  /* edges of a unit of rows, if the rows have mean length */
};

/* A push by several threads, as all of them see it. */
struct shared_push {
    struct row_push rows; /* all rows of the frontier */
    int threads;
    uint64_t unit; /* rows of a unit: pieces have whole units */
    push_piece *push; /* called for each piece */
    void *context;
    struct long_rows aside; /* rows put aside, which are pushed last */
};

/* Returns the index of the row with which a piece begins. Behind the last piece this is the number of all rows. The pieces
 * that a thread takes grow: they have 1, 2, 3, ... units, up to MOST_UNITS, because the rows at the front may be the
 * longest. A single thread has one piece with all rows. */
static uint64_t first_row(const struct shared_push *s, uint64_t piece)
{
    uint64_t threads = (uint64_t)s->threads, all = s->rows.row_count, size = piece / threads + 1;
    if (s->threads == 1)
        return piece > 0 ? all : 0;
    if (size > MOST_UNITS)
        size = MOST_UNITS;
    /* in front of the piece are `threads` pieces of each smaller size, and then pieces of this size */
    uint64_t row = s->unit * (threads * size * (size - 1) / 2 + (piece - threads * (size - 1)) * size);
    return row < all ? row : all;
}

/* Pushes a piece of the rows as thread `thread`. Puts very long rows aside. Returns 0. Called by threads of the pool, for
 * push_by_threads. `context` is a struct shared_push. */
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

/* Pushes a piece of a row that was put aside, as thread `thread`. Returns 0. Called by threads of the pool, for
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

/* Pushes the rows of the whole frontier along g: `threads` threads call `push` for pieces of the rows. If there are several
 * threads, very long rows are put aside and pushed last, also in pieces. Returns when all is pushed. */
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
    /* the pieces are counted, and some of the last pieces may be empty */
    while ((left = s.rows.row_count - first_row(&s, pieces)) > 0)
        pieces += each + (pieces >= MOST_UNITS * each ? left / (MOST_UNITS * s.unit) : 0);
    pool_run(dev->means.pool, threads, pieces, push_rows_of_piece, &s);
    uint64_t long_pieces = number_long_pieces(&s.aside);
    if (long_pieces > 0)
        pool_run(dev->means.pool, threads, long_pieces, push_long_row_piece, &s);
}

/* Pushes a piece of nn: puts every vertex found into the bin that this thread has for the shard of the vertex. Then empties
 * the bin of this shard, whose new vertices go into the next frontier. Called by threads of the pool, for each piece of the
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

/* Pushes the frontier along nn, if there are several shards, by as many threads as its edges are worth. Vertices of other
 * shards go into dev->shard_bins, new normals of this shard behind next_sparse. Sets dev->shard_bins_error if a bin gets no
 * memory. */
void push_nn(struct device *dev)
{
    int threads = threads_for(dev, dev->forward[NN]);
    push_by_threads(dev, NN, threads, push_piece_to_shards, &threads);
}

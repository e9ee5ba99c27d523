/* cpu_gather.c: makes a frontier sparse: lists all of its vertices, or its rows that have edges in a subgraph
 *
 * Threads take pieces of the sparse, then of the dense part. Each lists a piece in memory of its own first, and appends it
 * to the common list then. Bytes that must move for each row: 4 of the list, and twice as many where several threads list.
 */
#include "cpu_device.h"

#include "formats/base/arith.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECE_IDS = 2048, PIECE_WORDS = PIECE_IDS / 64 };

struct gathering {
    struct frontier_view frontier;
    const uint64_t *sources; /* bitmap of the vertices to list; NULL: all */
    uint32_t *rows;          /* the list, of `count` rows so far */
    _Atomic uint64_t count;
    uint64_t sparse_pieces;
};

static uint64_t gather_sparse(const struct gathering *g, uint64_t begin, uint64_t end, uint32_t *rows)
{
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t row = g->frontier.sparse[i];
        rows[count] = row; /* without a branch: the next row overwrites one that is left out */
        count += g->sources == NULL || mask_bit(g->sources, row);
    }
    return count;
}

static uint64_t gather_dense(const struct gathering *g, uint64_t begin, uint64_t end, uint32_t *rows)
{
    uint64_t count = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = g->frontier.dense[w] & (g->sources == NULL ? UINT64_MAX : g->sources[w]);
        for (; bits != 0; bits &= bits - 1)
            rows[count++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    }
    return count;
}

/* Lists a piece of the sparse part or, behind them, of the dense part. */
static uint64_t gather_piece(void *context, int thread, uint64_t piece)
{
    struct gathering *g = context;
    const struct frontier_view *f = &g->frontier;
    uint32_t own[PIECE_IDS];
    uint64_t at = piece * PIECE_IDS, word = (piece - g->sparse_pieces) * PIECE_WORDS;
    uint64_t count = piece < g->sparse_pieces ? gather_sparse(g, at, smaller(at + PIECE_IDS, f->count), own)
                                              : gather_dense(g, word, smaller(word + PIECE_WORDS, f->words), own);
    (void)thread;
    if (count > 0)
        memcpy(g->rows + atomic_fetch_add(&g->count, count), own, count * sizeof *own);
    return count;
}

uint64_t gather_frontier(struct device *dev, struct frontier_view f, const uint64_t *sources, uint32_t *rows)
{
    struct gathering g = {
        .frontier = f, .sources = sources, .rows = rows, .sparse_pieces = divide_up(f.count, PIECE_IDS)};
    int threads = threads_for(dev, f.count + f.words);
    if (threads > 1)
        return pool_run(dev->means.pool, threads, g.sparse_pieces + divide_up(f.words, PIECE_WORDS), gather_piece, &g);
    uint64_t count = gather_sparse(&g, 0, f.count, rows);
    return count + gather_dense(&g, 0, f.words, rows + count);
}

uint64_t gather_sources(struct device *dev, enum subgraph g)
{
    return gather_frontier(dev, view_frontier(dev, g), dev->shard->csr[g].sources, dev->gathered_rows);
}

struct lengths {
    const struct csr *csr;
    const uint32_t *rows; /* [count], none of them empty */
    uint64_t count;
};

/* Returns the edges of a piece of rows. */
static uint64_t add_lengths(void *context, int thread, uint64_t piece)
{
    const struct lengths *l = context;
    const struct csr *csr = l->csr;
    uint64_t sum = 0, end = smaller((piece + 1) * PIECE_IDS, l->count);
    (void)thread;
    for (uint64_t i = piece * PIECE_IDS; i < end; i++) {
        uint64_t row = l->rows[i];
        /* a single head is filled where a row is not empty, and need not be read */
        sum += csr->head_columns <= 1 ? csr_offset(csr, row + 1) - csr_offset(csr, row) + csr->head_columns
                                      : csr_row_length(csr, row);
    }
    return sum;
}

uint64_t count_forward(struct device *dev, enum subgraph g)
{
    struct lengths l = {&dev->shard->csr[g], dev->gathered_rows, gather_sources(dev, g)};
    return pool_run(dev->means.pool, threads_for(dev, l.count), divide_up(l.count, PIECE_IDS), add_lengths, &l);
}

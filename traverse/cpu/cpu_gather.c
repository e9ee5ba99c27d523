/* cpu_gather.c: makes one list of a frontier in lists and masks: of its vertices, or of its rows in a subgraph
 *
 * Threads list pieces of the frontier, each into memory of its own first, and then behind those of the others. Bytes
 * that must move for each row: 4 of the list, and twice as many where several threads list.
 */
#include "cpu_device.h"

#include "formats/base/arith.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECE_IDS = 2048, PIECE_WORDS = PIECE_IDS / 64 };

/* The listing of a frontier: pieces of its list, then of its mask. */
struct gathering {
    struct frontier_view frontier;
    const uint64_t *sources; /* only these are listed; NULL: all */
    uint32_t *rows;
    uint64_t lists; /* pieces of the list */
    _Atomic uint64_t count;
};

static uint64_t gather_list(const struct gathering *g, uint64_t begin, uint64_t end, uint32_t *rows)
{
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t row = g->frontier.list[i];
        rows[count] = row;
        count += g->sources == NULL || mask_bit(g->sources, row);
    }
    return count;
}

static uint64_t gather_words(const struct gathering *g, uint64_t begin, uint64_t end, uint32_t *rows)
{
    uint64_t count = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = g->frontier.mask[w] & (g->sources == NULL ? UINT64_MAX : g->sources[w]);
        for (; bits != 0; bits &= bits - 1)
            rows[count++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    }
    return count;
}

static uint64_t gather_piece(void *context, int thread, uint64_t piece)
{
    struct gathering *g = context;
    const struct frontier_view *f = &g->frontier;
    uint32_t some[PIECE_IDS];
    uint64_t at = piece * PIECE_IDS, word = (piece - g->lists) * PIECE_WORDS;
    uint64_t count = piece < g->lists ? gather_list(g, at, smaller(at + PIECE_IDS, f->size), some)
                                      : gather_words(g, word, smaller(word + PIECE_WORDS, f->words), some);
    (void)thread;
    if (count > 0)
        memcpy(g->rows + atomic_fetch_add(&g->count, count), some, count * sizeof *some);
    return count;
}

uint64_t gather_frontier(struct device *dev, struct frontier_view f, const uint64_t *sources,
                         uint32_t *rows)
{
    struct gathering g = {f, sources, rows, (f.size + PIECE_IDS - 1) / PIECE_IDS, 0};
    int threads = threads_for(dev, f.size + f.words);
    if (threads == 1) {
        uint64_t listed = gather_list(&g, 0, f.size, rows);
        return listed + gather_words(&g, 0, f.words, rows + listed);
    }
    return pool_run(dev->means.pool, threads, g.lists + divide_up(f.words, PIECE_WORDS), gather_piece, &g);
}

uint64_t gather_sources(struct device *dev, enum subgraph g)
{
    return gather_frontier(dev, view_frontier(dev, g), dev->shard->csr[g].sources, dev->push.rows);
}

/* Rows whose lengths are added up. */
struct lengths {
    const struct csr *csr;
    const uint32_t *rows;
    uint64_t count;
};

static uint64_t add_lengths(void *context, int thread, uint64_t piece)
{
    const struct lengths *l = context;
    uint64_t sum = 0, end = smaller((piece + 1) * PIECE_IDS, l->count);
    (void)thread;
    for (uint64_t i = piece * PIECE_IDS; i < end; i++)
        sum += source_row_length(l->csr, l->rows[i]);
    return sum;
}

uint64_t count_forward(struct device *dev, enum subgraph g)
{
    struct lengths l = {&dev->shard->csr[g], dev->push.rows, gather_sources(dev, g)};
    return pool_run(dev->means.pool, threads_for(dev, l.count), divide_up(l.count, PIECE_IDS), add_lengths, &l);
}

/* cpu_previsit.c: makes the frontier from the vertices that the last level found, and counts its rows and edges
 *
 * The delegates of the frontier are the incoming ones that are not visited; a previsit marks them as visited. Normals were
 * marked before: when a visit of this device found them, or when they arrived. A vertex of the frontier without edges in a
 * subgraph does not count for that subgraph.
 */
#include "cpu_device.h"

#include "formats/base/arith.h"

#include <string.h>

/* Pieces of a thread: vertices of a list, and words of a bitmap, in whole lines of a cache. */
enum { PIECE_IDS = 1024, PIECE_WORDS = 64 };

/* ---- the frontier of the delegates ---- */

/* Makes word w of the frontier: visited, with depths. Appends its delegates to `list`, if there is room for all of them.
 * Returns how many they are. */
static inline uint64_t visit_incoming_word(struct device *dev, uint64_t w, uint32_t *list, uint64_t room)
{
    struct cpu_delegates *d = &dev->delegates;
    uint64_t bits = d->incoming[w] & ~d->visited[w], count = count_bits(bits);
    d->incoming[w] = 0;
    d->updated[w] = 0; /* the incoming mask has its bits, too */
    d->dense[w] = bits;
    d->visited[w] |= bits;
    if (bits != 0)
        dev->means.probes->mark(d->depth, dev->shard->d, w, bits, d->frontier_depth);
    for (; count <= room && bits != 0; bits &= bits - 1)
        *list++ = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    return count;
}

struct delegate_previsit {
    struct device *dev;
    uint64_t step; /* words of a piece */
};

/* Makes the words of a piece the frontier. The list has room for as many delegates as the piece has words. */
static uint64_t previsit_piece(void *context, int thread, uint64_t piece)
{
    enum { BLOCK_WORDS = 8 }; /* most words are empty in most levels: a block of them is skipped at once */
    const struct delegate_previsit *p = context;
    struct cpu_delegates *d = &p->dev->delegates;
    uint64_t begin = piece * p->step, end = smaller(begin + p->step, mask_words(p->dev->shard->d));
    uint64_t count = 0, most = end - begin;
    (void)thread;
    if (!d->is_sparse)
        memset(d->dense + begin, 0, most * sizeof *d->dense);
    for (uint64_t block = begin; d->any_incoming && block < end; block += BLOCK_WORDS) {
        uint64_t stop = smaller(block + BLOCK_WORDS, end), any = 0;
        for (uint64_t w = block; w < stop; w++)
            any |= d->incoming[w];
        for (uint64_t w = block; any != 0 && w < stop; w++) {
            uint64_t listed = smaller(count, most);
            if (d->incoming[w] != 0)
                count += visit_incoming_word(p->dev, w, d->sparse + begin + listed, most - listed);
        }
    }
    return count;
}

/* One thread takes all words at once, and the frontier is sparse if there is room. Several threads take pieces, and the
 * frontier is taken for too large to be sparse. */
void previsit_delegates(struct device *dev)
{
    enum { MANY_ROWS = 2048, MANY_WORDS = 1 << 14 };
    struct cpu_delegates *d = &dev->delegates;
    uint64_t words = mask_words(dev->shard->d);
    /* a large frontier is followed by a larger one, or ends the search */
    int is_large = dev->frontier[DD] + dev->frontier[DN] >= MANY_ROWS || words >= MANY_WORDS;
    int threads = d->any_incoming && is_large ? dev->threads : 1;
    struct delegate_previsit previsit = {dev, threads > 1 ? PIECE_WORDS : words + 1};
    for (uint64_t i = 0; d->is_sparse && i < d->frontier_count; i++) /* clears the bitmap by the list */
        d->dense[d->sparse[i] / 64] = 0;
    uint64_t pieces = divide_up(words, previsit.step);
    d->frontier_count = pool_run(dev->means.pool, threads, pieces, previsit_piece, &previsit);
    d->is_sparse = d->frontier_count <= (threads > 1 ? 0 : words);
    d->any_incoming = d->any_updated = 0;
}

void previsit_normals(struct device *dev)
{
    struct cpu_normals *n = &dev->normals;
    uint32_t *old_sparse = n->sparse;
    uint64_t *old_dense = n->dense;
    n->sparse = n->next_sparse;
    n->sparse_count = n->next_sparse_count;
    n->dense = n->next_dense;
    n->any_dense = n->any_next_dense;
    n->dense_count = n->next_dense_count;
    n->next_sparse = old_sparse;
    n->next_dense = old_dense;
    n->any_next_dense = 0;
    n->next_sparse_count = n->next_dense_count = 0;
}

/* ---- counting ---- */

/* Counts with the offsets of each row; heads that are not filled count as edges. */
static struct row_count count_by_offsets(const struct csr *csr, const uint32_t *list, uint64_t count)
{
    enum { AHEAD = 32 };
    uint64_t rows = 0, edges = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = list[i];
        if (i + AHEAD < count)
            prefetch_offset(csr, list[i + AHEAD]);
        rows += (uint64_t)mask_bit(csr->sources, row);
        edges += csr_offset(csr, row + 1) - csr_offset(csr, row);
    }
    return (struct row_count){rows, edges + rows * csr->head_columns};
}

/* Takes each row for the mean row, in whole edges: no offset is read. */
static struct row_count count_by_mean(const struct csr *csr, const uint32_t *list, uint64_t count)
{
    uint64_t rows = count, mean = (csr->edges + csr->source_rows / 2) / csr->source_rows;
    if (csr->source_rows < csr->rows) {
        rows = 0;
        for (uint64_t i = 0; i < count; i++)
            rows += (uint64_t)mask_bit(csr->sources, list[i]);
    }
    return (struct row_count){rows, rows * mean};
}

struct row_count count_sparse(const struct device *dev, enum subgraph g, const uint32_t *list, uint64_t count)
{
    enum { ABOUT = 4 }; /* rows are about equally long if the longest is at most so many mean rows */
    const struct csr *csr = &dev->shard->csr[g];
    uint64_t longest = subgraph_rows(g) == DELEGATES ? dev->delegates.longest : dev->normals.longest;
    if (longest * csr->source_rows <= ABOUT * csr->edges)
        return count_by_mean(csr, list, count);
    return count_by_offsets(csr, list, count);
}

/* Counts the rows of a piece of a bitmap. Edges are estimated from every word of the first piece, where hubs are, and from
 * every SAMPLE-th word of another: vertices are in the order of degrees, so each row counts as the mean row of its word. */
static struct row_count count_dense(const struct csr *csr, const uint64_t *bitmap, uint64_t piece, uint64_t words)
{
    enum { SAMPLE = 8 };
    uint64_t begin = piece * PIECE_WORDS, step = piece == 0 ? 1 : SAMPLE, end = smaller(begin + PIECE_WORDS, words);
    uint64_t rows = 0, sampled = 0, edges = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t count = count_bits(bitmap[w] & csr->sources[w]);
        rows += count;
        if (count == 0 || w % step != 0)
            continue;
        uint64_t behind_heads = csr_offset(csr, smaller(64 * (w + 1), csr->rows)) - csr_offset(csr, 64 * w);
        sampled += count;
        edges += count * behind_heads / count_bits(csr->sources[w]) + count * csr->head_columns;
    }
    return (struct row_count){rows, sampled > 0 ? edges * rows / sampled : rows};
}

/* A frontier whose rows of g are counted by pieces: of its sparse part, then of its dense part. */
struct counting {
    const struct device *dev;
    enum subgraph g;
    struct frontier_view frontier;
    uint64_t sparse_pieces;
    _Atomic uint64_t edges;
};

/* Counts the rows of a piece, and returns them; adds their edges to c->edges. */
static uint64_t count_piece(void *context, int thread, uint64_t piece)
{
    struct counting *c = context;
    const struct frontier_view *f = &c->frontier;
    uint64_t at = piece * PIECE_IDS;
    struct row_count count =
        piece < c->sparse_pieces ? count_sparse(c->dev, c->g, f->sparse + at, smaller(f->count - at, PIECE_IDS))
                                 : count_dense(&c->dev->shard->csr[c->g], f->dense, piece - c->sparse_pieces, f->words);
    (void)thread;
    if (count.edges > 0)
        c->edges += count.edges;
    return count.rows;
}

void count_frontier_of(struct device *dev, enum vertex_kind rows)
{
    enum { WORK_OF_WORD = 2, ROWS_OF_WORK = 4 }; /* one thread wrote a sparse frontier, and may go on by itself */
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(rows, (enum vertex_kind)to);
        struct frontier_view f = view_frontier(dev, g);
        struct row_count count = {0};
        int threads = threads_for(dev, f.count / ROWS_OF_WORK + WORK_OF_WORD * f.words);
        if (dev->shard->csr[g].edges > 0 && threads == 1 && f.words == 0) {
            count = count_sparse(dev, g, f.sparse, f.count);
        } else if (dev->shard->csr[g].edges > 0) {
            struct counting counting = {
                .dev = dev, .g = g, .frontier = f, .sparse_pieces = divide_up(f.count, PIECE_IDS)};
            uint64_t pieces = counting.sparse_pieces + divide_up(f.words, PIECE_WORDS);
            count.rows = pool_run(dev->means.pool, threads, pieces, count_piece, &counting);
            count.edges = counting.edges;
        }
        dev->frontier[g] = count.rows;
        dev->forward[g] = count.edges;
        dev->unvisited[g] -= count.rows;
    }
}

void count_frontier(struct device *dev)
{
    count_frontier_of(dev, NORMALS);
    count_frontier_of(dev, DELEGATES);
}

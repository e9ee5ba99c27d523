/* cpu_frontier.c: makes the frontier from the vertices that the last level found, counts its rows and edges, and lists it
 *
 * The delegates of the frontier are the incoming delegates that are not visited. A previsit sets their visited bits. The
 * normals of the frontier were visited before: when a visit of this device found them, or when they arrived. A vertex of the
 * frontier without edges in a subgraph does not count for that subgraph.
 *
 * Threads take pieces: first of the sparse part of a frontier, then of its dense part. Bytes that must move to list a
 * vertex: 4, and twice as many where several threads list.
 */
#include "cpu_device.h"

#include "formats/base/arith.h"

#include <stdatomic.h>
#include <string.h>

/* A piece of a frontier: vertices of its sparse part, or words of its bitmap in whole lines of a cache. */
enum { PIECE_IDS = 1024, PIECE_WORDS = 64 };

/* A frontier, or a piece of it: the vertices of a list, and of words of a bitmap. */
struct frontier_part {
    const uint32_t *sparse; /* [count] */
    uint64_t count;
    const uint64_t *dense; /* words begin..end belong to the part */
    uint64_t begin, end;
};

/* Returns the whole frontier of the rows of g. It holds until the next previsit or sparse level. */
static struct frontier_part frontier_of_rows(const struct device *dev, enum subgraph g)
{
    const struct cpu_normals *n = &dev->normals;
    const struct cpu_delegates *d = &dev->delegates;
    if (subgraph_rows(g) == NORMALS)
        return (struct frontier_part){.sparse = n->sparse,
                                      .count = n->sparse_count,
                                      .dense = n->dense,
                                      .end = n->any_dense ? mask_words(dev->shard->locals) : 0};
    if (d->is_sparse)
        return (struct frontier_part){.sparse = d->sparse, .count = d->frontier_count};
    return (struct frontier_part){.dense = d->dense, .end = mask_words(dev->shard->d)};
}

/* Returns the number of pieces of a whole frontier. */
static uint64_t count_pieces(const struct frontier_part *whole)
{
    return divide_up(whole->count, PIECE_IDS) + divide_up(whole->end, PIECE_WORDS);
}

/* Returns a piece of a whole frontier. */
static struct frontier_part cut_piece(const struct frontier_part *whole, uint64_t piece)
{
    uint64_t sparse_pieces = divide_up(whole->count, PIECE_IDS), first = piece * PIECE_IDS;
    if (piece < sparse_pieces)
        return (struct frontier_part){.sparse = whole->sparse + first, .count = smaller(PIECE_IDS, whole->count - first)};
    uint64_t begin = (piece - sparse_pieces) * PIECE_WORDS;
    return (struct frontier_part){.dense = whole->dense, .begin = begin, .end = smaller(begin + PIECE_WORDS, whole->end)};
}

/* ---- making the frontier ---- */

/* What threads share while they make the frontier of the delegates. */
struct delegate_previsit {
    struct device *dev;
    uint64_t step; /* words of a piece */
};

/* Makes the new delegates of a piece of the incoming mask the frontier: sets their visited bits and depths. Lists them in
 * `sparse` from the number of the piece's first word on, as long as they are no more than the piece has words. Returns the
 * number of new delegates. */
static uint64_t previsit_piece(void *context, int thread, uint64_t piece)
{
    enum { BLOCK_WORDS = 8 }; /* most words are empty in most levels: a block of them is skipped at once */
    const struct delegate_previsit *p = context;
    struct cpu_delegates *d = &p->dev->delegates;
    uint64_t begin = piece * p->step, end = smaller(begin + p->step, mask_words(p->dev->shard->d)), count = 0;
    (void)thread;
    if (!d->is_sparse)
        memset(d->dense + begin, 0, (end - begin) * sizeof *d->dense);
    for (uint64_t block = begin; d->any_incoming && block < end; block += BLOCK_WORDS) {
        uint64_t stop = smaller(block + BLOCK_WORDS, end), any = 0;
        for (uint64_t w = block; w < stop; w++)
            any |= d->incoming[w];
        for (uint64_t w = block; any != 0 && w < stop; w++) {
            uint64_t bits = d->incoming[w] & ~d->visited[w], found = count_bits(bits);
            if (d->incoming[w] == 0)
                continue;
            d->incoming[w] = 0;
            d->updated[w] = 0; /* the incoming mask has its bits, too */
            d->dense[w] = bits;
            d->visited[w] |= bits;
            if (bits != 0)
                p->dev->means.probes->mark(d->depth, p->dev->shard->d, w, bits, d->frontier_depth);
            uint32_t *list = d->sparse + begin + count;
            count += found;
            for (; count <= end - begin && bits != 0; bits &= bits - 1)
                *list++ = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
        }
    }
    return count;
}

/* One thread takes all words at once, and the frontier becomes sparse if the list has space for it. Several threads take
 * pieces, and the frontier stays dense, as it is taken for a large one. */
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

struct row_count count_sparse(const struct device *dev, enum subgraph g, const uint32_t *list, uint64_t count)
{
    enum { ABOUT = 4, AHEAD = 32 }; /* rows are about equally long if the longest is at most so many mean rows */
    const struct csr *csr = &dev->shard->csr[g];
    uint64_t longest = subgraph_rows(g) == DELEGATES ? dev->delegates.longest : dev->normals.longest;
    uint64_t rows = 0, edges = 0;
    if (longest * csr->source_rows <= ABOUT * csr->edges) {
        /* each row counts as the mean row, in whole edges: no offset is read */
        uint64_t mean = (csr->edges + csr->source_rows / 2) / csr->source_rows;
        if (csr->source_rows == csr->rows)
            return (struct row_count){count, count * mean};
        for (uint64_t i = 0; i < count; i++)
            rows += (uint64_t)mask_bit(csr->sources, list[i]);
        return (struct row_count){rows, rows * mean};
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = list[i];
        if (i + AHEAD < count)
            prefetch_offset(csr, list[i + AHEAD]);
        rows += (uint64_t)mask_bit(csr->sources, row);
        edges += csr_offset(csr, row + 1) - csr_offset(csr, row);
    }
    return (struct row_count){rows, edges + rows * csr->head_columns}; /* heads that are not filled count as edges */
}

/* Counts the rows of words begin..end of a bitmap. Estimates their edges: from every word of the first piece of the bitmap,
 * where hubs are, and from every SAMPLE-th word of another piece. Vertices are in the order of degrees, so each row counts
 * as the mean row of its word. */
static struct row_count count_dense(const struct csr *csr, const uint64_t *bitmap, uint64_t begin, uint64_t end)
{
    enum { SAMPLE = 8 };
    uint64_t step = begin == 0 ? 1 : SAMPLE, rows = 0, sampled = 0, edges = 0;
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

/* A frontier whose rows of g are counted by pieces. */
struct counting {
    const struct device *dev;
    enum subgraph g;
    struct frontier_part frontier;
    _Atomic uint64_t edges;
};

/* Counts the rows of g in a piece of the frontier. Returns their number, and adds their edges to c->edges. */
static uint64_t count_piece(void *context, int thread, uint64_t piece)
{
    struct counting *c = context;
    struct frontier_part part = cut_piece(&c->frontier, piece);
    struct row_count count = part.count > 0
                                 ? count_sparse(c->dev, c->g, part.sparse, part.count)
                                 : count_dense(&c->dev->shard->csr[c->g], part.dense, part.begin, part.end);
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
        struct counting counting = {.dev = dev, .g = g, .frontier = frontier_of_rows(dev, g)};
        const struct frontier_part *f = &counting.frontier;
        struct row_count count = {0};
        int threads = threads_for(dev, f->count / ROWS_OF_WORK + WORK_OF_WORD * f->end);
        if (dev->shard->csr[g].edges > 0 && threads == 1 && f->end == 0) {
            count = count_sparse(dev, g, f->sparse, f->count);
        } else if (dev->shard->csr[g].edges > 0) {
            count.rows = pool_run(dev->means.pool, threads, count_pieces(f), count_piece, &counting);
            count.edges = counting.edges;
        }
        dev->frontier[g] = count.rows;
        dev->forward[g] = count.edges;
        dev->unvisited[g] -= count.rows;
    }
}

/* ---- listing ---- */

/* A frontier that several threads list. */
struct gathering {
    struct frontier_part frontier;
    const uint64_t *sources; /* bitmap of the vertices to list; NULL: all */
    uint32_t *rows;          /* the list, of `count` rows so far */
    _Atomic uint64_t count;
};

/* Lists the vertices of a part of a frontier that are in the bitmap `sources`, or all if that is NULL. Returns how many it
 * lists. */
static uint64_t list_part(const struct frontier_part *part, const uint64_t *sources, uint32_t *rows)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < part->count; i++) {
        uint32_t row = part->sparse[i];
        rows[count] = row; /* without a branch: the next row overwrites one that is left out */
        count += sources == NULL || mask_bit(sources, row);
    }
    for (uint64_t w = part->begin; w < part->end; w++) {
        uint64_t bits = part->dense[w] & (sources == NULL ? UINT64_MAX : sources[w]);
        for (; bits != 0; bits &= bits - 1)
            rows[count++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    }
    return count;
}

/* Lists a piece of the frontier in memory of its own, and then appends it to the list of all threads. */
static uint64_t gather_piece(void *context, int thread, uint64_t piece)
{
    struct gathering *g = context;
    struct frontier_part part = cut_piece(&g->frontier, piece);
    uint32_t own[64 * PIECE_WORDS];
    uint64_t count = list_part(&part, g->sources, own);
    (void)thread;
    if (count > 0)
        memcpy(g->rows + atomic_fetch_add(&g->count, count), own, count * sizeof *own);
    return count;
}

/* Lists the vertices of a frontier in any order; only those in the bitmap `sources`, unless that is NULL. `rows` has an
 * entry for each vertex of the frontier. Returns how many vertices are listed. */
static uint64_t gather(struct device *dev, const struct frontier_part *frontier, const uint64_t *sources, uint32_t *rows)
{
    struct gathering g = {.frontier = *frontier, .sources = sources, .rows = rows};
    int threads = threads_for(dev, frontier->count + frontier->end);
    if (threads == 1)
        return list_part(frontier, sources, rows);
    return pool_run(dev->means.pool, threads, count_pieces(frontier), gather_piece, &g);
}

uint64_t gather_sources(struct device *dev, enum subgraph g)
{
    struct frontier_part frontier = frontier_of_rows(dev, g);
    return gather(dev, &frontier, dev->shard->csr[g].sources, dev->gathered_rows);
}

void make_frontier_sparse(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    if (!d->is_sparse) {
        struct frontier_part dense = {.dense = d->dense, .end = mask_words(dev->shard->d)};
        d->frontier_count = gather(dev, &dense, NULL, d->sparse);
        memset(d->dense, 0, dense.end * sizeof *d->dense);
        d->is_sparse = 1;
    }
    if (n->any_dense) {
        struct frontier_part dense = {.dense = n->dense, .end = mask_words(dev->shard->locals)};
        n->sparse_count += gather(dev, &dense, NULL, n->sparse + n->sparse_count);
        n->any_dense = 0;
        n->dense_count = 0;
    }
}

/* The rows whose edges count_forward adds up. */
struct gathered_rows {
    const struct csr *csr;
    const uint32_t *rows; /* [count], none of them empty */
    uint64_t count;
};

/* Returns the number of edges of a piece of the gathered rows. A pool job whose context is a struct gathered_rows. */
static uint64_t add_lengths(void *context, int thread, uint64_t piece)
{
    const struct gathered_rows *r = context;
    uint64_t sum = 0, end = smaller((piece + 1) * PIECE_IDS, r->count);
    (void)thread;
    for (uint64_t i = piece * PIECE_IDS; i < end; i++)
        sum += csr_row_length(r->csr, r->rows[i]);
    return sum;
}

uint64_t count_forward(struct device *dev, enum subgraph g)
{
    struct gathered_rows r = {&dev->shard->csr[g], dev->gathered_rows, gather_sources(dev, g)};
    return pool_run(dev->means.pool, threads_for(dev, r.count), divide_up(r.count, PIECE_IDS), add_lengths, &r);
}

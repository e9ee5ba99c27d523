/* cpu_frontier.c: makes the frontier from what the last level found, counts its rows and edges, and lists it
 *
 * The frontier of delegates is made here, from the delegates that any device found (`found_anywhere`), except those visited
 * before. Their visited bits are set here, too. Normals have visited bits since a visit found them, or since they came from
 * another device. A vertex is counted in a subgraph only if it has edges there.
 *
 * Threads share the work on a frontier in pieces, those of its list first, then those of its bitmap. Bytes that must move to
 * list a vertex: 4, or 8 if several threads list. */
#include "cpu_device.h"

#include "formats/base/arith.h"

#include <stdatomic.h>
#include <string.h>

/* A piece of a frontier has PIECE_IDS vertices of the list, or PIECE_WORDS words of the bitmap, in whole cache lines. A word, with up to
 * 64 vertices, is WORK_OF_WORD units of work (threads_for). A row of a list is one unit when it is listed, and less when it is counted. */
enum { PIECE_IDS = 1024, PIECE_WORDS = 64, WORK_OF_WORD = 8 };

/* A frontier or a piece of one: the vertices of a list, and the set bits of some words of a bitmap. */
struct frontier_part {
    const uint32_t *sparse; /* [count] */
    uint64_t count;
    const uint64_t *dense; /* the bitmap of the whole frontier, of which words begin..end belong to this part */
    uint64_t begin, end;
};

/* Returns the whole frontier of the kind of vertices that are rows of subgraph g. Valid until the next previsit or
 * sparse level. */
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

/* Returns piece number `piece` of a whole frontier, of its list or of its bitmap. */
static struct frontier_part cut_piece(const struct frontier_part *whole, uint64_t piece)
{
    uint64_t sparse_pieces = divide_up(whole->count, PIECE_IDS), first = piece * PIECE_IDS;
    if (piece < sparse_pieces)
        return (struct frontier_part){.sparse = whole->sparse + first, .count = smaller(PIECE_IDS, whole->count - first)};
    uint64_t begin = (piece - sparse_pieces) * PIECE_WORDS;
    return (struct frontier_part){.dense = whole->dense, .begin = begin, .end = smaller(begin + PIECE_WORDS, whole->end)};
}

/* ---- making the frontier ---- */

/* What the threads of previsit_delegates share. */
struct delegate_previsit {
    struct device *dev;
    uint64_t step; /* number of 64-bit words of a piece */
};

/* Makes the unvisited delegates in a piece of `found_anywhere` the dense frontier, with visited bits and depths. Zeroes the
 * words of `found_anywhere` that have bits, and the same words of `found_here`. Also lists the delegates in `sparse`, from
 * the index of the piece's first word on, as long as there are no more delegates than words. Returns the number of
 * delegates. Threads of the pool run this for previsit_delegates; `context` is a struct delegate_previsit. */
static uint64_t previsit_piece(void *context, int thread, uint64_t piece)
{
    /* most words are zero in most levels, so a block of zero words is skipped at once */
    enum { BLOCK_WORDS = 8 };
    const struct delegate_previsit *p = context;
    struct cpu_delegates *d = &p->dev->delegates;
    uint64_t begin = piece * p->step, end = smaller(begin + p->step, mask_words(p->dev->shard->d)), count = 0;
    (void)thread;
    if (!d->is_sparse)
        memset(d->dense + begin, 0, (end - begin) * sizeof *d->dense);
    for (uint64_t block = begin; d->any_found_anywhere && block < end; block += BLOCK_WORDS) {
        uint64_t stop = smaller(block + BLOCK_WORDS, end), any = 0;
        for (uint64_t w = block; w < stop; w++)
            any |= d->found_anywhere[w];
        for (uint64_t w = block; any != 0 && w < stop; w++) {
            uint64_t bits = d->found_anywhere[w] & ~d->visited[w], found = count_bits(bits);
            if (d->found_anywhere[w] == 0)
                continue;
            d->found_anywhere[w] = 0;
            d->found_here[w] = 0; /* `found_anywhere` had all bits that this word of `found_here` has */
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

/* Makes the unvisited delegates of `found_anywhere` the frontier. One thread makes a frontier that is likely to be small, and
 * makes it sparse if it fits into `sparse`. Several threads make a frontier that is likely to be large, as a bitmap. */
void previsit_delegates(struct device *dev)
{
    enum { MANY_ROWS = 2048, MANY_WORDS = 1 << 14 };
    struct cpu_delegates *d = &dev->delegates;
    uint64_t words = mask_words(dev->shard->d);
    /* guesses by the last frontier: after a large one comes a larger one, or the end of the search */
    int is_large = dev->frontier_rows[DD] + dev->frontier_rows[DN] >= MANY_ROWS || words >= MANY_WORDS;
    int threads = d->any_found_anywhere && is_large ? dev->threads : 1;
    struct delegate_previsit previsit = {dev, threads > 1 ? PIECE_WORDS : words + 1};
    for (uint64_t i = 0; d->is_sparse && i < d->frontier_count; i++) /* clears only the words that have bits */
        d->dense[d->sparse[i] / 64] = 0;
    uint64_t pieces = divide_up(words, previsit.step);
    d->frontier_count = pool_run(dev->means.pool, threads, pieces, previsit_piece, &previsit);
    d->is_sparse = d->frontier_count <= (threads > 1 ? 0 : words);
    d->any_found_anywhere = d->any_found_here = 0;
}

/* Makes the normals of the next frontier the frontier, by exchanging arrays. The next frontier is empty afterwards. */
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

/* Counts the vertices of a list that have edges in subgraph g, and their edges. If the rows of g do not differ much in
 * length, each row counts as the mean row, and no offset is read. */
struct row_count count_sparse(const struct device *dev, enum subgraph g, const uint32_t *list, uint64_t count)
{
    enum { ABOUT = 4, AHEAD = 32 }; /* rows do not differ much if the longest has at most ABOUT times the mean */
    const struct csr *csr = &dev->shard->csr[g];
    uint64_t longest = subgraph_rows(g) == DELEGATES ? dev->delegates.longest : dev->normals.longest;
    uint64_t rows = 0, edges = 0;
    if (longest * csr->source_rows <= ABOUT * csr->edges) {
        /* the mean row is rounded to whole edges, so that counts of pieces add up */
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
    /* entries of head columns count as edges even if they are empty */
    return (struct row_count){rows, edges + rows * csr->head_columns};
}

/* Counts the vertices with edges in words begin..end of a bitmap, and estimates their edges. Vertices are ordered by
 * degree, so each row counts as the mean row of its word. Offsets are read only for every SAMPLE-th word, except in the
 * first piece, where the hubs are. Without any sampled word each row counts as one edge. */
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

/* What the threads of count_piece share: a frontier, whose rows and edges in subgraph g are counted piece by piece. */
struct counting {
    const struct device *dev;
    enum subgraph g;
    struct frontier_part frontier;
    _Atomic uint64_t edges;
};

/* Returns how many vertices of a piece have edges in g, and adds their edges to c->edges. Threads of the pool run this
 * for count_frontier_of; `context` is a struct counting. */
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

/* Counts the frontier's rows and edges in the two subgraphs with rows of this kind. Subtracts the rows from dev->unvisited. */
void count_frontier_of(struct device *dev, enum vertex_kind rows)
{
    enum { ROWS_OF_WORK = 4 }; /* a listed row is little work, because it is in the cache of the thread that found it */
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
        dev->frontier_rows[g] = count.rows;
        dev->frontier_edges[g] = count.edges;
        dev->unvisited[g] -= count.rows;
    }
}

/* ---- listing ---- */

/* A frontier that several threads list. */
struct gathering {
    struct frontier_part frontier;
    const uint64_t *sources; /* bitmap of the vertices to list; NULL: all are listed */
    uint32_t *rows;          /* the list that is made; it has `count` rows so far */
    _Atomic uint64_t count;
};

/* Writes the vertices of a part of a frontier that are in the bitmap `sources` (NULL: all) to rows[], which must have
 * space for all of them. Returns their number. */
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

/* Lists the vertices of a piece in the thread's own memory, and appends them to the common list. Returns their number.
 * Threads of the pool run this for gather; `context` is a struct gathering. */
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

/* Lists the vertices of a frontier that are in the bitmap `sources` (NULL: all) in rows[], in any order. rows[] must
 * have space for the whole frontier. A large frontier is listed by several threads. Returns the number listed. */
static uint64_t gather(struct device *dev, const struct frontier_part *frontier, const uint64_t *sources, uint32_t *rows)
{
    struct gathering g = {.frontier = *frontier, .sources = sources, .rows = rows};
    int threads = threads_for(dev, frontier->count + WORK_OF_WORD * frontier->end);
    if (threads == 1)
        return list_part(frontier, sources, rows);
    return pool_run(dev->means.pool, threads, count_pieces(frontier), gather_piece, &g);
}

/* Lists the frontier's vertices that have edges in subgraph g, in dev->gathered_rows. Returns their number. */
uint64_t gather_sources(struct device *dev, enum subgraph g)
{
    struct frontier_part frontier = frontier_of_rows(dev, g);
    return gather(dev, &frontier, dev->shard->csr[g].sources, dev->gathered_rows);
}

/* Moves the dense parts of the frontier to the lists of its sparse parts, in a search of one shard. */
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

/* The rows of a subgraph whose edges count_forward adds up. */
struct gathered_rows {
    const struct csr *csr;
    const uint32_t *rows; /* [count], each of which has edges */
    uint64_t count;
};

/* Returns the edges of the rows in a piece. Threads of the pool run this for count_forward; `context` is a struct
 * gathered_rows. */
static uint64_t add_lengths(void *context, int thread, uint64_t piece)
{
    const struct gathered_rows *r = context;
    uint64_t sum = 0, end = smaller((piece + 1) * PIECE_IDS, r->count);
    (void)thread;
    for (uint64_t i = piece * PIECE_IDS; i < end; i++)
        sum += csr_row_length(r->csr, r->rows[i]);
    return sum;
}

/* Returns the exact number of the frontier's edges in subgraph g. Lists the rows with such edges in dev->gathered_rows. */
uint64_t count_forward(struct device *dev, enum subgraph g)
{
    struct gathered_rows r = {&dev->shard->csr[g], dev->gathered_rows, gather_sources(dev, g)};
    return pool_run(dev->means.pool, threads_for(dev, r.count), divide_up(r.count, PIECE_IDS), add_lengths, &r);
}

/* cpu_previsit.c: makes the frontier from the vertices that the last level found, and counts its workload.
 *
 * The delegates of the frontier are those that come in and are not visited; they are marked as visited here.
 * Normals were marked before: when a local visit found them, or when they arrived. A frontier vertex without
 * edges in a subgraph does not count for that subgraph.
 */
#include "cpu_device.h"

#include "formats/base/arith.h"

#include <string.h>

enum {
    BLOCK_WORDS = 8,
    PIECE_LIST = 1024,
    PIECE_WORDS = 64,
    MARK_WORDS = 64,      /* whole lines, that a thread marks at a time */
    MANY_SOURCES = 2048,  /* so many delegates are worth several threads */
    MANY_WORDS = 1 << 14
};

/* Takes the last frontier's bits out of the mask again, if they are listed. */
static void clear_listed(struct device *dev)
{
    for (uint64_t i = 0; dev->delegates.fresh_listed && i < dev->delegates.fresh_count; i++)
        dev->delegates.frontier[dev->delegates.fresh[i] / 64] = 0;
}

/* The same if only the mask has them: those of words begin..end. */
static void clear_words(struct device *dev, uint64_t begin, uint64_t end)
{
    if (!dev->delegates.fresh_listed)
        memset(dev->delegates.frontier + begin, 0, (end - begin) * sizeof *dev->delegates.frontier);
}

/* Marks the new delegates of one word, and lists them if there is room; returns how many. */
static inline uint64_t mark_word(struct device *dev, uint64_t w, uint32_t *list, uint64_t capacity)
{
    struct cpu_delegates *d = &dev->delegates;
    uint64_t bits = d->incoming[w] & ~d->visited[w], count = count_bits(bits);
    d->incoming[w] = 0;
    d->updated[w] = 0; /* the incoming mask has its bits, too */
    d->frontier[w] = bits;
    d->visited[w] |= bits;
    if (bits != 0)
        dev->means.probes->mark(d->depth, dev->shard->d, w, bits, d->level);
    for (; count <= capacity && bits != 0; bits &= bits - 1)
        *list++ = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    return count;
}

/* Marks the new delegates of words begin..end; most words are empty in most levels. The list has a
 * place for each word. Returns how many. */
static uint64_t mark_words(struct device *dev, uint64_t begin, uint64_t end)
{
    uint64_t count = 0, capacity = end - begin;
    for (uint64_t block = begin; block < end; block += BLOCK_WORDS) {
        uint64_t stop = end - block < BLOCK_WORDS ? end : block + BLOCK_WORDS, any = 0;
        for (uint64_t w = block; w < stop; w++)
            any |= dev->delegates.incoming[w];
        for (uint64_t w = block; any != 0 && w < stop; w++) {
            if (dev->delegates.incoming[w] != 0)
                count +=
                    mark_word(dev, w, dev->delegates.fresh + begin + (count < capacity ? count : capacity),
                              capacity - (count < capacity ? count : capacity));
        }
    }
    return count;
}

struct marking {
    struct device *dev;
    uint64_t step; /* words of a piece */
};

static uint64_t mark_piece(void *context, int thread, uint64_t piece)
{
    const struct marking *m = context;
    uint64_t begin = piece * m->step, end = smaller(begin + m->step, mask_words(m->dev->shard->d));
    (void)thread;
    clear_words(m->dev, begin, end);
    return m->dev->delegates.any_incoming ? mark_words(m->dev, begin, end) : 0;
}

/* One thread marks all words at once, and lists what it can. Several mark pieces; the frontier is then taken for too
 * large to list. */
void previsit_delegates(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    uint64_t words = mask_words(dev->shard->d);
    /* a large frontier is followed by a larger one or ends the search */
    int many = dev->frontier[DD] + dev->frontier[DN] >= MANY_SOURCES || words >= MANY_WORDS;
    int threads = d->any_incoming && many ? dev->threads : 1;
    struct marking marking = {dev, threads > 1 ? MARK_WORDS : words + 1};
    clear_listed(dev);
    d->fresh_count = pool_run(dev->means.pool, threads, divide_up(words, marking.step), mark_piece, &marking);
    d->fresh_listed = d->fresh_count <= (threads > 1 ? 0 : words);
    d->any_incoming = d->any_updated = 0;
}

static void swap_pulled(struct cpu_normals *n)
{
    uint64_t *drained = n->pulled;
    n->pulled = n->pulled_next;
    n->pulled_next = drained;
    n->any_pulled = n->any_pulled_next;
    n->pulled_count = n->pulled_next_count;
    n->any_pulled_next = 0;
    n->pulled_next_count = 0;
}

void previsit_normals(struct device *dev)
{
    uint32_t *drained = dev->normals.queue;
    dev->normals.queue = dev->normals.next;
    dev->normals.queue_count = dev->normals.next_count;
    dev->normals.next = drained;
    dev->normals.next_count = 0;
    swap_pulled(&dev->normals);
}

/* ---- counting ---- */

/* Rows of a list that are sources of g, and their edges; heads that are not filled count too. */
static struct row_count count_list(const struct csr *csr, const uint32_t *list, uint64_t size)
{
    enum { AHEAD = 32 };
    const uint64_t *sources = csr->sources;
    uint64_t rows = 0, edges = 0;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t row = list[i];
        if (i + AHEAD < size)
            prefetch_offset(csr, list[i + AHEAD]);
        rows += (uint64_t)mask_bit(sources, row);
        edges += csr_offset(csr, row + 1) - csr_offset(csr, row);
    }
    return (struct row_count){rows, edges + rows * csr->head_columns};
}

/* The same if rows are about equally long: each is taken for the mean row, in whole edges, and none is
 * looked at. The sum depends neither on the order of the list nor on how it is cut into pieces. */
static struct row_count count_means(const struct csr *csr, const uint32_t *list, uint64_t size)
{
    uint64_t rows = size, mean = (csr->edges + csr->source_rows / 2) / csr->source_rows;
    if (csr->source_rows < csr->rows) {
        rows = 0;
        for (uint64_t i = 0; i < size; i++)
            rows += (uint64_t)mask_bit(csr->sources, list[i]);
    }
    return (struct row_count){rows, rows * mean};
}

struct row_count count_listed(const struct device *dev, enum subgraph g, const uint32_t *list,
                              uint64_t size)
{
    enum { ABOUT = 4 }; /* the longest row is at most so many mean rows */
    const struct csr *csr = &dev->shard->csr[g];
    uint64_t longest =
        subgraph_rows(g) == DELEGATES ? dev->delegates.longest : dev->normals.longest;
    if (longest * csr->source_rows <= ABOUT * csr->edges)
        return count_means(csr, list, size);
    return count_list(csr, list, size);
}

/* Edges of the rows `bits` of word w of a mask, if each has as many as the mean row of the word. Vertices are
 * in the order of degrees, so neighbouring rows are about as long. */
static inline uint64_t estimate_word(const struct csr *csr, uint64_t w, uint64_t bits)
{
    uint64_t end = 64 * (w + 1) < csr->rows ? 64 * (w + 1) : csr->rows, rows = count_bits(bits);
    uint64_t rest = csr_offset(csr, end) - csr_offset(csr, 64 * w);
    return rows * rest / count_bits(csr->sources[w]) + rows * csr->head_columns;
}

/* Rows of a piece of a mask. Their edges are estimated from every word of the first piece, where hubs are,
 * and from every SAMPLE-th of another. */
static struct row_count count_words(const struct csr *csr, const uint64_t *mask, uint64_t piece,
                                    uint64_t words)
{
    enum { SAMPLE = 8 };
    uint64_t begin = piece * PIECE_WORDS, step = piece == 0 ? 1 : SAMPLE;
    uint64_t end = words - begin < PIECE_WORDS ? words : begin + PIECE_WORDS;
    uint64_t rows = 0, sampled = 0, edges = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = mask[w] & csr->sources[w], count = count_bits(bits);
        rows += count;
        if (count == 0 || w % step != 0)
            continue;
        sampled += count;
        edges += estimate_word(csr, w, bits);
    }
    return (struct row_count){rows, sampled > 0 ? edges * rows / sampled : rows};
}

/* A frontier whose rows of a subgraph are counted: by pieces of the list, then of the mask. */
struct counting {
    const struct device *dev;
    enum subgraph g;
    struct frontier_view frontier;
    uint64_t lists;
    _Atomic uint64_t edges;
};

static uint64_t count_piece(void *context, int thread, uint64_t piece)
{
    struct counting *c = context;
    const struct frontier_view *f = &c->frontier;
    uint64_t at = piece * PIECE_LIST;
    struct row_count count = piece < c->lists
                                 ? count_listed(c->dev, c->g, f->list + at, smaller(f->size - at, PIECE_LIST))
                                 : count_words(&c->dev->shard->csr[c->g], f->mask, piece - c->lists, f->words);
    (void)thread;
    if (count.edges > 0)
        c->edges += count.edges;
    return count.rows;
}

static struct row_count count_rows_of(const struct device *dev, enum subgraph g)
{
    const struct csr *csr = &dev->shard->csr[g];
    struct frontier_view f = view_frontier(dev, g);
    struct counting counting = {dev, g, f, divide_up(f.size, PIECE_LIST), 0};
    enum { WORK_OF_WORD = 2, ROWS_OF_WORK = 4 }; /* one thread wrote the list, and may go on alone */
    uint64_t pieces = counting.lists + divide_up(f.words, PIECE_WORDS);
    int threads = threads_for(dev, f.size / ROWS_OF_WORK + WORK_OF_WORD * f.words);
    if (csr->edges == 0)
        return (struct row_count){0};
    if (threads == 1 && f.words == 0)
        return count_listed(dev, g, f.list, f.size);
    uint64_t rows = pool_run(dev->means.pool, threads, pieces, count_piece, &counting);
    return (struct row_count){rows, counting.edges};
}

void count_frontier_of(struct device *dev, enum vertex_kind rows)
{
    for (int to = 0; to < VERTEX_KINDS; to++) {
        enum subgraph g = subgraph_between(rows, (enum vertex_kind)to);
        struct row_count count = count_rows_of(dev, g);
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

/* cpu_gather.c: makes one list of a frontier in lists and masks: of its vertices, or of its rows in a
 * subgraph with a prefix sum of their lengths
 *
 * Threads count and then list shares of the frontier, and add up the lengths. Vertices are in the order of
 * degrees, and those of a frontier lie at the front: so a thread has several shares, from all over the masks.
 * Bytes that must move for each row: 4 of the list, 8 of the prefix sums twice, and 8 to 16 of offsets for the
 * length.
 */
#include "cpu_device.h"

/* The listing of a frontier: by shares, in steps. */
struct gathering {
    struct frontier_view frontier;
    const uint64_t *sources; /* only these are listed; NULL: all */
    uint32_t *rows;
    const struct csr *csr;
    struct push_list *push;
    uint64_t *row_start; /* [shares]: how many rows a share has, then where they begin */
    uint64_t *edge_start;
    int shares;
    uint64_t count; /* rows */
};

/* Share t of a frontier. */
static struct frontier_view share_of(const struct frontier_view *f, int shares, int t,
                                     uint64_t *first_word)
{
    uint64_t l0 = share_begin(f->size, shares, t), l1 = share_begin(f->size, shares, t + 1);
    uint64_t w0 = share_begin(f->words, shares, t), w1 = share_begin(f->words, shares, t + 1);
    *first_word = w0;
    return (struct frontier_view){f->list + l0, l1 - l0, f->mask + w0, w1 - w0};
}

static inline int is_wanted(const uint64_t *sources, uint32_t row)
{
    return sources == NULL || mask_bit(sources, row);
}

static inline uint64_t wanted_bits(const struct frontier_view *f, const uint64_t *sources,
                                   uint64_t first_word, uint64_t w)
{
    return f->mask[w] & (sources == NULL ? UINT64_MAX : sources[first_word + w]);
}

static uint64_t count_rows(const struct frontier_view *f, const uint64_t *sources, uint64_t first_word)
{
    uint64_t count = sources == NULL ? f->size : 0;
    for (uint64_t i = 0; sources != NULL && i < f->size; i++)
        count += (uint64_t)mask_bit(sources, f->list[i]);
    for (uint64_t w = 0; w < f->words; w++)
        count += count_bits(wanted_bits(f, sources, first_word, w));
    return count;
}

static uint64_t copy_rows(const struct frontier_view *f, const uint64_t *sources, uint64_t first_word,
                          uint32_t *rows)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < f->size; i++) {
        if (is_wanted(sources, f->list[i]))
            rows[count++] = f->list[i];
    }
    for (uint64_t w = 0; w < f->words; w++) {
        uint64_t bits = wanted_bits(f, sources, first_word, w);
        for (; bits != 0; bits &= bits - 1)
            rows[count++] = (uint32_t)(64 * (first_word + w) + (uint64_t)__builtin_ctzll(bits));
    }
    return count;
}

/* Turns counts of shares into starting positions; returns the total. */
static uint64_t exclusive_scan(uint64_t *count, int shares)
{
    uint64_t sum = 0;
    for (int i = 0; i < shares; i++) {
        uint64_t own = count[i];
        count[i] = sum;
        sum += own;
    }
    return sum;
}

static void count_shares(void *context, uint64_t begin, uint64_t end)
{
    const struct gathering *g = context;
    for (uint64_t t = begin; t < end; t++) {
        uint64_t first_word;
        struct frontier_view share = share_of(&g->frontier, g->shares, (int)t, &first_word);
        g->row_start[t] = count_rows(&share, g->sources, first_word);
    }
}

static uint64_t end_of_share(const struct gathering *g, uint64_t t)
{
    return (int)t + 1 < g->shares ? g->row_start[t + 1] : g->count;
}

/* Puts lengths of the rows of a share into prefix, as a running sum that starts at 0. */
static void sum_lengths(const struct gathering *g, uint64_t t)
{
    enum { AHEAD = 32 };
    uint64_t last = end_of_share(g, t), sum = 0;
    for (uint64_t i = g->row_start[t]; i < last; i++) {
        if (i + AHEAD < last)
            prefetch_offset(g->csr, g->rows[i + AHEAD]);
        g->push->prefix[i] = sum;
        sum += source_row_length(g->csr, g->rows[i]);
    }
    g->edge_start[t] = sum;
}

/* Lists shares, and adds up their lengths if they are wanted. */
static void copy_shares(void *context, uint64_t begin, uint64_t end)
{
    const struct gathering *g = context;
    for (uint64_t t = begin; t < end; t++) {
        uint64_t first_word;
        struct frontier_view share = share_of(&g->frontier, g->shares, (int)t, &first_word);
        copy_rows(&share, g->sources, first_word, g->rows + g->row_start[t]);
        if (g->push != NULL)
            sum_lengths(g, t);
    }
}

static void add_starts(void *context, uint64_t begin, uint64_t end)
{
    const struct gathering *g = context;
    for (uint64_t t = begin; t < end; t++) {
        uint64_t last = end_of_share(g, t);
        for (uint64_t i = g->row_start[t]; i < last && g->edge_start[t] > 0; i++)
            g->push->prefix[i] += g->edge_start[t];
    }
}

static void run_shares(struct device *dev, struct gathering *g, gang_body *step)
{
    int threads = (g->shares + GATHER_SHARES - 1) / GATHER_SHARES;
    gang_for(dev->means.gang, threads, (uint64_t)g->shares, 1, step, g);
}

static void list_rows(struct device *dev, struct gathering *g, uint64_t work)
{
    g->row_start = dev->push.row_start;
    g->edge_start = dev->push.edge_start;
    int threads = threads_for(dev, work + g->frontier.size + g->frontier.words);
    g->shares = threads > 1 ? threads * GATHER_SHARES : 1;
    if (g->shares > 1) {
        run_shares(dev, g, count_shares);
        g->count = exclusive_scan(g->row_start, g->shares);
        run_shares(dev, g, copy_shares);
        return;
    }
    g->row_start[0] = 0;
    g->count = copy_rows(&g->frontier, g->sources, 0, g->rows);
    if (g->push != NULL)
        sum_lengths(g, 0);
}

uint64_t gather_frontier(struct device *dev, struct frontier_view frontier, const uint64_t *sources,
                         uint32_t *rows)
{
    struct gathering g = {.frontier = frontier, .sources = sources, .rows = rows};
    list_rows(dev, &g, 0);
    return g.count;
}

int gather_rows(struct device *dev, enum subgraph subgraph)
{
    struct push_list *push = &dev->push;
    struct gathering g = {.frontier = view_frontier(dev, subgraph),
                          .sources = dev->shard->csr[subgraph].sources,
                          .rows = push->rows,
                          .csr = &dev->shard->csr[subgraph],
                          .push = push};
    list_rows(dev, &g, 4 * dev->frontier[subgraph]);
    push->count = g.count;
    push->edges = exclusive_scan(g.edge_start, g.shares);
    run_shares(dev, &g, add_starts);
    push->prefix[push->count] = push->edges;
    return threads_for(dev, push->edges);
}

uint64_t gather_sources(struct device *dev, enum subgraph g)
{
    return gather_frontier(dev, view_frontier(dev, g), dev->shard->csr[g].sources, dev->push.rows);
}

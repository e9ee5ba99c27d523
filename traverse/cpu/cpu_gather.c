/* cpu_gather.c: lists the frontier's rows of a subgraph, with a prefix sum of their lengths, for cpu_push.c
 *
 * Each thread lists its share of the frontier and adds up the lengths. Bytes that must move for each row: 4
 * of the list, 8 of the prefix sums twice, and 8 to 16 of offsets for the length.
 */
#include "cpu_device.h"

/* Thread t's share of a frontier. */
static struct frontier_view share_of(const struct frontier_view *f, int threads, int t,
                                     uint64_t *first_word)
{
    uint64_t l0 = share_begin(f->size, threads, t), l1 = share_begin(f->size, threads, t + 1);
    uint64_t w0 = share_begin(f->words, threads, t), w1 = share_begin(f->words, threads, t + 1);
    *first_word = w0;
    return (struct frontier_view){f->list + l0, l1 - l0, f->mask + w0, w1 - w0};
}

static uint64_t count_rows(const struct csr *csr, const struct frontier_view *f,
                           uint64_t first_word)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < f->size; i++)
        count += (uint64_t)mask_bit(csr->sources, f->list[i]);
    for (uint64_t w = 0; w < f->words; w++)
        count += count_bits(f->mask[w] & csr->sources[first_word + w]);
    return count;
}

static uint64_t copy_rows(const struct csr *csr, const struct frontier_view *f,
                          uint64_t first_word, uint32_t *rows)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < f->size; i++) {
        if (mask_bit(csr->sources, f->list[i]))
            rows[count++] = f->list[i];
    }
    for (uint64_t w = 0; w < f->words; w++) {
        uint64_t bits = f->mask[w] & csr->sources[first_word + w];
        for (; bits != 0; bits &= bits - 1)
            rows[count++] = (uint32_t)(64 * (first_word + w) + (uint64_t)__builtin_ctzll(bits));
    }
    return count;
}

/* Lengths of rows[begin..end) into prefix, as a running sum that starts at 0; returns the sum. */
static uint64_t sum_lengths(const struct csr *csr, struct push_list *push, uint64_t begin,
                            uint64_t end)
{
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++) {
        push->prefix[i] = sum;
        sum += source_row_length(csr, push->rows[i]);
    }
    return sum;
}

/* Turns per-thread counts into starting positions; returns the total. */
static uint64_t exclusive_scan(uint64_t *count, int threads)
{
    uint64_t sum = 0;
    for (int i = 0; i < threads; i++) {
        uint64_t own = count[i];
        count[i] = sum;
        sum += own;
    }
    return sum;
}

static void gather_serially(struct push_list *push, const struct csr *csr,
                            const struct frontier_view *f)
{
    push->count = copy_rows(csr, f, 0, push->rows);
    push->edges = sum_lengths(csr, push, 0, push->count);
}

/* A frontier that several threads gather, each share in three steps. */
struct gathering {
    struct push_list *push;
    const struct csr *csr;
    struct frontier_view frontier;
    int shares;
};

static void count_shares(void *context, uint64_t begin, uint64_t end)
{
    const struct gathering *g = context;
    for (uint64_t t = begin; t < end; t++) {
        uint64_t first_word;
        struct frontier_view share = share_of(&g->frontier, g->shares, (int)t, &first_word);
        g->push->row_start[t] = count_rows(g->csr, &share, first_word);
    }
}

static void copy_shares(void *context, uint64_t begin, uint64_t end)
{
    const struct gathering *g = context;
    for (uint64_t t = begin; t < end; t++) {
        uint64_t first_word, row = g->push->row_start[t];
        struct frontier_view share = share_of(&g->frontier, g->shares, (int)t, &first_word);
        uint64_t count = copy_rows(g->csr, &share, first_word, g->push->rows + row);
        g->push->edge_start[t] = sum_lengths(g->csr, g->push, row, row + count);
    }
}

static void add_starts(void *context, uint64_t begin, uint64_t end)
{
    const struct gathering *g = context;
    struct push_list *push = g->push;
    for (uint64_t t = begin; t < end; t++) {
        uint64_t last = (int)t + 1 < g->shares ? push->row_start[t + 1] : push->count;
        for (uint64_t i = push->row_start[t]; i < last && push->edge_start[t] > 0; i++)
            push->prefix[i] += push->edge_start[t];
    }
}

static void gather_in_parallel(struct device *dev, const struct csr *csr,
                               const struct frontier_view *f, int threads)
{
    struct push_list *push = &dev->push;
    struct gathering gathering = {push, csr, *f, threads};
    gang_for(dev->gang, threads, (uint64_t)threads, 1, count_shares, &gathering);
    push->count = exclusive_scan(push->row_start, threads);
    gang_for(dev->gang, threads, (uint64_t)threads, 1, copy_shares, &gathering);
    push->edges = exclusive_scan(push->edge_start, threads);
    gang_for(dev->gang, threads, (uint64_t)threads, 1, add_starts, &gathering);
}

int gather_rows(struct device *dev, enum subgraph g)
{
    const struct csr *csr = &dev->shard->csr[g];
    struct frontier_view f = view_frontier(dev, g);
    int threads = threads_for(dev, 4 * dev->frontier[g]);
    if (threads == 1)
        gather_serially(&dev->push, csr, &f);
    else
        gather_in_parallel(dev, csr, &f, threads);
    dev->push.prefix[dev->push.count] = dev->push.edges;
    return threads_for(dev, dev->push.edges);
}

uint64_t gather_sources(struct device *dev, enum subgraph g)
{
    struct frontier_view f = view_frontier(dev, g);
    return copy_rows(&dev->shard->csr[g], &f, 0, dev->push.rows);
}

/* cpu_gather.c: lists the frontier's rows of a subgraph, with a prefix sum of their lengths, for cpu_push.c
 *
 * Each thread lists its share of the frontier and adds up the lengths. Bytes that must move for each row: 4
 * of the list, 8 of the prefix sums twice, and 8 to 16 of offsets for the length.
 */
#include "cpu_device.h"

#include <omp.h>

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

static void gather_in_parallel(struct push_list *push, const struct csr *csr,
                               const struct frontier_view *f, int threads)
{
    uint64_t *row_start = push->row_start, *edge_start = push->edge_start;
#pragma omp parallel num_threads(threads)
    {
        int t = omp_get_thread_num();
        uint64_t first_word;
        struct frontier_view share = share_of(f, threads, t, &first_word);
        row_start[t] = count_rows(csr, &share, first_word);
#pragma omp barrier
#pragma omp single
        push->count = exclusive_scan(row_start, threads);
        uint64_t begin = row_start[t];
        uint64_t end = begin + copy_rows(csr, &share, first_word, push->rows + begin);
        edge_start[t] = sum_lengths(csr, push, begin, end);
#pragma omp barrier
#pragma omp single
        push->edges = exclusive_scan(edge_start, threads);
        for (uint64_t i = begin; i < end && edge_start[t] > 0; i++)
            push->prefix[i] += edge_start[t];
    }
}

int gather_rows(struct device *dev, enum subgraph g)
{
    const struct csr *csr = &dev->shard->csr[g];
    struct frontier_view f = view_frontier(dev, g);
    int threads = threads_for(dev, 4 * dev->frontier[g]);
    if (threads == 1)
        gather_serially(&dev->push, csr, &f);
    else
        gather_in_parallel(&dev->push, csr, &f, threads);
    dev->push.prefix[dev->push.count] = dev->push.edges;
    return threads_for(dev, dev->push.edges);
}

uint64_t gather_sources(struct device *dev, enum subgraph g)
{
    struct frontier_view f = view_frontier(dev, g);
    return copy_rows(&dev->shard->csr[g], &f, 0, dev->push.rows);
}

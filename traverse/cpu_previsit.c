/* cpu_previsit.c: turns the last level's updates into the frontier and counts its workload.
 *
 * Delegates: incoming bits not yet visited are the frontier; mark them. Normals: those that local
 * visits found are marked already; received ones were marked and filtered on arrival. Frontier
 * vertices without edges in a subgraph do not count for it.
 */
#include "cpu_device.h"

/* Marks the new delegates; nonzero when there are any. */
static int mark_delegates(struct device *dev)
{
    uint64_t words = mask_words(dev->shard->d);
    int any = 0;
#pragma omp parallel for num_threads(threads_for(dev, 16 * words)) schedule(static) \
    reduction(| : any)
    for (uint64_t w = 0; w < words; w++) {
        uint64_t bits = dev->incoming_d[w] & ~dev->visited_d[w];
        dev->frontier_d[w] = bits;
        dev->visited_d[w] |= bits;
        dev->updated_d[w] = 0;
        any |= bits != 0;
        for (; bits != 0; bits &= bits - 1)
            dev->depth_d[64 * w + (uint64_t)__builtin_ctzll(bits)] = dev->depth;
    }
    return any;
}

void previsit_delegates(struct device *dev)
{
    dev->fresh_d = dev->incoming && mark_delegates(dev);
    dev->incoming = dev->updated = 0;
}

void previsit_normals(struct device *dev)
{
    uint32_t *drained = dev->queue;
    dev->queue = dev->next;
    dev->queue_count = dev->next_count;
    dev->next = drained;
    dev->next_count = 0;
}

/* ---- counting ---- */

/* The frontier of the sources of `g` as a list and a mask, either of them empty or NULL. */
struct frontier_view {
    const uint32_t *list;
    uint64_t size;
    const uint64_t *mask;
};

static struct frontier_view view_frontier(const struct device *dev, enum subgraph g)
{
    if (g == DN || g == DD)
        return (struct frontier_view){NULL, 0, dev->fresh_d ? dev->frontier_d : NULL};
    return (struct frontier_view){dev->queue, dev->queue_count,
                                  dev->pulled ? dev->pulled_n : NULL};
}

static uint64_t count_sources(const struct device *dev, enum subgraph g)
{
    const struct csr *csr = &dev->shard->csr[g];
    struct frontier_view f = view_frontier(dev, g);
    uint64_t words = f.mask != NULL ? mask_words(csr->rows) : 0, count = 0;
    if (csr->edges == 0)
        return 0;
    for (uint64_t i = 0; i < f.size; i++)
        count += (uint64_t)mask_bit(csr->sources, f.list[i]);
    for (uint64_t w = 0; w < words; w++)
        count += (uint64_t)__builtin_popcountll(f.mask[w] & csr->sources[w]);
    return count;
}

void count_frontier(struct device *dev)
{
    for (int g = 0; g < SUBGRAPHS; g++)
        dev->frontier[g] = count_sources(dev, (enum subgraph)g);
}

/* Sum over the set bits of `bits` (rows base..base+63, none empty) of their lengths. */
static inline uint64_t word_length(const struct csr *csr, uint64_t base, uint64_t bits)
{
    uint64_t sum = 0;
    for (; bits != 0; bits &= bits - 1)
        sum += source_row_length(csr, base + (uint64_t)__builtin_ctzll(bits));
    return sum;
}

uint64_t count_forward(const struct device *dev, enum subgraph g)
{
    const struct csr *csr = &dev->shard->csr[g];
    struct frontier_view f = view_frontier(dev, g);
    uint64_t words = f.mask != NULL ? mask_words(csr->rows) : 0, forward = 0;
#pragma omp parallel for num_threads(threads_for(dev, f.size)) schedule(static) \
    reduction(+ : forward)
    for (uint64_t i = 0; i < f.size; i++) {
        if (mask_bit(csr->sources, f.list[i]))
            forward += source_row_length(csr, f.list[i]);
    }
#pragma omp parallel for num_threads(threads_for(dev, dev->frontier[g])) schedule(static) \
    reduction(+ : forward)
    for (uint64_t w = 0; w < words; w++)
        forward += word_length(csr, 64 * w, f.mask[w] & csr->sources[w]);
    return forward;
}

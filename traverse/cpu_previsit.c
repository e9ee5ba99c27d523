/* cpu_previsit.c: turns the last level's updates into the frontier and counts its workload.
 *
 * Delegates: incoming bits not yet visited are the frontier; mark them. Normals: those that local
 * visits found are marked already; received ones were marked and filtered on arrival. Both: sums of
 * row lengths (FV), and unvisited sources.
 */
#include "cpu_device.h"

/* Sum over the set bits of `bits` (rows base..base+63, none empty) of their lengths. */
static inline uint64_t word_length(const struct csr *csr, uint64_t base, uint64_t bits)
{
    uint64_t sum = 0;
    for (; bits != 0; bits &= bits - 1)
        sum += source_row_length(csr, base + (uint64_t)__builtin_ctzll(bits));
    return sum;
}

/* q and FV of one subgraph from a mask; also takes the frontier off the unvisited sources. */
static void count_mask(struct device *dev, enum subgraph g, const uint64_t *mask,
                       struct workload *work)
{
    const struct csr *csr = &dev->shard->csr[g];
    uint64_t words = mask_words(csr->rows), count = 0, forward = 0;
#pragma omp parallel for num_threads(threads_for(dev, 16 * words)) schedule(static) \
    reduction(+ : count, forward)
    for (uint64_t w = 0; w < words; w++) {
        uint64_t bits = mask[w] & csr->sources[w];
        if (bits == 0)
            continue;
        count += (uint64_t)__builtin_popcountll(bits);
        forward += word_length(csr, 64 * w, bits);
    }
    work->of[g].frontier += count;
    work->of[g].forward += forward;
}

static void count_list(struct device *dev, enum subgraph g, const uint32_t *list, uint64_t size,
                       struct workload *work)
{
    const struct csr *csr = &dev->shard->csr[g];
    uint64_t count = 0, forward = 0;
#pragma omp parallel for num_threads(threads_for(dev, size)) schedule(static) \
    reduction(+ : count, forward)
    for (uint64_t i = 0; i < size; i++) {
        if (mask_bit(csr->sources, list[i])) {
            count++;
            forward += source_row_length(csr, list[i]);
        }
    }
    work->of[g].frontier += count;
    work->of[g].forward += forward;
}

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

void previsit_delegates(struct device *dev, struct workload *work)
{
    int any = dev->incoming && mark_delegates(dev);
    dev->incoming = dev->updated = 0;
    if (any) {
        count_mask(dev, DD, dev->frontier_d, work);
        count_mask(dev, DN, dev->frontier_d, work);
    }
}

void previsit_normals(struct device *dev, struct workload *work)
{
    uint32_t *drained = dev->queue;
    dev->queue = dev->next;
    dev->queue_count = dev->next_count;
    dev->next = drained;
    dev->next_count = 0;
    for (int g = NN; g <= ND; g++) {
        if (dev->shard->csr[g].edges == 0)
            continue;
        count_list(dev, (enum subgraph)g, dev->queue, dev->queue_count, work);
        if (dev->pulled)
            count_mask(dev, (enum subgraph)g, dev->pulled_n, work);
    }
}

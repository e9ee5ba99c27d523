/* cpu_pull.c: backward visits: each unvisited vertex looks for one visited parent (section IV-B).
 *
 * Rows list hubs first, so most vertices find a parent at the first probe. It reads the head column, a dense
 * array in row order. Bytes that must move for each candidate row: 4 of the head column; if that is not
 * enough, 8 of offsets and 4 for each further probe. The mask of parents stays in cache. Every thread owns
 * whole words of 64 rows, so results are stored without atomics.
 *
 * Pulls from delegates, and of delegates, test whether a parent was visited before this level, not whether it
 * is in the frontier. For an unvisited vertex both are the same, because an older parent would have reached
 * it already.
 */
#include "cpu_device.h"

#include <string.h>

enum { WORDS_PER_CHUNK = 32 };

/* Above this many rows of a word, all 64 are probed: straight code beats picking bits. */
enum { DENSE_ROWS = 40 };

static inline uint64_t probe(const uint64_t *mask, uint32_t id)
{
    uint32_t at = id == HEAD_NONE ? 0 : id;
    return (mask[at / 64] >> (at % 64)) & (id != HEAD_NONE);
}

/* Which of `rows` (bits of a word) have their entry of one head column in `mask`. No branch depends
 * on the data: whether a probe hits is a coin toss that would be mispredicted. */
static inline uint64_t probe_heads(const uint32_t *heads, uint64_t rows, uint64_t row_count,
                                   const uint64_t *mask)
{
    uint64_t found = 0;
    if (row_count == 64 && count_bits(rows) >= DENSE_ROWS) {
        for (int i = 0; i < 64; i++)
            found |= probe(mask, heads[i]) << i;
        return found & rows;
    }
    for (; rows != 0; rows &= rows - 1) {
        int i = __builtin_ctzll(rows);
        found |= probe(mask, heads[i]) << i;
    }
    return found;
}

/* The first destination of `row` behind the heads that is in `mask`, or HEAD_NONE. */
static inline uint32_t find_in_rest(const struct csr *csr, uint64_t row, const uint64_t *mask)
{
    const uint32_t *columns = csr->columns;
    uint64_t end = csr_offset(csr, row + 1);
    for (uint64_t i = csr_offset(csr, row); i < end; i++) {
        if (mask_bit(mask, columns[i]))
            return columns[i];
    }
    return HEAD_NONE;
}

/* For a trace: how many columns pull_word looks at. It counts for itself, so that pull_word stays as it is.
 * */
static uint64_t count_probes(const struct csr *csr, uint64_t base, uint64_t candidates,
                             const uint64_t *mask)
{
    const uint32_t *columns = csr->columns;
    uint64_t probes = 0;
    for (; candidates != 0; candidates &= candidates - 1) {
        uint64_t row = base + (uint64_t)__builtin_ctzll(candidates), hit = 0;
        for (uint32_t j = 0; j < csr->head_columns && !hit; j++) {
            uint32_t head = csr->heads[j * csr->rows + row];
            probes += head != HEAD_NONE;
            hit = probe(mask, head);
        }
        uint64_t end = csr_offset(csr, row + 1);
        for (uint64_t i = csr_offset(csr, row); i < end && !hit; i++) {
            probes++;
            hit = (uint64_t)mask_bit(mask, columns[i]);
        }
    }
    return probes;
}

/* Rows among `candidates` (a word of 64, the first of them `base`) that have a parent in `mask`;
 * their parents, with `tag`, go to parent[] where that is not NULL. */
static inline uint64_t pull_word(const struct csr *csr, uint64_t base, uint64_t candidates,
                                 const uint64_t *mask, uint32_t tag, uint32_t *parent)
{
    uint64_t left = candidates, row_count = csr->rows - base < 64 ? csr->rows - base : 64;
    for (uint32_t j = 0; j < csr->head_columns && left != 0; j++) {
        const uint32_t *heads = csr->heads + j * csr->rows + base;
        uint64_t hits = probe_heads(heads, left, row_count, mask);
        left &= ~hits;
        for (; parent != NULL && hits != 0; hits &= hits - 1)
            parent[base + (uint64_t)__builtin_ctzll(hits)] = tag | heads[__builtin_ctzll(hits)];
    }
    uint64_t found = candidates & ~left;
    for (; left != 0; left &= left - 1) {
        uint64_t row = base + (uint64_t)__builtin_ctzll(left);
        uint32_t at = find_in_rest(csr, row, mask);
        if (at == HEAD_NONE)
            continue;
        found |= left & -left;
        if (parent != NULL)
            parent[row] = tag | at;
    }
    return found;
}

/* Unvisited delegates among `sources` look for a parent in `mask`. A pull of g goes by the rows of its
 * reverse. */
static void pull_delegates(struct device *dev, enum subgraph g, const uint64_t *sources,
                           const uint64_t *mask, uint32_t tag)
{
    enum subgraph rows = subgraph_reverse(g);
    const struct csr *csr = &dev->shard->csr[rows];
    uint64_t words = mask_words(dev->shard->d), work = dev->unvisited[rows] + words, probes = 0;
    uint32_t *parent = dev->parents ? dev->delegates.parent : NULL;
    int updated = 0, counts = dev->notes.counts_probes;
#pragma omp parallel for num_threads(threads_for(dev, work)) \
    schedule(dynamic, WORDS_PER_CHUNK) reduction(| : updated) reduction(+ : probes)
    for (uint64_t w = 0; w < words; w++) {
        uint64_t candidates =
            sources[w] & ~(dev->delegates.visited[w] | dev->delegates.updated[w]);
        if (candidates == 0)
            continue;
        uint64_t found = pull_word(csr, 64 * w, candidates, mask, tag, parent);
        dev->delegates.updated[w] |= found;
        updated |= found != 0;
        if (counts)
            probes += count_probes(csr, 64 * w, candidates, mask);
    }
    dev->delegates.any_updated |= updated;
    dev->notes.probes[g] += probes;
}

void pull_dd_rows(struct device *dev, const uint64_t *rows)
{
    pull_delegates(dev, DD, rows, dev->delegates.visited, PARENT_DELEGATE_BIT);
}

uint64_t pull_dd(struct device *dev)
{
    pull_dd_rows(dev, dev->shard->csr[DD].sources);
    return 0;
}

uint64_t pull_nd(struct device *dev)
{
    pull_delegates(dev, ND, dev->shard->csr[DN].sources, dev->normals.visited, 0);
    return 0;
}

static inline void mark_word(int32_t *depth, uint64_t base, uint64_t bits, int32_t value)
{
    for (; bits != 0; bits &= bits - 1)
        depth[base + (uint64_t)__builtin_ctzll(bits)] = value;
}

/* Columns of nn as parents: a local id, or PARENT_REMOTE. */
static void decode_parents(struct device *dev, uint64_t base, uint64_t found)
{
    const struct shard *shard = dev->shard;
    for (; found != 0; found &= found - 1) {
        uint32_t *parent = &dev->normals.parent[base + (uint64_t)__builtin_ctzll(found)];
        int here = (uint64_t)*parent >> shard->local_bits == shard->index;
        uint32_t id = *parent & (uint32_t)((UINT64_C(1) << shard->local_bits) - 1);
        *parent = here ? id : PARENT_REMOTE;
    }
}

/* The same of unvisited normals, whose bits are added to those that earlier pulls of the level found. */
static uint64_t pull_normals(struct device *dev, enum subgraph g, const uint64_t *mask,
                             uint32_t tag)
{
    enum subgraph rows = subgraph_reverse(g);
    const struct csr *csr = &dev->shard->csr[rows];
    uint64_t words = mask_words(dev->shard->locals), work = dev->unvisited[rows] + words;
    uint64_t count = 0, probes = 0;
    uint32_t *parent = dev->parents ? dev->normals.parent : NULL;
    int32_t depth = dev->depth + 1;
    int keep = dev->normals.any_pulled_next, counts = dev->notes.counts_probes;
#pragma omp parallel for num_threads(threads_for(dev, work)) \
    schedule(dynamic, WORDS_PER_CHUNK) reduction(+ : count, probes)
    for (uint64_t w = 0; w < words; w++) {
        uint64_t candidates = csr->sources[w] & ~dev->normals.visited[w], found = 0;
        if (candidates != 0)
            found = pull_word(csr, 64 * w, candidates, mask, tag, parent);
        if (g == NN && dev->shard->p > 1 && parent != NULL)
            decode_parents(dev, 64 * w, found);
        if (counts && candidates != 0)
            probes += count_probes(csr, 64 * w, candidates, mask);
        dev->normals.pulled_next[w] = (keep ? dev->normals.pulled_next[w] : 0) | found;
        if (found == 0)
            continue;
        dev->normals.visited[w] |= found;
        mark_word(dev->normals.depth, 64 * w, found, depth);
        count += count_bits(found);
    }
    dev->normals.any_pulled_next = 1;
    dev->notes.probes[g] += probes;
    return count;
}

uint64_t pull_dn(struct device *dev)
{
    return pull_normals(dev, DN, dev->delegates.visited, PARENT_DELEGATE_BIT);
}

/* Parents must be in the frontier itself: a pull of dn before this one may have visited normals of the next
 * level. With several shards their frontiers have been gathered. */
uint64_t pull_nn(struct device *dev)
{
    if (dev->shard->p > 1)
        return pull_normals(dev, NN, dev->traffic.peers.gathered, 0);
    if (!dev->normals.any_pulled)
        memset(dev->normals.pulled, 0,
               mask_words(dev->shard->locals) * sizeof *dev->normals.pulled);
    for (uint64_t i = 0; i < dev->normals.queue_count; i++)
        dev->normals.pulled[dev->normals.queue[i] / 64] |=
            UINT64_C(1) << (dev->normals.queue[i] % 64);
    return pull_normals(dev, NN, dev->normals.pulled, 0);
}

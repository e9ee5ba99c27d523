/* cpu_pull.c: backward visits: each unvisited vertex looks for one visited parent (section IV-B).
 *
 * Rows list hubs first, so most vertices find a parent at the first probe. That reads the head column,
 * a dense array in row order. Bytes that must move for each candidate row: 4 of the head column; if that is
 * not enough, 8 of offsets and 4 for each further probe. The mask of parents stays in cache. Every thread
 * owns whole words of 64 rows, so results are stored without atomics.
 *
 * Pulls from delegates, and of delegates, test whether a parent was visited before this level, not whether it
 * is in the frontier. For an unvisited vertex both are the same, because an older parent would have reached
 * it already.
 */
#include "cpu_device.h"

#include <string.h>

/* Words of 64 rows that a thread takes at a time; of the first ones, which have hubs, one. */
enum { PIECE_WORDS = 32, HUB_PIECES = 64 };

/* Counts the columns that a pull must look at, for a trace. Pulls themselves do not count. */
static uint64_t count_probes(const struct csr *csr, uint64_t base, uint64_t candidates,
                             const uint64_t *mask)
{
    uint64_t probes = 0;
    for (; candidates != 0; candidates &= candidates - 1) {
        uint64_t row = base + (uint64_t)__builtin_ctzll(candidates), hit = 0;
        for (uint32_t j = 0; j < csr->head_columns && !hit; j++) {
            uint32_t head = csr->heads[j * csr->rows + row];
            probes += head != HEAD_NONE;
            hit = head != HEAD_NONE && mask_bit(mask, head);
        }
        uint64_t end = csr_offset(csr, row + 1);
        for (uint64_t i = csr_offset(csr, row); i < end && !hit; i++) {
            probes++;
            hit = (uint64_t)mask_bit(mask, csr_column_of_row(csr, row, i));
        }
    }
    return probes;
}

/* A pull, as all threads see it. */
struct pull {
    struct device *dev;
    const struct csr *csr;
    const uint64_t *sources; /* rows that may want a parent */
    const uint64_t *mask;    /* of possible parents */
    uint64_t words;
    uint32_t tag, *parent;
    int keeps; /* adds to vertices of earlier pulls of the level */
    _Atomic uint64_t probes; /* if they are counted */
};

static inline struct pull describe_pull(struct device *dev, enum subgraph g, const uint64_t *mask)
{
    const struct csr *csr = shard_pull_rows(dev->shard, g);
    return (struct pull){.dev = dev,
                         .csr = csr,
                         .sources = csr->sources,
                         .mask = mask,
                         .words = mask_words(csr->rows),
                         .tag = subgraph_rows(g) == DELEGATES ? PARENT_DELEGATE_BIT : 0};
}

static uint64_t first_word(const struct pull *pull, uint64_t piece)
{
    uint64_t word = piece < HUB_PIECES ? piece : HUB_PIECES + (piece - HUB_PIECES) * PIECE_WORDS;
    return word < pull->words ? word : pull->words;
}

/* A word of 64 rows whose heads have been probed. */
struct pulled_word {
    uint64_t at, candidates, left; /* left: candidates without a parent among their heads */
};

/* Asks for the rests of rows. Always inlined, as a compiler may drop calls that only ask ahead. */
static inline __attribute__((always_inline)) void prefetch_rests(const struct csr *csr, uint64_t base, uint64_t rows)
{
    const uint32_t *columns = csr->columns;
    for (; rows != 0 && csr->packed.words != NULL; rows &= rows - 1)
        prefetch_columns(csr, csr_offset(csr, base + (uint64_t)__builtin_ctzll(rows)));
    for (; rows != 0; rows &= rows - 1) {
        uint64_t at = csr_offset(csr, base + (uint64_t)__builtin_ctzll(rows));
        __builtin_prefetch(columns + at, 0, 2);
        __builtin_prefetch(columns + at + 7, 0, 2);
    }
}

/* Probes the heads, and asks for the columns of the rows that are left. */
static inline struct pulled_word begin_word(const struct pull *pull, uint64_t w, uint64_t candidates)
{
    const struct csr *csr = pull->csr;
    uint64_t base = 64 * w, left = candidates, count = csr->rows - base < 64 ? csr->rows - base : 64;
    for (uint32_t j = 0; j < csr->head_columns && left != 0; j++) {
        const uint32_t *heads = csr->heads + j * csr->rows + base;
        uint64_t hits = pull->dev->means.probes->heads(heads, left, count, pull->mask);
        left &= ~hits;
        if (pull->parent != NULL)
            pull->dev->means.probes->adopt(pull->parent + base, heads, hits, count, pull->tag);
    }
    prefetch_rests(csr, base, left);
    return (struct pulled_word){w, candidates, left};
}

/* Returns the rows that have a parent. parent[] has its number then, with the tag. */
static inline uint64_t end_word(const struct pull *pull, const struct pulled_word *word, uint64_t *probes)
{
    uint64_t base = 64 * word->at, found = word->candidates & ~word->left;
    if (word->left != 0)
        found |= pull->dev->means.probes->rests(pull->csr, base, word->left, pull->mask, pull->tag, pull->parent);
    if (pull->dev->notes.counts_probes)
        *probes += count_probes(pull->csr, base, word->candidates, pull->mask);
    return found;
}

/* Functions of one word: gives rows that want a parent; notes and counts those that found one. */
typedef uint64_t candidates_of(const struct pull *pull, uint64_t w);
typedef uint64_t settle_word(const struct device *dev, uint64_t w, uint64_t found, int keeps);

/* While the columns of one word are on their way, the heads of the next one are probed. Always inlined, so
 * that functions are constants. Returns how many were found. */
static inline __attribute__((always_inline)) uint64_t
pull_piece(struct pull *pull, uint64_t piece, candidates_of *candidates_at, settle_word *settle)
{
    uint64_t found = 0, probes = 0, end = first_word(pull, piece + 1);
    struct pulled_word last = {0};
    for (uint64_t w = first_word(pull, piece); w < end; w++) {
        uint64_t candidates = candidates_at(pull, w);
        if (candidates == 0) {
            settle(pull->dev, w, 0, pull->keeps);
            continue;
        }
        struct pulled_word next = begin_word(pull, w, candidates);
        if (last.candidates != 0)
            found += settle(pull->dev, last.at, end_word(pull, &last, &probes), pull->keeps);
        last = next;
    }
    if (last.candidates != 0)
        found += settle(pull->dev, last.at, end_word(pull, &last, &probes), pull->keeps);
    if (probes > 0)
        pull->probes += probes;
    return found;
}

/* A pull of g goes by the rows of its reverse. Returns how many were found. */
static uint64_t run_pull(struct pull *pull, enum subgraph g, pool_job *job)
{
    struct device *dev = pull->dev;
    uint64_t words = pull->words, pieces = words;
    if (words > HUB_PIECES)
        pieces = HUB_PIECES + (words - HUB_PIECES + PIECE_WORDS - 1) / PIECE_WORDS;
    int threads = threads_for(dev, unvisited_targets(dev, g) + words);
    uint64_t found = pool_run(dev->means.pool, threads, pieces, job, pull);
    dev->notes.probes[g] += pull->probes;
    return found;
}

static inline uint64_t unvisited_delegates(const struct pull *pull, uint64_t w)
{
    const struct cpu_delegates *d = &pull->dev->delegates;
    return pull->sources[w] & ~(d->visited[w] | d->updated[w]);
}

static uint64_t pull_delegates_piece(void *context, int thread, uint64_t piece)
{
    (void)thread;
    return pull_piece(context, piece, unvisited_delegates, update_word);
}

/* Unvisited delegates among `sources` look for a parent in `mask`. */
static void pull_delegates(struct device *dev, enum subgraph g, const uint64_t *sources,
                           const uint64_t *mask)
{
    struct pull pull = describe_pull(dev, g, mask);
    pull.sources = sources;
    pull.parent = dev->parents ? dev->delegates.parent : NULL;
    dev->delegates.any_updated |= run_pull(&pull, g, pull_delegates_piece) > 0;
}

void pull_dd_rows(struct device *dev, const uint64_t *rows)
{
    pull_delegates(dev, DD, rows, dev->delegates.visited);
}

uint64_t pull_dd(struct device *dev)
{
    pull_dd_rows(dev, shard_pull_rows(dev->shard, DD)->sources);
    return 0;
}

uint64_t pull_nd(struct device *dev)
{
    pull_delegates(dev, ND, shard_pull_rows(dev->shard, ND)->sources, dev->normals.visited);
    return 0;
}

static inline uint64_t unvisited_normals(const struct pull *pull, uint64_t w)
{
    return pull->sources[w] & ~pull->dev->normals.visited[w];
}

static uint64_t pull_normals_piece(void *context, int thread, uint64_t piece)
{
    (void)thread;
    return pull_piece(context, piece, unvisited_normals, visit_word);
}

/* Makes parents of columns of nn: a local id, or PARENT_REMOTE. */
static void decode_parents(const struct device *dev, uint64_t base, uint64_t found)
{
    const struct shard *shard = dev->shard;
    for (; found != 0; found &= found - 1) {
        uint32_t *parent = &dev->normals.parent[base + (uint64_t)__builtin_ctzll(found)];
        int here = (uint64_t)*parent >> shard->local_bits == shard->index;
        uint32_t id = *parent & (uint32_t)((UINT64_C(1) << shard->local_bits) - 1);
        *parent = here ? id : PARENT_REMOTE;
    }
}

/* Notes normals that a pull of nn from the frontiers of all shards found; see visit_word. */
static uint64_t visit_gathered_word(const struct device *dev, uint64_t w, uint64_t found, int keeps)
{
    if (dev->parents)
        decode_parents(dev, 64 * w, found);
    return visit_word(dev, w, found, keeps);
}

static uint64_t pull_gathered_piece(void *context, int thread, uint64_t piece)
{
    (void)thread;
    return pull_piece(context, piece, unvisited_normals, visit_gathered_word);
}

/* Unvisited normals look for a parent in `mask`. Bits of earlier pulls of the level are kept. */
static uint64_t pull_normals(struct device *dev, enum subgraph g, const uint64_t *mask, pool_job *job)
{
    struct pull pull = describe_pull(dev, g, mask);
    pull.parent = dev->parents ? dev->normals.parent : NULL;
    pull.keeps = dev->normals.any_pulled_next;
    dev->normals.any_pulled_next = 1;
    return run_pull(&pull, g, job);
}

uint64_t pull_dn(struct device *dev)
{
    return pull_normals(dev, DN, dev->delegates.visited, pull_normals_piece);
}

/* Parents must be in the frontier itself: a pull of dn before this one may have visited normals of the next
 * level. With several shards their frontiers have been gathered. */
uint64_t pull_nn(struct device *dev)
{
    if (dev->shard->p > 1)
        return pull_normals(dev, NN, dev->traffic.peers.gathered, pull_gathered_piece);
    if (!dev->normals.any_pulled)
        memset(dev->normals.pulled, 0,
               mask_words(dev->shard->locals) * sizeof *dev->normals.pulled);
    for (uint64_t i = 0; i < dev->normals.queue_count; i++)
        dev->normals.pulled[dev->normals.queue[i] / 64] |=
            UINT64_C(1) << (dev->normals.queue[i] % 64);
    return pull_normals(dev, NN, dev->normals.pulled, pull_normals_piece);
}

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

/* Words of 64 rows that a thread takes at a time; of the first ones, which have hubs, one. */
enum { PIECE_WORDS = 32, HUB_PIECES = 64 };

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

/* A pull, as all threads see it. */
struct pull {
    struct device *dev;
    const struct csr *csr;
    const uint64_t *mask; /* of possible parents */
    uint64_t words;
    uint32_t tag, *parent;
    int keeps; /* what earlier pulls of the level found */
    _Atomic uint64_t found, probes;
};

static inline struct pull describe_pull(struct device *dev, enum subgraph g, const uint64_t *mask)
{
    const struct csr *csr = &dev->shard->csr[subgraph_reverse(g)];
    return (struct pull){.dev = dev,
                         .csr = csr,
                         .mask = mask,
                         .words = mask_words(csr->rows),
                         .tag = subgraph_rows(g) == DELEGATES ? PARENT_DELEGATE_BIT : 0};
}

static uint64_t first_word(const struct pull *pull, uint64_t piece)
{
    uint64_t word = piece < HUB_PIECES ? piece : HUB_PIECES + (piece - HUB_PIECES) * PIECE_WORDS;
    return word < pull->words ? word : pull->words;
}

/* Pulls one word of rows, and adds to *probes. Returns how many it found. */
typedef uint64_t pull_word_at(const struct pull *pull, uint64_t w, uint64_t *probes);

/* Always inlined, so that `pull_at` is a constant. */
static inline __attribute__((always_inline)) void
pull_pieces(struct pull *pull, struct turn *turn, pull_word_at *pull_at)
{
    uint64_t found = 0, probes = 0, piece;
    while ((piece = gang_piece(turn)) != GANG_NO_PIECE) {
        uint64_t end = first_word(pull, piece + 1);
        for (uint64_t w = first_word(pull, piece); w < end; w++)
            found += pull_at(pull, w, &probes);
    }
    pull->found += found;
    pull->probes += probes;
}

/* A pull of g goes by the rows of its reverse. Returns how many were found. */
static uint64_t run_pull(struct pull *pull, enum subgraph g, gang_job *job)
{
    struct device *dev = pull->dev;
    uint64_t words = pull->words, pieces = words;
    if (words > HUB_PIECES)
        pieces = HUB_PIECES + (words - HUB_PIECES + PIECE_WORDS - 1) / PIECE_WORDS;
    gang_run(dev->gang, threads_for(dev, dev->unvisited[subgraph_reverse(g)] + words), pieces, job,
             pull);
    dev->notes.probes[g] = pull->probes;
    return pull->found;
}

static inline uint64_t pull_delegates_at(const struct pull *pull, uint64_t w, uint64_t *probes)
{
    struct cpu_delegates *d = &pull->dev->delegates;
    uint64_t candidates = pull->csr->sources[w] & ~(d->visited[w] | d->updated[w]);
    if (candidates == 0)
        return 0;
    uint64_t found = pull_word(pull->csr, 64 * w, candidates, pull->mask, pull->tag, pull->parent);
    d->updated[w] |= found;
    if (pull->dev->notes.counts_probes)
        *probes += count_probes(pull->csr, 64 * w, candidates, pull->mask);
    return found != 0;
}

static void pull_delegates_pieces(void *context, struct turn *turn)
{
    pull_pieces(context, turn, pull_delegates_at);
}

/* Unvisited delegates look for a parent in `mask`. */
static void pull_delegates(struct device *dev, enum subgraph g, const uint64_t *mask)
{
    struct pull pull = describe_pull(dev, g, mask);
    pull.parent = dev->parents ? dev->delegates.parent : NULL;
    dev->delegates.any_updated |= run_pull(&pull, g, pull_delegates_pieces) > 0;
}

uint64_t pull_dd(struct device *dev)
{
    pull_delegates(dev, DD, dev->delegates.visited);
    return 0;
}

uint64_t pull_nd(struct device *dev)
{
    pull_delegates(dev, ND, dev->normals.visited);
    return 0;
}

static inline void mark_word(int32_t *depth, uint64_t base, uint64_t bits, int32_t value)
{
    for (; bits != 0; bits &= bits - 1)
        depth[base + (uint64_t)__builtin_ctzll(bits)] = value;
}

static inline uint64_t pull_normals_at(const struct pull *pull, uint64_t w, uint64_t *probes)
{
    struct cpu_normals *n = &pull->dev->normals;
    uint64_t candidates = pull->csr->sources[w] & ~n->visited[w], found = 0;
    if (candidates != 0)
        found = pull_word(pull->csr, 64 * w, candidates, pull->mask, pull->tag, pull->parent);
    if (pull->dev->notes.counts_probes && candidates != 0)
        *probes += count_probes(pull->csr, 64 * w, candidates, pull->mask);
    n->pulled_next[w] = (pull->keeps ? n->pulled_next[w] : 0) | found;
    if (found == 0)
        return 0;
    n->visited[w] |= found;
    mark_word(n->depth, 64 * w, found, pull->dev->depth + 1);
    return count_bits(found);
}

static void pull_normals_pieces(void *context, struct turn *turn)
{
    pull_pieces(context, turn, pull_normals_at);
}

/* The same of unvisited normals, whose bits are added to those that earlier pulls of the level found. */
static uint64_t pull_normals(struct device *dev, enum subgraph g, const uint64_t *mask)
{
    struct pull pull = describe_pull(dev, g, mask);
    pull.parent = dev->parents ? dev->normals.parent : NULL;
    pull.keeps = dev->normals.any_pulled_next;
    dev->normals.any_pulled_next = 1;
    return run_pull(&pull, g, pull_normals_pieces);
}

uint64_t pull_dn(struct device *dev)
{
    return pull_normals(dev, DN, dev->delegates.visited);
}

/* With p = 1 nn is symmetric as well. Parents must be in the frontier itself: a pull of dn before this one
 * may have visited normals of the next level. */
uint64_t pull_nn(struct device *dev)
{
    if (!dev->normals.any_pulled)
        memset(dev->normals.pulled, 0,
               mask_words(dev->shard->locals) * sizeof *dev->normals.pulled);
    for (uint64_t i = 0; i < dev->normals.queue_count; i++)
        dev->normals.pulled[dev->normals.queue[i] / 64] |=
            UINT64_C(1) << (dev->normals.queue[i] % 64);
    return pull_normals(dev, NN, dev->normals.pulled);
}

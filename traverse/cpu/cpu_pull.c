/* cpu_pull.c: backward visits: each unvisited vertex looks for one visited parent (section IV-B)
 *
 * Rows list hubs first, so most vertices find a parent at the first probe. That reads the head column, a dense array in row
 * order. Bytes that must move for each candidate row: 4 of the head column; if that is not enough, 8 of offsets and 4 for
 * each further probe. The bitmap of parents stays in cache. Every thread owns whole words of 64 rows: results are stored
 * without atomics.
 *
 * Pulls from delegates, and of delegates, test whether a parent was visited before this level, not whether the frontier has
 * it. For an unvisited vertex both are the same: an older parent would have reached the vertex already.
 */
#include "cpu_device.h"

#include <string.h>

/* Words of 64 rows that a thread takes at a time; of the first HUB_PIECES, which have hubs, one. */
enum { PIECE_WORDS = 32, HUB_PIECES = 64 };

/* A pull, as all threads see it. */
struct pull {
    struct device *dev;
    const struct csr *csr;
    const uint64_t *sources; /* bitmap of rows with edges that may want a parent */
    const uint64_t *mask;    /* bitmap of possible parents */
    uint64_t words;          /* of the bitmap of rows */
    uint32_t *parent;        /* [rows]; NULL: not recorded */
    uint32_t tag;            /* PARENT_DELEGATE_BIT where parents are delegates */
    int keeps;               /* visits of this level before the pull have written next_dense */
    _Atomic uint64_t probes; /* if they are counted */
};

/* ---- a word of 64 rows ---- */

/* A word of rows whose heads have been probed. */
struct pulled_word {
    uint64_t at;         /* number of the word */
    uint64_t candidates; /* bits of the unvisited rows */
    uint64_t left;       /* bits of those without a parent among their heads */
};

/* Prefetches the columns behind the heads of rows. Always inlined: a compiler may drop calls that only prefetch. */
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

/* Probes the heads of the candidates, and prefetches the columns of the rows that are left. */
static inline struct pulled_word probe_heads(const struct pull *pull, uint64_t w, uint64_t candidates)
{
    const struct csr *csr = pull->csr;
    uint64_t base = 64 * w, left = candidates, count = csr->rows - base < 64 ? csr->rows - base : 64;
    for (uint32_t j = 0; j < csr->head_columns && left != 0; j++) {
        const uint32_t *heads = csr->heads + j * csr->rows + base;
        uint64_t hits = pull->dev->means.probes->probe_heads(heads, left, count, pull->mask);
        left &= ~hits;
        if (pull->parent != NULL)
            pull->dev->means.probes->adopt_heads(pull->parent + base, heads, hits, count, pull->tag);
    }
    prefetch_rests(csr, base, left);
    return (struct pulled_word){w, candidates, left};
}

/* The columns that a pull of the candidates looks at, for a trace. Pulls themselves do not count. */
static uint64_t count_probes(const struct pull *pull, uint64_t base, uint64_t candidates)
{
    const struct csr *csr = pull->csr;
    uint64_t probes = 0;
    for (; candidates != 0; candidates &= candidates - 1) {
        uint64_t row = base + (uint64_t)__builtin_ctzll(candidates), hit = 0;
        for (uint32_t j = 0; j < csr->head_columns && !hit; j++) {
            uint32_t head = csr->heads[j * csr->rows + row];
            probes += head != HEAD_NONE;
            hit = head != HEAD_NONE && mask_bit(pull->mask, head);
        }
        uint64_t end = csr_offset(csr, row + 1);
        for (uint64_t i = csr_offset(csr, row); i < end && !hit; i++) {
            probes++;
            hit = (uint64_t)mask_bit(pull->mask, csr_column_of_row(csr, row, i));
        }
    }
    return probes;
}

/* Probes the columns behind the heads. Returns the bits of the rows that found a parent, which parent[] has then. */
static inline uint64_t probe_rests(const struct pull *pull, const struct pulled_word *word, uint64_t *probes)
{
    uint64_t base = 64 * word->at, found = word->candidates & ~word->left;
    if (word->left != 0)
        found |= pull->dev->means.probes->probe_rests(pull->csr, base, word->left, pull->mask, pull->tag, pull->parent);
    if (pull->dev->notes.counts_probes)
        *probes += count_probes(pull, base, word->candidates);
    return found;
}

/* ---- pieces ---- */

/* Functions of a kind of pull, by word: unvisited rows with edges; and visits `found`, of which it returns the number. */
typedef uint64_t candidates_of_word(const struct pull *pull, uint64_t w);
typedef uint64_t visit_word(const struct device *dev, uint64_t w, uint64_t found, int keeps);

static uint64_t first_word(const struct pull *pull, uint64_t piece)
{
    uint64_t word = piece < HUB_PIECES ? piece : HUB_PIECES + (piece - HUB_PIECES) * PIECE_WORDS;
    return word < pull->words ? word : pull->words;
}

/* Pulls a piece: while the columns of one word are on their way, the heads of the next are probed. Returns what `visit`
 * counts. Always inlined: the functions are constants. */
static inline __attribute__((always_inline)) uint64_t pull_piece(struct pull *pull, uint64_t piece,
                                                                 candidates_of_word *candidates_at, visit_word *visit)
{
    uint64_t found = 0, probes = 0, end = first_word(pull, piece + 1);
    struct pulled_word last = {0};
    for (uint64_t w = first_word(pull, piece); w < end; w++) {
        uint64_t candidates = candidates_at(pull, w);
        if (candidates == 0) {
            visit(pull->dev, w, 0, pull->keeps); /* clears a word of next_dense that has not been written */
            continue;
        }
        struct pulled_word next = probe_heads(pull, w, candidates);
        if (last.candidates != 0)
            found += visit(pull->dev, last.at, probe_rests(pull, &last, &probes), pull->keeps);
        last = next;
    }
    if (last.candidates != 0)
        found += visit(pull->dev, last.at, probe_rests(pull, &last, &probes), pull->keeps);
    if (probes > 0)
        pull->probes += probes;
    return found;
}

static inline uint64_t unvisited_delegates(const struct pull *pull, uint64_t w)
{
    const struct cpu_delegates *d = &pull->dev->delegates;
    return pull->sources[w] & ~(d->visited[w] | d->updated[w]);
}

static inline uint64_t unvisited_normals(const struct pull *pull, uint64_t w)
{
    return pull->sources[w] & ~pull->dev->normals.visited[w];
}

/* Visits normals that found parents among the frontiers of all shards: columns of nn become a local id or PARENT_REMOTE. */
static uint64_t visit_normals_word_of_shards(const struct device *dev, uint64_t w, uint64_t found, int keeps)
{
    const struct shard *shard = dev->shard;
    for (uint64_t left = dev->parents ? found : 0; left != 0; left &= left - 1) {
        uint32_t *parent = &dev->normals.parent[64 * w + (uint64_t)__builtin_ctzll(left)];
        uint32_t id = *parent & (uint32_t)((UINT64_C(1) << shard->local_bits) - 1);
        *parent = (uint64_t)*parent >> shard->local_bits == shard->index ? id : PARENT_REMOTE;
    }
    return visit_normals_word(dev, w, found, keeps);
}

static uint64_t pull_piece_of_delegates(void *context, int thread, uint64_t piece)
{
    (void)thread;
    return pull_piece(context, piece, unvisited_delegates, update_delegates_word);
}

static uint64_t pull_piece_of_normals(void *context, int thread, uint64_t piece)
{
    (void)thread;
    return pull_piece(context, piece, unvisited_normals, visit_normals_word);
}

static uint64_t pull_piece_of_normals_from_shards(void *context, int thread, uint64_t piece)
{
    (void)thread;
    return pull_piece(context, piece, unvisited_normals, visit_normals_word_of_shards);
}

/* ---- pulls of a subgraph ---- */

/* Pulls along g, which goes by the rows of its reverse: rows in `sources` (NULL: all) look for a parent in `mask`. Returns
 * how many normals were found; of delegates, 0 if none. */
static uint64_t run_pull(struct device *dev, enum subgraph g, const uint64_t *sources, const uint64_t *mask,
                         pool_job *job)
{
    const struct csr *csr = shard_pull_rows(dev->shard, g);
    const int to_delegates = subgraph_columns(g) == DELEGATES;
    struct pull pull = {.dev = dev,
                        .csr = csr,
                        .sources = sources != NULL ? sources : csr->sources,
                        .mask = mask,
                        .words = mask_words(csr->rows),
                        .parent = !dev->parents ? NULL : to_delegates ? dev->delegates.parent : dev->normals.parent,
                        .tag = subgraph_rows(g) == DELEGATES ? PARENT_DELEGATE_BIT : 0,
                        .keeps = dev->normals.any_next_dense};
    uint64_t pieces = pull.words;
    if (pieces > HUB_PIECES)
        pieces = HUB_PIECES + (pull.words - HUB_PIECES + PIECE_WORDS - 1) / PIECE_WORDS;
    int threads = threads_for(dev, unvisited_targets(dev, g) + pull.words);
    uint64_t found = pool_run(dev->means.pool, threads, pieces, job, &pull);
    dev->notes.probes[g] += pull.probes;
    if (to_delegates)
        dev->delegates.any_updated |= found > 0;
    else
        dev->normals.any_next_dense = 1;
    return found;
}

void pull_dd_rows(struct device *dev, const uint64_t *rows)
{
    run_pull(dev, DD, rows, dev->delegates.visited, pull_piece_of_delegates);
}

/* Unvisited delegates look for a visited delegate. */
uint64_t pull_dd(struct device *dev)
{
    pull_dd_rows(dev, NULL);
    return 0;
}

/* Unvisited delegates look for a visited normal of this shard. */
uint64_t pull_nd(struct device *dev)
{
    run_pull(dev, ND, NULL, dev->normals.visited, pull_piece_of_delegates);
    return 0;
}

/* Unvisited normals of this shard look for a visited delegate. */
uint64_t pull_dn(struct device *dev)
{
    return run_pull(dev, DN, NULL, dev->delegates.visited, pull_piece_of_normals);
}

/* Unvisited normals of this shard look for a normal of any shard.
 * Parents must be in the frontier itself: a pull of dn before this one may have visited normals of the next level. The
 * sparse part of the frontier is added to the dense one. */
uint64_t pull_nn(struct device *dev)
{
    struct cpu_normals *n = &dev->normals;
    if (dev->shard->p > 1)
        return run_pull(dev, NN, NULL, dev->peers.gathered, pull_piece_of_normals_from_shards);
    if (!n->any_dense)
        memset(n->dense, 0, mask_words(dev->shard->locals) * sizeof *n->dense);
    for (uint64_t i = 0; i < n->sparse_count; i++)
        set_mask_bit(n->dense, n->sparse[i]);
    return run_pull(dev, NN, NULL, n->dense, pull_piece_of_normals);
}

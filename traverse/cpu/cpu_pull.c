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
    enum vertex_kind of;     /* the kind of the vertices that look for parents */
    int from_shards;         /* parents are normals of all shards */
    const uint64_t *sources; /* bitmap of rows with edges that may want a parent */
    const uint64_t *mask;    /* bitmap of possible parents */
    uint64_t words;          /* of the bitmap of rows */
    uint32_t *parent;        /* [rows]; NULL: not recorded */
    uint32_t tag;            /* PARENT_DELEGATE_BIT where parents are delegates */
    int keeps;               /* visits of this level before the pull have written next_dense */
    _Atomic uint64_t probes; /* if they are counted */
};

/* Probes the heads of the rows `candidates`, bits of word w, and writes the parents found. Prefetches the columns behind the
 * heads of the other candidates, and returns the bits of these rows. Always inlined: a compiler may drop calls that only
 * prefetch. */
static inline __attribute__((always_inline)) uint64_t probe_heads(const struct pull *pull, uint64_t w, uint64_t candidates)
{
    const struct csr *csr = pull->csr;
    const struct probes *probes = pull->dev->means.probes;
    const uint32_t *columns = csr->columns;
    uint64_t base = 64 * w, left = candidates, count = csr->rows - base < 64 ? csr->rows - base : 64;
    for (uint32_t j = 0; j < csr->head_columns && left != 0; j++) {
        const uint32_t *heads = csr->heads + j * csr->rows + base;
        uint64_t hits = probes->probe_heads(heads, left, count, pull->mask);
        left &= ~hits;
        if (pull->parent != NULL)
            probes->adopt_heads(pull->parent + base, heads, hits, count, pull->tag);
    }
    for (uint64_t rows = left; rows != 0; rows &= rows - 1) {
        uint64_t at = csr_offset(csr, base + (uint64_t)__builtin_ctzll(rows));
        if (csr->packed.words != NULL) {
            prefetch_columns(csr, at);
            continue;
        }
        __builtin_prefetch(columns + at, 0, 2);
        __builtin_prefetch(columns + at + 7, 0, 2); /* the next line, if the row begins near the end of a line */
    }
    return left;
}

/* Returns the number of columns that a pull of the candidates looks at, for a trace. Pulls themselves do not count. */
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

/* Visits the rows `found` of word w, of which parent[] has the parents. Returns the number of normals; of delegates 1 if
 * there are any. */
static inline __attribute__((always_inline)) uint64_t visit_word(const struct pull *pull, uint64_t w, uint64_t found,
                                                                 enum vertex_kind of, int from_shards)
{
    const struct shard *shard = pull->dev->shard;
    if (of == DELEGATES) {
        pull->dev->delegates.updated[w] |= found;
        return found != 0;
    }
    /* a column of nn becomes a local id, or PARENT_REMOTE */
    for (uint64_t left = from_shards && pull->parent != NULL ? found : 0; left != 0; left &= left - 1) {
        uint32_t *parent = &pull->parent[64 * w + (uint64_t)__builtin_ctzll(left)];
        uint32_t id = *parent & (uint32_t)((UINT64_C(1) << shard->local_bits) - 1);
        *parent = (uint64_t)*parent >> shard->local_bits == shard->index ? id : PARENT_REMOTE;
    }
    return visit_normals_word(pull->dev, w, found, pull->keeps);
}

/* Returns the first word of a piece. */
static uint64_t first_word(const struct pull *pull, uint64_t piece)
{
    uint64_t word = piece < HUB_PIECES ? piece : HUB_PIECES + (piece - HUB_PIECES) * PIECE_WORDS;
    return word < pull->words ? word : pull->words;
}

/* Pulls a piece: the unvisited rows of its words look for parents. While the columns of one word are on their way, the heads
 * of the next word are probed. Returns the number of normals found; of delegates 0 if none. Always inlined: `of` and
 * `from_shards`, those of the pull, are constants. */
static inline __attribute__((always_inline)) uint64_t pull_words(struct pull *pull, uint64_t piece, enum vertex_kind of,
                                                                 int from_shards)
{
    const struct device *dev = pull->dev;
    const uint64_t *updated = dev->delegates.updated, end = first_word(pull, piece + 1);
    const uint64_t *visited = of == DELEGATES ? dev->delegates.visited : dev->normals.visited;
    uint64_t found = 0, probes = 0, last = 0, last_candidates = 0, last_left = 0;
    for (uint64_t w = first_word(pull, piece); w <= end; w++) {
        uint64_t candidates = 0, left = 0;
        if (w < end) {
            candidates = pull->sources[w] & ~(visited[w] | (of == DELEGATES ? updated[w] : 0));
            if (candidates == 0) {
                visit_word(pull, w, 0, of, from_shards); /* clears a word of next_dense that has not been written */
                continue;
            }
            left = probe_heads(pull, w, candidates);
        }
        if (last_candidates != 0) {
            uint64_t hits = last_candidates & ~last_left;
            if (last_left != 0)
                hits |= dev->means.probes->probe_rests(pull->csr, 64 * last, last_left, pull->mask, pull->tag, pull->parent);
            if (dev->notes.counts_probes)
                probes += count_probes(pull, 64 * last, last_candidates);
            found += visit_word(pull, last, hits, of, from_shards);
        }
        last = w;
        last_candidates = candidates;
        last_left = left;
    }
    if (probes > 0)
        pull->probes += probes;
    return found;
}

/* Pulls a piece: a pool job whose context is a struct pull. */
static uint64_t pull_piece(void *context, int thread, uint64_t piece)
{
    struct pull *pull = context;
    (void)thread;
    if (pull->of == DELEGATES)
        return pull_words(pull, piece, DELEGATES, 0);
    return pull->from_shards ? pull_words(pull, piece, NORMALS, 1) : pull_words(pull, piece, NORMALS, 0);
}

/* Returns the bitmap in which the unvisited columns of g look for parents: rows of g that are visited. Parents of a pull of
 * nn must be in the frontier itself, as a pull of dn before it may have visited normals of the next level. So with one shard
 * the sparse part of the frontier is added to the dense part. */
static const uint64_t *possible_parents(struct device *dev, enum subgraph g)
{
    struct cpu_normals *n = &dev->normals;
    if (subgraph_rows(g) == DELEGATES)
        return dev->delegates.visited;
    if (g == ND)
        return n->visited;
    if (dev->shard->p > 1)
        return dev->peers.gathered;
    if (!n->any_dense)
        memset(n->dense, 0, mask_words(dev->shard->locals) * sizeof *n->dense);
    for (uint64_t i = 0; i < n->sparse_count; i++)
        set_mask_bit(n->dense, n->sparse[i]);
    return n->dense;
}

/* A pull along g goes by the rows of its reverse. */
uint64_t pull_subgraph(struct device *dev, enum subgraph g, const uint64_t *rows)
{
    const struct csr *csr = shard_pull_rows(dev->shard, g);
    const int to_delegates = subgraph_columns(g) == DELEGATES;
    struct pull pull = {.dev = dev,
                        .csr = csr,
                        .of = subgraph_columns(g),
                        .from_shards = leads_to_shards(dev->shard, g),
                        .sources = rows != NULL ? rows : csr->sources,
                        .mask = possible_parents(dev, g),
                        .words = mask_words(csr->rows),
                        .parent = !dev->parents ? NULL : to_delegates ? dev->delegates.parent : dev->normals.parent,
                        .tag = subgraph_rows(g) == DELEGATES ? PARENT_DELEGATE_BIT : 0,
                        .keeps = dev->normals.any_next_dense};
    uint64_t pieces = pull.words;
    if (pieces > HUB_PIECES)
        pieces = HUB_PIECES + (pull.words - HUB_PIECES + PIECE_WORDS - 1) / PIECE_WORDS;
    int threads = threads_for(dev, unvisited_targets(dev, g) + pull.words);
    uint64_t found = pool_run(dev->means.pool, threads, pieces, pull_piece, &pull);
    dev->notes.probes[g] += pull.probes;
    if (to_delegates) {
        dev->delegates.any_updated |= found > 0;
        return 0;
    }
    dev->normals.any_next_dense = 1;
    return found;
}

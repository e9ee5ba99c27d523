/* cpu_pull.c: pulls (backward visits): each unvisited vertex looks for one visited parent (section IV-B of Pan et al.)
 *
 * Rows list hubs first, so most vertices find a parent at the first probe, in the head column, a dense array in the
 * order of rows. Bytes that must move for each row: 4 of the head column and, without a parent there, 8 of offsets and
 * 4 for each further probe. The bitmap of possible parents stays in the cache. A word of 64 rows belongs to one thread,
 * so results are stored without atomic operations.
 *
 * A parent must be in the frontier. Where delegates are the parents, or look for parents, a simpler test does: was the
 * parent visited before this level? Both agree, because an older parent would have found the vertex in an earlier
 * level. */
#include "cpu_device.h"

#include <string.h>

/* The words of 64 rows that a thread handles at a time. The first HUB_PIECES pieces have just one word each, because
 * there are the hubs, whose rows are long. */
enum { PIECE_WORDS = 32, HUB_PIECES = 64 };

/* A pull, as its threads share it. Its rows are the vertices that look for parents, and their columns are the possible
 * parents. */
struct pull {
    struct device *dev;
    const struct csr *csr;
    enum vertex_kind of;     /* the kind of the vertices that look for parents */
    int from_shards;         /* 1: the possible parents are normals of all shards */
    const uint64_t *sources; /* bitmap of the rows that look for a parent; visited ones are left out later */
    const uint64_t *mask;    /* bitmap of possible parents */
    uint64_t words;          /* number of 64-bit words of a bitmap of rows */
    uint32_t *parent;        /* [rows] the recorded parent of each row; NULL: parents are not recorded */
    uint32_t tag;            /* ORed into each recorded parent: PARENT_DELEGATE_BIT if parents are delegates, otherwise
                              * 0 */
    int next_dense_is_valid; /* earlier visits of this level have already written next_dense */
    _Atomic uint64_t probes; /* number of columns looked at, if probes are counted */
};

/* Looks for parents in the head columns. `candidates` are the rows of word w that need a parent. Records the parents found,
 * and returns the rows without one, whose other columns are prefetched. Inlined always, because a compiler may drop calls of
 * functions that only prefetch. */
static inline __attribute__((always_inline)) uint64_t look_in_heads(const struct pull *pull, uint64_t w, uint64_t candidates)
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
        __builtin_prefetch(columns + at + 7, 0, 2); /* the next cache line, if the row begins near the end of one */
    }
    return left;
}

/* Returns how many columns a pull of the rows `candidates` looks at, in the word that begins with row `base`. Does the
 * pull's probes once more, because counting would slow down all pulls, and only traces and reports need the number. */
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

/* Visits the rows `found` of word w, whose parents are recorded already: normals go into next_dense, delegates into
 * `found_here`. Called for every word of normals, because each word of next_dense must be written. With `from_shards` the
 * recorded parents are columns of nn. They become local ids, or PARENT_REMOTE if they are in another shard. Returns the
 * number of normals, or for delegates whether there are any. */
static inline __attribute__((always_inline)) uint64_t visit_word(const struct pull *pull, uint64_t w, uint64_t found,
                                                                 enum vertex_kind of, int from_shards)
{
    const struct shard *shard = pull->dev->shard;
    if (of == DELEGATES) {
        pull->dev->delegates.found_here[w] |= found;
        return found != 0;
    }
    /* converts a column of nn to a local id, or to PARENT_REMOTE */
    for (uint64_t left = from_shards && pull->parent != NULL ? found : 0; left != 0; left &= left - 1) {
        uint32_t *parent = &pull->parent[64 * w + (uint64_t)__builtin_ctzll(left)];
        uint32_t id = *parent & (uint32_t)((UINT64_C(1) << shard->local_bits) - 1);
        *parent = (uint64_t)*parent >> shard->local_bits == shard->index ? id : PARENT_REMOTE;
    }
    return visit_normals_word(pull->dev, w, found, pull->next_dense_is_valid);
}

/* Returns the first word of a piece; for a piece after the last, the number of all words. */
static uint64_t first_word(const struct pull *pull, uint64_t piece)
{
    uint64_t word = piece < HUB_PIECES ? piece : HUB_PIECES + (piece - HUB_PIECES) * PIECE_WORDS;
    return word < pull->words ? word : pull->words;
}

/* Pulls a piece: its unvisited rows look for parents, and those that find one are visited. While the heads of a word
 * are probed, the columns of the word before are on their way from memory. Returns the number of normals found, or for
 * delegates whether there are any. Inlined with constants: `of` is pull->of, and `from_shards` is pull->from_shards. */
static inline __attribute__((always_inline)) uint64_t pull_words(struct pull *pull, uint64_t piece, enum vertex_kind of,
                                                                 int from_shards)
{
    const struct device *dev = pull->dev;
    const uint64_t *found_here = dev->delegates.found_here, end = first_word(pull, piece + 1);
    const uint64_t *visited = of == DELEGATES ? dev->delegates.visited : dev->normals.visited;
    uint64_t found = 0, probes = 0, last = 0, last_candidates = 0, last_left = 0;
    /* Each round probes the heads of word w, and then finishes the last word before it that had candidates. Round `end`
     * only finishes. */
    for (uint64_t w = first_word(pull, piece); w <= end; w++) {
        uint64_t candidates = 0, left = 0;
        if (w < end) {
            candidates = pull->sources[w] & ~(visited[w] | (of == DELEGATES ? found_here[w] : 0));
            if (candidates == 0) {
                visit_word(pull, w, 0, of, from_shards); /* zeroes the word of next_dense unless it is valid */
                continue;
            }
            left = look_in_heads(pull, w, candidates);
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

/* Pulls a piece by the loop compiled for its case. Threads of the pool run this for pull_subgraph; `context` is a
 * struct pull. */
static uint64_t pull_piece(void *context, int thread, uint64_t piece)
{
    struct pull *pull = context;
    (void)thread;
    if (pull->of == DELEGATES)
        return pull_words(pull, piece, DELEGATES, 0);
    return pull->from_shards ? pull_words(pull, piece, NORMALS, 1) : pull_words(pull, piece, NORMALS, 0);
}

/* Returns the bitmap of the vertices that may be parents in a pull along subgraph g: for dd, dn and nd all visited vertices,
 * for nn only normals of the frontier, because a pull of dn may have visited normals of the next level. Several shards have
 * these normals in peers.gathered, and a single one in its dense frontier, to which this function adds the sparse part. */
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

/* Pulls along subgraph g: unvisited vertices look for a parent in their rows of the reverse of g. Counts probes in
 * dev->notes. */
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
                        .next_dense_is_valid = dev->normals.any_next_dense};
    uint64_t pieces = pull.words;
    if (pieces > HUB_PIECES)
        pieces = HUB_PIECES + (pull.words - HUB_PIECES + PIECE_WORDS - 1) / PIECE_WORDS;
    int threads = threads_for(dev, unvisited_targets(dev, g) + pull.words);
    uint64_t found = pool_run(dev->means.pool, threads, pieces, pull_piece, &pull);
    dev->notes.probes[g] += pull.probes;
    if (to_delegates) {
        dev->delegates.any_found_here |= found > 0;
        return 0;
    }
    dev->normals.any_next_dense = 1;
    return found;
}

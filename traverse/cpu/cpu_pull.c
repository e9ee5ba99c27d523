/* cpu_pull.c: pulls (backward visits): each unvisited vertex looks for one visited parent (section IV-B of Pan et al.)
 *
 * Rows list hubs first, so most vertices find a parent at the first probe. The first probe reads the head column, which
 * is a dense array in the order of rows. Bytes that must move for each row that looks for a parent: 4 of the head column.
 * A row without a parent in the head column also needs 8 of offsets, and 4 for each further probe. The bitmap of possible
 * parents stays in the cache. A word of 64 rows belongs to one thread, so results are stored without atomic operations.
 *
 * A parent must be in the frontier. If delegates are the parents, or if delegates look for parents, the pull makes a
 * different test: was the parent visited before this level? For an unvisited vertex both tests have the same result,
 * because an older parent would have reached the vertex in an earlier level. */
#include "cpu_device.h"

#include <string.h>

/* The number of words of 64 rows in a piece, which a thread handles at a time. Each of the first HUB_PIECES pieces has
 * one word, because hubs have long rows and are in the first words. */
enum { PIECE_WORDS = 32, HUB_PIECES = 64 };

/* A pull, with the members that all its threads use. The rows are the vertices that look for parents. Their columns are
 * the possible parents. */
struct pull {
    struct device *dev;
    const struct csr *csr;
    enum vertex_kind of;     /* the kind of the vertices that look for parents */
    int from_shards;         /* 1: the possible parents are normals of all shards */
    const uint64_t *sources; /* bitmap of the rows that look for a parent; visited rows are left out later */
    const uint64_t *mask;    /* bitmap of possible parents */
    uint64_t words;          /* number of 64-bit words of a bitmap of rows */
    uint32_t *parent;        /* [rows] the recorded parent of each row; NULL: parents are not recorded */
    uint32_t tag;            /* ORed into each recorded parent: PARENT_DELEGATE_BIT if parents are delegates, otherwise 0 */
    int keeps;               /* 1: earlier visits of this level have already written next_dense */
    _Atomic uint64_t probes; /* number of columns looked at, if probes are counted */
};

/* Looks for parents of the rows `candidates`, which are bits of word w, in the head columns. Writes the parents found to
 * pull->parent. Returns the bits of the rows without a parent in the head columns. Prefetches the columns after the heads
 * of these rows. Always inlined, because a compiler may drop calls of functions that only prefetch. */
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
        __builtin_prefetch(columns + at + 7, 0, 2); /* prefetches the next cache line, if the row begins near the end of a
                                                     * line */
    }
    return left;
}

/* Returns the number of columns that a pull of the rows `candidates` looks at. Bit i of `candidates` stands for row base
 * + i. Only traces and reports need this number. So it is computed by a separate search, which does not slow down other
 * pulls. */
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

/* Visits the rows `found` of word w. Normals go into next_dense, with visited bits and depths. Delegates go into
 * `updated`. For normals also called if `found` is 0, because every word of next_dense must be written. The parents are
 * in pull->parent already. With `from_shards` each parent is a column of nn, and is converted to a local id, or to
 * PARENT_REMOTE if the parent is on another shard. Returns the number of normals found. For delegates returns 1 if there
 * are any. */
static inline __attribute__((always_inline)) uint64_t visit_word(const struct pull *pull, uint64_t w, uint64_t found,
                                                                 enum vertex_kind of, int from_shards)
{
    const struct shard *shard = pull->dev->shard;
    if (of == DELEGATES) {
        pull->dev->delegates.updated[w] |= found;
        return found != 0;
    }
    /* converts a column of nn to a local id, or to PARENT_REMOTE */
    for (uint64_t left = from_shards && pull->parent != NULL ? found : 0; left != 0; left &= left - 1) {
        uint32_t *parent = &pull->parent[64 * w + (uint64_t)__builtin_ctzll(left)];
        uint32_t id = *parent & (uint32_t)((UINT64_C(1) << shard->local_bits) - 1);
        *parent = (uint64_t)*parent >> shard->local_bits == shard->index ? id : PARENT_REMOTE;
    }
    return visit_normals_word(pull->dev, w, found, pull->keeps);
}

/* Returns the number of the first word of a piece. For a piece after the last piece returns the number of all words. */
static uint64_t first_word(const struct pull *pull, uint64_t piece)
{
    uint64_t word = piece < HUB_PIECES ? piece : HUB_PIECES + (piece - HUB_PIECES) * PIECE_WORDS;
    return word < pull->words ? word : pull->words;
}

/* Pulls a piece: the unvisited rows in its words look for parents, and rows that find a parent are visited. Probes the
 * heads of a word while the columns of the previous word are on their way from memory. Returns the number of normals
 * found. For delegates returns 0 if none was found. Always inlined with constants: `of` is pull->of, and `from_shards` is
 * pull->from_shards. */
static inline __attribute__((always_inline)) uint64_t pull_words(struct pull *pull, uint64_t piece, enum vertex_kind of,
                                                                 int from_shards)
{
    const struct device *dev = pull->dev;
    const uint64_t *updated = dev->delegates.updated, end = first_word(pull, piece + 1);
    const uint64_t *visited = of == DELEGATES ? dev->delegates.visited : dev->normals.visited;
    uint64_t found = 0, probes = 0, last = 0, last_candidates = 0, last_left = 0;
    /* Each round probes the heads of word w. Then it finishes the word with candidates that was probed in the round before,
     * or in the nearest round before that had one. Round `end` probes nothing, and finishes the last word. */
    for (uint64_t w = first_word(pull, piece); w <= end; w++) {
        uint64_t candidates = 0, left = 0;
        if (w < end) {
            candidates = pull->sources[w] & ~(visited[w] | (of == DELEGATES ? updated[w] : 0));
            if (candidates == 0) {
                visit_word(pull, w, 0, of, from_shards); /* zeroes the word of next_dense unless `keeps` */
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

/* Pulls a piece with the loop that is compiled for this case of a pull. Returns the number of normals found. For
 * delegates returns 0 if none was found. Called by threads of the pool, for pull_subgraph. `context` is a struct pull. */
static uint64_t pull_piece(void *context, int thread, uint64_t piece)
{
    struct pull *pull = context;
    (void)thread;
    if (pull->of == DELEGATES)
        return pull_words(pull, piece, DELEGATES, 0);
    return pull->from_shards ? pull_words(pull, piece, NORMALS, 1) : pull_words(pull, piece, NORMALS, 0);
}

/* Returns the bitmap of vertices that may be parents in a pull along g:
 * - dd, dn and nd: the visited delegates or normals.
 * - nn with one shard: the normals of the frontier. The visited normals would be wrong, because an earlier pull of dn may
 *   have visited normals of the next level. The sparse part of the frontier is first added to the dense part.
 * - nn with several shards: the normals in the frontiers of all shards (peers.gathered). */
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

/* Pulls along g: unvisited vertices that can be columns of g look for a parent among the rows of g. These vertices read
 * their rows of the reverse of g. Normals found go into next_dense, with visited bits, depths and parents. Delegates
 * found go into `updated`. `rows` is a bitmap of the vertices that look for a parent; NULL: all unvisited vertices look.
 * Returns the number of normals found, and 0 for delegates. Adds the number of probes, if counted, to dev->notes. */
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

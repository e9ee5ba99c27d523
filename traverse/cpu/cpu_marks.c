/* cpu_marks.c: large pushes by masks of marks; its twin is cpu_list.c
 *
 * Each thread has a mask of its own, and sets the bit of every destination, visited or not. So an edge costs
 * a write to the thread's cache, and nothing is claimed or listed. Then the masks of all threads are joined,
 * word by word. Threads take pieces of the frontier's rows (cpu_rows.c). Bytes that must move: for each row 8 of
 * offsets, for each edge 4 of the column, and for each thread twice a mask.
 *
 * Parents that are written at once lie anywhere, in lines that the caches of other cores have: 6 ns each. So
 * each thread puts vertices, with their parents, into bins by owners (cpu_bins.h). Then a thread empties all bins
 * of an owner, whose parents fit into its cache. That moves 16 bytes more for each vertex and thread, in
 * sequence. A piece for which bins have no room writes its parents at once.
 */
#include "cpu_rows.h"

#include <string.h>

enum {
    PIECE_WORDS = 128,    /* of the masks, that a thread joins at a time */
    OWNED_BY_ONE = 1 << 18, /* vertices of an owner, at most: their parents fit into the cache of a core */
    OWNERS_OF_THREAD = 2, /* at least, so that all have work */
    BINS_AHEAD = 32       /* words of a bin: twice the vertices */
};

/* A push, as all threads see it. */
struct mark_push {
    struct device *dev;
    const uint64_t *visited; /* of destinations */
    uint32_t *parent;        /* of destinations */
    uint64_t words;          /* of a mask of destinations */
    enum parents_way { NO_PARENTS, PARENTS_AT_ONCE, PARENTS_BY_BINS } way;
    uint32_t owners, owned_bits; /* of bins */
    enum subgraph g;
    int keeps; /* adds to vertices of earlier pulls of the level */
    _Atomic uint64_t found;
    uint8_t *came; /* [threads]: 1 if the mask of a thread has marks */
};

static uint64_t *marks_of(const struct device *dev, int thread)
{
    return dev->region.seen + (size_t)thread * dev->region.seen_words;
}

static void come(const struct mark_push *m, uint64_t *marks, int thread)
{
    if (m->came[thread])
        return;
    m->came[thread] = 1;
    if (m->way == PARENTS_BY_BINS) {
        open_bins(bins_of(m->dev, thread), (int)m->owners);
        memcpy(marks, m->visited, m->words * sizeof *marks);
    } else {
        memset(marks, 0, m->words * sizeof *marks);
    }
}

/* Whether the bins of a thread have room for a piece, if all of its edges find something. */
static int has_room(const struct mark_push *m, const struct row_push *p, int thread)
{
    const struct cpu_region_memory *memory = &m->dev->region;
    const uint8_t *end = memory->bins + (uint64_t)(thread + 1) * memory->bin_bytes;
    uint64_t left = (uint64_t)(end - bins_of(m->dev, thread)->pool) / CHUNK_BYTES, edges = LONG_ROW; /* of a part */
    if (64 * m->words <= MOST_BINNED)
        return 1; /* a thread puts a vertex into a bin once */
    for (uint64_t i = 0; i < p->row_count; i++)
        edges += csr_row_length(p->csr, p->rows[i]);
    return left > edges * 2 * sizeof(uint32_t) / (CHUNK_BYTES - CHUNK_HEAD) + m->owners;
}

static void mark_piece(void *context, int thread, struct row_push *p)
{
    const struct mark_push *m = context;
    struct bins *bins = bins_of(m->dev, thread);
    p->to.marked = marks_of(m->dev, thread);
    come(m, p->to.marked, thread);
    p->to.marks = m->way == NO_PARENTS ? MARK_ALL : MARK_WRITE;
    if (m->way == PARENTS_BY_BINS && has_room(m, p, thread)) {
        p->to.marks = MARK_PAIRS;
        p->to.bins = (struct owner_bins){bins, bins->at, m->owners - 1, m->owned_bits};
    }
    push_rows_of(p, 0);
}

static void empty_chunk(uint32_t *parent, const uint32_t *pair, const uint32_t *end)
{
    for (; pair < end; pair += 2) {
        if (end - pair > BINS_AHEAD)
            __builtin_prefetch(&parent[pair[BINS_AHEAD]], 1);
        parent[pair[0]] = pair[1];
    }
}

/* Writes parents of the owners begin..end, from the bins of all threads. */
static void empty_bins(void *context, uint64_t begin, uint64_t end)
{
    const struct mark_push *m = context;
    for (uint64_t owner = begin; owner < end; owner++) {
        for (int t = 0; t < m->dev->threads; t++) {
            const struct bins *bins = bins_of(m->dev, t);
            const uint32_t *next, *chunk = m->came[t] ? bin_begin(bins, (int)owner) : NULL;
            for (; chunk != NULL; chunk = next)
                empty_chunk(m->parent, chunk, end_of_chunk(chunk, bins->at[owner], &next));
        }
    }
}

/* Notes new vertices of this shard. Returns how many; of delegates at least one, if any. */
static uint64_t settle_marks(const struct mark_push *m, uint64_t w, uint64_t marks)
{
    uint64_t fresh = marks & ~m->visited[w];
    if (subgraph_columns(m->g) == NORMALS)
        return visit_word(m->dev, w, fresh, m->keeps);
    return fresh != 0 ? update_word(m->dev, w, fresh, 1) : 0;
}

/* The same by nn's columns: shows vertices of other shards to these. */
static uint64_t settle_column_word(const struct mark_push *m, uint64_t w, uint64_t marks)
{
    const struct shard *shard = m->dev->shard;
    const struct cpu_shown *shown = &m->dev->traffic.shown;
    uint64_t owner = w / column_words(shard), own = w % column_words(shard);
    if (owner == shard->index)
        return own < mask_words(shard->locals) ? settle_marks(m, own, marks) : 0;
    shown->mask[w] = marks;
    if (marks != 0)
        __atomic_store_n(&shown->count[owner], 1, __ATOMIC_RELAXED); /* there are some */
    return 0;
}

static void join_masks(void *context, uint64_t begin, uint64_t end)
{
    struct mark_push *m = context;
    const struct device *dev = m->dev;
    uint64_t sum[PIECE_WORDS] = {0}, found = 0;
    for (int t = 0; t < dev->threads; t++) {
        const uint64_t *marks = marks_of(dev, t) + begin;
        for (uint64_t i = 0; m->came[t] && i < end - begin; i++)
            sum[i] |= marks[i];
    }
    for (uint64_t w = begin; w < end; w++) {
        found += leads_to_shards(dev->shard, m->g) ? settle_column_word(m, w, sum[w - begin])
                                                   : settle_marks(m, w, sum[w - begin]);
    }
    if (found > 0)
        m->found += found;
}

/* Returns how many vertices it found; of delegates, at least one if any. */
static uint64_t run_marking(struct mark_push *m)
{
    struct device *dev = m->dev;
    int threads = threads_for(dev, dev->forward[m->g]);
    uint8_t came[MOST_POOL_THREADS] = {0};
    m->came = came;
    push_by_threads(dev, m->g, threads, mark_piece, m);
    if (m->way == PARENTS_BY_BINS)
        pool_for(dev->means.pool, threads, m->owners, 1, empty_bins, m);
    pool_for(dev->means.pool, threads_for(dev, 4 * m->words), m->words, PIECE_WORDS, join_masks, m);
    return m->found;
}

static void choose_way(struct mark_push *m)
{
    const struct device *dev = m->dev;
    uint64_t least = (uint64_t)dev->threads * OWNERS_OF_THREAD, vertices = 64 * m->words;
    m->way = dev->parents ? PARENTS_AT_ONCE : NO_PARENTS;
    if (dev->parents && dev->region.bin_bytes > 0 && !leads_to_shards(dev->shard, m->g))
        m->way = PARENTS_BY_BINS;
    m->owners = 1;
    while (m->owners < MOST_REGION_THREADS && (m->owners < least || m->owners * (uint64_t)OWNED_BY_ONE < vertices))
        m->owners *= 2;
    m->owned_bits = owned_bits_of(vertices, m->owners);
}

uint64_t push_marks(struct device *dev, enum subgraph g)
{
    const struct cpu_delegates *d = &dev->delegates;
    const struct cpu_normals *n = &dev->normals;
    int to = subgraph_columns(g) == DELEGATES;
    struct mark_push marking = {.dev = dev,
                              .visited = to ? d->visited : n->visited,
                              .parent = to ? d->parent : n->parent,
                              .words = words_to(dev->shard, g),
                              .g = g,
                              .keeps = n->any_pulled_next};
    choose_way(&marking);
    uint64_t found = run_marking(&marking);
    if (to)
        dev->delegates.any_updated |= found > 0;
    else
        dev->normals.any_pulled_next = 1;
    return to ? 0 : found;
}

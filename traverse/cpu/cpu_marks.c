/* cpu_marks.c: large pushes by masks of marks; its twin is cpu_list.c
 *
 * Each thread has a mask of its own, and sets the bit of every destination, visited or not. So an edge costs
 * a write to the thread's cache, and nothing is claimed or listed. Then the masks of all threads are joined,
 * word by word. The frontier's rows are gathered (cpu_gather.c), and threads take equal shares of its edges,
 * which may begin and end within a row: one hub holds up nobody. Bytes that must move: for each row 8 of
 * offsets, for each edge 4 of the column, and for each thread twice a mask.
 *
 * Parents that are written at once lie anywhere, in lines that the caches of other cores have: 6 ns each. So
 * each thread puts vertices, with their parents, into bins by ranges of vertices. Then a thread empties
 * all bins of a range, whose parents fit into its cache. A range is some blocks of vertices, from all over:
 * those at the front have the most edges, and are found by every thread. That moves 16 bytes more for each
 * vertex and thread, in sequence. A share for which bins have no room writes its parents at once.
 */
#include "cpu_bins.h"
#include "cpu_device.h"

#include <string.h>

enum {
    SHARES_A_THREAD = 4,
    OFFSETS_AHEAD = 16, /* rows */
    COLUMNS_AHEAD = 4,  /* three lines of each: as many as a core can wait for */
    PIECE_WORDS = 128   /* of the masks, that a thread joins at a time */
};

enum {
    MOST_RANGES = 64,
    BLOCK_BITS = 10,      /* log2 of the vertices of a block */
    RANGE_BITS = 18,      /* of those of a range: their parents fit into the cache of a core */
    RANGES_OF_THREAD = 2, /* at least, so that all have work */
    BINS_AHEAD = 32       /* words of a bin: twice the vertices */
};

/* The bins of a thread, at the begin of its memory for them. */
struct range_bins {
    uint8_t *pool;                 /* chunks that are not used yet */
    uint32_t *first[MOST_RANGES];  /* chunks of the bin for each range: pairs of a vertex and its parent */
    uint32_t *at[MOST_RANGES];     /* where the next pair goes */
};

/* How parents are written. */
enum parents_way { NO_PARENTS, PARENTS_AT_ONCE, PARENTS_BY_BINS };

/* A push, as all threads see it. */
struct marking {
    struct device *dev;
    const struct csr *csr;
    const uint64_t *visited; /* of destinations */
    uint32_t *parent;        /* of destinations; NULL: not recorded */
    uint64_t words;          /* of a mask of destinations */
    uint64_t shares;
    enum parents_way way;
    uint32_t range_bits; /* log2 of the ranges */
    enum subgraph g;
    uint32_t first, span; /* columns that are vertices of this shard */
    int keeps; /* adds to vertices of earlier pulls of the level */
    _Atomic uint64_t found;
    uint8_t *came; /* [threads]: 1 if the mask of a thread has marks */
};

/* The arrays that one thread uses at each edge. */
struct marker {
    uint64_t *marks; /* by bins: those visited before, too */
    const uint64_t *visited;
    uint32_t *parent;
    const struct column_readers *readers;
    struct range_bins *bins;
    uint32_t range_bits;
    uint32_t first, span; /* columns that are vertices of this shard */
};

static uint64_t *marks_of(const struct device *dev, int thread)
{
    return dev->crew.seen + (size_t)thread * dev->crew.seen_words;
}

static struct range_bins *bins_of(const struct device *dev, int thread)
{
    return (struct range_bins *)chunks_of(dev->crew.bins, dev->crew.bin_bytes, thread);
}

/* Bins begin at different places of their chunks: they fill alike, and their ends would be in one set of the
 * first cache. */
static void open_bins(struct range_bins *bins, uint64_t ranges)
{
    enum { LINE = 16 };
    bins->pool = (uint8_t *)bins + CHUNK_BYTES;
    for (uint64_t i = 0; i < ranges; i++)
        bins->first[i] = bins->at[i] = new_chunk(&bins->pool) + i % (MOST_RANGES - 1) * LINE;
}

/* The range of a vertex. Blocks are dealt out in turns, each of which begins one range further: at equal
 * distances they would be in few sets of a cache. */
static inline uint32_t range_of(const struct marker *m, uint32_t vertex)
{
    uint32_t block = vertex >> BLOCK_BITS;
    return (block + (block >> m->range_bits)) & ((UINT32_C(1) << m->range_bits) - 1);
}

/* Marks a destination and writes its parent, without a branch: whether the destination is new is a coin toss. A
 * parent that is not needed goes to a dummy, or is overwritten by the next. Any of the threads that find a vertex may
 * be the last to write its parent. */
static inline void mark(const struct marker *m, uint32_t to, uint32_t from, enum parents_way way)
{
    uint64_t word = m->marks[to / 64], bit = UINT64_C(1) << (to % 64);
    uint32_t nowhere;
    m->marks[to / 64] = word | bit;
    if (way == PARENTS_AT_ONCE) {
        uint32_t own = to - m->first, here = own < m->span, id = here ? own : 0;
        uint32_t *at = !here || ((word | m->visited[id / 64]) & bit) != 0 ? &nowhere : &m->parent[id];
        __atomic_store_n(at, from, __ATOMIC_RELAXED);
    } else if (way == PARENTS_BY_BINS) {
        uint32_t **bin = &m->bins->at[range_of(m, to)], *at = *bin;
        const uint32_t pair[2] = {to, from};
        memcpy(at, pair, sizeof pair);
        *bin = next_place(&m->bins->pool, at + ((word & bit) == 0 ? 2 : 0));
    }
}

/* Marks columns begin..end of the rest of a row, which are kept packed. */
static __attribute__((noinline)) void mark_packed(const struct marker *m, const struct csr *csr, uint32_t row,
                                                  uint64_t begin, uint64_t end, uint32_t tag,
                                                  enum parents_way way)
{
    uint64_t first = csr_offset(csr, row);
    uint32_t room[COLUMN_ROOM];
    while (begin < end) {
        struct column_run run = next_columns(m->readers, csr, row, first + begin, first + end, room);
        for (uint64_t i = 0; i < run.count; i++)
            mark(m, run.columns[i], tag | row, way);
        begin += run.count;
    }
}

/* Marks by edges begin..end of a row; edge j < heads stands in the head columns. */
static inline __attribute__((always_inline)) void
mark_row(const struct marker *m, const struct csr *csr, uint32_t row, uint64_t begin, uint64_t end,
         uint32_t tag, enum parents_way way)
{
    const uint32_t *columns = (const uint32_t *)csr->columns + csr_offset(csr, row);
    uint64_t k = csr->head_columns;
    for (uint64_t j = begin; j < end && j < k; j++)
        mark(m, csr->heads[j * csr->rows + row], tag | row, way);
    begin = begin < k ? k : begin;
    if (csr->packed.words != NULL && begin < end)
        mark_packed(m, csr, row, begin - k, end - k, tag, way);
    for (uint64_t j = begin; j < end && csr->packed.words == NULL; j++)
        mark(m, columns[j - k], tag | row, way);
}

static inline void ask_for_rows(const struct push_list *push, const struct csr *csr, uint64_t i)
{
    if (i + OFFSETS_AHEAD < push->count)
        prefetch_offset(csr, push->rows[i + OFFSETS_AHEAD]);
    if (i + COLUMNS_AHEAD >= push->count)
        return;
    uint64_t row = push->rows[i + COLUMNS_AHEAD], at = csr_offset(csr, row);
    for (uint32_t j = 0; j < csr->head_columns; j++)
        __builtin_prefetch(&csr->heads[j * csr->rows + row]);
    ask_for_columns(csr, at);
    if (csr->packed.words != NULL)
        return;
    __builtin_prefetch((const uint32_t *)csr->columns + at + 16);
    __builtin_prefetch((const uint32_t *)csr->columns + at + 32);
}

static inline __attribute__((always_inline)) void
mark_share(const struct marking *p, const struct marker *m, uint64_t share, enum parents_way way)
{
    const struct push_list *push = &p->dev->push;
    uint32_t tag = subgraph_rows(p->g) == DELEGATES ? PARENT_DELEGATE_BIT : 0;
    uint64_t begin = share_begin(push->edges, (int)p->shares, (int)share);
    uint64_t end = share_begin(push->edges, (int)p->shares, (int)share + 1);
    for (uint64_t i = begin < end ? row_of_edge(push, begin) : push->count;
         i < push->count && push->prefix[i] < end; i++) {
        uint64_t first = push->prefix[i], last = push->prefix[i + 1];
        ask_for_rows(push, p->csr, i);
        mark_row(m, p->csr, push->rows[i], begin > first ? begin - first : 0,
                 (end < last ? end : last) - first, tag, way);
    }
}

static uint64_t ranges_of(const struct marking *p)
{
    return UINT64_C(1) << p->range_bits;
}

static void begin_marks(const struct marking *p, const struct marker *m, int thread)
{
    p->came[thread] = 1;
    if (p->way == PARENTS_BY_BINS) {
        open_bins(m->bins, ranges_of(p));
        memcpy(m->marks, p->visited, p->words * sizeof *m->marks);
    } else {
        memset(m->marks, 0, p->words * sizeof *m->marks);
    }
}

/* Whether the bins of a thread have room for a share, if all of its edges find something. */
static int has_room(const struct marking *p, const struct marker *m, int thread)
{
    const struct cpu_crew_memory *memory = &p->dev->crew;
    const uint8_t *end = memory->bins + (uint64_t)(thread + 1) * memory->bin_bytes;
    uint64_t most = (p->dev->push.edges / p->shares + 1) * 2 * sizeof(uint32_t);
    return (uint64_t)(end - m->bins->pool) / CHUNK_BYTES > most / (CHUNK_BYTES - CHUNK_HEAD) + MOST_RANGES;
}

static void mark_shares(void *context, struct turn *turn)
{
    const struct marking *p = context;
    struct marker m = {.marks = marks_of(p->dev, turn->number),
                       .visited = p->visited,
                       .parent = p->parent,
                       .readers = p->dev->means.readers,
                       .range_bits = p->range_bits,
                       .first = p->first,
                       .span = p->span};
    uint64_t share;
    if (p->way == PARENTS_BY_BINS)
        m.bins = bins_of(p->dev, turn->number);
    while ((share = gang_piece(turn)) != GANG_NO_PIECE) {
        if (!p->came[turn->number])
            begin_marks(p, &m, turn->number);
        if (p->way == PARENTS_BY_BINS && has_room(p, &m, turn->number))
            mark_share(p, &m, share, PARENTS_BY_BINS);
        else if (p->way != NO_PARENTS)
            mark_share(p, &m, share, PARENTS_AT_ONCE);
        else
            mark_share(p, &m, share, NO_PARENTS);
    }
}

static void empty_chunk(uint32_t *parent, const uint32_t *pair, const uint32_t *end)
{
    for (; pair < end; pair += 2) {
        if (end - pair > BINS_AHEAD)
            __builtin_prefetch(&parent[pair[BINS_AHEAD]], 1);
        parent[pair[0]] = pair[1];
    }
}

/* Writes parents of the ranges begin..end, from the bins of all threads. */
static void empty_bins(void *context, uint64_t begin, uint64_t end)
{
    const struct marking *p = context;
    for (uint64_t range = begin; range < end; range++) {
        for (int t = 0; t < p->dev->threads; t++) {
            const struct range_bins *bins = bins_of(p->dev, t);
            const uint32_t *next, *chunk = p->came[t] ? bins->first[range] : NULL;
            for (; chunk != NULL; chunk = next)
                empty_chunk(p->parent, chunk, end_of_chunk(chunk, bins->at[range], &next));
        }
    }
}

/* Notes new vertices of this shard. Returns how many; of delegates at least one, if any. */
static uint64_t settle_marks(const struct marking *p, uint64_t w, uint64_t marks)
{
    uint64_t fresh = marks & ~p->visited[w];
    if (subgraph_columns(p->g) == NORMALS)
        return visit_word(p->dev, w, fresh, p->keeps);
    return fresh != 0 ? update_word(p->dev, w, fresh, 1) : 0;
}

/* The same by nn's columns: shows vertices of other shards to these. */
static uint64_t settle_column_word(const struct marking *p, uint64_t w, uint64_t marks)
{
    const struct shard *shard = p->dev->shard;
    const struct cpu_shown *shown = &p->dev->traffic.shown;
    uint64_t owner = w / column_words(shard), own = w % column_words(shard);
    if (owner == shard->index)
        return own < mask_words(shard->locals) ? settle_marks(p, own, marks) : 0;
    shown->mask[w] = marks;
    if (marks != 0)
        __atomic_store_n(&shown->count[owner], 1, __ATOMIC_RELAXED); /* there are some */
    return 0;
}

static void join_masks(void *context, uint64_t begin, uint64_t end)
{
    struct marking *p = context;
    const struct device *dev = p->dev;
    uint64_t sum[PIECE_WORDS] = {0}, found = 0;
    for (int t = 0; t < dev->threads; t++) {
        const uint64_t *marks = marks_of(dev, t) + begin;
        for (uint64_t i = 0; p->came[t] && i < end - begin; i++)
            sum[i] |= marks[i];
    }
    for (uint64_t w = begin; w < end; w++) {
        found += leads_to_shards(dev->shard, p->g) ? settle_column_word(p, w, sum[w - begin])
                                                   : settle_marks(p, w, sum[w - begin]);
    }
    if (found > 0)
        p->found += found;
}

/* Returns how many vertices it found; of delegates, at least one if any. */
static uint64_t run_marking(struct marking *p)
{
    struct device *dev = p->dev;
    int threads = gather_rows(dev, p->g);
    uint8_t came[MOST_GANG] = {0};
    p->came = came;
    p->shares = threads == 1 ? 1 : (uint64_t)threads * SHARES_A_THREAD;
    gang_run(dev->means.gang, threads, p->shares, mark_shares, p);
    if (p->way == PARENTS_BY_BINS)
        gang_for(dev->means.gang, threads, ranges_of(p), 1, empty_bins, p);
    gang_for(dev->means.gang, threads_for(dev, 4 * p->words), p->words, PIECE_WORDS, join_masks, p);
    return p->found;
}

static void choose_parents_way(struct marking *p, uint32_t *parent)
{
    const struct device *dev = p->dev;
    uint64_t least = (uint64_t)dev->threads * RANGES_OF_THREAD;
    p->parent = parent;
    p->way = PARENTS_AT_ONCE;
    if (dev->crew.bin_bytes > 0 && !leads_to_shards(dev->shard, p->g))
        p->way = PARENTS_BY_BINS;
    while (ranges_of(p) < MOST_RANGES && (ranges_of(p) < least || ranges_of(p) << RANGE_BITS < 64 * p->words))
        p->range_bits++;
}

uint64_t push_marks(struct device *dev, enum subgraph g)
{
    const struct cpu_delegates *d = &dev->delegates;
    const struct cpu_normals *n = &dev->normals;
    const struct shard *shard = dev->shard;
    int to = subgraph_columns(g) == DELEGATES, mixed = leads_to_shards(shard, g);
    struct marking marking = {.dev = dev,
                              .csr = &dev->shard->csr[g],
                              .visited = to ? d->visited : n->visited,
                              .words = words_to(shard, g),
                              .first = mixed ? shard->index << shard->local_bits : 0,
                              .span = mixed ? (uint32_t)shard->locals : UINT32_MAX,
                              .g = g,
                              .keeps = n->any_pulled_next};
    if (dev->parents)
        choose_parents_way(&marking, to ? d->parent : n->parent);
    uint64_t found = run_marking(&marking);
    if (to)
        dev->delegates.any_updated |= found > 0;
    else
        dev->normals.any_pulled_next = 1;
    return to ? 0 : found;
}

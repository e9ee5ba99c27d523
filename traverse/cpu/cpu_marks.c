/* cpu_marks.c: large pushes of a device that is alone, by masks of marks; its twin is cpu_push.c
 *
 * Each thread has a mask of its own, and sets the bit of every destination, visited or not. So an edge costs
 * a write to the thread's cache, and nothing is claimed or listed. Then the masks of all threads are joined,
 * word by word. The frontier's rows are gathered (cpu_gather.c), and threads take equal shares of its edges,
 * which may begin and end within a row: one hub holds up nobody. Bytes that must move: for each row 8 of
 * offsets, for each edge 4 of the column, and for each thread twice a mask.
 */
#include "cpu_device.h"

#include <string.h>

enum {
    SHARES_A_THREAD = 4,
    OFFSETS_AHEAD = 16, /* rows */
    COLUMNS_AHEAD = 8,
    PIECE_WORDS = 256   /* of the masks, that a thread joins at a time */
};

/* A push, as all threads see it. */
struct marking {
    struct device *dev;
    const struct csr *csr;
    const uint64_t *visited; /* of destinations */
    uint32_t *parent;        /* of destinations; NULL: not recorded */
    uint64_t words;          /* of a mask of destinations */
    uint64_t shares;
    enum subgraph g;
    int keeps; /* what earlier pulls of the level found */
    _Atomic uint64_t found;
    uint8_t *came; /* [threads] whose masks have marks */
};

/* What one thread needs at each edge. */
struct marker {
    uint64_t *marks;
    const uint64_t *visited;
    uint32_t *parent;
    const struct column_readers *readers;
};

static uint64_t *marks_of(const struct device *dev, int thread)
{
    return dev->crew.seen +
           (size_t)thread * (mask_words(dev->shard->d) + mask_words(dev->shard->locals));
}

/* Whether a destination is new is a coin toss, so a parent is always written: of one that is not new, to
 * nowhere. Any of the threads that find a vertex may be the last to write its parent. */
static inline void mark(const struct marker *m, uint32_t to, uint32_t from, int parents)
{
    uint64_t word = m->marks[to / 64], bit = UINT64_C(1) << (to % 64);
    uint32_t nowhere;
    m->marks[to / 64] = word | bit;
    if (parents) {
        uint32_t *at = ((word | m->visited[to / 64]) & bit) != 0 ? &nowhere : &m->parent[to];
        __atomic_store_n(at, from, __ATOMIC_RELAXED);
    }
}

/* Columns begin..end of the rest of a row, which are kept packed. */
static __attribute__((noinline)) void mark_packed(const struct marker *m, const struct csr *csr, uint32_t row,
                                                  uint64_t begin, uint64_t end, uint32_t tag, int parents)
{
    uint64_t first = csr_offset(csr, row);
    uint32_t room[COLUMN_ROOM];
    while (begin < end) {
        struct column_run run = next_columns(m->readers, csr, row, first + begin, first + end, room);
        for (uint64_t i = 0; i < run.count; i++)
            mark(m, run.columns[i], tag | row, parents);
        begin += run.count;
    }
}

/* Edges begin..end of a row; edge j < heads stands in the head columns. */
static inline __attribute__((always_inline)) void
mark_row(const struct marker *m, const struct csr *csr, uint32_t row, uint64_t begin, uint64_t end,
         uint32_t tag, int parents)
{
    const uint32_t *columns = (const uint32_t *)csr->columns + csr_offset(csr, row);
    uint64_t k = csr->head_columns;
    for (uint64_t j = begin; j < end && j < k; j++)
        mark(m, csr->heads[j * csr->rows + row], tag | row, parents);
    begin = begin < k ? k : begin;
    if (csr->packed.words != NULL && begin < end)
        mark_packed(m, csr, row, begin - k, end - k, tag, parents);
    for (uint64_t j = begin; j < end && csr->packed.words == NULL; j++)
        mark(m, columns[j - k], tag | row, parents);
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
    if (csr->packed.words == NULL)
        __builtin_prefetch((const uint32_t *)csr->columns + at + 16);
}

static inline __attribute__((always_inline)) void
mark_share(const struct marking *p, const struct marker *m, uint64_t share, int parents)
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
                 (end < last ? end : last) - first, tag, parents);
    }
}

static void mark_shares(void *context, struct turn *turn)
{
    const struct marking *p = context;
    struct marker m = {marks_of(p->dev, turn->number), p->visited, p->parent,
                       p->dev->means.readers};
    uint64_t share;
    while ((share = gang_piece(turn)) != GANG_NO_PIECE) {
        if (!p->came[turn->number])
            memset(m.marks, 0, p->words * sizeof *m.marks);
        p->came[turn->number] = 1;
        if (p->parent != NULL)
            mark_share(p, &m, share, 1);
        else
            mark_share(p, &m, share, 0);
    }
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
        uint64_t fresh = sum[w - begin] & ~p->visited[w];
        if (subgraph_columns(p->g) == NORMALS)
            found += visit_word(dev, w, fresh, p->keeps);
        else if (fresh != 0)
            found += update_word(dev, w, fresh, 1);
    }
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
    gang_for(dev->means.gang, threads_for(dev, 4 * p->words), p->words, PIECE_WORDS, join_masks, p);
    return p->found;
}

uint64_t push_marks(struct device *dev, enum subgraph g)
{
    const struct cpu_delegates *d = &dev->delegates;
    const struct cpu_normals *n = &dev->normals;
    int to = subgraph_columns(g) == DELEGATES;
    struct marking marking = {.dev = dev,
                              .csr = &dev->shard->csr[g],
                              .visited = to ? d->visited : n->visited,
                              .words = mask_words(to ? dev->shard->d : dev->shard->locals),
                              .g = g,
                              .keeps = n->any_pulled_next};
    if (dev->parents)
        marking.parent = to ? d->parent : n->parent;
    uint64_t found = run_marking(&marking);
    if (to)
        dev->delegates.any_updated |= found > 0;
    else
        dev->normals.any_pulled_next = 1;
    return to ? 0 : found;
}

/* cpu_list.c: a level by lists, for frontiers that are small: one thread, no pass over a mask. Its loops over rows also
 * serve the threads of a crew (cpu_crew.c), which put what they find into bins.
 *
 * The level loop (bfs.c) with the phases of cpu_search.c is its twin. It leaves the same state behind: the
 * next frontier is listed, visited and counted.
 *
 * Whether a destination is new is a coin toss. So it is always written behind the next list and marked, and
 * it is counted only if it was new, without a branch. Its parent goes into a list beside it, and from there
 * to its place, which is asked for ahead: a store that misses the cache holds up those behind it. Offsets
 * and columns are asked for ahead, too, because the rows of a frontier lie anywhere. Bytes that must move
 * for each row: 8 of offsets, 4 for each head column, and 4 for each further column; for each vertex found 4
 * of the list and 4 of the depth, and as many for its parent.
 */
#include "cpu_bins.h"
#include "cpu_list.h"

#include <string.h>

/* ---- rows of equal length ---- */

/* The even rows of a run of vertices. A row has at most as many edges as the degree of its vertex, so all have
 * as many if the sum says so. */
static struct even_rows even_rows_of(const struct csr *csr, uint64_t first, struct degree_run run)
{
    if (run.vertices < csr->rows - csr->rows / 8)
        return (struct even_rows){0};
    uint64_t offset = csr_offset(csr, first), all = csr_offset(csr, first + run.vertices) - offset;
    struct even_rows even = {first, run.vertices, all / run.vertices, offset};
    int are_even = all % run.vertices == 0 && even.length + csr->head_columns == run.degree;
    return are_even ? even : (struct even_rows){0};
}

void find_even_rows(struct device *dev)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct csr *csr = &dev->shard->csr[g];
        int normals = subgraph_rows((enum subgraph)g) == NORMALS;
        const struct degree_list *degrees =
            normals ? &dev->shard->degrees.locals : &dev->shard->degrees.delegates;
        struct even_rows *even = &dev->push.even[g];
        uint64_t first = 0;
        for (uint64_t i = 0; i < degrees->count && csr->edges > 0 && even->count == 0; i++) {
            *even = even_rows_of(csr, first, degrees->runs[i]);
            first += degrees->runs[i].vertices;
        }
    }
}

/* ---- from masks to lists ---- */

static void list_delegates(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    struct frontier_view view = {NULL, 0, d->frontier, mask_words(dev->shard->d)};
    if (d->fresh_listed)
        return;
    d->fresh_count = gather_frontier(dev, view, NULL, d->fresh);
    memset(d->frontier, 0, view.words * sizeof *d->frontier);
    d->fresh_listed = 1;
}

static void list_normals(struct device *dev)
{
    struct cpu_normals *n = &dev->normals;
    struct frontier_view view = {NULL, 0, n->pulled, mask_words(dev->shard->locals)};
    if (!n->any_pulled)
        return;
    n->queue_count += gather_frontier(dev, view, NULL, n->queue + n->queue_count);
    n->any_pulled = 0;
    n->pulled_count = 0;
}

/* ---- pushes ---- */

/* Where a push puts what it finds: members of list_push that a loop keeps in registers. */
struct targets {
    uint32_t *next, *from;
    uint64_t *marked;
    const uint64_t *visited;
    uint32_t tag;
    struct list_bins bins;
};

static inline struct targets targets_of(const struct list_push *p)
{
    struct targets t = {p->next, p->from, p->marked, p->visited, .tag = p->tag};
    if (p->bins != NULL)
        t.bins = *p->bins;
    return t;
}

/* Puts a destination into the bin of its owner, unless this thread knows it, as it knows most. */
static inline void put(const struct targets *t, uint32_t to, uint32_t from, struct row_form form)
{
    uint64_t word = t->bins.seen[to / 64], bit = UINT64_C(1) << (to % 64);
    if ((word & bit) != 0)
        return;
    t->bins.seen[to / 64] = word | bit;
    uint32_t **bin = &t->bins.at[to >> t->bins.owned_bits & t->bins.owners], *at = *bin;
    at[0] = to;
    if (form.parents)
        at[1] = from;
    *bin = next_place(t->bins.pool, at + 1 + form.parents);
}

/* Adds a destination to the next list if it is new. Returns how many vertices the list has then. */
static inline uint64_t reach(const struct targets *t, uint64_t count, uint32_t row, uint32_t to, struct row_form form)
{
    if (form.marks == MARK_BINS) {
        put(t, to, t->tag | row, form);
        return count;
    }
    t->next[count] = to;
    if (form.parents)
        t->from[count] = t->tag | row;
    uint64_t marked = t->marked[to / 64];
    uint64_t is_new = ~(marked | (form.marks == MARK_APART ? t->visited[to / 64] : 0)) >> (to % 64) & 1;
    t->marked[to / 64] = marked | is_new << (to % 64);
    return count + is_new;
}

/* Pushes a part of a row, whose columns may be kept packed. */
static __attribute__((noinline)) uint64_t push_part(const struct list_push *p, uint64_t count, uint32_t row,
                                                    uint64_t at, uint64_t end, struct row_form form)
{
    struct targets t = targets_of(p);
    uint32_t room[COLUMN_ROOM];
    while (at < end) {
        struct column_run run = next_columns(p->readers, p->csr, row, at, end, room);
        for (uint64_t j = 0; j < run.count; j++)
            count = reach(&t, count, row, run.columns[j], form);
        at += run.count;
    }
    return count;
}

/* Puts a long row aside. Nonzero: there was room for it. */
static __attribute__((noinline)) int put_aside(const struct list_push *p, uint32_t row, uint64_t begin,
                                               uint64_t end)
{
    struct long_rows *aside = p->aside;
    uint32_t i = aside->count < MOST_LONG ? aside->count++ : MOST_LONG;
    if (i >= MOST_LONG)
        return 0;
    aside->row[i] = (struct long_row){p->g, row, begin, end, 0};
    return 1;
}

static inline __attribute__((always_inline)) uint64_t
push_rows(const struct list_push *push, uint64_t count, struct row_form form)
{
    const struct list_push p = *push;
    const struct targets t = targets_of(push);
    const uint32_t *heads = p.csr->heads, *columns = p.csr->columns;
    const uint64_t rows = p.csr->rows;
    const int packed = p.csr->packed.words != NULL;
    for (uint64_t i = 0; form.marks == MARK_BINS && i < COLUMNS_AHEAD && i < p.row_count && !form.sparse; i++)
        ask_for_columns(p.csr, row_offset(&p, p.rows[i], form));
    for (uint64_t i = 0; i < p.row_count; i++) {
        uint32_t row = p.rows[i];
        if (is_left_out(p.csr, row, form))
            continue;
        ask_ahead(&p, i, form);
        for (uint32_t j = 0; j < form.heads; j++) {
            uint32_t to = heads[j * rows + row];
            if (to == HEAD_NONE)
                break;
            count = reach(&t, count, row, to, form);
        }
        uint64_t at = row_offset(&p, row, form), end = row_offset(&p, row + UINT64_C(1), form);
        if (form.marks == MARK_BINS && end - at > LONG_ROW && put_aside(push, row, at, end))
            continue;
        if (packed) {
            count = push_part(push, count, row, at, end, form);
            continue;
        }
        for (; at < end; at++)
            count = reach(&t, count, row, columns[at], form);
    }
    return count;
}

static struct row_form form_of(const struct list_push *p)
{
    enum marking marks = p->bins != NULL ? MARK_BINS : p->marked != p->visited ? MARK_APART : MARK_VISITED;
    return (struct row_form){p->parent != NULL, marks, p->csr->head_columns,
                             p->csr->offset_width, is_sparse(p->csr), p->even.count > 0};
}

uint64_t push_columns(const struct list_push *p, uint64_t count, uint32_t row, uint64_t begin, uint64_t end)
{
    return push_part(p, count, row, begin, end, form_of(p));
}

/* The common forms have a loop of their own: parents or not; rows of equal length, none to two heads. */
static inline __attribute__((always_inline)) uint64_t
push_common(const struct list_push *p, uint64_t count, struct row_form form, enum marking marks)
{
    if (form.even && form.heads == 0)
        return form.parents ? push_rows(p, count, (struct row_form){1, marks, 0, 4, 0, 1})
                            : push_rows(p, count, (struct row_form){0, marks, 0, 4, 0, 1});
    switch (form.heads + 3 * (uint32_t)form.parents) {
    case 0:
        return push_rows(p, count, (struct row_form){0, marks, 0, 4, 0, 0});
    case 1:
        return push_rows(p, count, (struct row_form){0, marks, 1, 4, 0, 0});
    case 2:
        return push_rows(p, count, (struct row_form){0, marks, 2, 4, 0, 0});
    case 3:
        return push_rows(p, count, (struct row_form){1, marks, 0, 4, 0, 0});
    case 4:
        return push_rows(p, count, (struct row_form){1, marks, 1, 4, 0, 0});
    default:
        return push_rows(p, count, (struct row_form){1, marks, 2, 4, 0, 0});
    }
}

uint64_t push_rows_of(const struct list_push *p, uint64_t count)
{
    struct row_form form = form_of(p);
    if (form.marks == MARK_APART || form.offset_width != 4 || form.sparse || form.heads > 2)
        return push_rows(p, count, form);
    return form.marks == MARK_BINS ? push_common(p, count, form, MARK_BINS)
                                     : push_common(p, count, form, MARK_VISITED);
}

static uint64_t push_listed(const struct device *dev, enum subgraph g, uint64_t count)
{
    struct list_push p = describe_push(dev, g);
    uint64_t end = dev->frontier[g] > 0 ? push_rows_of(&p, count) : count;
    settle_parents(&p, count, end);
    return end;
}

void push_from_list(struct device *dev, enum subgraph g)
{
    struct cpu_normals *n = &dev->normals;
    struct list_push p = describe_push(dev, g);
    if (subgraph_rows(g) == DELEGATES ? !dev->delegates.fresh_listed : n->any_pulled) {
        p.rows = dev->push.rows;
        p.row_count = gather_sources(dev, g);
    }
    if (subgraph_columns(g) == DELEGATES) {
        p.marked = dev->delegates.updated;
        p.next = (uint32_t *)dev->push.prefix; /* nobody reads it */
        uint64_t found = push_rows_of(&p, 0);
        settle_parents(&p, 0, found);
        dev->delegates.any_updated |= found > 0;
        return;
    }
    uint64_t first = n->next_count;
    n->next_count = push_rows_of(&p, first);
    settle_parents(&p, first, n->next_count);
    mark_depths(n->next + first, n->next_count - first, n->depth, dev->depth + 1);
}

/* ---- the next frontier ---- */

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *list = *a;
    *a = *b;
    *b = list;
}

void swap_lists(struct device *dev, uint64_t delegates, uint64_t normals)
{
    swap(&dev->delegates.fresh, &dev->delegates.next);
    swap(&dev->normals.queue, &dev->normals.next);
    dev->delegates.fresh_count = delegates;
    dev->normals.queue_count = normals;
    dev->normals.next_count = 0;
}

void list_whole_frontier(struct device *dev)
{
    list_delegates(dev);
    list_normals(dev);
}

void run_level_by_lists(struct device *dev)
{
    struct cpu_delegates *d = &dev->delegates;
    struct cpu_normals *n = &dev->normals;
    list_whole_frontier(dev);
    uint64_t delegates = push_listed(dev, ND, push_listed(dev, DD, 0));
    uint64_t normals = push_listed(dev, NN, push_listed(dev, DN, 0));
    swap_lists(dev, delegates, normals);
    dev->depth++;
    mark_depths(d->fresh, delegates, d->depth, dev->depth);
    mark_depths(n->queue, normals, n->depth, dev->depth);
    count_frontier(dev);
}

/* cpu_rows.c: pushes along rows of a frontier, for all ways of marking what is found (cpu_rows.h), by one thread or by
 * several
 *
 * Whether a destination is new is a coin toss. So one thread always writes it behind the next list and marks it, and it
 * is counted only if it was new, without a branch. Its parent goes into a list beside it, and from there to its place,
 * which is asked for ahead: a store that misses the cache holds up those behind it. Offsets and columns are asked for
 * ahead, too, because the rows of a frontier lie anywhere. Bytes that must move for each row: 8 of offsets, 4 for each
 * head column, and 4 for each further column; for each vertex found 4 of the list and 4 of the depth, and as many for
 * its parent.
 *
 * Several threads take pieces of the rows. Very long rows are put aside, and cut into pieces of their own: one hub holds
 * up nobody.
 */
#include "cpu_rows.h"

#include <string.h>

/* ---- rows of equal length ---- */

/* The even rows of a run of vertices. A row has at most as many edges as the degree of its vertex, so all have
 * as many if the sum says so. */
static struct even_rows even_rows_of(const struct csr *csr, uint64_t first, struct degree_run run)
{
    if (run.vertices < csr->rows - csr->rows / 8)
        return (struct even_rows){0};
    uint64_t offset = csr_offset(csr, first), all = csr_offset(csr, first + run.vertices) - offset;
    struct even_rows even = {first, run.vertices, all / run.vertices, offset, 0};
    int are_even = all % run.vertices == 0 && even.length + csr->head_columns == run.degree;
    return are_even ? even : (struct even_rows){0};
}

/* Whether most columns of even rows are near their row, by a sample. Columns that are kept packed count as far. */
static int lead_near(const struct csr *csr, const struct even_rows *even)
{
    enum { SAMPLE = 1024, NEAR = 1 << 12 };
    uint64_t near = 0, step = even->count / SAMPLE + 1, all = 0;
    for (uint64_t i = 0; i < even->count && csr->packed.words == NULL; i += step) {
        for (uint64_t j = 0; j < even->length; j++, all++)
            near += csr_column(csr, even->offset + i * even->length + j) - (even->first + i) + NEAR < 2 * NEAR;
    }
    return near > all / 2;
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
        even->near = lead_near(csr, even);
    }
}

/* ---- rows ---- */

enum { COLUMNS_AHEAD = 16 }; /* rows between asking for columns and using them; for offsets AHEAD */

/* Properties of all rows of a subgraph: constants of the loop over them. */
struct row_form {
    int parents;
    enum marking marks;
    uint32_t heads, offset_width;
    int sparse, even; /* even: most rows are in row_push.even: it is worth a look whether a row is */
};

/* Whether several threads push, each a piece. */
static inline int is_piece(struct row_form form)
{
    return form.marks != MARK_VISITED && form.marks != MARK_APART;
}

static inline int is_left_out(const struct csr *csr, uint64_t row, struct row_form form)
{
    return form.sparse && !mask_bit(csr->sources, row);
}

/* The offset of a row, which is the end of the row before. */
static inline uint64_t row_offset(const struct row_push *p, uint64_t row, struct row_form form)
{
    const struct csr *csr = p->csr;
    if (form.even && row - p->even.first <= p->even.count)
        return p->even.offset + (row - p->even.first) * p->even.length;
    return form.offset_width == 4 ? ((const uint32_t *)csr->offsets)[row]
                                  : ((const uint64_t *)csr->offsets)[row];
}

/* Asks for heads and columns of a row. Pushes of many edges have long rows: three lines of each are as many as a core
 * can wait for. Always inlined, here and below, as a compiler may drop calls that only ask ahead. */
static inline __attribute__((always_inline)) void prefetch_row(const struct row_push *p, uint64_t row,
                                                              struct row_form form)
{
    enum { LINE = 16, LINES = 3 };
    const struct csr *csr = p->csr;
    uint64_t at = row_offset(p, row, form);
    for (uint32_t j = 0; j < form.heads; j++)
        __builtin_prefetch(&csr->heads[j * csr->rows + row]);
    prefetch_columns(csr, at);
    if (!is_piece(form) || form.marks == MARK_BINS || form.marks == MARK_KNOWN || csr->packed.words != NULL)
        return;
    for (uint64_t line = 1; line < LINES; line++)
        __builtin_prefetch((const uint32_t *)csr->columns + at + line * LINE);
}

/* Asks for data of later rows. */
static inline __attribute__((always_inline)) void prefetch_ahead(const struct row_push *p, uint64_t i,
                                                            struct row_form form)
{
    if (form.sparse)
        return;
    if (!form.even && i + AHEAD < p->row_count)
        __builtin_prefetch((const char *)p->csr->offsets +
                           (uint64_t)p->rows[i + AHEAD] * form.offset_width);
    if (i + COLUMNS_AHEAD < p->row_count)
        prefetch_row(p, p->rows[i + COLUMNS_AHEAD], form);
}

/* Puts a destination into the bin of its owner, with its parent if they are recorded. is_new 0: the next one takes
 * its place. */
static inline void put_in_bin(const struct push_targets *t, uint32_t to, uint32_t from, int parents, uint64_t is_new)
{
    uint32_t **bin = &t->bins.at[to >> t->bins.owned_bits & t->bins.owners], *at = *bin;
    at[0] = to;
    if (parents)
        at[1] = from;
    *bin = next_place(&t->bins.bins->pool, at + (is_new << parents));
}

/* Marks a destination. Returns whether it was new: 0 or 1. */
static inline uint64_t mark(uint64_t *marked, uint32_t to)
{
    uint64_t word = marked[to / 64];
    marked[to / 64] = word | UINT64_C(1) << (to % 64);
    return ~word >> (to % 64) & 1;
}

/* MARK_BINS: puts what is new of the list into bins, if it has at least `least` vertices, and marks it only now: marks
 * that are written while rows are read hold up the reads behind them. Returns how many the list has then. */
static inline __attribute__((always_inline)) uint64_t put_listed(const struct push_targets *t, uint64_t count,
                                                                 uint64_t least, struct row_form form)
{
    if (form.marks != MARK_BINS || count < least)
        return count;
    for (uint64_t i = 0; i < count; i++)
        put_in_bin(t, t->next[i], form.parents ? t->from[i] : 0, form.parents, mark(t->marked, t->next[i]));
    return 0;
}

/* Marks a destination and writes its parent, without a branch: whether the destination is new is a coin toss. A parent
 * that is not needed goes to a dummy, or is overwritten by the next. Any of the threads that find a vertex may be the
 * last to write its parent. */
static inline void mark_and_write(const struct push_targets *t, uint32_t to, uint32_t from)
{
    uint64_t word = t->marked[to / 64], bit = UINT64_C(1) << (to % 64);
    uint32_t nowhere, own = to - t->first, here = own < t->span, id = here ? own : 0;
    uint32_t *at = !here || ((word | t->visited[id / 64]) & bit) != 0 ? &nowhere : &t->parent[id];
    t->marked[to / 64] = word | bit;
    __atomic_store_n(at, from, __ATOMIC_RELAXED);
}

/* Puts a destination into the bin of its shard, without a branch: the shard is a coin toss, too. */
static inline void put_to_shard(struct shard_push *s, uint64_t to, uint32_t row)
{
    const struct shard *shard = s->dev->shard;
    struct bin *bin = &s->bins[to >> shard->local_bits];
    if (bin->count == bin->capacity && !s->make_room(s, bin))
        return;
    s->from[s->own->count] = row; /* of this destination, if it is of this shard */
    bin->ids[bin->count++] = (uint32_t)(to & ((UINT64_C(1) << shard->local_bits) - 1));
}

/* Adds a destination to the next list if it is new. Returns how many vertices the list has then. */
static inline uint64_t list_vertex(const struct push_targets *t, uint64_t count, uint32_t to, uint32_t from,
                                   struct row_form form)
{
    t->next[count] = to;
    if (form.parents)
        t->from[count] = from;
    uint64_t marked = t->marked[to / 64];
    uint64_t is_new = ~(marked | (form.marks == MARK_APART ? t->visited[to / 64] : 0)) >> (to % 64) & 1;
    if (form.marks != MARK_BINS)
        t->marked[to / 64] = marked | is_new << (to % 64);
    return count + is_new;
}

/* Does with a destination as `form.marks` says. Returns how many vertices the next list has then. */
static inline __attribute__((always_inline)) uint64_t
reach(const struct push_targets *t, uint64_t count, uint32_t row, uint64_t column, struct row_form form)
{
    uint32_t to = (uint32_t)column; /* for other shards it may have more bits */
    if (form.marks == MARK_KNOWN && mask_bit(t->marked, to))
        return count;
    if (form.marks == MARK_KNOWN)
        put_in_bin(t, to, t->tag | row, form.parents, mark(t->marked, to) | 1);
    else if (form.marks == MARK_PAIRS)
        put_in_bin(t, to, t->tag | row, 1, mark(t->marked, to));
    else if (form.marks == MARK_ALL)
        set_mask_bit(t->marked, to);
    else if (form.marks == MARK_WRITE)
        mark_and_write(t, to, t->tag | row);
    else if (form.marks == MARK_SHARDS)
        put_to_shard(t->shards, column, row);
    else
        return list_vertex(t, count, to, t->tag | row, form);
    return count;
}

/* Pushes a part of a row, whose columns may be kept packed. */
static inline __attribute__((always_inline)) uint64_t
push_columns(const struct row_push *p, uint64_t count, uint32_t row, uint64_t at, uint64_t end, struct row_form form)
{
    uint32_t capacity[COLUMN_ROOM];
    for (; p->csr->column_width == 8 && p->csr->packed.words == NULL && at < end; at++) {
        count = reach(&p->to, count, row, csr_column(p->csr, at), form);
        count = put_listed(&p->to, count, BINNED_AT_ONCE, form);
    }
    while (at < end) {
        uint64_t stop = end - at < LONG_ROW ? end : at + LONG_ROW;
        struct column_run run = next_columns(p->decode, p->csr, row, at, stop, capacity);
        for (uint64_t j = 0; j < run.count; j++)
            count = reach(&p->to, count, row, run.columns[j], form);
        count = put_listed(&p->to, count, BINNED_AT_ONCE, form);
        at += run.count;
    }
    return count;
}

/* The same with the way of marking as a constant. Not inlined, as its room is large. */
static __attribute__((noinline)) uint64_t push_part(const struct row_push *push, uint64_t count, uint32_t row,
                                                    uint64_t at, uint64_t end)
{
    const struct row_push p = *push;
    const int parents = p.to.parents;
    struct row_form form;
    switch (p.to.marks) {
    case MARK_BINS:
        form = (struct row_form){.parents = parents, .marks = MARK_BINS};
        return put_listed(&p.to, push_columns(&p, count, row, at, end, form), 1, form);
    case MARK_KNOWN:
        return push_columns(&p, count, row, at, end, (struct row_form){.parents = parents, .marks = MARK_KNOWN});
    case MARK_PAIRS:
        return push_columns(&p, count, row, at, end, (struct row_form){.marks = MARK_PAIRS});
    case MARK_ALL:
        return push_columns(&p, count, row, at, end, (struct row_form){.marks = MARK_ALL});
    case MARK_WRITE:
        return push_columns(&p, count, row, at, end, (struct row_form){.marks = MARK_WRITE});
    case MARK_SHARDS:
        return push_columns(&p, count, row, at, end, (struct row_form){.marks = MARK_SHARDS});
    default:
        return push_columns(&p, count, row, at, end, (struct row_form){.parents = parents, .marks = p.to.marks});
    }
}

/* Puts a long row aside. Nonzero: there was room for it. */
static __attribute__((noinline)) int put_aside(const struct row_push *p, uint32_t row, uint64_t begin,
                                               uint64_t end)
{
    struct long_rows *aside = p->aside;
    uint32_t i = aside != NULL && aside->count < MOST_LONG ? aside->count++ : MOST_LONG;
    if (i >= MOST_LONG)
        return 0;
    aside->row[i] = (struct row_part){p->g, row, begin, end, 0};
    return 1;
}

static inline __attribute__((always_inline)) uint64_t
push_rows(const struct row_push *push, uint64_t count, struct row_form form)
{
    const struct row_push p = *push;
    const uint32_t *heads = p.csr->heads, *columns = p.csr->columns;
    const uint64_t rows = p.csr->rows;
    const int plain = p.csr->packed.words == NULL && p.csr->column_width == 4;
    for (uint64_t i = 0; is_piece(form) && i < COLUMNS_AHEAD && i < p.row_count && !form.sparse; i++)
        prefetch_row(&p, p.rows[i], form);
    for (uint64_t i = 0; i < p.row_count; i++) {
        uint32_t row = p.rows[i];
        count = put_listed(&p.to, count, BINNED_AT_ONCE, form);
        if (is_left_out(p.csr, row, form))
            continue;
        prefetch_ahead(&p, i, form);
        for (uint32_t j = 0; j < form.heads; j++) {
            uint32_t to = heads[j * rows + row];
            if (to == HEAD_NONE)
                break;
            count = reach(&p.to, count, row, to, form);
        }
        uint64_t at = row_offset(&p, row, form), end = row_offset(&p, row + UINT64_C(1), form);
        if (is_piece(form) && end - at > LONG_ROW && put_aside(push, row, at, end))
            continue;
        if (!plain || (form.marks == MARK_BINS && end - at > LONG_ROW)) {
            count = push_part(push, count, row, at, end);
            continue;
        }
        for (; at < end; at++)
            count = reach(&p.to, count, row, columns[at], form);
    }
    return put_listed(&p.to, count, 1, form);
}

/* The common forms have a loop of their own: parents or not; rows of equal length, none to two heads. */
static inline __attribute__((always_inline)) uint64_t
push_common(const struct row_push *p, uint64_t count, struct row_form form, enum marking marks)
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

/* The same of the other ways of marking, with the way as a constant. */
static inline __attribute__((always_inline)) uint64_t
push_any(const struct row_push *p, struct row_form form, enum marking marks)
{
    form.marks = marks;
    form.parents = 0;
    return push_rows(p, 0, form);
}

uint64_t push_rows_of(const struct row_push *p, uint64_t count)
{
    struct row_form form = {p->to.parents,        p->to.marks, p->csr->head_columns,
                            p->csr->offset_width, p->sparse,   p->even.count > 0};
    if (p->row_count == 0)
        return push_part(p, count, p->part.row, p->part.begin, p->part.end);
    switch (p->to.marks) {
    case MARK_PAIRS:
        return push_any(p, form, MARK_PAIRS);
    case MARK_ALL:
        return push_any(p, form, MARK_ALL);
    case MARK_WRITE:
        return push_any(p, form, MARK_WRITE);
    case MARK_SHARDS:
        return push_any(p, form, MARK_SHARDS);
    default:
        if (form.marks == MARK_APART || form.offset_width != 4 || form.sparse || form.heads > 2)
            return push_rows(p, count, form);
        if (form.marks == MARK_KNOWN)
            return push_common(p, count, form, MARK_KNOWN);
        return form.marks == MARK_BINS ? push_common(p, count, form, MARK_BINS)
                                       : push_common(p, count, form, MARK_VISITED);
    }
}

/* ---- long rows ---- */

uint64_t number_long_pieces(struct long_rows *aside)
{
    uint64_t pieces = 0;
    if (aside->count > MOST_LONG)
        aside->count = MOST_LONG;
    for (uint32_t i = 0; i < aside->count; i++) {
        struct row_part *r = &aside->row[i];
        r->pieces = pieces;
        pieces += (r->end - r->begin + LONG_ROW - 1) / LONG_ROW;
    }
    return pieces;
}

struct row_part long_piece(const struct long_rows *aside, uint64_t piece)
{
    uint32_t i = 0;
    while (i + 1 < aside->count && aside->row[i + 1].pieces <= piece)
        i++;
    struct row_part part = aside->row[i];
    part.begin += (piece - part.pieces) * LONG_ROW;
    part.end = part.end - part.begin < LONG_ROW ? part.end : part.begin + LONG_ROW;
    return part;
}

/* ---- pushes of a frontier ---- */

struct row_push describe_push(struct device *dev, enum subgraph g)
{
    const struct cpu_delegates *d = &dev->delegates;
    const struct cpu_normals *n = &dev->normals;
    const struct csr *csr = &dev->shard->csr[g];
    int from = subgraph_rows(g) == DELEGATES, to = subgraph_columns(g) == DELEGATES;
    int mixed = leads_to_shards(dev->shard, g);
    struct push_targets targets = {.marks = MARK_VISITED,
                                   .parents = dev->parents,
                                   .tag = from ? PARENT_DELEGATE_BIT : 0,
                                   .visited = to ? d->visited : n->visited,
                                   .marked = to ? d->visited : n->visited,
                                   .next = to ? d->next : n->next,
                                   .from = dev->push.from + (to ? list_capacity(most_rows(dev)) : 0),
                                   .parent = to ? d->parent : n->parent,
                                   .first = mixed ? dev->shard->index << dev->shard->local_bits : 0,
                                   .span = mixed ? (uint32_t)dev->shard->locals : UINT32_MAX};
    return (struct row_push){.dev = dev,
                             .csr = csr,
                             .decode = dev->means.probes->decode,
                             .even = dev->push.even[g],
                             .rows = from ? d->fresh : n->queue,
                             .row_count = from ? d->fresh_count : n->queue_count,
                             .sparse = csr->source_rows * 16 < csr->rows,
                             .g = g,
                             .to = targets};
}

struct row_push describe_whole_push(struct device *dev, enum subgraph g)
{
    struct row_push p = describe_push(dev, g);
    if (subgraph_rows(g) == DELEGATES ? dev->delegates.fresh_listed : !dev->normals.any_pulled)
        return p;
    p.rows = dev->push.rows;
    p.row_count = gather_sources(dev, g);
    p.sparse = 0;
    return p;
}

/* ---- by several threads ---- */

/* A push, as all threads see it: first of pieces of its rows, then of its long rows. */
struct sharing {
    struct row_push rows;
    int threads;
    uint64_t unit; /* rows */
    push_piece *push;
    void *context;
    struct long_rows aside;
};

/* Each thread has pieces of 1, 2, 3, ... units, up to this many, as rows at the front may be the longest. A unit is some
 * rows that have about UNIT_EDGES edges, if they are of mean length. One thread takes all rows at once. */
enum { MOST_UNITS = 256, UNIT_EDGES = 256 };

/* The row with which a piece begins. */
static uint64_t first_row(const struct sharing *s, uint64_t piece)
{
    uint64_t threads = (uint64_t)s->threads, all = s->rows.row_count, size = piece / threads + 1;
    if (s->threads == 1)
        return piece > 0 ? all : 0;
    if (size > MOST_UNITS)
        size = MOST_UNITS;
    uint64_t row = s->unit * (threads * size * (size - 1) / 2 + (piece - threads * (size - 1)) * size);
    return row < all ? row : all;
}

/* Some of the last pieces may be empty. */
static uint64_t pieces_of_rows(const struct sharing *s)
{
    uint64_t pieces = 0, step = (uint64_t)s->threads, left;
    while ((left = s->rows.row_count - first_row(s, pieces)) > 0)
        pieces += step + (pieces >= MOST_UNITS * step ? left / (MOST_UNITS * s->unit) : 0);
    return pieces;
}

static uint64_t push_piece_of_rows(void *context, int thread, uint64_t piece)
{
    const struct sharing *s = context;
    uint64_t begin = first_row(s, piece);
    struct row_push p = s->rows;
    p.rows += begin;
    p.row_count = first_row(s, piece + 1) - begin;
    if (p.row_count > 0)
        s->push(s->context, thread, &p);
    return 0;
}

static uint64_t push_long_piece(void *context, int thread, uint64_t piece)
{
    const struct sharing *s = context;
    struct row_push p = s->rows;
    p.row_count = 0;
    p.part = long_piece(&s->aside, piece);
    s->push(s->context, thread, &p);
    return 0;
}

void push_by_threads(struct device *dev, enum subgraph g, int threads, push_piece *push, void *context)
{
    uint64_t unit = 1 + UNIT_EDGES * dev->frontier[g] / (dev->forward[g] + 1);
    struct sharing s = {describe_whole_push(dev, g), threads, unit, push, context, {0}};
    if (threads > 1)
        s.rows.aside = &s.aside;
    pool_run(dev->means.pool, threads, pieces_of_rows(&s), push_piece_of_rows, &s);
    uint64_t pieces = number_long_pieces(&s.aside);
    if (pieces > 0)
        pool_run(dev->means.pool, threads, pieces, push_long_piece, &s);
}

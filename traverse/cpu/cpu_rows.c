/* cpu_rows.c: pushes the rows of a frontier, for every kind of push (enum push_kind of cpu_rows.h)
 *
 * One thread calls push_rows for a whole frontier, or several threads call it for pieces of one. Whether a destination
 * is new cannot be predicted, so no branch depends on it: the destination is always written behind the end of the list
 * `next`, and the list grows only if it was new. Its parent goes into a list beside `next`, and from there, prefetched,
 * to its final place later, because a store that misses the cache delays the stores after it. Offsets and columns are
 * prefetched, too, because the rows of a frontier are anywhere in memory.
 *
 * Bytes that must move for each row: 8 of offsets, and 4 for each column. For each vertex found: 4 of the list and 4 of
 * the depth, and 8 more if parents are recorded.
 *
 * If several threads push, very long rows are put aside and pushed in pieces, so that no thread has to push a whole
 * hub. */
#include "cpu_rows.h"

#include "formats/base/arith.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- rows of equal length ---- */

/* Returns 1 if most columns of a sample of *even, rows that follow each other and are equally long, are close to the number of
 * their row; 0 for packed columns. */
static int are_columns_near(const struct csr *csr, const struct even_rows *even)
{
    enum { SAMPLE = 1024, NEAR = 1 << 12 };
    uint64_t near = 0, step = even->count / SAMPLE + 1, all = 0;
    for (uint64_t i = 0; i < even->count && csr->packed.words == NULL; i += step) {
        for (uint64_t j = 0; j < even->length; j++, all++)
            near += csr_column(csr, even->offset + i * even->length + j) - (even->first + i) + NEAR < 2 * NEAR;
    }
    return near > all / 2;
}

/* Returns 1 if most rows of a sample have a column close to one of the next row, as in a road network whose ids follow the map. Threads
 * that search from different places then seldom write to one cache line of depths (cpu_local.c). 0 for packed columns. */
static int are_rows_near(const struct csr *csr)
{
    enum { SAMPLE = 1024, NEAR = 256, LOOKS = 16 }; /* LOOKS: so many columns of a row are compared; rows of hubs are long */
    uint64_t near = 0, all = 0, step = csr->rows / SAMPLE + 1;
    for (uint64_t row = 0; row + 1 < csr->rows && csr->packed.words == NULL && csr->column_count > 0; row += step, all++) {
        const uint64_t begin = csr_offset(csr, row), next = csr_offset(csr, row + 1);
        const uint64_t end = smaller(next, begin + LOOKS), next_end = smaller(csr_offset(csr, row + 2), next + LOOKS);
        int is_near = 0;
        for (uint64_t i = begin; i < end; i++) {
            for (uint64_t j = next; j < next_end; j++)
                is_near |= csr_column(csr, i) - csr_column(csr, j) + NEAR < 2 * NEAR;
        }
        near += (uint64_t)is_near;
    }
    return near > all / 2;
}

/* Sets dev->rows_are_near (0 with several shards). Sets dev->even_rows of each subgraph to a run of rows of equal length, if it
 * has at least 7/8 of the subgraph's rows. Vertices of one degree have consecutive rows, none of which is longer than the degree. So
 * if the lengths of these rows add up to the degree times their number, all of them have the degree as length. */
void find_even_rows(struct device *dev)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        const struct csr *csr = &dev->shard->csr[g];
        const struct degree_list *degrees = subgraph_rows((enum subgraph)g) == NORMALS ? &dev->shard->degrees.locals
                                                                                       : &dev->shard->degrees.delegates;
        struct even_rows *even = &dev->even_rows[g];
        uint64_t first = 0;
        for (uint64_t i = 0; i < degrees->count && csr->edges > 0 && even->count == 0; i++) {
            struct degree_run run = degrees->runs[i];
            if (run.vertices >= csr->rows - csr->rows / 8) {
                uint64_t offset = csr_offset(csr, first), all = csr_offset(csr, first + run.vertices) - offset;
                uint64_t length = all / run.vertices;
                if (all % run.vertices == 0 && length + csr->head_columns == run.degree)
                    *even = (struct even_rows){.first = first, .count = run.vertices, .length = length, .offset = offset};
            }
            first += run.vertices;
        }
        even->near = are_columns_near(csr, even);
    }
    dev->rows_are_near = dev->shard->p == 1 && are_rows_near(&dev->shard->csr[NN]);
}

/* ---- destinations ---- */

/* What is constant in the loop over the rows of a push. The compiler makes a separate loop for each set of constants. */
struct push_case {
    enum push_kind kind;
    int parents;           /* 1: pushes yield parents */
    uint32_t heads;        /* number of head columns */
    uint32_t offset_width; /* number of bytes of an offset */
    int few_sources;       /* few rows have edges, so the bits of csr->sources are read first */
    int even;              /* most rows are in row_push.even, so their offsets are computed */
};

/* Sets the bit of a destination in `found`. Returns 1 if it was not set before. */
static inline uint64_t mark(uint64_t *found, uint32_t to)
{
    uint64_t word = found[to / 64];
    found[to / 64] = word | UINT64_C(1) << (to % 64);
    return ~word >> (to % 64) & 1;
}

/* Writes the destination `to`, and with `parents` its parent `from`, to the end of the bin of the destination's part. If
 * is_new is 0, the end does not move, and the next destination overwrites this one. */
static inline void put_in_bin(const struct push_targets *t, uint32_t to, uint32_t from, int parents, uint64_t is_new)
{
    enum { LINE = 16 };
    uint32_t **bin = &t->bins.end[to >> t->bins.block_bits & t->bins.last_part], *at = *bin;
    prefetch_to_write(at + LINE); /* another core has read the next line, too */
    at[0] = to;
    if (parents)
        at[1] = from;
    *bin = extend_bin(t->bins.pool, at + (is_new << parents)); /* a new vertex takes one word, or two with its parent */
}

/* PUSH_BINS_LATER: moves the `count` vertices of the list `next` to bins, if there are at least `least`. Drops vertices that
 * are in t->found already, and adds all others to it. This waits until rows have been read, because it would delay the
 * reads. Returns how many vertices `next` then has. */
static inline __attribute__((always_inline)) uint64_t put_next_in_bins(const struct push_targets *t, uint64_t count,
                                                                       uint64_t least, struct push_case c)
{
    if (c.kind != PUSH_BINS_LATER || count < least)
        return count;
    for (uint64_t i = 0; i < count; i++)
        put_in_bin(t, t->next[i], c.parents ? t->next_parents[i] : 0, c.parents, mark(t->found, t->next[i]));
    return 0;
}

/* Visits the vertices in the thread's bin of this shard, and empties the bin. Uses atomic operations if other threads
 * do the same. */
void visit_own_vertices(struct shard_push *s)
{
    if (s->is_single_thread)
        append_new_normals(s->dev, s->own->ids, s->own->count, s->own_parents);
    else
        append_new_normals_shared(s->dev, s->own->ids, s->own->count, s->own_parents);
    s->own->count = 0;
}

/* Makes space in a full bin of PUSH_SHARDS. The bin of this shard is emptied if it has its largest size. Any other bin is
 * doubled and charged to the budget, under a lock. Returns 0 if memory is missing, or was missing for an earlier bin
 * (dev->shard_bins_error), otherwise 1. */
static __attribute__((noinline)) int make_space(struct shard_push *s, struct shard_bin *bin)
{
    static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
    static const char what[] = "bins of vertices for other shards";
    struct memory_budget *budget = s->dev->means.budget;
    struct error *e = &s->dev->shard_bins_error;
    uint64_t capacity = bin->capacity == 0 ? 64 : 2 * bin->capacity;
    uint64_t more = (capacity - bin->capacity) * sizeof *bin->ids;
    if (bin == s->own && bin->capacity >= OWN_CAPACITY) {
        visit_own_vertices(s);
        return 1;
    }
    pthread_mutex_lock(&growing);
    if (e->status == ST_OK && memory_charge(budget, more, what, e) == ST_OK) {
        uint32_t *grown = realloc(bin->ids, capacity * sizeof *grown);
        if (grown != NULL) {
            bin->ids = grown;
            bin->capacity = capacity;
        } else {
            memory_discharge(budget, more);
            fail_memory(e, what, more);
        }
    }
    pthread_mutex_unlock(&growing);
    return bin->count < bin->capacity;
}

/* Puts one destination (`column`) of a row into a list, bin or bitmap, as the kind c.kind of the push demands. Only
 * PUSH_BINS_NOW has a branch that depends on whether the destination is new. `count` is the number of vertices in the
 * list `next`; returns the new number. */
static inline __attribute__((always_inline)) uint64_t
reach(const struct push_targets *t, uint64_t count, uint32_t row, uint64_t column, struct push_case c)
{
    const uint32_t to = (uint32_t)column, from = t->tag | row; /* not for PUSH_SHARDS: there columns may have 8 bytes */
    switch (c.kind) {
    case PUSH_BINS_NOW:
        if (!mask_bit(t->found, to))
            put_in_bin(t, to, from, c.parents, mark(t->found, to) | 1);
        return count;
    case PUSH_PAIRS:
        put_in_bin(t, to, from, 1, mark(t->found, to));
        return count;
    case PUSH_BITS:
        set_mask_bit(t->found, to);
        return count;
    case PUSH_PARENTS: {
        /* Without a branch: a parent that is not needed goes to `dummy`. Of several threads that find a vertex any may
         * write its parent last. */
        uint64_t word = t->found[to / 64], bit = UINT64_C(1) << (to % 64);
        uint32_t dummy, own = to - t->first, here = own < t->span, id = here ? own : 0;
        uint32_t *at = !here || ((word | t->visited[id / 64]) & bit) != 0 ? &dummy : &t->parent[id];
        t->found[to / 64] = word | bit;
        __atomic_store_n(at, from, __ATOMIC_RELAXED);
        return count;
    }
    case PUSH_SHARDS: {
        struct shard_push *s = t->shards;
        const uint32_t bits = s->dev->shard->local_bits;
        struct shard_bin *bin = &s->bins[column >> bits];
        if (bin->count == bin->capacity && !make_space(s, bin))
            return count; /* the vertex is lost, but the level fails with dev->shard_bins_error */
        s->own_parents[s->own->count] = row; /* overwritten by the next destination, unless this one goes into `own` */
        bin->ids[bin->count++] = (uint32_t)(column & ((UINT64_C(1) << bits) - 1));
        return count;
    }
    default: { /* for PUSH_VISIT, PUSH_UPDATE and PUSH_BINS_LATER */
        t->next[count] = to;
        if (c.parents)
            t->next_parents[count] = from;
        uint64_t found = t->found[to / 64];
        uint64_t is_new = ~(found | (c.kind == PUSH_UPDATE ? t->visited[to / 64] : 0)) >> (to % 64) & 1;
        if (c.kind != PUSH_BINS_LATER)
            t->found[to / 64] = found | is_new << (to % 64);
        return count + is_new;
    }
    }
}

/* ---- rows ---- */

/* Returns 1 for kinds of pushes that several threads do together, piece by piece. */
static inline int is_shared(struct push_case c)
{
    return c.kind != PUSH_VISIT && c.kind != PUSH_UPDATE;
}

/* Returns the offset of a row: the index of its first column behind the heads, which is also the end of the row before.
 * Offsets of even rows are computed and not read. */
static inline uint64_t row_offset(const struct row_push *p, uint64_t row, struct push_case c)
{
    const struct csr *csr = p->csr;
    if (c.even && row - p->even.first <= p->even.count)
        return p->even.offset + (row - p->even.first) * p->even.length;
    return c.offset_width == 4 ? ((const uint32_t *)csr->offsets)[row] : ((const uint64_t *)csr->offsets)[row];
}

/* Prefetches the heads and first columns of a row, or the directory entry of packed columns. Kinds of pushes for many
 * edges have long rows, so they get three cache lines of columns; a core cannot wait for more. Inlined always, because
 * a compiler may drop calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_row(const struct row_push *p, uint64_t row,
                                                               struct push_case c)
{
    enum { LINE = 16, LINES = 3 };
    const struct csr *csr = p->csr;
    uint64_t at = row_offset(p, row, c);
    for (uint32_t j = 0; j < c.heads; j++)
        __builtin_prefetch(&csr->heads[j * csr->rows + row]);
    prefetch_columns(csr, at);
    if (!is_shared(c) || c.kind == PUSH_BINS_LATER || c.kind == PUSH_BINS_NOW || csr->packed.words != NULL)
        return;
    for (uint64_t line = 1; line < LINES; line++)
        __builtin_prefetch((const uint32_t *)csr->columns + at + line * LINE);
}

/* Pushes columns at..end of a row, none of which is a head column. c.kind says what is done with each. The columns may be
 * packed, or have 8 bytes. `count` is the number of vertices in the list `next`; returns the new number. */
static inline __attribute__((always_inline)) uint64_t
push_columns(const struct row_push *p, uint64_t count, uint32_t row, uint64_t at, uint64_t end, struct push_case c)
{
    uint32_t buffer[COLUMN_CAPACITY];
    for (; p->csr->column_width == 8 && p->csr->packed.words == NULL && at < end; at++) {
        count = reach(&p->to, count, row, csr_column(p->csr, at), c);
        count = put_next_in_bins(&p->to, count, BINNED_AT_ONCE, c);
    }
    while (at < end) {
        uint64_t stop = end - at < LONG_ROW ? end : at + LONG_ROW;
        struct column_run run = next_columns(p->decode, p->csr, row, at, stop, buffer);
        for (uint64_t j = 0; j < run.count; j++)
            count = reach(&p->to, count, row, run.columns[j], c);
        count = put_next_in_bins(&p->to, count, BINNED_AT_ONCE, c);
        at += run.count;
    }
    return put_next_in_bins(&p->to, count, 1, c);
}

/* Pushes columns at..end of a row by the loop for the kind of push. Not inlined, because its buffer for decoded columns
 * is large. */
static __attribute__((noinline)) uint64_t push_part(const struct row_push *push, uint64_t count, uint32_t row, uint64_t at,
                                                    uint64_t end)
{
    const struct row_push p = *push; /* destinations cannot change this copy, so its members stay in registers */
    const int parents = p.to.parents;
    switch (p.to.kind) {
    case PUSH_BINS_LATER:
        return push_columns(&p, count, row, at, end, (struct push_case){.kind = PUSH_BINS_LATER, .parents = parents});
    case PUSH_BINS_NOW:
        return push_columns(&p, count, row, at, end, (struct push_case){.kind = PUSH_BINS_NOW, .parents = parents});
    case PUSH_PAIRS:
        return push_columns(&p, count, row, at, end, (struct push_case){.kind = PUSH_PAIRS});
    case PUSH_BITS:
        return push_columns(&p, count, row, at, end, (struct push_case){.kind = PUSH_BITS});
    case PUSH_PARENTS:
        return push_columns(&p, count, row, at, end, (struct push_case){.kind = PUSH_PARENTS});
    case PUSH_SHARDS:
        return push_columns(&p, count, row, at, end, (struct push_case){.kind = PUSH_SHARDS});
    default:
        return push_columns(&p, count, row, at, end, (struct push_case){.kind = p.to.kind, .parents = parents});
    }
}

/* Puts columns begin..end of a row aside. Returns 0 if p->aside is NULL or full, so that the caller must push them. */
static __attribute__((noinline)) int put_aside(const struct row_push *p, uint32_t row, uint64_t begin, uint64_t end)
{
    struct long_rows *aside = p->aside;
    uint32_t i = aside != NULL && aside->count < MOST_LONG_ROWS ? aside->count++ : MOST_LONG_ROWS;
    if (i >= MOST_LONG_ROWS)
        return 0;
    aside->row[i] = (struct row_part){.g = p->g, .row = row, .begin = begin, .end = end};
    return 1;
}

/* Pushes the rows of p, heads first, by a loop in which the members of c are constants. If several threads push, long rows
 * are put aside. `count` is the number of vertices in the list `next`; returns the new number. */
static inline __attribute__((always_inline)) uint64_t push_rows_as(const struct row_push *push, uint64_t count,
                                                                   struct push_case c)
{
    enum { COLUMNS_AHEAD = 16 }; /* columns are prefetched COLUMNS_AHEAD rows before their use, offsets AHEAD rows */
    const struct row_push p = *push;
    const uint32_t *heads = p.csr->heads, *columns = p.csr->columns;
    const uint64_t rows = p.csr->rows;
    const int plain = p.csr->packed.words == NULL && p.csr->column_width == 4;
    for (uint64_t i = 0; is_shared(c) && i < COLUMNS_AHEAD && i < p.row_count && !c.few_sources; i++)
        prefetch_row(&p, p.rows[i], c);
    for (uint64_t i = 0; i < p.row_count; i++) {
        uint32_t row = p.rows[i];
        count = put_next_in_bins(&p.to, count, BINNED_AT_ONCE, c);
        if (c.few_sources && !mask_bit(p.csr->sources, row))
            continue;
        if (!c.few_sources && !c.even && i + AHEAD < p.row_count)
            __builtin_prefetch((const char *)p.csr->offsets + (uint64_t)p.rows[i + AHEAD] * c.offset_width);
        if (!c.few_sources && i + COLUMNS_AHEAD < p.row_count)
            prefetch_row(&p, p.rows[i + COLUMNS_AHEAD], c);
        for (uint32_t j = 0; j < c.heads; j++) {
            uint32_t to = heads[j * rows + row];
            if (to == HEAD_NONE)
                break;
            count = reach(&p.to, count, row, to, c);
        }
        uint64_t at = row_offset(&p, row, c), end = row_offset(&p, row + UINT64_C(1), c);
        if (is_shared(c) && end - at > LONG_ROW && put_aside(push, row, at, end))
            continue;
        if (!plain || (c.kind == PUSH_BINS_LATER && end - at > LONG_ROW)) {
            count = push_part(push, count, row, at, end);
            continue;
        }
        for (; at < end; at++)
            count = reach(&p.to, count, row, columns[at], c);
    }
    return put_next_in_bins(&p.to, count, 1, c);
}

/* Pushes the rows of p by a loop in which the kind k is a constant. Common cases have loops of their own: offsets of 4
 * bytes, with or without parents, and either even rows without head columns, or rows with up to two head columns. */
static inline __attribute__((always_inline)) uint64_t
push_common(const struct row_push *p, uint64_t count, struct push_case c, enum push_kind k)
{
    if (c.even && c.heads == 0)
        return c.parents
                   ? push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4, .even = 1, .parents = 1})
                   : push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4, .even = 1});
    switch (c.heads + 3 * (uint32_t)c.parents) {
    case 0:
        return push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4});
    case 1:
        return push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4, .heads = 1});
    case 2:
        return push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4, .heads = 2});
    case 3:
        return push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4, .parents = 1});
    case 4:
        return push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4, .heads = 1, .parents = 1});
    default:
        return push_rows_as(p, count, (struct push_case){.kind = k, .offset_width = 4, .heads = 2, .parents = 1});
    }
}

/* Pushes the rows of a sparse level (PUSH_VISIT). Not inlined, because a loop keeps more in registers in a function of
 * its own. */
IN_TWO_VERSIONS static __attribute__((noinline)) uint64_t push_visits(const struct row_push *p, uint64_t count, struct push_case c)
{
    return push_common(p, count, c, PUSH_VISIT);
}

/* Pushes the rows of p, or its part of one row, by the loop for this kind of push and these rows. The result has no
 * meaning for kinds that write no list. */
IN_TWO_VERSIONS uint64_t push_rows(const struct row_push *p, uint64_t count)
{
    struct push_case c = {.kind = p->to.kind,
                          .parents = p->to.parents,
                          .heads = p->csr->head_columns,
                          .offset_width = p->csr->offset_width,
                          .few_sources = p->few_sources,
                          .even = p->even.count > 0};
    if (p->row_count == 0)
        return push_part(p, count, p->part.row, p->part.begin, p->part.end);
    switch (p->to.kind) { /* a loop for each kind; the first four do not depend on c.parents */
    case PUSH_PAIRS:
        c.kind = PUSH_PAIRS;
        return push_rows_as(p, 0, c);
    case PUSH_BITS:
        c.kind = PUSH_BITS;
        return push_rows_as(p, 0, c);
    case PUSH_PARENTS:
        c.kind = PUSH_PARENTS;
        return push_rows_as(p, 0, c);
    case PUSH_SHARDS:
        c.kind = PUSH_SHARDS;
        return push_rows_as(p, 0, c);
    default:
        if (c.kind == PUSH_UPDATE || c.offset_width != 4 || c.few_sources || c.heads > 2)
            return push_rows_as(p, count, c);
        if (c.kind == PUSH_BINS_NOW)
            return push_common(p, count, c, PUSH_BINS_NOW);
        return c.kind == PUSH_BINS_LATER ? push_common(p, count, c, PUSH_BINS_LATER) : push_visits(p, count, c);
    }
}

/* ---- long rows ---- */

/* Divides the rows that were put aside into pieces of LONG_ROW columns, which are numbered through all rows. */
uint64_t number_long_pieces(struct long_rows *aside)
{
    uint64_t pieces = 0;
    if (aside->count > MOST_LONG_ROWS)
        aside->count = MOST_LONG_ROWS;
    for (uint32_t i = 0; i < aside->count; i++) {
        struct row_part *r = &aside->row[i];
        r->pieces_before = pieces;
        pieces += (r->end - r->begin + LONG_ROW - 1) / LONG_ROW;
    }
    return pieces;
}

/* Returns piece number `piece` of the rows put aside: at most LONG_ROW columns of one row. */
struct row_part long_piece(const struct long_rows *aside, uint64_t piece)
{
    uint32_t i = 0;
    while (i + 1 < aside->count && aside->row[i + 1].pieces_before <= piece)
        i++;
    struct row_part part = aside->row[i];
    part.begin += (piece - part.pieces_before) * LONG_ROW;
    part.end = part.end - part.begin < LONG_ROW ? part.end : part.begin + LONG_ROW;
    return part;
}

/* ---- pushes of a frontier ---- */

/* Describes a push of kind PUSH_VISIT from the sparse part of the frontier (cpu_rows.h). New vertices go into next_sparse. */
struct row_push describe_push(struct device *dev, enum subgraph g)
{
    const struct cpu_delegates *d = &dev->delegates;
    const struct cpu_normals *n = &dev->normals;
    const struct csr *csr = &dev->shard->csr[g];
    int from = subgraph_rows(g) == DELEGATES, to = subgraph_columns(g) == DELEGATES;
    int to_shards = leads_to_shards(dev->shard, g);
    struct push_targets targets = {.kind = PUSH_VISIT,
                                   .parents = dev->parents,
                                   .tag = from ? PARENT_DELEGATE_BIT : 0,
                                   .visited = to ? d->visited : n->visited,
                                   .found = to ? d->visited : n->visited,
                                   .next = to ? d->next_sparse : n->next_sparse,
                                   .next_parents = dev->found_parents + (to ? list_capacity(most_rows(dev)) : 0),
                                   .parent = to ? d->parent : n->parent,
                                   .first = to_shards ? dev->shard->index << dev->shard->local_bits : 0,
                                   .span = to_shards ? (uint32_t)dev->shard->locals : UINT32_MAX};
    return (struct row_push){.dev = dev,
                             .g = g,
                             .csr = csr,
                             .decode = dev->means.probes->decode,
                             .even = dev->even_rows[g],
                             .rows = from ? d->sparse : n->sparse,
                             .row_count = from ? d->frontier_count : n->sparse_count,
                             .few_sources = csr->source_rows * 16 < csr->rows,
                             .to = targets};
}

/* Describes a push from the whole frontier (cpu_rows.h). */
struct row_push describe_gathered_push(struct device *dev, enum subgraph g)
{
    struct row_push p = describe_push(dev, g);
    if (subgraph_rows(g) == DELEGATES ? dev->delegates.is_sparse : !dev->normals.any_dense)
        return p;
    p.rows = dev->gathered_rows;
    p.row_count = gather_sources(dev, g);
    p.few_sources = 0;
    return p;
}

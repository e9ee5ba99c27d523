/* cpu_list.h: functions that pushes from lists by one thread and by several share */
#ifndef DBFS_CPU_LIST_H
#define DBFS_CPU_LIST_H

#include "cpu_device.h"

/* Rows between asking for an address and using it: first for offsets, then for columns. */
enum { AHEAD = 32, COLUMNS_AHEAD = 16 };

/* The bins of a thread of a crew for vertices of one kind. */
struct list_bins {
    uint64_t *seen;  /* visited, or put into a bin by this thread */
    uint32_t **at;   /* by owner: where the next destination goes */
    uint8_t **pool;  /* chunks that are not used yet */
    uint32_t owners; /* less 1: they are a power of two */
    uint32_t owned_bits; /* log2 of the vertices in a block of an owner's */
};

/* A push from a list along one subgraph. */
struct list_push {
    const struct csr *csr;
    const struct column_readers *readers;
    struct even_rows even;
    const uint32_t *rows;
    uint64_t row_count;
    const uint64_t *visited; /* of destinations */
    uint64_t *marked;        /* marks of those that are found; may be `visited` */
    uint32_t *next;
    uint32_t *from;   /* parents of `next`, in the same places */
    uint32_t *parent; /* where they go from there; NULL: not recorded */
    uint32_t tag;     /* PARENT_DELEGATE_BIT where rows are delegates */
    struct list_bins *bins; /* of a thread of a crew; NULL: one thread pushes, to `next` */
    struct long_rows *aside; /* takes rows that are too long for one thread; NULL: none are */
    enum subgraph g;
};

/* Columns of a long row of a subgraph, to be pushed in pieces. */
struct long_row {
    enum subgraph g;
    uint32_t row;
    uint64_t begin, end; /* among the columns of the subgraph */
    uint64_t pieces;     /* of the long rows before it */
};

/* Columns: longer rows are cut into pieces of so many. */
enum { LONG_ROW = 4096, MOST_LONG = 256 };

struct long_rows {
    _Atomic uint32_t count; /* may grow beyond the most */
    struct long_row row[MOST_LONG];
};

/* Properties of all rows of a subgraph: constants of the loop over them. */
struct row_form {
    int parents;
    enum marking { MARK_VISITED, MARK_APART, MARK_BINS } marks; /* APART: what is found is not visited yet */
    uint32_t heads, offset_width;
    int sparse; /* few of the rows have edges: it is worth a look at the mask of sources before a row */
    int even;   /* most are in list_push.even: it is worth a look whether a row is, in place of its offset */
};

static inline int is_sparse(const struct csr *csr)
{
    return csr->source_rows * 16 < csr->rows;
}

static inline int is_left_out(const struct csr *csr, uint64_t row, struct row_form form)
{
    return form.sparse && !mask_bit(csr->sources, row);
}

/* The offset of a row, which is the end of the row before. */
static inline uint64_t row_offset(const struct list_push *p, uint64_t row, struct row_form form)
{
    const struct csr *csr = p->csr;
    if (form.even && row - p->even.first <= p->even.count)
        return p->even.offset + (row - p->even.first) * p->even.length;
    return form.offset_width == 4 ? ((const uint32_t *)csr->offsets)[row]
                                  : ((const uint64_t *)csr->offsets)[row];
}

/* Asks for data of later rows. Always inlined, as a compiler may drop calls that only ask ahead. */
static inline __attribute__((always_inline)) void ask_ahead(const struct list_push *p, uint64_t i,
                                                            struct row_form form)
{
    const struct csr *csr = p->csr;
    if (form.sparse)
        return;
    if (!form.even && i + AHEAD < p->row_count)
        __builtin_prefetch((const char *)csr->offsets +
                           (uint64_t)p->rows[i + AHEAD] * form.offset_width);
    if (i + COLUMNS_AHEAD >= p->row_count)
        return;
    uint64_t row = p->rows[i + COLUMNS_AHEAD];
    for (uint32_t j = 0; j < form.heads; j++)
        __builtin_prefetch(&csr->heads[j * csr->rows + row]);
    ask_for_columns(csr, row_offset(p, row, form));
}

static inline struct list_push describe_push(const struct device *dev, enum subgraph g)
{
    const struct cpu_delegates *d = &dev->delegates;
    const struct cpu_normals *n = &dev->normals;
    int from = subgraph_rows(g) == DELEGATES, to = subgraph_columns(g) == DELEGATES;
    struct list_push p = {.csr = &dev->shard->csr[g],
                          .readers = dev->means.readers,
                          .even = dev->push.even[g],
                          .rows = from ? d->fresh : n->queue,
                          .row_count = from ? d->fresh_count : n->queue_count,
                          .visited = to ? d->visited : n->visited,
                          .marked = to ? d->visited : n->visited,
                          .next = to ? d->next : n->next,
                          .g = g,
                          .tag = from ? PARENT_DELEGATE_BIT : 0};
    if (dev->parents) {
        p.parent = to ? d->parent : n->parent;
        p.from = (uint32_t *)dev->push.prefix + (to ? list_room(most_rows(dev)) : 0);
    }
    return p;
}

/* Pushes the rows, behind the `count` vertices that the next list has. Returns how many it has then. */
uint64_t push_rows_of(const struct list_push *p, uint64_t count);

/* The same of columns begin..end of a row's rest. */
uint64_t push_columns(const struct list_push *p, uint64_t count, uint32_t row, uint64_t begin, uint64_t end);

/* Puts a normal behind the next queue, which has `count`, and marks it; returns how many it has then. Whether
 * the vertex is new is a coin toss, so there is no branch. */
static inline uint64_t reach_normal(const struct cpu_normals *n, uint64_t count, uint32_t id)
{
    uint64_t word = n->visited[id / 64], is_new = ~word >> (id % 64) & 1;
    n->next[count] = id;
    n->visited[id / 64] = word | is_new << (id % 64);
    return count + is_new;
}

/* Gives vertices of a list a depth. */
static inline void mark_depths(const uint32_t *list, uint64_t count, int32_t *depth, int32_t value)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&depth[list[i + AHEAD]], 1);
        depth[list[i]] = value;
    }
}

/* Gives the vertices first..end of the next list their parents, if they are recorded. */
static inline void settle_parents(const struct list_push *p, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; p->parent != NULL && i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(&p->parent[p->next[i + AHEAD]], 1);
        p->parent[p->next[i]] = p->from[i];
    }
}

#endif

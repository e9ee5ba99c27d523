/* row_look.h: looks at the columns of a row, and makes steps of vertices that no search has found; for pair_search.c */
#ifndef DBFS_ROW_LOOK_H
#define DBFS_ROW_LOOK_H

#include "formats/graph/shard.h"

/* A found vertex, and the step of the vertex that found it. */
struct step {
    uint64_t vertex, from;
};

/* A search that looks at the rows of a vertex. */
struct look {
    uint8_t *marks;    /* 0: not found */
    uint8_t own;       /* the mark of this search */
    uint64_t from;     /* the step of the vertex */
    struct step *next; /* found vertices go here; there is room for all of the row */
    uint64_t edges;    /* columns read */
    uint64_t met;      /* the last vertex read that was found before, by either search */
};

/* Reads one vertex, given by number. A vertex that no search has found is marked and becomes a step. Sets l->met if
 * the vertex was found before. Returns nonzero if the other search has found the vertex. */
static inline int look_at(struct look *l, uint64_t vertex)
{
    uint8_t mark = l->marks[vertex];
    l->edges++;
    if (mark == 0) {
        l->marks[vertex] = l->own;
        *l->next++ = (struct step){vertex, l->from};
        return 0;
    }
    l->met = vertex;
    return mark != l->own;
}

/* Looks at decoded columns from `at` to `end` - 1, places among the columns of csr. `base`: the vertex number of
 * column 0. Returns nonzero as soon as look_at does. */
static inline int look_at_raw(struct look *l, const struct csr *csr, uint64_t at, uint64_t end, uint64_t base)
{
    for (; at < end; at++) {
        if (look_at(l, base + csr_column(csr, at)))
            return 1;
    }
    return 0;
}

/* Looks at all packed columns of a row, without its head columns. `base`: the vertex number of column 0. Returns
 * nonzero as soon as look_at does. */
static inline int look_at_packed(struct look *l, const struct csr *csr, uint64_t row, uint64_t base)
{
    uint64_t at = csr_offset(csr, row), end = csr_offset(csr, row + 1);
    while (at < end) {
        struct packed_span span = csr_span(csr, row, at);
        struct packed_reader reader = packed_read_at(&csr->packed, &span);
        uint64_t block_end = (at / PACKED_BLOCK + 1) * PACKED_BLOCK;
        for (; at < block_end && at < end; at++) {
            if (look_at(l, base + packed_next(&reader)))
                return 1;
        }
    }
    return 0;
}

/* Looks at a whole row; *look is kept in registers meanwhile. `base`: the vertex number of column 0. Returns nonzero
 * if the other search has found look->met; the columns behind that vertex were then not read. */
static inline int look_at_row(struct look *look, const struct csr *csr, uint64_t row, uint64_t base)
{
    struct look l = *look;
    uint32_t column = 0;
    int met = 0;
    for (uint64_t j = 0; j < csr->head_columns && !met && column != HEAD_NONE; j++) {
        column = csr->heads[j * csr->rows + row];
        met = column != HEAD_NONE && look_at(&l, base + column);
    }
    if (!met)
        met = csr->packed.words != NULL
                  ? look_at_packed(&l, csr, row, base)
                  : look_at_raw(&l, csr, csr_offset(csr, row), csr_offset(csr, row + 1), base);
    *look = l;
    return met;
}

#endif

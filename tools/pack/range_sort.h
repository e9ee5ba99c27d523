/* range_sort.h: the rows of one subgraph of one shard, taken range after range from their buckets.
 *
 * Each bucket is a range of rows. A first round counts the records of each row, which tells the rows
 * that are not empty and where each row starts in its bucket; a second round sorts, drops duplicates
 * and moves the first k columns of every row into the head columns. Ranges are independent.
 *
 * A range is sorted whole, by column and then by row, where that stays in the cache; rows that are
 * dense, or of ranges with more or very few records, are sorted one by one.
 */
#ifndef DBFS_RANGE_SORT_H
#define DBFS_RANGE_SORT_H

#include "formats/shard.h"
#include "place.h"
#include "record_radix.h"
#include "tools/sort/row_sort.h"

#include <stdint.h>

struct csr_rows {
    struct placement *placement;
    uint32_t shard;
    enum subgraph g;
    int swept; /* rows are made by a sweep over the placement's triangle (upper_sweep.h), not from buckets */
    uint32_t ranges;
    uint64_t rows;
    unsigned column_bits;
    unsigned record_bytes; /* 4 or 8 */
    uint32_t width;        /* of a column: 4 or 8 bytes */
    uint32_t k;
    uint32_t *length; /* [rows + 1]: records, then columns after the heads, of each row */
    uint32_t *heads;  /* [k][rows] */
    uint64_t *records;    /* [ranges], from the first round */
    uint64_t longest_row; /* records */
};

/* The first row of range r that this shard has; r may be the number of ranges. */
uint64_t range_begin(const struct csr_rows *csr, uint32_t r);

/* Where each row of a range begins, from their lengths; returns where the last one ends. */
static inline size_t start_rows(const uint32_t *length, uint64_t rows, uint64_t *start)
{
    size_t at = 0;
    for (uint64_t i = 0; i < rows; i++) {
        start[i] = at;
        at += length[i];
    }
    return at;
}

/* A thread's buffer for range_count, to free. */
void *range_read_buffer(const struct csr_rows *csr, struct error *e);

/* First round: adds the records of range r to records[] and those of each row to length[]. */
enum status range_count(const struct csr_rows *csr, uint32_t r, void *read_buffer,
                        struct error *e);

/* Second round: buffers of one thread. */
struct range_sorter {
    struct row_sorter sorter;
    struct record_radix radix;
    uint64_t *start; /* [rows of the largest range + 1] */
    void *read_buffer;
};

/* What a sorter takes, its read buffer not counted. */
uint64_t range_sorter_bytes(const struct csr_rows *csr);
enum status range_sorter_open(struct range_sorter *sorter, const struct csr_rows *csr,
                              struct error *e);
void range_sorter_close(struct range_sorter *sorter);

/* Sorts range r into `columns`, which has room for its records. Returns the columns after the heads,
 * row after row, with length[] made to fit. *edges counts what is kept, heads included. */
uint64_t range_sort(const struct csr_rows *csr, struct range_sorter *sorter, uint32_t r,
                    void *columns, uint64_t *edges, struct error *e);

#endif

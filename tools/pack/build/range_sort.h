/* range_sort.h: the rows of one subgraph of one shard, made range after range from two sources.
 *
 * What is placed in buckets (placement.h) is sorted, and where the reverse of the subgraph needs it, passed
 * on to a transpose (transpose.h). What a transpose has brought is collected. Of the four subgraphs
 *   dd is placed above the diagonal, passes that on to itself, and joins both sides of the diagonal;
 *   dn is placed, and passes everything on to nd;
 *   nd has nothing but what comes from dn;
 *   nn is placed in both directions.
 * First range_count over all ranges counts the records of each row. Then, for each range, range_sort makes
 * rows of what is placed, and range_finish adds what a transpose has for them, drops duplicates and moves
 * the first k columns of every row into the head columns. Ranges are independent, except that one of dd is
 * finished after all up to it were sorted.
 *
 * A range is sorted whole where that stays in the cache: its records to their rows, then by column, digit
 * after digit, so that they end up by column and, within a column, by row, as a transpose wants them; a
 * further pass brings columns to their rows, sorted. Other ranges are sorted row by row; so are those of nn
 * whose rows are dense, by marks.
 */
#ifndef DBFS_RANGE_SORT_H
#define DBFS_RANGE_SORT_H

#include "formats/shard.h"
#include "record_radix.h"
#include "tools/sort/row_sort.h"
#include "tools/pack/place/placement.h"
#include "transpose.h"

#include <stdint.h>

struct csr_rows {
    struct placement *placement;
    const struct record_plan *plan; /* the placement's for this subgraph */
    uint32_t shard;
    enum subgraph g;
    struct transpose *to, *from; /* NULL: none */
    uint64_t rows;
    uint32_t width; /* of a column: 4 or 8 bytes */
    uint32_t k;
    uint32_t *records_of; /* [rows + 1]: of each row until it is finished, and then in the same memory: */
    uint32_t *kept_of;    /* [rows + 1]: columns after the heads */
    uint32_t *placed;     /* [rows]: of the records, those from buckets; NULL: none */
    uint32_t *heads;      /* [k][rows] */
    uint64_t *records_in; /* [ranges], duplicates counted */
    uint64_t longest_row; /* records */
};

/* The first row of range r that this shard has; r may be the number of ranges. */
uint64_t range_begin(const struct csr_rows *csr, uint32_t r);

/* One thread's means to count. What is above the diagonal of dd tells by its columns how long the rows are
 * below it, and any thread may meet any column. */
struct range_counter {
    void *read_buffer;
    uint32_t *of_column; /* [rows] of dd: this thread's, or shared by all */
    int shared;
};
enum status range_counter_open(struct range_counter *counter, const struct csr_rows *csr,
                               struct error *e);
void range_counter_close(struct range_counter *counter);

/* Counts the records of range r by row and, for dd, by column. */
enum status range_count(const struct csr_rows *csr, const struct range_counter *counter, uint32_t r,
                        struct error *e);

/* After all ranges were counted by so many counters: makes records_of[] and records_in[] of range r whole. */
void range_counted(const struct csr_rows *csr, const struct range_counter *counters, int count,
                   uint32_t r);

/* Buffers of one thread. */
struct range_sorter {
    struct row_sorter rows;
    struct record_radix radix;
    struct transpose_collector collector;
    struct bucket_writer *writer; /* of csr->to */
    uint64_t *next; /* [rows of the largest range + 1] where the next column of a row goes */
    void *read_buffer;
};

/* What a sorter takes, its read buffer not counted. */
uint64_t range_sorter_bytes(const struct csr_rows *csr);
enum status range_sorter_open(struct range_sorter *sorter, const struct csr_rows *csr, int thread,
                              struct error *e);
void range_sorter_close(struct range_sorter *sorter); /* a zeroed one is allowed */

/* Sorts what is placed in range r and passes it on. It is left at the end of `columns`, which has room for
 * csr->records_in[r]. */
enum status range_sort(const struct csr_rows *csr, struct range_sorter *sorter, uint32_t r,
                       void *columns, struct error *e);

/* Makes the rows of range r of that. Returns the columns after the heads, row after row, with kept_of[]
 * made to fit. *edges counts what is kept, heads included. */
uint64_t range_finish(const struct csr_rows *csr, struct range_sorter *sorter, uint32_t r,
                      void *columns, uint64_t *edges, struct error *e);

#endif

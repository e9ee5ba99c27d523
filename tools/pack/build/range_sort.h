/* range_sort.h: makes the rows of one subgraph of one shard, one range of rows after the other.
 *
 * The columns of a row come from two sources: records placed in buckets (placement.h), which are sorted here, and a transpose
 * (transpose.h), which brings the edges of the reverse subgraph the other way round, already sorted.
 * - dd: only edges above the diagonal are placed. They are also appended to a transpose of dd, which brings those below the
 *   diagonal.
 * - dn: all edges are placed, and all are appended to the transpose of nd.
 * - nd: all edges come from the transpose.
 * - nn: both directions of every edge are placed.
 *
 * The steps are range_count over all ranges, then range_sort and range_finish for each range. Ranges are independent, except
 * that a range of dd is finished only when it and all ranges before it have been sorted.
 *
 * A range that fits into the cache is sorted all at once, by row and then by column, digit after digit. Its records are then in
 * order of columns and, within a column, of rows, as the transpose needs them; one more pass moves the columns to their rows.
 * Other ranges, and dense rows of nn, are sorted row by row.
 */
#ifndef DBFS_RANGE_SORT_H
#define DBFS_RANGE_SORT_H

#include "formats/graph/shard.h"
#include "record_radix.h"
#include "tools/sort/row_sort.h"
#include "tools/pack/place/placement.h"
#include "tools/pack/place/record_read.h"
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
    uint32_t *records_of; /* [rows + 1]: records of each unfinished row; finished rows have there: */
    uint32_t *kept_of;    /* [rows + 1]: columns after the heads */
    uint32_t *placed;     /* [rows]: records from buckets; NULL: none */
    uint32_t *heads;      /* [k][rows] */
    uint64_t *records_in; /* [ranges], duplicates counted */
    uint64_t longest_row; /* records */
};

/* Returns the first row of range r, or the end of this shard's rows if the range has none here. r may be the number of ranges. */
uint64_t range_begin(const struct csr_rows *csr, uint32_t r);

/* The counters of one thread. In dd columns are counted, too, because the reverse of a record above the diagonal is in the row
 * of its column. Any thread may meet any column, so a thread has counters for all, or all threads share one array. */
struct range_counter {
    void *read_buffer;
    uint32_t *of_column; /* [rows] of dd: this thread's, or shared by all */
    int shared;
};
enum status range_counter_open(struct range_counter *counter, const struct csr_rows *csr, struct error *e);
void range_counter_close(struct range_counter *counter);

/* Counts the records of range r by row and, for dd, by column. */
enum status range_count(const struct csr_rows *csr, const struct range_counter *counter, uint32_t r, struct error *e);

/* Adds up the counters of all `count` threads for range r, and so completes records_of[] and records_in[]. Call it when all
 * ranges have been counted. */
void range_counted(const struct csr_rows *csr, const struct range_counter *counters, int count, uint32_t r);

/* Buffers of one thread. */
struct range_sorter {
    struct row_sorter rows;
    struct record_radix radix;
    struct transpose_collector collector;
    struct bucket_writer *writer; /* of csr->to */
    uint64_t *next; /* [rows of the largest range + 1]: where the next column of a row goes */
    void *read_buffer;
};

/* Bytes of a sorter without its read buffer. */
uint64_t range_sorter_bytes(const struct csr_rows *csr);
enum status range_sorter_open(struct range_sorter *sorter, const struct csr_rows *csr, int thread, struct error *e);
void range_sorter_close(struct range_sorter *sorter); /* a zeroed one is allowed */

/* Sorts the placed records of range r and appends them to the transpose, if there is one. Leaves the sorted columns at the end
 * of `columns`, which has room for csr->records_in[r]. */
enum status range_sort(const struct csr_rows *csr, struct range_sorter *sorter, uint32_t r,
                       void *columns, struct error *e);

/* Makes the rows of range r from what range_sort left and from the transpose: drops duplicates, fills the head columns, and
 * leaves the other columns at the start of `columns`, row after row. Returns the number of these. Sets kept_of[], and adds the
 * number of edges kept, heads included, to *edges. */
uint64_t range_finish(const struct csr_rows *csr, struct range_sorter *sorter, uint32_t r,
                      void *columns, uint64_t *edges, struct error *e);

#endif

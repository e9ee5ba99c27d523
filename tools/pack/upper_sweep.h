/* upper_sweep.h: one sweep over an upper triangle (upper.h), which makes the rows of dd and fills the
 * buckets of the other subgraphs.
 *
 * Ranges of rows are taken in ascending order, by any thread each. Taking a range sorts its rows. What
 * a row has in columns of delegates is kept, each once, and transposed into the dd bucket of the range
 * where the column is a row; what it has beyond goes to the buckets of dn and nd, and what normal rows
 * have to those of nn, as place.c would have put it there. When all ranges up to one have been taken,
 * the bucket of that one is complete: each thread has put into it what lies left of the diagonal by
 * ascending column, and one pass brings that to its rows. So dd is sorted above the diagonal alone, and
 * the memory of ranges that are done serves those to come: there is one record for each edge at most,
 * and two for those with a normal end.
 *
 * Bytes moved for an edge of dd. In memory: 4 to read its record, 4 to write and 4 to read its transpose.
 * In the cache: 8 to bring it to its row, 4 to count digits, 16 to sort by two of them, 8 to drop
 * duplicates, 4 to transpose, and 8 to keep its column; 4 for that of the transpose, and 16 for both to
 * take their places in the rows.
 */
#ifndef DBFS_UPPER_SWEEP_H
#define DBFS_UPPER_SWEEP_H

#include "range_sort.h"
#include "record_radix.h"
#include "tools/sort/row_sort.h"
#include "upper.h"

#include <stdint.h>

/* What appending an edge to one subgraph takes, copied together. */
struct sweep_target {
    uint16_t *bucket_of; /* by granule of the row */
    struct row_granules granules;
    unsigned column_bits;
    const uint32_t *first; /* row of each range */
    uint32_t first_bucket;
};

struct sweep_lane;

/* One thread's side. */
struct upper_sweeper {
    struct placement *placement;
    struct bucket_writer *writer; /* this thread's, of the placement */
    struct sweep_target target[SUBGRAPHS];
    struct record_radix radix;
    struct row_sorter rows;
    uint64_t *next;    /* [rows of the longest range] where the next column of a row goes */
    uint32_t *large;   /* [columns of the heaviest range] where the radix's spare buffer has no room */
    struct sweep_lane *lane; /* [threads of the store] parts of a bucket */
};

/* Memory of one thread's side. */
uint64_t upper_sweeper_bytes(const struct csr_rows *csr);
enum status upper_sweeper_open(struct upper_sweeper *sweeper, const struct csr_rows *csr, int thread,
                               struct error *e);
void upper_sweeper_close(struct upper_sweeper *sweeper);

/* Adds the records that dd has in the rows of range r, on both sides of the diagonal, to csr->length and
 * csr->records. */
void upper_sweep_lengths(const struct csr_rows *csr, uint32_t r);

/* Takes range r. What is kept is left at the end of `columns`, which has room for csr->records[r]; with
 * nothing to keep, as from csr->ranges on, it may be NULL. Duplicates leave csr->length. */
enum status upper_sweep_take(const struct csr_rows *csr, struct upper_sweeper *sweeper, uint32_t r,
                             uint32_t *columns, struct error *e);

/* Makes the rows of range r, with that `columns`, as range_sort does, after all up to r were taken. */
uint64_t upper_sweep_join(const struct csr_rows *csr, struct upper_sweeper *sweeper, uint32_t r,
                          uint32_t *columns, uint64_t *edges);

#endif

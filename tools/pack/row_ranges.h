/* row_ranges.h: cuts the rows of a subgraph into consecutive ranges of about equal weight.
 *
 * Edges are bucketed by range of rows before they are sorted. Rows stand by degree descending, so a
 * range near the beginning has few long rows and one near the end many short ones. Looking up a
 * row's range takes one small table: single rows up to ROW_RANGES_FINE, then granules of equal size.
 */
#ifndef DBFS_ROW_RANGES_H
#define DBFS_ROW_RANGES_H

#include "formats/shard.h"
#include "formats/status.h"

#include <stdint.h>

enum { ROW_RANGES_FINE = 4096, ROW_RANGES_GRANULES = 8192 };

struct row_ranges {
    uint64_t rows;
    uint32_t count;       /* ranges: at least 1 */
    uint32_t *first;      /* [count + 1]: first row of each; the last entry is `rows` */
    uint16_t *of_granule; /* small, because it is probed for every edge */
    unsigned shift;       /* log2 of the rows of a granule beyond ROW_RANGES_FINE */
};

/* Ranges of about `target` units of weight, where a row weighs its degree in `runs` (in row order)
 * divided by `divisor`; none has more than max_rows rows, which is at least rows / 4096. */
enum status row_ranges_make(struct row_ranges *ranges, const struct degree_run *runs,
                            uint64_t run_count, uint64_t divisor, uint64_t target,
                            uint64_t max_rows, struct error *e);
void row_ranges_free(struct row_ranges *ranges);

/* The entry of of_granule for a row. */
static inline uint32_t row_ranges_granule(uint32_t row, unsigned shift)
{
    /* without a branch: whether a row is that of a hub cannot be predicted */
    uint32_t fine = row < ROW_RANGES_FINE ? row : ROW_RANGES_FINE;
    return fine + ((row - fine) >> shift);
}

#endif

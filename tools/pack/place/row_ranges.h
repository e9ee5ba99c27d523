/* row_ranges.h: cuts the rows of a subgraph into consecutive ranges of about equal weight.
 *
 * Before edges are sorted, they go into a bucket for each range of rows. Rows are in order of descending degree, so ranges near
 * the beginning have few long rows and ranges near the end many short ones. A table gives the range of a row. To stay small, it
 * has an entry for each granule of rows: of one row at first, of a few from ROW_RANGES_FINE and more from ROW_RANGES_MIDDLE on.
 */
#ifndef DBFS_ROW_RANGES_H
#define DBFS_ROW_RANGES_H

#include "formats/graph/shard.h"
#include "formats/base/status.h"

#include <stdint.h>

enum {
    ROW_RANGES_FINE = 1 << 12,
    ROW_RANGES_MIDDLE = ROW_RANGES_FINE + (1 << 19),
    ROW_RANGES_MIDDLE_SHIFT = 6,  /* log2 of the rows of a granule below, at most */
    ROW_RANGES_GRANULES = 1 << 12, /* from there on, at most */
    ROW_RANGES_MOST = 1 << 14     /* ranges; the last one has all rows that are left */
};

/* log2 of the rows of a granule: middle_shift from row ROW_RANGES_FINE on, `shift` from ROW_RANGES_MIDDLE on. */
struct row_granules {
    unsigned middle_shift, shift;
};

struct row_ranges {
    uint64_t rows;
    uint32_t count;       /* ranges: at least 1 */
    uint32_t *first;      /* [count + 1]: first row of each; the last entry is `rows` */
    uint16_t *of_granule; /* small, because it is probed for every edge */
    struct row_granules granules;
    uint64_t heaviest;    /* weight of the heaviest range */
    uint64_t longest;     /* rows of the longest range */
};

/* The limits of one range. */
struct row_ranges_limits {
    double target;      /* weight of a range */
    uint64_t max_rows;  /* at least rows / 4096 */
    uint64_t wish_rows; /* a range of more rows ends as soon as it has half the target */
};

/* Cuts the rows into ranges. The weight of a row is its degree; `runs` has the degrees in the order of the rows. */
enum status row_ranges_make(struct row_ranges *ranges, const struct degree_run *runs,
                            uint64_t run_count, const struct row_ranges_limits *limits,
                            struct error *e);
void row_ranges_free(struct row_ranges *ranges);

/* The same, without the arrays. */
struct row_ranges row_ranges_count(const struct degree_run *runs, uint64_t run_count,
                                   const struct row_ranges_limits *limits);

/* The entry of of_granule for a row. */
static inline uint32_t row_ranges_granule(uint32_t row, struct row_granules g)
{
    /* no branch, since it cannot be predicted whether a row belongs to a hub */
    uint32_t fine = row < ROW_RANGES_FINE ? row : ROW_RANGES_FINE;
    uint32_t middle = row < ROW_RANGES_MIDDLE ? row : ROW_RANGES_MIDDLE;
    return fine + ((middle - fine) >> g.middle_shift) + ((row - middle) >> g.shift);
}

#endif

/* row_ranges.h: cuts the rows of a subgraph into consecutive ranges of about equal weight.
 *
 * Edges are bucketed by range of rows before they are sorted. Rows stand by degree descending, so a
 * range near the beginning has few long rows and one near the end many short ones. Looking up a
 * row's range takes one small table, of single rows up to ROW_RANGES_FINE, of a few up to
 * ROW_RANGES_MIDDLE, and of granules of equal size beyond.
 */
#ifndef DBFS_ROW_RANGES_H
#define DBFS_ROW_RANGES_H

#include "formats/shard.h"
#include "formats/base/status.h"

#include <stdint.h>

enum {
    ROW_RANGES_FINE = 1 << 12,
    ROW_RANGES_MIDDLE = ROW_RANGES_FINE + (1 << 19),
    ROW_RANGES_MIDDLE_SHIFT = 6,  /* log2 of the rows of a granule up to there, at most */
    ROW_RANGES_GRANULES = 1 << 12 /* beyond, at most */
};

/* log2 of the rows of a granule, between ROW_RANGES_FINE and ROW_RANGES_MIDDLE and beyond. */
struct row_granules {
    unsigned middle_shift, shift;
};

struct row_ranges {
    uint64_t rows;
    uint32_t count;       /* ranges: at least 1 */
    uint32_t *first;      /* [count + 1]: first row of each; the last entry is `rows` */
    uint16_t *of_granule; /* small, because it is probed for every edge */
    struct row_granules granules;
    uint64_t heaviest;    /* units of weight of a range */
};

/* How long ranges are. */
struct row_ranges_limits {
    double target;      /* units of weight */
    uint64_t max_rows;  /* at least rows / 4096 */
    uint64_t wish_rows; /* no more rows than these where that leaves half the target */
};

/* Ranges for rows that weigh what their degree in `runs` (in row order) says. */
enum status row_ranges_make(struct row_ranges *ranges, const struct degree_run *runs,
                            uint64_t run_count, const struct row_ranges_limits *limits,
                            struct error *e);
void row_ranges_free(struct row_ranges *ranges);

/* The entry of of_granule for a row. */
static inline uint32_t row_ranges_granule(uint32_t row, struct row_granules g)
{
    /* without a branch: whether a row is that of a hub cannot be predicted */
    uint32_t fine = row < ROW_RANGES_FINE ? row : ROW_RANGES_FINE;
    uint32_t middle = row < ROW_RANGES_MIDDLE ? row : ROW_RANGES_MIDDLE;
    return fine + ((middle - fine) >> g.middle_shift) + ((row - middle) >> g.shift);
}

#endif

/* record_width.h: how many bytes a record takes. A record is row << column_bits | column, cut to 4, 5, 6 or 8 bytes, to the
 * same width for all records of a range. The cut drops high bits of the row; those that stay are enough to tell the rows of the
 * range apart, and the first row of the range gives the others. */
#ifndef DBFS_RECORD_WIDTH_H
#define DBFS_RECORD_WIDTH_H

#include <stdint.h>

enum { RECORD_WIDTHS = 4 };

/* The bytes of width 0, 1, 2 and 3. */
static inline unsigned record_width_bytes(unsigned width)
{
    return width < 3 ? 4 + width : 8;
}

/* The least width for ranges of `rows` rows. */
static inline unsigned record_width(unsigned column_bits, uint64_t rows)
{
    unsigned width = 0;
    while (width + 1 < RECORD_WIDTHS && (column_bits > 8 * record_width_bytes(width) ||
                                         rows > UINT64_C(1) << (8 * record_width_bytes(width) - column_bits)))
        width++;
    return width;
}

/* Returns the fewest bytes of a record with which the rows of a subgraph, `rows`, need no more than max_ranges ranges. */
static inline unsigned record_width_most(unsigned column_bits, uint64_t rows, uint64_t max_ranges)
{
    unsigned width = 0;
    while (width + 1 < RECORD_WIDTHS &&
           (column_bits >= 8 * record_width_bytes(width) ||
            rows >> (8 * record_width_bytes(width) - column_bits) > max_ranges))
        width++;
    return record_width_bytes(width);
}

/* The rows that a range of such records may have. */
static inline uint64_t record_width_rows(unsigned column_bits, uint64_t rows, uint64_t max_ranges)
{
    unsigned bits = 8 * record_width_most(column_bits, rows, max_ranges) - column_bits;
    return UINT64_C(1) << (bits < 63 ? bits : 63);
}

#endif

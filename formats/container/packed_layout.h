/* packed_layout.h: bit positions and limits of a packed section (packed.h), for packed*.c and for kernels; plain C that is also valid
 * C++ */
#ifndef DBFS_PACKED_LAYOUT_H
#define DBFS_PACKED_LAYOUT_H

#include "packed.h"

#include <stddef.h>

enum {
    GROUP_BLOCKS = 4096,      /* blocks that share a position of 8 bytes */
    POSITION_BITS = 24,       /* of a block's word; the kind is above them */
    KIND_GAPS = 0x80,         /* else a frame block */
    KIND_STEP_0 = 0x40,       /* of gap blocks: gaps count from 0, not from 1 */
    KIND_LOW_BITS = 0x3f,     /* of gap blocks: l */
    WORDS_PER_BIT = PACKED_BLOCK / 32,
    UNARY_MOST_ZEROS_BITS = 8, /* S(127) >> l is below 2^8 */
    UNARY_MOST_WORDS = 12      /* 128 ones and at most 255 zeros */
};

static inline uint64_t packed_groups(uint64_t blocks)
{
    return (blocks + GROUP_BLOCKS - 1) / GROUP_BLOCKS;
}

/* Offset i of the rows, of either width. */
static inline uint64_t packed_offset(const struct packed_rows *rows, uint64_t i)
{
    return rows->offset_width == 4 ? ((const uint32_t *)rows->offsets)[i]
                                   : ((const uint64_t *)rows->offsets)[i];
}

/* The number from which the gap of a row's first stored element is counted. */
static inline uint64_t packed_row_start(const struct packed_rows *rows, uint64_t row)
{
    return rows->heads == NULL ? 0 : (uint32_t)(rows->heads[row] + 1);
}

/* Returns the row that holds `element`: the last row, from row `from` on, whose offset is at most `element`. First goes forward
 * in steps that double, because the row is usually near `from`, and then halves the last step. */
static inline uint64_t packed_row_of(const struct packed_rows *rows, uint64_t from, uint64_t element)
{
    uint64_t low = from, step = 1;
    while (step < rows->rows - low && packed_offset(rows, low + step) <= element) {
        low += step;
        step *= 2;
    }
    uint64_t high = step < rows->rows - low ? low + step : rows->rows;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (packed_offset(rows, middle) <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif

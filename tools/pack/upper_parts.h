/* upper_parts.h: what the files of a sweep share; for upper_*.c alone */
#ifndef DBFS_UPPER_PARTS_H
#define DBFS_UPPER_PARTS_H

#include "upper_sweep.h"

#include <stdint.h>

/* What one thread has put into a bucket. */
struct sweep_lane {
    struct bucket_reader reader;
    const void *records; /* of the current run, from the next one on */
    size_t count;
    uint64_t column; /* of the next one; UINT64_MAX: none is left */
};

/* Room for so many columns. */
static inline uint32_t *columns_for(const struct upper_sweeper *s, uint64_t count)
{
    return count * sizeof(uint32_t) <= RECORD_RADIX_BYTES ? record_radix_spare(&s->radix) : s->large;
}

/* Columns of range r above the diagonal. */
static inline uint64_t kept_columns(const struct csr_rows *csr, uint32_t r)
{
    const struct upper *u = csr->placement->upper;
    uint64_t kept = 0;
    for (uint64_t row = range_begin(csr, r); row < range_begin(csr, r + 1); row++)
        kept += u->delegates[row];
    return kept;
}

#endif

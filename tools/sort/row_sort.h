/* row_sort.h: sorts the columns of one row; drops or keeps duplicates */
#ifndef DBFS_ROW_SORT_H
#define DBFS_ROW_SORT_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Scratch memory of one thread. */
struct row_sorter {
    unsigned column_bits;
    uint64_t *mark;       /* a bit for each column, clear between rows; NULL: too many columns */
    uint64_t *summary;    /* a bit for each word of `mark` */
    uint64_t summary_words;
    void *spare;          /* room for as many columns as the longest row so far */
    size_t spare_bytes;
};

/* Returns the memory of a sorter for rows of up to `longest` columns of `width` bytes, all below 2^column_bits. */
uint64_t row_sorter_bytes(unsigned column_bits, uint64_t longest, uint32_t width);

/* Opens a sorter for columns below 2^column_bits. */
enum status row_sorter_open(struct row_sorter *sorter, unsigned column_bits, struct error *e);
void row_sorter_close(struct row_sorter *sorter); /* a zeroed sorter is allowed */

/* Sort the columns in place, ascending and without duplicates, and return how many are left; SIZE_MAX when memory is short. */
size_t row_sort_u32(struct row_sorter *sorter, uint32_t *columns, size_t count);
size_t row_sort_u64(struct row_sorter *sorter, uint64_t *columns, size_t count);

/* Sorts the columns in place and keeps duplicates; returns 0 when memory is short. The sorter only has to be zeroed at first. */
int row_order_u32(struct row_sorter *sorter, uint32_t *columns, size_t count);

/* Sorts as row_order_u32, but in place of a sorter uses `spare`, which has room for `count` columns. */
void row_order_with_u32(uint32_t *columns, uint32_t *spare, size_t count, unsigned column_bits);

/* Copy ascending columns to `to`, each once, and return how many there are. `to` may be `columns`, or lie before it in the same
 * array. If there are duplicates, the place behind the last copied column is overwritten. */
size_t row_unique_u32(const uint32_t *columns, size_t count, uint32_t *to);
size_t row_unique_u64(const uint64_t *columns, size_t count, uint64_t *to);

#endif

/* row_sort.h: sorts the columns of one row, and drops duplicates or keeps them */
#ifndef DBFS_ROW_SORT_H
#define DBFS_ROW_SORT_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Scratch of one thread. */
struct row_sorter {
    unsigned column_bits;
    uint64_t *mark;       /* a bit per column, all clear between rows; NULL: too many columns */
    uint64_t *summary;    /* a bit per word of `mark` */
    uint64_t summary_words;
    void *spare;          /* room for as many columns as the longest row so far */
    size_t spare_bytes;
};

/* What a sorter takes for rows of up to `longest` columns of `width` bytes. */
uint64_t row_sorter_bytes(unsigned column_bits, uint64_t longest, uint32_t width);

/* Columns are below 2^column_bits. */
enum status row_sorter_open(struct row_sorter *sorter, unsigned column_bits, struct error *e);
void row_sorter_close(struct row_sorter *sorter); /* a zeroed sorter is allowed */

/* Sorts ascending in place and returns how many different columns there are; SIZE_MAX when memory
 * ran out. */
size_t row_sort_u32(struct row_sorter *sorter, uint32_t *columns, size_t count);
size_t row_sort_u64(struct row_sorter *sorter, uint64_t *columns, size_t count);

/* The same with duplicates kept, and without marks; zero when memory ran out. Beside a zeroed sorter it
 * takes row_order_bytes for rows of up to `longest` columns. */
int row_order_u32(struct row_sorter *sorter, uint32_t *columns, size_t count);
uint64_t row_order_bytes(uint64_t longest);

/* Copies ascending columns, each once, to `to`, not behind `columns`; returns how many there are. The
 * place behind the last is lost where there are duplicates. */
size_t row_unique_u32(const uint32_t *columns, size_t count, uint32_t *to);
size_t row_unique_u64(const uint64_t *columns, size_t count, uint64_t *to);

#endif

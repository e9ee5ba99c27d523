/* ordered_rows.h: rows that all threads make into bytes, piece by piece, and that are put out in their order */
#ifndef DBFS_ORDERED_ROWS_H
#define DBFS_ORDERED_ROWS_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The bytes of some rows. */
struct row_bytes {
    char *bytes; /* owned; NULL: memory was short */
    size_t size;
};

/* Makes rows `begin` to `end` - 1 into bytes. Several threads call it at once. */
typedef struct row_bytes make_rows(const void *context, uint64_t begin, uint64_t end);

/* Puts the bytes of the next rows where they belong. */
typedef enum status put_rows(void *to, const char *bytes, size_t size, struct error *e);

/* Makes `count` rows, `piece` at a time, and puts them out in order. Stops at the first failure. `what` and `piece_bytes`, the largest
 * size of a piece, are for the message if memory is short. */
enum status put_in_order(uint64_t count, uint64_t piece, make_rows *make, const void *context, put_rows *put, void *to,
                         const char *what, size_t piece_bytes, struct error *e);

/* Closes a stream of open_memstream(&rows->bytes, &rows->size). If it, or *e, has failed, frees the bytes. */
void close_row_stream(FILE *stream, struct row_bytes *rows, const struct error *e);

#endif

/* ordered_rows.h: rows that all threads of all ranks make into bytes, piece by piece, and that rank 0 writes in their order */
#ifndef DBFS_ORDERED_ROWS_H
#define DBFS_ORDERED_ROWS_H

#include "formats/mpi/comm.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The bytes of some rows. */
struct row_bytes {
    char *bytes; /* owned; NULL: memory was short */
    size_t size;
    int is_kept; /* 1: the memory is used again for rows of a later call */
};

/* Makes rows `begin` to `end` - 1 into bytes. *rows is zeroed, or what an earlier call has left, if that has set is_kept. Several threads
 * call it at once. */
typedef void make_rows(const void *context, uint64_t begin, uint64_t end, struct row_bytes *rows);

/* The rows that a rank puts out, in parts of `count` rows each. */
struct ordered_rows {
    const struct comm *comm;
    struct outfile *out;   /* the open file; only on rank 0 */
    uint64_t parts;
    enum status (*begin)(const void *context, uint64_t part, struct error *e); /* called before each part's rows are made; may be NULL */
    uint64_t count, piece; /* number of rows of a part; number of rows that a thread makes into bytes at a time */
    make_rows *make;
    const void *context;   /* the first argument of `begin` and `make` */
    const char *what;      /* this and the largest size of a piece are for the message if memory is short */
    size_t piece_bytes;
};

/* Collective. Writes the rows of all ranks: those of rank 0 first, then those of rank 1, and so on, each of which sends its pieces to rank
 * 0 in turn. So no rank holds more than a few pieces as bytes, and a pipe gets the same bytes as a file. Stops at the first
 * failure. Fails on all ranks if one rank fails, or passes an `e` that has failed. */
enum status put_in_order(const struct ordered_rows *rows, struct error *e);

/* Closes a stream of open_memstream(&rows->bytes, &rows->size). If it, or *e, has failed, frees the bytes. */
void close_row_stream(FILE *stream, struct row_bytes *rows, const struct error *e);

#endif

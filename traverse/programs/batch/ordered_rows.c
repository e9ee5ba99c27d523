/* ordered_rows.c: see ordered_rows.h */
#include "ordered_rows.h"

#include "formats/base/arith.h"
#include "formats/base/memory.h"
#include "formats/base/outfile.h"

#include <stdlib.h>

/* GROUP: the most pieces that are in memory at once. MESSAGE: bytes that a rank sends at a time. */
enum { GROUP = 32, MESSAGE = 1 << 20 };

/* Appends bytes of this rank to the file: writes them on rank 0, and sends them from any other. */
static enum status put(const struct ordered_rows *rows, const char *bytes, size_t size, struct error *e)
{
    if (rows->comm->rank == 0)
        return outfile_write(rows->out, bytes, size, e);
    for (size_t sent = 0; sent < size; sent += MESSAGE)
        comm_swap(rows->comm, 0, bytes + sent, smaller(size - sent, MESSAGE), COMM_NONE, NULL, 0);
    return ST_OK;
}

/* Makes the rows of a part into bytes, and appends them to the file. rows[GROUP] has memory that is kept from earlier parts. Stops at the
 * first failure. */
static enum status put_part(const struct ordered_rows *all, struct row_bytes *rows, struct error *e)
{
    const uint64_t piece = all->piece;
    for (uint64_t first = 0; first < all->count && e->status == ST_OK; first += GROUP * piece) {
        const int pieces = (int)smaller(divide_up(all->count - first, piece), GROUP);
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
        for (int i = 0; i < pieces; i++) {
            const uint64_t begin = first + (uint64_t)i * piece;
            all->make(all->context, begin, smaller(begin + piece, all->count), &rows[i]);
        }
        for (int i = 0; i < pieces; i++) {
            if (rows[i].bytes == NULL)
                fail_memory(e, all->what, all->piece_bytes);
            else if (e->status == ST_OK)
                put(all, rows[i].bytes, rows[i].size, e);
            if (rows[i].is_kept)
                continue;
            free(rows[i].bytes);
            rows[i] = (struct row_bytes){0};
        }
    }
    return e->status;
}

/* Puts out all rows of this rank. Stops at the first failure. */
static enum status put_own_rows(const struct ordered_rows *all, struct error *e)
{
    struct row_bytes rows[GROUP] = {{0}};
    for (uint64_t part = 0; part < all->parts && e->status == ST_OK; part++) {
        if (all->begin == NULL || all->begin(all->context, part, e) == ST_OK)
            put_part(all, rows, e);
    }
    for (int i = 0; i < GROUP; i++)
        free(rows[i].bytes);
    return e->status;
}

/* On rank 0: writes what rank `from` sends, until it sends nothing. After a failure it is received and dropped. */
static void receive(const struct ordered_rows *rows, uint32_t from, char *message, struct error *e)
{
    size_t size;
    while ((size = comm_swap(rows->comm, COMM_NONE, NULL, 0, from, message, MESSAGE)) > 0) {
        if (e->status == ST_OK)
            outfile_write(rows->out, message, size, e);
    }
}

enum status put_in_order(const struct ordered_rows *rows, struct error *e)
{
    const struct comm *comm = rows->comm;
    char *message = comm->ranks > 1 ? zeroed(MESSAGE, 1, rows->what, e) : NULL;
    if (comm_agree(comm, e) == ST_OK) {
        if (comm->rank == 0)
            put_own_rows(rows, e);
        for (uint32_t rank = 1; rank < comm->ranks; rank++) {
            if (comm->rank == 0)
                receive(rows, rank, message, e);
            if (comm->rank != rank)
                continue;
            put_own_rows(rows, e);
            comm_swap(comm, 0, NULL, 0, COMM_NONE, NULL, 0); /* the end */
        }
    }
    free(message);
    return comm_agree(comm, e);
}

void close_row_stream(FILE *stream, struct row_bytes *rows, const struct error *e)
{
    const int failed = ferror(stream);
    if (fclose(stream) == 0 && !failed && e->status == ST_OK)
        return;
    free(rows->bytes);
    rows->bytes = NULL;
}

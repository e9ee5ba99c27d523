/* batch_table.c: writes a table that grows batch by batch; see batch_table.h */
#include "batch_table.h"
#include "ordered_rows.h"

#include "traverse/results/outputs.h"

#include "formats/base/arith.h"
#include "formats/npy.h"

#include <stdlib.h>
#include <string.h>

/* PIECE: rows that a thread makes into bytes at a time. LINE_BYTES: no line of three numbers is longer. */
enum { PIECE = 1 << 12, LINE_BYTES = TABLE_FIELDS * (TABLE_NUMBER_BYTES + 1) };

/* Returns whether the table is an array of numpy. */
static int is_numpy(const struct batch_table *t)
{
    return result_format_of(RESULT_BY_SUFFIX, t->name) == RESULT_NPY;
}

/* ---- pieces ---- */

/* Writes rows as lines of numbers to `at`. Returns a pointer behind the last line. */
static char *put_lines(const struct batch_table *t, int64_t (*row)[TABLE_FIELDS], uint64_t count, char *at)
{
    const char separator = table_separator(table_form_of(t->name));
    for (uint64_t i = 0; i < count; i++) {
        for (int f = 0; f < TABLE_FIELDS; f++) {
            at = t->has_vertices[f] ? table_put_id(at, row[i][f], t->base) : table_put_number(at, row[i][f]);
            *at++ = f + 1 < TABLE_FIELDS ? separator : '\n';
        }
    }
    return at;
}

/* Writes rows as numbers of t->width bytes to `at`: all columns, or the last one of a matrix. Returns a pointer behind them. */
static char *put_numbers(const struct batch_table *t, int64_t (*row)[TABLE_FIELDS], uint64_t count, char *at)
{
    const int first = t->matrix_columns > 0 ? TABLE_FIELDS - 1 : 0;
    for (uint64_t i = 0; i < count; i++) {
        for (int f = first; f < TABLE_FIELDS; f++, at += t->width)
            memcpy(at, &row[i][f], t->width); /* little-endian, as dbfs is */
    }
    return at;
}

/* Prints rows as lines with names into the bytes of a piece. */
static void print_named_lines(const struct batch_table *t, int64_t (*row)[TABLE_FIELDS], uint64_t count, struct row_bytes *piece)
{
    struct error e = {0};
    struct table lines;
    FILE *stream = open_memstream(&piece->bytes, &piece->size);
    if (stream == NULL)
        return;
    table_begin_stream(&lines, stream, table_form_of(t->name), t->map, t->base);
    for (uint64_t i = 0; i < count; i++) {
        for (int f = 0; f < TABLE_FIELDS; f++) {
            if (t->has_vertices[f])
                table_vertex(&lines, row[i][f], &e);
            else
                table_number(&lines, row[i][f], &e);
        }
        table_end_line(&lines, &e);
    }
    close_row_stream(stream, piece, &e);
}

/* The rows that this rank appends to a table. */
struct appended {
    struct batch_table *table;
    batch_table_rows *rows;
    const void *context;
};

/* Makes rows of this rank into bytes. Called by put_in_order, with a struct appended. */
static struct row_bytes make_piece(const void *context, uint64_t begin, uint64_t end)
{
    const struct appended *appended = context;
    const struct batch_table *t = appended->table;
    struct row_bytes piece = {0};
    const uint64_t count = end - begin;
    int64_t(*row)[TABLE_FIELDS] = malloc(count * sizeof *row);
    if (row != NULL) {
        appended->rows(appended->context, begin, end, row);
        if (t->map != NULL && !is_numpy(t)) {
            print_named_lines(t, row, count, &piece);
        } else if ((piece.bytes = malloc(count * LINE_BYTES)) != NULL) {
            const char *after = (is_numpy(t) ? put_numbers : put_lines)(t, row, count, piece.bytes);
            piece.size = (size_t)(after - piece.bytes);
        }
    }
    free(row);
    return piece;
}

enum status batch_table_append(struct batch_table *t, uint64_t count, batch_table_rows *rows, const void *context,
                               struct error *e)
{
    const struct appended appended = {t, rows, context};
    uint64_t all = count;
    comm_sum_u64(t->comm, &all, 1);
    t->rows += all;
    return put_in_order(&(struct ordered_rows){t->comm, t->out, count, PIECE, make_piece, &appended, t->name, PIECE * LINE_BYTES}, e);
}

/* ---- the file ---- */

/* Makes the header of the array of numpy. */
static void make_header(const struct batch_table *t, char header[NPY_HEADER_BYTES])
{
    if (t->matrix_columns > 0)
        npy_header(header, t->width, t->matrix_rows, t->matrix_columns);
    else
        npy_header(header, t->width, t->rows, TABLE_FIELDS);
}

enum status batch_table_open(struct batch_table *t, struct error *e)
{
    char header[NPY_HEADER_BYTES];
    struct table lines;
    if (outfile_open(&t->out, t->name, e) != ST_OK)
        return e->status;
    if (!is_numpy(t)) {
        table_begin(&lines, t->out, table_form_of(t->name), t->map, t->base);
        return table_columns(&lines, t->columns, e);
    }
    if (t->matrix_columns == 0 && !outfile_seekable(t->out))
        return fail(e, ST_USAGE, "%s: an array whose number of rows is known at the end needs a regular file", t->name);
    make_header(t, header);
    return outfile_write(t->out, header, sizeof header, e);
}

enum status batch_table_commit(struct batch_table *t, struct error *e)
{
    char header[NPY_HEADER_BYTES];
    if (t->out == NULL)
        return e->status;
    if (is_numpy(t) && t->matrix_columns == 0) {
        make_header(t, header);
        outfile_rewrite(t->out, 0, header, sizeof header, e);
    }
    if (e->status == ST_OK)
        outfile_commit(t->out, NULL, e);
    else
        outfile_abort(t->out);
    t->out = NULL;
    return e->status;
}

void batch_table_close(struct batch_table *t)
{
    outfile_abort(t->out);
    t->out = NULL;
}

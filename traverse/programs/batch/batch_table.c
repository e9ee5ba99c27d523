/* batch_table.c: writes a table that grows batch by batch; see batch_table.h */
#include "batch_table.h"
#include "ordered_rows.h"

#include "traverse/results/outputs.h"

#include "formats/base/arith.h"
#include "formats/npy.h"

#include <stdlib.h>
#include <string.h>

/* PIECE: rows that a thread makes into bytes for a piece. CHUNK: rows that it has as numbers at a time, within a cache of the core.
 * LINE_BYTES: no line is longer. */
enum { PIECE = 1 << 12, CHUNK = 1 << 8, LINE_BYTES = TABLE_FIELDS * (TABLE_NUMBER_BYTES + 1) };

/* Returns whether the table is an array of numpy. */
static int is_numpy(const struct batch_table *t)
{
    return result_format_of(RESULT_BY_SUFFIX, t->name) == RESULT_NPY;
}

/* ---- pieces ---- */

/* Writes rows as lines of numbers to `at`. Returns a pointer behind the last line. The first number, which is the same in many rows, is
 * copied from the line before. */
static char *put_lines(const struct batch_table *t, int64_t (*row)[TABLE_FIELDS], uint64_t count, char *at)
{
    const char separator = table_separator(table_form_of(t->name));
    char first[TABLE_NUMBER_BYTES + 1] = {0};
    char *first_end = first;
    for (uint64_t i = 0; i < count; i++) {
        if (i == 0 || row[i][0] != row[i - 1][0]) {
            first_end = t->has_vertices[0] ? table_put_id(first, row[i][0], t->base) : table_put_number(first, row[i][0]);
            *first_end++ = separator;
        }
        memcpy(at, first, sizeof first);
        at += first_end - first;
        for (int f = 1; f < t->fields; f++) {
            at = t->has_vertices[f] ? table_put_id(at, row[i][f], t->base) : table_put_number(at, row[i][f]);
            *at++ = f + 1 < t->fields ? separator : '\n';
        }
    }
    return at;
}

/* Writes rows as numbers of t->width bytes to `at`: all columns, or the last one of a matrix. Returns a pointer behind them. */
static char *put_numbers(const struct batch_table *t, int64_t (*row)[TABLE_FIELDS], uint64_t count, char *at)
{
    const int first = t->matrix_columns > 0 ? t->fields - 1 : 0;
    for (uint64_t i = 0; i < count; i++) {
        for (int f = first; f < t->fields; f++, at += t->width)
            memcpy(at, &row[i][f], t->width); /* little-endian, as dbfs is */
    }
    return at;
}

/* Prints rows as lines with names. */
static void print_named_lines(const struct batch_table *t, int64_t (*row)[TABLE_FIELDS], uint64_t count, struct table *lines,
                              struct error *e)
{
    for (uint64_t i = 0; i < count; i++) {
        for (int f = 0; f < t->fields; f++) {
            if (t->has_vertices[f])
                table_vertex(lines, row[i][f], e);
            else
                table_number(lines, row[i][f], e);
        }
        table_end_line(lines, e);
    }
}

/* The rows that this rank appends to a table. */
struct appended {
    struct batch_table *table;
    batch_table_part *begin; /* NULL: there is one part */
    batch_table_rows *rows;
    void *context;
};

/* Makes rows of this rank into bytes. Called by put_in_order, with a struct appended. */
static void make_piece(const void *context, uint64_t begin, uint64_t end, struct row_bytes *piece)
{
    const struct appended *appended = context;
    const struct batch_table *t = appended->table;
    const int named = t->map != NULL && !is_numpy(t);
    int64_t row[CHUNK][TABLE_FIELDS];
    struct error e = {0};
    struct table lines;
    FILE *stream = NULL;
    if (named && (stream = open_memstream(&piece->bytes, &piece->size)) != NULL)
        table_begin_stream(&lines, stream, table_form_of(t->name), t->map, t->base);
    else if (!named && piece->bytes == NULL)
        *piece = (struct row_bytes){.bytes = malloc(PIECE * LINE_BYTES), .is_kept = 1};
    if (stream == NULL && piece->bytes == NULL)
        return;
    char *at = piece->bytes;
    for (uint64_t first = begin; first < end; first += CHUNK) {
        const uint64_t count = smaller(end - first, CHUNK);
        appended->rows(appended->context, first, first + count, row);
        if (named)
            print_named_lines(t, row, count, &lines, &e);
        else
            at = (is_numpy(t) ? put_numbers : put_lines)(t, row, count, at);
    }
    if (named)
        close_row_stream(stream, piece, &e);
    else
        piece->size = (size_t)(at - piece->bytes);
}

/* Tells the caller of batch_table_append_parts that the rows of part number `part` are made next. put_in_order calls it before the first
 * make_piece of a part, with a struct appended. */
static enum status begin_part(const void *context, uint64_t part, struct error *e)
{
    const struct appended *appended = context;
    return appended->begin != NULL ? appended->begin(appended->context, part, e) : e->status;
}

enum status batch_table_append_parts(struct batch_table *t, uint64_t parts, batch_table_part *begin, uint64_t count,
                                     batch_table_rows *rows, void *context, struct error *e)
{
    const struct appended appended = {t, begin, rows, context};
    uint64_t all = parts * count;
    comm_sum_u64(t->comm, &all, 1);
    t->rows += all;
    return put_in_order(&(struct ordered_rows){t->comm, t->out, parts, begin_part, count, PIECE, make_piece, &appended, t->name,
                                               PIECE * LINE_BYTES}, e);
}

enum status batch_table_append(struct batch_table *t, uint64_t count, batch_table_rows *rows, const void *context,
                               struct error *e)
{
    return batch_table_append_parts(t, 1, NULL, count, rows, (void *)context, e);
}

/* ---- the file ---- */

/* Makes the header of the array of numpy. */
static void make_header(const struct batch_table *t, char header[NPY_HEADER_BYTES])
{
    if (t->matrix_columns > 0)
        npy_header(header, t->width, t->matrix_rows, t->matrix_columns);
    else
        npy_header(header, t->width, t->rows, (uint64_t)t->fields);
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
        outfile_rewrite(t->out, header, sizeof header, e);
    }
    outfile_commit(t->out, NULL, e);
    t->out = NULL;
    return e->status;
}

void batch_table_close(struct batch_table *t)
{
    outfile_abort(t->out);
    t->out = NULL;
}

/* results_write.c: writes an answer as a file in the order of input ids; see results.h
 *
 * Values come in windows (windows.h). All ranks write a regular file, each its own part; for text they first tell each
 * other the lengths of their parts. Rank 0 alone writes a pipe or device, a file that some rank cannot open, and names, as
 * only rank 0 has the map: all windows are its own then. No rank ever holds an array over n. */
#include "outputs.h"
#include "results.h"

#include "traverse/engine/answer_ids.h"

#include "formats/base/arith.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of a piece of a window that a thread makes text of. Fewer ids than MANY take one thread. */
enum { PIECE = 1 << 14, PIECES = ANSWER_WINDOW / PIECE, MANY = 1 << 15 };

/* One file that is being written. */
struct writing {
    struct results *results;
    const struct result_file *file;
    enum result_format format; /* not RESULT_BY_SUFFIX */
    uint32_t width;      /* bytes of a value in a file that is not text */
    uint32_t memory_width; /* bytes of a value in memory */
    char *name;
    struct outfile *out; /* open on rank 0, and on the others if all_write; otherwise NULL */
    int all_write;
    uint64_t at;         /* if all_write: the offset in bytes of the next window in the file */
    struct id_range *range; /* [ranks] the ids of the window of each rank */
    const void *window;  /* the values of this rank's window */
    int64_t *values;     /* [ANSWER_WINDOW] the values of the window widened to 8 bytes, if needed */
    char *text;          /* [ANSWER_WINDOW] lines */
    uint64_t length[PIECES]; /* bytes of the lines of each PIECE ids; they begin at i * PIECE * LINE_BYTES in text */
};

/* ---- formats ---- */

/* Returns the format that was asked for or, with RESULT_BY_SUFFIX, the one that the end of the name chooses. */
static enum result_format format_of(const struct result_file *file)
{
    return file->format != RESULT_BY_SUFFIX      ? file->format
           : outputs_ends_in(file->name, ".npy") ? RESULT_NPY
           : outputs_ends_in(file->name, ".raw") ? RESULT_RAW
           : outputs_ends_in(file->name, ".csv") ? RESULT_CSV
                                                 : RESULT_TEXT;
}

/* Returns the separator of the fields of a line without names: a comma for CSV, otherwise a blank. */
static char separator_of(const struct writing *w)
{
    return w->format == RESULT_CSV ? ',' : ' ';
}

/* Returns whether the file has lines of text. */
static int is_text(const struct writing *w)
{
    return w->format == RESULT_TEXT || w->format == RESULT_CSV;
}

/* numpy's format 1.0: magic, version, header length, a Python dict padded with spaces to a multiple of 64 bytes, a
 * newline. */
void results_npy_header(char header[NPY_HEADER_BYTES], uint32_t width, uint64_t rows, uint64_t n)
{
    char shape[48];
    if (rows == 0)
        snprintf(shape, sizeof shape, "(%" PRIu64 ",)", n);
    else
        snprintf(shape, sizeof shape, "(%" PRIu64 ", %" PRIu64 ")", rows, n);
    memset(header, ' ', NPY_HEADER_BYTES);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(NPY_HEADER_BYTES - 10);
    header[9] = 0;
    int length = snprintf(header + 10, NPY_HEADER_BYTES - 10,
                          "{'descr': '<i%u', 'fortran_order': False, 'shape': %s, }", width, shape);
    header[10 + length] = ' '; /* overwrites the terminating NUL */
    header[NPY_HEADER_BYTES - 1] = '\n';
}

/* Called before the values: rank 0 writes the header of a numpy array. Does nothing for other formats and ranks.
 * */
static enum status write_header(const struct writing *w, struct error *e)
{
    char header[NPY_HEADER_BYTES];
    if (w->format != RESULT_NPY || w->results->comm->rank != 0)
        return ST_OK;
    results_npy_header(header, w->width, 0, w->results->graph->manifest.totals.n);
    return outfile_write(w->out, header, sizeof header, e);
}

/* ---- windows ---- */

/* Returns the largest number of ids of a window. */
static uint64_t window_ids(const struct writing *w)
{
    return w->file->values != NULL ? ANSWER_WINDOW : w->results->windows.ids;
}

/* Returns the input ids that a rank writes: an equal share if all ranks write, otherwise all ids on rank 0. */
static struct id_range range_of(const struct writing *w, uint32_t rank)
{
    uint64_t n = w->results->graph->manifest.totals.n, ranks = w->results->comm->ranks;
    if (!w->all_write)
        return (struct id_range){rank == 0 ? 0 : n, n};
    return (struct id_range){n / ranks * rank + n % ranks * rank / ranks,
                             n / ranks * (rank + 1) + n % ranks * (rank + 1) / ranks};
}

/* Returns the number of windows of the rank that has most of them, alike on all ranks. */
static uint64_t rounds_of(const struct writing *w)
{
    uint64_t most = 0;
    for (uint32_t r = 0; r < w->results->comm->ranks; r++) {
        struct id_range range = range_of(w, r);
        most = larger(most, divide_up(range.end - range.first, window_ids(w)));
    }
    return most;
}

/* Collective. Reads window number `round` of each rank, the own one into w->window. Returns the ids of the own
 * window, which may be empty. If a rank fails, or passes an `e` that has failed, the call fails on all ranks. */
static struct id_range read_windows(struct writing *w, uint64_t round, struct error *e)
{
    const struct comm *comm = w->results->comm;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        struct id_range range = range_of(w, r);
        uint64_t first = range.first + smaller(range.end - range.first, round * window_ids(w));
        w->range[r] = (struct id_range){first, first + smaller(range.end - first, window_ids(w))};
    }
    if (w->file->values == NULL)
        windows_read(&w->results->windows, w->file->kind, w->range, &w->window, e);
    else
        w->window = (const char *)w->file->values + w->range[0].first * w->memory_width;
    return w->range[comm->rank];
}

/* Widens the `count` values of the window to 8 bytes each in w->values, and returns them. */
static const int64_t *wide_values(const struct writing *w, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        w->values[i] = answer_id(w->window, w->memory_width, i);
    return w->values;
}

/* ---- text ---- */

enum { LINE_BYTES = 48 }; /* at least the bytes of the longest line */

/* Writes a number in decimal, without a terminator. Returns its end. */
static char *print_number(char *at, int64_t value)
{
    uint64_t x = value < 0 ? (uint64_t)-value : (uint64_t)value;
    unsigned digits = 1;
    for (uint64_t rest = x; rest >= 10; rest /= 10)
        digits++;
    if (value < 0)
        *at++ = '-';
    for (unsigned i = digits; i > 0; i--, x /= 10)
        at[i - 1] = (char)('0' + x % 10);
    return at + digits;
}

/* Writes the lines of ids first..first+count to `at`, and returns their end. */
static char *print_lines(char *at, char separator, uint64_t first, uint64_t count, const int64_t *values)
{
    for (uint64_t i = 0; i < count; i++) {
        at = print_number(at, (int64_t)(first + i));
        *at++ = separator;
        at = print_number(at, values[i]);
        *at++ = '\n';
    }
    return at;
}

/* ---- writing a window ---- */

/* Appends bytes to the file: at w->at, which advances, if all ranks write. */
static enum status put_bytes(struct writing *w, const void *bytes, uint64_t count, struct error *e)
{
    if (!w->all_write)
        return outfile_write(w->out, bytes, count, e);
    w->at += count;
    return outfile_fill(w->out, w->at - count, bytes, count, e);
}

/* Makes the lines "id value" of ids first..first+count of the window in w->text, with threads, and sets w->length.
 * Returns the bytes of all lines. */
static uint64_t make_lines(struct writing *w, uint64_t first, uint64_t count)
{
    const int64_t *values = wide_values(w, count);
    uint64_t bytes = 0;
#pragma omp parallel for schedule(static) if (count > MANY) reduction(+ : bytes)
    for (uint64_t i = 0; i < count; i += PIECE) {
        char *begin = w->text + i * LINE_BYTES;
        char *end = print_lines(begin, separator_of(w), first + i, count - i < PIECE ? count - i : PIECE, values + i);
        w->length[i / PIECE] = (uint64_t)(end - begin);
        bytes += (uint64_t)(end - begin);
    }
    return bytes;
}

/* Makes and writes the lines "id value" of the window of ids first..first+count. */
static enum status put_lines(struct writing *w, uint64_t first, uint64_t count, struct error *e)
{
    make_lines(w, first, count);
    for (uint64_t i = 0; i * PIECE < count && e->status == ST_OK; i++)
        put_bytes(w, w->text + i * PIECE * LINE_BYTES, w->length[i], e);
    return e->status;
}

/* Called by text_printed: prints a name without control characters. The context is a struct map_name. */
static void print_visible(FILE *stream, const void *context)
{
    const struct map_name *name = context;
    text_print_visible(stream, name->bytes, name->length);
}

/* Writes a name to a terminal, without its control characters, and `end`. */
static enum status write_visible(struct outfile *out, struct map_name name, char end, struct error *e)
{
    size_t size;
    char *text = text_printed(print_visible, &name, &size);
    if (text == NULL)
        return fail_memory(e, "name of a vertex", name.length);
    if (outfile_write(out, text, size, e) == ST_OK)
        outfile_write(out, &end, 1, e);
    free(text);
    return e->status;
}

/* Names go to a terminal, to a field of comma-separated values (RFC 4180), which is in quotes if it has a comma or a quote,
 * or to a file as they are. */
enum name_form { NAME_SHOWN, NAME_CSV, NAME_PLAIN };

/* Writes a name and `end`. */
static enum status write_name(struct outfile *out, struct map_name name, enum name_form form, char end, struct error *e)
{
    int quoted = form == NAME_CSV && (memchr(name.bytes, ',', name.length) != NULL || memchr(name.bytes, '"', name.length) != NULL);
    if (form == NAME_SHOWN)
        return write_visible(out, name, end, e);
    if (quoted)
        outfile_write(out, "\"", 1, e);
    for (size_t i = 0; quoted && i < name.length && e->status == ST_OK; i++) {
        if (name.bytes[i] == '"') /* a quote is doubled */
            outfile_write(out, "\"", 1, e);
        outfile_write(out, &name.bytes[i], 1, e);
    }
    if (e->status == ST_OK)
        outfile_write(out, quoted ? "\"" : name.bytes, quoted ? 1 : name.length, e);
    return e->status == ST_OK ? outfile_write(out, &end, 1, e) : e->status;
}

/* Writes the lines of ids first..first+count with names from the map: name and depth, or name and name of the
 * parent. The map is read in order for the vertices and at random for their parents. */
static enum status put_named_lines(const struct writing *w, uint64_t first, uint64_t count, struct error *e)
{
    const struct name_map *map = w->file->map;
    const int64_t *values = wide_values(w, count);
    char number[LINE_BYTES];
    struct map_name vertex = name_map_at(map, first);
    int csv = w->format == RESULT_CSV;
    enum name_form form = outfile_is_terminal(w->out) ? NAME_SHOWN : csv ? NAME_CSV : NAME_PLAIN;
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        vertex = i > 0 ? name_map_after(vertex) : vertex;
        struct map_name value = {number, 0};
        if (w->file->kind == ANSWER_PARENTS && values[i] >= 0)
            value = name_map_at(map, (uint64_t)values[i]);
        else
            value.length = (size_t)(print_number(number, values[i]) - number);
        if (write_name(w->out, vertex, form, csv ? ',' : '\t', e) == ST_OK)
            write_name(w->out, value, form, '\n', e);
    }
    return e->status;
}

/* Writes the values of ids first..first+count of the window in the format of the file. Values in the file have at
 * least as many bytes as in memory. */
static enum status put_window(struct writing *w, uint64_t first, uint64_t count, struct error *e)
{
    if (w->file->map != NULL && is_text(w))
        return put_named_lines(w, first, count, e);
    if (is_text(w))
        return put_lines(w, first, count, e);
    return put_bytes(w, w->width == w->memory_width ? w->window : wide_values(w, count), count * w->width, e);
}

/* ---- all windows ---- */

/* Collective. Returns the offset in bytes of the part of this rank in a file that all ranks write. For text all
 * windows are read and their lines made once, only to count the bytes. */
static uint64_t part_begin(struct writing *w, struct error *e)
{
    uint64_t bytes = 0, rounds = rounds_of(w);
    if (!is_text(w))
        return (w->format == RESULT_NPY ? NPY_HEADER_BYTES : 0) + range_of(w, w->results->comm->rank).first * w->width;
    for (uint64_t round = 0; round < rounds && e->status == ST_OK; round++) {
        struct id_range window = read_windows(w, round, e);
        bytes += e->status == ST_OK ? make_lines(w, window.first, window.end - window.first) : 0;
    }
    return comm_sum_before(w->results->comm, bytes);
}

/* Collective. Reads and writes all windows of this rank. After a failure of one rank the next read_windows fails
 * on all ranks. */
static enum status write_windows(struct writing *w, struct error *e)
{
    uint64_t rounds = rounds_of(w);
    for (uint64_t round = 0; round < rounds; round++) {
        struct id_range window = read_windows(w, round, e);
        if (e->status != ST_OK)
            return e->status;
        if (window.first < window.end)
            put_window(w, window.first, window.end - window.first, e);
    }
    return e->status;
}

/* ---- opening ---- */

/* Chooses format and widths, takes buffers, and opens the file on rank 0. After a failure close_writing is still
 * to be called. */
static enum status open_writing(struct writing *w, struct error *e)
{
    const struct results *r = w->results;
    const struct result_file *file = w->file;
    w->format = format_of(file);
    w->memory_width = file->values == NULL          ? answers_width(&r->answers, file->kind)
                      : file->kind == ANSWER_DEPTHS ? 4
                                                    : answer_id_bytes(r->graph->manifest.totals.n);
    w->width = file->kind == ANSWER_DEPTHS ? 4 : file->id_bytes != 0 ? file->id_bytes
                                                                     : w->memory_width;
    w->name = outputs_name(file->name, original_id(r->graph, r->root->id));
    w->range = zeroed(r->comm->ranks, sizeof *w->range, file->name, e);
    w->values = malloc(ANSWER_WINDOW * sizeof *w->values);
    w->text = is_text(w) ? malloc(ANSWER_WINDOW * (size_t)LINE_BYTES) : NULL;
    if (w->name == NULL || w->values == NULL || (is_text(w) && w->text == NULL))
        fail_memory(e, file->name, ANSWER_WINDOW * sizeof *w->values);
    if (e->status != ST_OK || r->comm->rank != 0)
        return e->status;
    return file->in_place ? outfile_open_in_place(&w->out, w->name, e) : outfile_open(&w->out, w->name, e);
}

/* Collective. Commits the file, or discards it after a failure of any rank, and frees the buffers. */
static enum status close_writing(struct writing *w, struct error *e)
{
    outputs_commit(&w->out, w->results->comm, e);
    free(w->name);
    free(w->values);
    free(w->range);
    free(w->text);
    return e->status;
}

/* Makes the answer first if the devices hold the one of the other kind; see results.h. */
enum status results_write(struct results *r, const struct result_file *file, struct error *e)
{
    struct writing w = {.results = r, .file = file};
    if (file->values == NULL && r->made != file->kind &&
        results_answer(r, file->kind, r->root, r->levels, e) != ST_OK)
        return e->status;
    if (file->values == NULL && r->windows.answers == NULL && windows_open(&r->windows, &r->answers, e) != ST_OK)
        return e->status;
    open_writing(&w, e);
    if (comm_agree(r->comm, e) == ST_OK) {
        w.all_write = r->comm->ranks > 1 && outputs_join(&w.out, r->comm, file->map == NULL, w.name);
        write_header(&w, e);
        if (w.all_write)
            w.at = part_begin(&w, e);
        write_windows(&w, e);
    }
    return close_writing(&w, e);
}

/* Uses results without devices, for a single rank; see results.h. */
enum status results_write_values(const struct rank *rank, const struct root *root, const struct result_file *file,
                                 struct error *e)
{
    struct results alone = {.rank = rank, .graph = rank->graph, .comm = rank->comm, .root = root};
    return results_write(&alone, file, e);
}

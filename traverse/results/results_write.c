/* results_write.c: writes an answer as a file in the order of input ids; see results.h
 *
 * The values are read in windows, which are ranges of ids (windows.h), so that no rank has an array over all ids. Usually
 * each rank writes its own part of the file. For text the ranks first tell each other the lengths of their parts. Rank 0
 * reads all windows and writes the file alone if the file is a pipe or a device, if some rank cannot open the file, or if
 * the file has names, because only rank 0 has the map. */
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

/* PIECE: the number of ids for which a thread makes lines of text at a time. MANY: for a window of at most this number of
 * ids, a single thread makes all lines. */
enum { PIECE = 1 << 14, PIECES = ANSWER_WINDOW / PIECE, MANY = 1 << 15 };

/* One file that is being written. */
struct writing {
    struct results *results;
    const struct result_file *file;
    enum result_format format; /* the chosen format, never RESULT_BY_SUFFIX */
    uint32_t width;      /* bytes of a value in the file, if the file is not text */
    uint32_t memory_width; /* bytes of a value in memory */
    char *name;          /* the name of the file, with the root for %d. Owned */
    uint64_t window_ids; /* the largest number of ids in a window */
    struct outfile *out; /* the open file; may be NULL on ranks that do not write */
    int all_write;       /* 1: every rank writes its own part of the file; 0: rank 0 writes the whole file */
    uint64_t at;         /* if all_write is 1: the offset in the file, in bytes, where this rank writes next */
    struct id_range *range; /* [ranks] the ids of each rank's current window */
    const void *window;  /* the values of this rank's current window, of memory_width bytes each */
    int64_t *values;     /* [ANSWER_WINDOW] a copy of the window's values, of 8 bytes each, for formats that need it */
    char *text;          /* memory for the lines of ANSWER_WINDOW ids; NULL if the file is not text */
    uint64_t length[PIECES]; /* bytes of the lines of each piece; piece i begins at text + i * PIECE * LINE_BYTES */
};

/* ---- formats ---- */

/* Returns whether the file has lines of text (RESULT_TEXT, RESULT_CSV). */
static int is_text(const struct writing *w)
{
    return w->format == RESULT_TEXT || w->format == RESULT_CSV;
}

/* ---- windows ---- */

/* Returns the range of input ids that a rank writes to the file: an equal share of all ids if all ranks write; otherwise
 * all ids for rank 0, and none for the other ranks. */
static struct id_range range_of(const struct writing *w, uint32_t rank)
{
    uint64_t n = w->results->graph->manifest.totals.n, ranks = w->results->comm->ranks;
    if (!w->all_write)
        return (struct id_range){rank == 0 ? 0 : n, n};
    return (struct id_range){n / ranks * rank + n % ranks * rank / ranks,
                             n / ranks * (rank + 1) + n % ranks * (rank + 1) / ranks};
}

/* Collective. Each rank reads window number `round` of its ids. Sets w->range to the windows of all ranks, and w->window to
 * the values of this rank's window. Returns the ids of this window, which may be none. If a rank fails, or passes an `e`
 * that has failed, the call fails on all ranks. */
static struct id_range read_windows(struct writing *w, uint64_t round, struct error *e)
{
    const struct comm *comm = w->results->comm;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        struct id_range range = range_of(w, r);
        uint64_t first = range.first + smaller(range.end - range.first, round * w->window_ids);
        w->range[r] = (struct id_range){first, first + smaller(range.end - first, w->window_ids)};
    }
    if (w->file->values == NULL)
        windows_read(&w->results->windows, w->file->kind, w->range, &w->window, e);
    else
        w->window = (const char *)w->file->values + w->range[0].first * w->memory_width;
    return w->range[comm->rank];
}

/* Copies the first `count` values of the window to w->values, with 8 bytes each, and returns w->values. */
static const int64_t *wide_values(const struct writing *w, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        w->values[i] = answer_id(w->window, w->memory_width, i);
    return w->values;
}

/* ---- text ---- */

enum { LINE_BYTES = 48 }; /* no line with two numbers is longer than this */

/* Writes a decimal number to `at`, without a terminating NUL. Returns a pointer behind the last digit. */
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

/* Writes a line "id value" or "id,value" to w->text for each of the window's ids first to first + count - 1. Sets
 * w->length. Returns the number of bytes of all lines. */
static uint64_t make_lines(struct writing *w, uint64_t first, uint64_t count)
{
    const int64_t *values = wide_values(w, count);
    const char separator = w->format == RESULT_CSV ? ',' : ' ';
    uint64_t bytes = 0;
#pragma omp parallel for schedule(static) if (count > MANY) reduction(+ : bytes)
    for (uint64_t i = 0; i < count; i += PIECE) {
        char *begin = w->text + i * LINE_BYTES, *at = begin;
        for (uint64_t j = i; j < smaller(count, i + PIECE); j++) {
            at = print_number(at, (int64_t)(first + j));
            *at++ = separator;
            at = print_number(at, values[j]);
            *at++ = '\n';
        }
        w->length[i / PIECE] = (uint64_t)(at - begin);
        bytes += (uint64_t)(at - begin);
    }
    return bytes;
}

/* ---- names ---- */

/* Prints a name, with its control characters made visible. Called by text_printed with a struct map_name. */
static void print_visible(FILE *stream, const void *context)
{
    const struct map_name *name = context;
    text_print_visible(stream, name->bytes, name->length);
}

/* How names are written. NAME_SHOWN, for a terminal: control characters are made visible. NAME_CSV, for .csv files (RFC
 * 4180): a name with a comma or a quote is put in quotes. NAME_PLAIN, for all other files: the name is not changed. */
enum name_form { NAME_SHOWN, NAME_CSV, NAME_PLAIN };

/* Writes a name in this form to the file. Then writes the character `end`. */
static enum status write_name(struct outfile *out, struct map_name name, enum name_form form, char end, struct error *e)
{
    size_t size = name.length;
    char *shown = form == NAME_SHOWN ? text_printed(print_visible, &name, &size) : NULL;
    if (form == NAME_SHOWN && shown == NULL)
        return fail_memory(e, "name of a vertex", name.length);
    const char *bytes = shown != NULL ? shown : name.bytes;
    if (form == NAME_CSV && (memchr(bytes, ',', size) != NULL || memchr(bytes, '"', size) != NULL)) {
        outfile_write(out, "\"", 1, e);
        for (size_t i = 0; i < size && e->status == ST_OK; i++)
            outfile_write(out, bytes[i] == '"' ? "\"\"" : &bytes[i], bytes[i] == '"' ? 2 : 1, e); /* a quote is doubled */
        bytes = "\"";
        size = 1;
    }
    if (e->status == ST_OK && outfile_write(out, bytes, size, e) == ST_OK)
        outfile_write(out, &end, 1, e);
    free(shown);
    return e->status;
}

/* Writes a line for each of the window's ids first to first + count - 1: the name of the vertex, and its depth or the name
 * of its parent. A parent of -1 is written as a number. The map is read in order for vertices, and at random places for
 * parents. */
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
        if (w->file->kind != ANSWER_DEPTHS && values[i] >= 0)
            value = name_map_at(map, (uint64_t)values[i]);
        else
            value.length = (size_t)(print_number(number, values[i]) - number);
        if (write_name(w->out, vertex, form, csv ? ',' : '\t', e) == ST_OK)
            write_name(w->out, value, form, '\n', e);
    }
    return e->status;
}

/* ---- the file ---- */

/* Appends `count` bytes to the file or, if all ranks write it, to this rank's part of the file, which ends at w->at so far. */
static enum status put_bytes(struct writing *w, const void *bytes, uint64_t count, struct error *e)
{
    if (!w->all_write)
        return outfile_write(w->out, bytes, count, e);
    w->at += count;
    return outfile_fill(w->out, w->at - count, bytes, count, e);
}

/* Writes the values of the window's ids first to first + count - 1 to the file, in the format of the file. A value in the
 * file never has fewer bytes than in memory. */
static enum status put_window(struct writing *w, uint64_t first, uint64_t count, struct error *e)
{
    if (w->file->map != NULL && is_text(w))
        return put_named_lines(w, first, count, e);
    if (!is_text(w))
        return put_bytes(w, w->width == w->memory_width ? w->window : wide_values(w, count), count * w->width, e);
    make_lines(w, first, count);
    for (uint64_t i = 0; i * PIECE < count && e->status == ST_OK; i++)
        put_bytes(w, w->text + i * PIECE * LINE_BYTES, w->length[i], e);
    return e->status;
}

/* Collective. Reads the windows of this rank one after the other, and writes each to the file. If all ranks write text,
 * they read their windows twice: first only to count the bytes of their lines, because a rank must know where its part of
 * the file begins. If one rank fails, the next read_windows fails on all ranks. */
static enum status write_windows(struct writing *w, struct error *e)
{
    const struct comm *comm = w->results->comm;
    uint64_t rounds = 0, bytes = 0; /* rounds: the largest number of windows of any rank; the same on all ranks */
    for (uint32_t r = 0; r < comm->ranks; r++)
        rounds = larger(rounds, divide_up(range_of(w, r).end - range_of(w, r).first, w->window_ids));
    if (w->all_write && is_text(w)) {
        for (uint64_t round = 0; round < rounds && e->status == ST_OK; round++) {
            struct id_range own = read_windows(w, round, e);
            bytes += e->status == ST_OK ? make_lines(w, own.first, own.end - own.first) : 0;
        }
        w->at = comm_sum_before(comm, bytes);
    } else if (w->all_write) {
        w->at = (w->format == RESULT_NPY ? NPY_HEADER_BYTES : 0) + range_of(w, comm->rank).first * w->width;
    }
    for (uint64_t round = 0; round < rounds; round++) {
        struct id_range own = read_windows(w, round, e);
        if (e->status != ST_OK)
            return e->status;
        if (own.first < own.end)
            put_window(w, own.first, own.end - own.first, e);
    }
    return e->status;
}

/* Prepares the writing of a file: chooses the format and the widths of values, allocates name, range, values and text of
 * *w, and opens the file on rank 0. The caller frees these four, even after a failure. */
static enum status open_writing(struct writing *w, struct error *e)
{
    const struct results *r = w->results;
    const struct result_file *file = w->file;
    const int depths = file->kind == ANSWER_DEPTHS, from_memory = file->values != NULL;
    w->format = file->format != RESULT_BY_SUFFIX      ? file->format
                : outputs_ends_in(file->name, ".npy") ? RESULT_NPY
                : outputs_ends_in(file->name, ".raw") ? RESULT_RAW
                : outputs_ends_in(file->name, ".csv") ? RESULT_CSV
                                                      : RESULT_TEXT;
    w->memory_width = depths ? 4 : answer_id_bytes(r->graph->manifest.totals.n);
    w->width = depths || file->id_bytes == 0 ? w->memory_width : file->id_bytes;
    w->window_ids = from_memory ? ANSWER_WINDOW : r->windows.ids;
    w->name = outputs_name(file->name, file->root);
    w->range = zeroed(r->comm->ranks, sizeof *w->range, file->name, e);
    w->values = malloc(ANSWER_WINDOW * sizeof *w->values);
    w->text = is_text(w) ? malloc(ANSWER_WINDOW * (size_t)LINE_BYTES) : NULL;
    if (w->name == NULL || w->values == NULL || (is_text(w) && w->text == NULL))
        fail_memory(e, file->name, ANSWER_WINDOW * sizeof *w->values);
    if (e->status != ST_OK || r->comm->rank != 0)
        return e->status;
    return file->in_place ? outfile_open_in_place(&w->out, w->name, e) : outfile_open(&w->out, w->name, e);
}

/* Collective. Writes an answer to a file (results.h). First makes the answer if the devices hold the other kind; if this fails,
 * only this rank knows of the failure. An old file is replaced only when all ranks have succeeded. But with file->in_place, the
 * old file is overwritten from the beginning of the call on. */
enum status results_write(struct results *r, const struct result_file *file, struct error *e)
{
    struct writing w = {.results = r, .file = file};
    const enum answer_kind made = file->kind == ANSWER_NEAREST ? ANSWER_PARENTS : file->kind;
    if (file->values == NULL && r->answers.kind != made &&
        answers_make(&r->answers, made, &r->answers.roots, r->answers.levels, e) != ST_OK)
        return e->status;
    if (file->kind == ANSWER_NEAREST && answers_make_nearest(&r->answers, e) != ST_OK)
        return e->status;
    if (file->values == NULL && r->windows.answers == NULL && windows_open(&r->windows, &r->answers, e) != ST_OK)
        return e->status;
    open_writing(&w, e);
    if (comm_agree(r->comm, e) == ST_OK) {
        w.all_write = r->comm->ranks > 1 && outputs_join(&w.out, r->comm, file->map == NULL, w.name);
        if (w.format == RESULT_NPY && r->comm->rank == 0) {
            char header[NPY_HEADER_BYTES];
            npy_header(header, w.width, 0, r->graph->manifest.totals.n);
            outfile_write(w.out, header, sizeof header, e);
        }
        write_windows(&w, e);
    }
    outputs_commit(&w.out, r->comm, e);
    free(w.name);
    free(w.values);
    free(w.range);
    free(w.text);
    return e->status;
}

/* Writes the values of the array file->values to a file (results.h), by results_write with temporary results in which only
 * the graph is set. */
enum status results_write_values(const struct rank *rank, const struct root *root, const struct result_file *file,
                                 struct error *e)
{
    struct results alone = {.rank = rank, .graph = rank->graph, .comm = rank->comm};
    struct result_file named = *file;
    named.root = original_id(rank->graph, root->id);
    return results_write(&alone, &named, e);
}

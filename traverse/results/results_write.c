/* results_write.c: writes an answer as a file in the order of input ids; see results.h
 *
 * Each rank has the values of consecutive ids, which it fetches from its devices in windows. All ranks write a
 * regular file, each its own part; for text they first tell each other the lengths of their parts. Rank 0 alone
 * writes a pipe or device, a file that some rank cannot open, and names, as only rank 0 has the map. The others
 * send it their windows one after the other. No rank ever holds an array over n. */
#include "traverse/devices/answer_blocks.h"
#include "traverse/devices/threads.h"
#include "csv_names.h"
#include "outputs.h"
#include "result_text.h"
#include "results_internal.h"

#include "formats/base/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 20, PIECE = 1 << 14 };

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_RAW, FORMAT_NPY };

/* One file that is being written. */
struct writing {
    struct results *results;
    const struct result_file *file;
    enum format format;
    uint32_t width;      /* bytes of a value in a file that is not text */
    uint32_t memory_width; /* bytes of a value in memory */
    char *name;
    struct outfile *out; /* of rank 0; of the others, too, if all write */
    int all_write;
    void *memory;        /* [WINDOW] copied values, as devices have them */
    const void *window;  /* the values of a window: in `copied`, or in place */
    int64_t *values;     /* [WINDOW] the same in 8 bytes, if needed */
    uint64_t *lengths;   /* [2 * R] lengths of the parts of a text, sent and received */
};

/* ---- formats ---- */

static enum format format_of(const char *path)
{
    return outputs_ends_in(path, ".npy")   ? FORMAT_NPY
           : outputs_ends_in(path, ".raw") ? FORMAT_RAW
           : outputs_ends_in(path, ".csv") ? FORMAT_CSV
                                           : FORMAT_TEXT;
}

/* The separator of fields if ids have no names. */
static char separator_of(const struct writing *w)
{
    return w->format == FORMAT_CSV ? ',' : ' ';
}

static int is_text(const struct writing *w)
{
    return w->format == FORMAT_TEXT || w->format == FORMAT_CSV;
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

static enum status write_header(const struct writing *w, struct error *e)
{
    char header[NPY_HEADER_BYTES];
    if (w->format != FORMAT_NPY || w->results->comm->rank != 0)
        return ST_OK;
    results_npy_header(header, w->width, 0, w->results->graph->manifest.totals.n);
    return outfile_write(w->out, header, sizeof header, e);
}

/* ---- windows ---- */

/* Returns the values of ids first..first+count, which this rank has. */
static enum status read_window(struct writing *w, uint64_t first, uint64_t count, struct error *e)
{
    const struct answers *answers = w->results->answers;
    const char *given = w->file->values;
    w->window = given != NULL ? given + first * w->memory_width
                              : answers_see(answers, w->file->kind, first, count);
    if (w->window != NULL)
        return ST_OK;
    w->window = w->memory;
    return answers_read(answers, w->file->kind, first, count, w->memory, e);
}

/* Returns the window in 8 bytes. */
static const int64_t *wide_values(const struct writing *w, uint64_t count)
{
#pragma omp parallel for schedule(static) if (count > WORTH_THREADS)
    for (uint64_t i = 0; i < count; i++)
        w->values[i] = answer_id(w->window, w->memory_width, i);
    return w->values;
}

/* Returns the window in the width of the file, which is at least that of the memory. */
static const void *file_values(const struct writing *w, uint64_t count)
{
    return w->width == w->memory_width ? w->window : wide_values(w, count);
}

/* ---- every rank its own part ---- */

/* Threads write pieces of the window side by side. *at: the place of the window in the file, and then that of the
 * next one. */
static enum status fill_text(const struct writing *w, uint64_t first, uint64_t count, uint64_t *at,
                             struct error *e)
{
    uint64_t offset[WINDOW / PIECE + 1] = {*at}, pieces = (count + PIECE - 1) / PIECE;
    const int64_t *values = wide_values(w, count);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < pieces; i++)
        offset[i + 1] = result_lines_bytes(first + i * PIECE,
                                           count - i * PIECE < PIECE ? count - i * PIECE : PIECE,
                                           values + i * PIECE);
    for (uint64_t i = 0; i < pieces; i++)
        offset[i + 1] += offset[i];
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < pieces; i++) {
        struct error error = {0};
        char *text = malloc((size_t)PIECE * RESULT_LINE_BYTES);
        if (text == NULL)
            fail_memory(&error, w->name, (size_t)PIECE * RESULT_LINE_BYTES);
        else
            result_lines(text, separator_of(w), first + i * PIECE,
                         count - i * PIECE < PIECE ? count - i * PIECE : PIECE, values + i * PIECE);
        if (text != NULL)
            outfile_fill(w->out, offset[i], text, offset[i + 1] - offset[i], &error);
        free(text);
#pragma omp critical(results_write)
        if (error.status != ST_OK && e->status == ST_OK)
            *e = error;
    }
    *at = offset[pieces];
    return e->status;
}

static enum status fill_window(struct writing *w, uint64_t first, uint64_t count, uint64_t *at, struct error *e)
{
    if (read_window(w, first, count, e) != ST_OK)
        return e->status;
    if (is_text(w))
        return fill_text(w, first, count, at, e);
    uint64_t bytes = count * w->width, offset = *at;
    *at += bytes;
    return outfile_fill(w->out, offset, file_values(w, count), bytes, e);
}

static uint64_t window_of(struct id_range range, uint64_t first)
{
    return range.end - first < WINDOW ? range.end - first : WINDOW;
}

/* Counts the bytes of this rank's part of a text. */
static uint64_t text_bytes(struct writing *w, struct id_range range, struct error *e)
{
    uint64_t bytes = 0;
    for (uint64_t i = range.first; i < range.end && e->status == ST_OK; i += WINDOW) {
        uint64_t count = window_of(range, i);
        if (read_window(w, i, count, e) != ST_OK)
            break;
        const int64_t *values = wide_values(w, count);
#pragma omp parallel for schedule(static) reduction(+ : bytes)
        for (uint64_t j = 0; j < count; j += PIECE)
            bytes += result_lines_bytes(i + j, count - j < PIECE ? count - j : PIECE, values + j);
    }
    return bytes;
}

/* Collective. Returns the begin of this rank's part. */
static uint64_t part_begin(struct writing *w, struct id_range range, struct error *e)
{
    const struct comm *comm = w->results->comm;
    uint64_t begin = 0, *lengths = w->lengths;
    if (!is_text(w))
        return (w->format == FORMAT_NPY ? NPY_HEADER_BYTES : 0) + range.first * w->width;
    if (comm->ranks == 1)
        return 0;
    uint64_t own = text_bytes(w, range, e);
    for (uint32_t r = 0; r < comm->ranks; r++)
        lengths[r] = own;
    comm_alltoall_u64(comm, lengths, lengths + comm->ranks, 1);
    for (uint32_t r = 0; r < comm->rank; r++)
        begin += lengths[comm->ranks + r];
    return begin;
}

static enum status write_part(struct writing *w, struct error *e)
{
    struct id_range range = answers_range(w->results->answers);
    uint64_t at = part_begin(w, range, e);
    for (uint64_t i = range.first; i < range.end && e->status == ST_OK; i += WINDOW)
        fill_window(w, i, window_of(range, i), &at, e);
    return e->status;
}

/* ---- rank 0 writes all ---- */

static enum status write_lines(const struct writing *w, uint64_t first, uint64_t count,
                               struct error *e)
{
    char line[RESULT_LINE_BYTES];
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        char *end = result_lines(line, separator_of(w), first + i, 1, w->values + i);
        outfile_write(w->out, line, (size_t)(end - line), e);
    }
    return e->status;
}

static enum status write_name(struct outfile *out, struct map_name name, int csv, char end,
                              struct error *e)
{
    if (csv)
        csv_name_write(out, name.bytes, name.length, e);
    else
        outfile_write(out, name.bytes, name.length, e);
    if (e->status == ST_OK)
        outfile_write(out, &end, 1, e);
    return e->status;
}

/* Writes names from a map, which is read in order for the vertices and anywhere for their parents. */
static enum status write_named_lines(const struct writing *w, uint64_t first, uint64_t count,
                                     struct error *e)
{
    const struct name_map *map = w->file->map;
    char number[RESULT_LINE_BYTES];
    struct map_name vertex = name_map_at(map, first);
    int csv = w->format == FORMAT_CSV;
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        vertex = i > 0 ? name_map_after(vertex) : vertex;
        struct map_name value = {number, 0};
        if (w->file->kind == ANSWER_PARENTS && w->values[i] >= 0)
            value = name_map_at(map, (uint64_t)w->values[i]);
        else
            value.length = (size_t)(result_number(number, w->values[i]) - number);
        if (write_name(w->out, vertex, csv, csv ? ',' : '\t', e) == ST_OK)
            write_name(w->out, value, csv, '\n', e);
    }
    return e->status;
}

static enum status append_window(const struct writing *w, uint64_t first, uint64_t count,
                                 struct error *e)
{
    if (!is_text(w))
        return outfile_write(w->out, file_values(w, count), count * w->width, e);
    wide_values(w, count);
    return w->file->map != NULL ? write_named_lines(w, first, count, e)
                                : write_lines(w, first, count, e);
}

static struct id_range range_of(const struct writing *w, uint32_t rank)
{
    const struct graph *graph = w->results->graph;
    uint64_t n = graph->manifest.totals.n;
    uint32_t p = graph->manifest.p, G = graph->device_count;
    return (struct id_range){block_first(n, p, rank * G), block_first(n, p, (rank + 1) * G)};
}

/* Brings a window of another rank to rank 0. After a failure both still send and receive. */
static void move_window(struct writing *w, uint32_t from, uint64_t count)
{
    const struct comm *comm = w->results->comm;
    size_t bytes = count * w->memory_width;
    if (comm->rank == 0) {
        comm_swap(comm, COMM_NONE, NULL, 0, from, w->memory, bytes);
        w->window = w->memory;
    } else {
        comm_swap(comm, 0, w->window != NULL ? w->window : w->memory, bytes, COMM_NONE, NULL, 0);
    }
}

/* Collective. After a failed write rank 0 still receives. */
static enum status write_by_first(struct writing *w, struct error *e)
{
    const struct comm *comm = w->results->comm;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        struct id_range range = range_of(w, r);
        for (uint64_t i = range.first; i < range.end; i += WINDOW) {
            uint64_t count = window_of(range, i);
            if (comm->rank == r && e->status == ST_OK)
                read_window(w, i, count, e);
            if (r > 0 && (comm->rank == r || comm->rank == 0))
                move_window(w, r, count);
            if (comm->rank == 0 && e->status == ST_OK)
                append_window(w, i, count, e);
        }
    }
    return e->status;
}

/* ---- opening ---- */

/* Collective. If all ranks can open the file, all write. */
static void join(struct writing *w)
{
    const struct comm *comm = w->results->comm;
    struct error ignored = {0};
    char path[4096] = "";
    int shared = w->out != NULL && comm->ranks > 1 && w->file->map == NULL;
    const char *temporary = shared ? outfile_temporary(w->out) : NULL;
    if (temporary != NULL && strlen(temporary) < sizeof path)
        strcpy(path, temporary);
    comm_broadcast(comm, path, sizeof path, 0);
    if (path[0] != '\0' && comm->rank != 0)
        outfile_join(&w->out, path, w->name, &ignored);
    w->all_write = path[0] != '\0' && comm_min_of(comm, w->out != NULL) == 1;
}

static enum status open_writing(struct writing *w, struct error *e)
{
    const struct results *r = w->results;
    const struct result_file *file = w->file;
    w->format = format_of(file->name);
    w->memory_width = file->values == NULL          ? answers_width(r->answers, file->kind)
                      : file->kind == ANSWER_DEPTHS ? 4
                                                    : answer_id_bytes(r->graph->manifest.totals.n);
    w->width = file->kind == ANSWER_DEPTHS ? 4 : file->id_bytes != 0 ? file->id_bytes
                                                                     : w->memory_width;
    w->name = outputs_name(file->name, original_id(r->graph, r->root->id));
    w->values = malloc(WINDOW * sizeof *w->values);
    w->memory = malloc(WINDOW * (size_t)w->memory_width);
    w->lengths = calloc(2 * (size_t)r->comm->ranks, sizeof *w->lengths);
    if (w->name == NULL || w->values == NULL || w->memory == NULL || w->lengths == NULL)
        return fail_memory(e, file->name, 2 * WINDOW * sizeof *w->values);
    if (r->comm->rank != 0)
        return ST_OK;
    return file->in_place ? outfile_open_in_place(&w->out, w->name, e) : outfile_open(&w->out, w->name, e);
}

/* Collective. Rank 0 commits when the others have written. */
static enum status close_writing(struct writing *w, struct error *e)
{
    const struct comm *comm = w->results->comm;
    if (comm->rank != 0) {
        outfile_leave(w->out, e);
        w->out = NULL;
    }
    if (comm_agree(comm, e) == ST_OK && w->out != NULL) {
        outfile_commit(w->out, NULL, e);
        w->out = NULL;
    }
    outfile_abort(w->out);
    free(w->name);
    free(w->values);
    free(w->memory);
    free(w->lengths);
    return comm_agree(comm, e);
}

enum status results_write(struct results *r, const struct result_file *file, struct error *e)
{
    struct writing w = {.results = r, .file = file};
    if (file->values == NULL && r->made != file->kind &&
        results_answer(r, file->kind, r->root, r->levels, e) != ST_OK)
        return e->status;
    open_writing(&w, e);
    if (comm_agree(r->comm, e) == ST_OK) {
        join(&w);
        write_header(&w, e);
        if (w.all_write)
            write_part(&w, e);
        else
            write_by_first(&w, e);
    }
    return close_writing(&w, e);
}

enum status results_write_values(const struct rank *rank, const struct root *root, const struct result_file *file,
                                 struct error *e)
{
    struct results alone = {.rank = rank, .graph = rank->graph, .comm = rank->comm, .root = root};
    return results_write(&alone, file, e);
}

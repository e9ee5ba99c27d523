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
#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PIECE: the number of ids for which a thread makes lines of text at a time. MANY: for a window of at most this number of
 * ids, a single thread makes all lines. MOST_FIELDS: root, id, depth and parent. LINE_BYTES: the most bytes of a line without
 * names, with a separator or a newline after each field. */
enum {
    PIECE = 1 << 14,
    PIECES = ANSWER_WINDOW / PIECE,
    MANY = 1 << 15,
    MOST_FIELDS = 4,
    LINE_BYTES = MOST_FIELDS * (TABLE_NUMBER_BYTES + 1)
};

/* One file that is being written. */
struct writing {
    struct results *results;
    const struct result_file *file;
    enum result_format format; /* the chosen format, never RESULT_BY_SUFFIX */
    enum table_form form; /* the form of the lines, if the file is text */
    uint64_t base;       /* what people call input id 0 */
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
    const void *parents; /* with_parents: the parents of the ids that this rank writes; otherwise NULL */
    void *kept;          /* memory of `parents`, if they were read from devices; charged to the budget */
    uint32_t parent_width; /* bytes of one of these parents */
    char *text;          /* memory for the lines of ANSWER_WINDOW ids; NULL if the file is not text */
    uint64_t length[PIECES]; /* bytes of the lines of each piece; piece i begins at text + i * PIECE * LINE_BYTES */
};

/* ---- formats ---- */

/* Returns whether the file has lines of text (RESULT_TEXT, RESULT_CSV). */
static int is_text(const struct writing *w)
{
    return w->format == RESULT_TEXT || w->format == RESULT_CSV;
}

/* Returns the names of the columns of a table, for its first line. */
static const char *columns_of(const struct result_file *file)
{
    static const char *const columns[][2] = {[ANSWER_DEPTHS] = {"id,distance", "root,id,distance"},
                                             [ANSWER_PARENTS] = {"id,parent", "root,id,parent"},
                                             [ANSWER_NEAREST] = {"id,nearest", "root,id,nearest"}};
    static const char *const both[] = {"id,distance,parent", "root,id,distance,parent"};
    if (file->columns != NULL)
        return file->columns;
    return file->with_parents ? both[file->table != NULL] : columns[file->kind][file->table != NULL];
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

/* Collective. Each rank reads window number `round` of its ids, of the answer of this kind. Sets w->range to the windows of all
 * ranks, and w->window to the values of this rank's window. Returns the ids of this window, which may be none. If a rank
 * fails, or passes an `e` that has failed, the call fails on all ranks. */
static struct id_range read_windows(struct writing *w, enum answer_kind kind, uint64_t round, struct error *e)
{
    const struct comm *comm = w->results->comm;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        struct id_range range = range_of(w, r);
        uint64_t first = range.first + smaller(range.end - range.first, round * w->window_ids);
        w->range[r] = (struct id_range){first, first + smaller(range.end - first, w->window_ids)};
    }
    if (w->file->values == NULL)
        windows_read(&w->results->windows, kind, w->range, &w->window, e);
    else
        w->window = (const char *)w->file->values + w->range[0].first * w->memory_width;
    return w->range[comm->rank];
}

/* Returns the number of windows of the rank that has most. */
static uint64_t rounds_of(const struct writing *w)
{
    uint64_t rounds = 0;
    for (uint32_t r = 0; r < w->results->comm->ranks; r++)
        rounds = larger(rounds, divide_up(range_of(w, r).end - range_of(w, r).first, w->window_ids));
    return rounds;
}

/* Collective. Reads the parents of all ids that this rank writes into w->kept, as the devices hold one answer at a time. Fails
 * on all ranks if one fails. */
static enum status keep_parents(struct writing *w, struct error *e)
{
    const struct id_range own = range_of(w, w->results->comm->rank);
    memory_take(w->results->budget, &w->kept, own.end - own.first + 1, w->parent_width,
                "parents for the table of distances and parents (two files take less)", e);
    if (comm_agree(w->results->comm, e) != ST_OK)
        return e->status;
    answers_need(&w->results->answers, ANSWER_PARENTS, e);
    for (uint64_t round = 0; round < rounds_of(w); round++) {
        struct id_range window = read_windows(w, ANSWER_PARENTS, round, e);
        if (e->status != ST_OK)
            return e->status;
        memcpy((char *)w->kept + (window.first - own.first) * w->parent_width, w->window,
               (window.end - window.first) * w->parent_width);
    }
    w->parents = w->kept;
    answers_need(&w->results->answers, ANSWER_DEPTHS, e);
    return comm_agree(w->results->comm, e);
}

/* Copies the first `count` values of the window to w->values, with the width that they have in the file: wider parents, or narrower
 * depths. Returns w->values. */
static const void *converted_values(const struct writing *w, uint64_t count)
{
    if (w->width < w->memory_width)
        narrow_depths(w->values, w->window, count, w->width);
    for (uint64_t i = 0; w->width > w->memory_width && i < count; i++)
        answer_set_id(w->values, w->width, i, answer_id(w->window, w->memory_width, i));
    return w->values;
}

/* ---- text ---- */

/* Writes a line of numbers to w->text for each of the window's ids first to first + count - 1: the root if the table has several,
 * the id, its value, and its parent if the table has both. Sets w->length. Returns the number of bytes of all lines. */
static uint64_t make_lines(struct writing *w, uint64_t first, uint64_t count)
{
    const char separator = table_separator(w->form);
    const uint64_t own = range_of(w, w->results->comm->rank).first;
    char root[TABLE_NUMBER_BYTES + 1];
    char *root_end = w->file->table != NULL ? table_put_id(root, (int64_t)w->file->root, w->base) : root;
    if (w->file->table != NULL)
        *root_end++ = separator;
    uint64_t bytes = 0;
#pragma omp parallel for schedule(static) if (count > MANY) reduction(+ : bytes)
    for (uint64_t i = 0; i < count; i += PIECE) {
        char *begin = w->text + i * LINE_BYTES, *at = begin;
        for (uint64_t j = i; j < smaller(count, i + PIECE); j++) {
            const int64_t value = answer_id(w->window, w->memory_width, j);
            memcpy(at, root, (size_t)(root_end - root));
            at = table_put_id(at + (root_end - root), (int64_t)(first + j), w->base);
            *at++ = separator;
            at = w->file->kind != ANSWER_DEPTHS ? table_put_id(at, value, w->base) : table_put_number(at, value);
            if (w->parents != NULL) {
                *at++ = separator;
                at = table_put_id(at, answer_id(w->parents, w->parent_width, first - own + j), w->base);
            }
            *at++ = '\n';
        }
        w->length[i / PIECE] = (uint64_t)(at - begin);
        bytes += (uint64_t)(at - begin);
    }
    return bytes;
}

/* Writes a line for each of the window's ids first to first + count - 1 as make_lines does, but with names. Called on rank 0,
 * which writes all ids. The map is read in order for vertices, and at random places for parents. */
static enum status put_named_lines(const struct writing *w, uint64_t first, uint64_t count, struct error *e)
{
    struct table table;
    struct map_name vertex = name_map_at(w->file->map, first);
    table_begin(&table, w->out, w->form, w->file->map, w->base);
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        const int64_t value = answer_id(w->window, w->memory_width, i);
        vertex = i > 0 ? name_map_after(vertex) : vertex;
        if (w->file->table != NULL)
            table_vertex(&table, (int64_t)w->file->root, e);
        table_text(&table, vertex.bytes, vertex.length, e);
        if (w->file->kind != ANSWER_DEPTHS)
            table_vertex(&table, value, e);
        else
            table_number(&table, value, e);
        if (w->parents != NULL)
            table_vertex(&table, answer_id(w->parents, w->parent_width, first + i), e);
        table_end_line(&table, e);
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
 * file may have other bytes than in memory. */
static enum status put_window(struct writing *w, uint64_t first, uint64_t count, struct error *e)
{
    if (w->file->map != NULL && is_text(w))
        return put_named_lines(w, first, count, e);
    if (!is_text(w))
        return put_bytes(w, w->width == w->memory_width ? w->window : converted_values(w, count), count * w->width, e);
    make_lines(w, first, count);
    for (uint64_t i = 0; i * PIECE < count && e->status == ST_OK; i++)
        put_bytes(w, w->text + i * PIECE * LINE_BYTES, w->length[i], e);
    return e->status;
}

/* Collective. Reads the windows of this rank one after the other, and writes each to the file. If all ranks write text,
 * they read their windows twice: first only to count the bytes of their lines, because a rank must know where its part of
 * the file begins. `begin`: the bytes of the file before these windows. Sets *end to the bytes with them, if all ranks write.
 * If one rank fails, the next read_windows fails on all ranks. */
static enum status write_windows(struct writing *w, uint64_t begin, uint64_t *end, struct error *e)
{
    const struct comm *comm = w->results->comm;
    const uint64_t rounds = rounds_of(w);
    uint64_t bytes = 0;
    if (w->all_write && is_text(w)) {
        for (uint64_t round = 0; round < rounds && e->status == ST_OK; round++) {
            struct id_range own = read_windows(w, w->file->kind, round, e);
            bytes += e->status == ST_OK ? make_lines(w, own.first, own.end - own.first) : 0;
        }
        w->at = begin + comm_sum_before(comm, bytes);
        comm_sum_u64(comm, &bytes, 1);
        *end = begin + bytes;
    } else if (w->all_write) {
        w->at = begin + range_of(w, comm->rank).first * w->width;
        *end = begin + w->results->graph->manifest.totals.n * w->width;
    }
    for (uint64_t round = 0; round < rounds; round++) {
        struct id_range own = read_windows(w, w->file->kind, round, e);
        if (e->status != ST_OK)
            return e->status;
        if (own.first < own.end)
            put_window(w, own.first, own.end - own.first, e);
    }
    return e->status;
}

/* Prepares the writing of a file: chooses the format and the widths of values, allocates name, range, values and text of
 * *w, and opens the file on rank 0, unless it is a table that is open. The caller frees these four, even after a failure. */
static enum status open_writing(struct writing *w, struct error *e)
{
    const struct results *r = w->results;
    const struct result_file *file = w->file;
    const int depths = file->kind == ANSWER_DEPTHS, from_memory = file->values != NULL;
    w->format = result_format_of(file->format, file->name);
    w->form = w->format == RESULT_CSV ? TABLE_CSV : TABLE_TABS;
    w->base = r->graph->base;
    w->parent_width = answer_id_bytes(r->graph->manifest.totals.n);
    w->width = depths ? (file->depth_bytes != 0 && !is_text(w) ? file->depth_bytes : 4)
               : file->id_bytes != 0 ? file->id_bytes
                                     : w->parent_width;
    w->memory_width = !depths ? w->parent_width : from_memory ? 4 : w->width;
    if (!from_memory && depths)
        w->results->windows.depth_width = w->width;
    w->window_ids = from_memory ? ANSWER_WINDOW : r->windows.ids;
    w->parents = file->parents;
    w->name = outputs_name(file->name, file->map, file->root, w->base);
    w->range = zeroed(r->comm->ranks, sizeof *w->range, file->name, e);
    w->values = malloc(ANSWER_WINDOW * sizeof *w->values);
    w->text = is_text(w) ? malloc(ANSWER_WINDOW * (size_t)LINE_BYTES) : NULL;
    if (w->name == NULL || w->values == NULL || (is_text(w) && w->text == NULL))
        fail_memory(e, file->name, ANSWER_WINDOW * sizeof *w->values);
    if (e->status != ST_OK || r->comm->rank != 0 || (file->table != NULL && file->table->begun))
        return e->status;
    return file->in_place ? outfile_open_in_place(&w->out, w->name, e) : outfile_open(&w->out, w->name, e);
}

/* Collective. Lets all ranks write the open file if they can, and writes what stands before the values: the header of an array,
 * or the names of the columns of CSV. Returns the bytes of this head. */
static uint64_t write_head(struct writing *w, struct error *e)
{
    const struct comm *comm = w->results->comm;
    char header[NPY_HEADER_BYTES];
    struct table table;
    uint64_t bytes = 0;
    w->all_write = comm->ranks > 1 && outputs_join(&w->out, comm, w->file->map == NULL, w->name);
    if (comm->rank == 0 && w->format == RESULT_NPY) {
        npy_header(header, w->width, w->file->table != NULL ? w->file->table->roots : 0, w->results->graph->manifest.totals.n);
        outfile_write(w->out, header, sizeof header, e);
    } else if (comm->rank == 0 && is_text(w)) {
        table_begin(&table, w->out, w->form, w->file->map, w->base);
        table_columns(&table, columns_of(w->file), e);
    }
    if (comm->rank == 0)
        bytes = outfile_tell(w->out);
    comm_broadcast(comm, &bytes, sizeof bytes, 0);
    return bytes;
}

/* Collective. Writes an answer to a file (results.h). First makes the answer if the devices hold the other kind; if this fails,
 * only this rank knows of the failure. An old file is replaced only when all ranks have succeeded. But with file->in_place, the
 * old file is overwritten from the beginning of the call on. */
enum status results_write(struct results *r, const struct result_file *file, struct error *e)
{
    struct writing w = {.results = r, .file = file};
    struct result_table *table = file->table;
    const int from_memory = file->values != NULL;
    const enum answer_kind first = file->with_parents || file->kind == ANSWER_NEAREST ? ANSWER_PARENTS : file->kind;
    uint64_t begin, end = 0;
    if (!from_memory && answers_need(&r->answers, first, e) != ST_OK)
        return e->status;
    if (file->kind == ANSWER_NEAREST && answers_make_nearest(&r->answers, e) != ST_OK)
        return e->status;
    if (!from_memory && r->windows.answers == NULL && windows_open(&r->windows, &r->answers, e) != ST_OK)
        return e->status;
    open_writing(&w, e);
    if (comm_agree(r->comm, e) == ST_OK) {
        const int is_open = table != NULL && table->begun;
        if (is_open) {
            w.out = table->out;
            w.all_write = table->all_write;
        }
        begin = is_open ? table->end : write_head(&w, e);
        if (table != NULL)
            *table = (struct result_table){table->roots, .begun = 1, .out = w.out, .all_write = w.all_write};
        if (!file->with_parents || from_memory || keep_parents(&w, e) == ST_OK)
            write_windows(&w, begin, &end, e);
        if (table != NULL)
            table->end = end;
    }
    if (table == NULL)
        outputs_commit(&w.out, r->comm, e);
    memory_release(r->budget, w.kept);
    free(w.name);
    free(w.values);
    free(w.range);
    free(w.text);
    return table == NULL ? e->status : comm_agree(r->comm, e);
}

/* Collective. Completes a table of several roots (results.h). */
enum status result_table_commit(struct result_table *table, const struct comm *comm, struct error *e)
{
    if (!table->begun)
        return e->status;
    table->begun = 0;
    return outputs_commit(&table->out, comm, e);
}

/* Discards a table of several roots; it need not be open. */
void result_table_abort(struct result_table *table, const struct comm *comm)
{
    struct error ignored = {0};
    if (comm->rank == 0)
        outfile_abort(table->out);
    else
        outfile_leave(table->out, &ignored);
    *table = (struct result_table){0};
}

/* Writes the values of the array file->values to a file (results.h), by results_write with temporary results in which only
 * the graph is set. */
enum status results_write_values(const struct rank *rank, const struct root *root, const struct result_file *file,
                                 struct error *e)
{
    struct results alone = {.rank = rank, .graph = rank->graph, .comm = rank->comm, .budget = rank->budget};
    struct result_file named = *file;
    named.root = original_id(rank->graph, root->id);
    return results_write(&alone, &named, e);
}

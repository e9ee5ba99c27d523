/* read_npy.c: an array of NumPy with a row for each edge and two columns (.npy) */
#include "graph_reader.h"
#include "npy_ids.h"

#include <stdlib.h>

typedef unsigned long long ull;

enum { PIECE_ROWS = 1 << 16 };

struct pairs {
    struct npy_array array;
    uint64_t rows, next; /* all, and those taken */
};

/* ---- opening ---- */

static enum status refuse_shape(const struct graph_reader *r, const struct npy_array *a, struct error *e)
{
    char shape[96] = "()";
    size_t used = 0;
    for (int i = 0; i < a->dimensions; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%llu%s", i == 0 ? "(" : "", (ull)a->shape[i],
                                 i + 1 < a->dimensions ? ", " : a->dimensions == 1 ? ",)" : ")");
    const char *remedy = a->dimensions != 2         ? ""
                         : a->shape[0] == 2         ? ": save its transpose, a.T"
                         : a->shape[0] == a->shape[1] ? ": save a matrix as pairs, numpy.argwhere(a)"
                                                      : "";
    return fail(e, ST_BAD_DATA, "%s: has the shape %s, expected (m, 2), a row for each edge%s", r->name, shape, remedy);
}

/* Prepares to read the two columns. A file must have the size that its header says. If a pipe gives one column after the other,
 * all of it is loaded to memory. */
static enum status open_columns(struct graph_reader *r, struct pairs *pairs, struct error *e)
{
    struct npy_array *a = &pairs->array;
    uint64_t end = a->begin + a->items * a->width;
    if (input_random_access(r->input)) {
        if (input_size(r->input) != end)
            return fail(e, ST_BAD_DATA, "%s: byte %llu: found the end of the file, expected it at byte %llu", r->name,
                        (ull)input_size(r->input), (ull)end);
        return ST_OK;
    }
    return a->fortran ? npy_load(a, r->input, 4 * r->options.max_buffer_bytes, e) : ST_OK;
}

/* Reads the header and checks that the array is pairs of integers. */
static enum status open_npy(struct graph_reader *r, struct error *e)
{
    struct pairs *pairs = r->state;
    struct npy_array *a = &pairs->array;
    if (npy_read_header(a, r->input, e) != ST_OK)
        return e->status;
    if (a->dimensions != 2 || a->shape[1] != 2)
        return refuse_shape(r, a, e);
    pairs->rows = a->shape[0];
    r->facts.direction = EDGES_DIRECTED;
    if (npy_check_integers(a, r->name, e) != ST_OK ||
        reader_set_ids(r, (uint64_t)(r->options.one_based != 0), NO_COUNT, 0, e) != ST_OK)
        return e->status;
    npy_limit_ids(r, a);
    return open_columns(r, pairs, e);
}

static void close_npy(struct graph_reader *r)
{
    struct pairs *pairs = r->state;
    npy_free(&pairs->array);
}

/* ---- pieces: ranges of rows ---- */

/* Gives the piece the next range of rows: their bytes, too, if they come from a pipe, row after row. */
static enum status take_npy(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct pairs *pairs = r->state;
    size_t row_bytes = 2 * (size_t)pairs->array.width, rows = PIECE_ROWS, got;
    uint64_t stored = input_stored_position(r->input);
    if (pairs->rows - pairs->next < rows)
        rows = (size_t)(pairs->rows - pairs->next);
    *end = rows == 0;
    piece->in.range_begin = pairs->next;
    piece->in.range_end = pairs->next += rows;
    piece->input_bytes = rows * row_bytes;
    if (input_random_access(r->input) || pairs->array.bytes != NULL)
        return ST_OK;
    if (*end)
        return npy_check_end(r->input, e);
    if (piece_reserve_text(piece, rows * row_bytes, e) != ST_OK ||
        input_read(r->input, piece->in.buffer, rows * row_bytes, &got, e) != ST_OK)
        return e->status;
    piece->input_bytes = input_stored_position(r->input) - stored;
    if (got == rows * row_bytes)
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s: found the end of the array in row %llu, expected %llu rows", r->name,
                (ull)(piece->in.range_begin + got / row_bytes), (ull)pairs->rows);
}

/* Reads exactly `count` bytes at an offset of the file. */
static enum status read_part(const struct graph_reader *r, uint64_t at, char *bytes, size_t count, struct error *e)
{
    size_t got;
    if (input_read_at(r->input, at, bytes, count, &got, e) == ST_OK && got < count)
        fail(e, ST_RUNTIME, "%s: byte %llu: the file became shorter while it was read", r->name, (ull)(at + got));
    return e->status;
}

/* Loads the numbers of a piece into its buffer, unless they are there: row after row, or one column behind the other. */
static enum status load_columns(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct pairs *pairs = r->state;
    const struct npy_array *a = &pairs->array;
    size_t rows = (size_t)(piece->in.range_end - piece->in.range_begin), column = rows * a->width;
    uint64_t first = piece->in.range_begin;
    if (piece_reserve_text(piece, 2 * column, e) != ST_OK || !input_random_access(r->input))
        return e->status;
    if (!a->fortran)
        return read_part(r, a->begin + 2 * first * a->width, piece->in.buffer, 2 * column, e);
    if (read_part(r, a->begin + first * a->width, piece->in.buffer, column, e) == ST_OK)
        read_part(r, a->begin + (pairs->rows + first) * a->width, piece->in.buffer + column, column, e);
    return e->status;
}

/* Makes an edge of each row, from the loaded array or from the piece's buffer. */
static enum status parse_npy(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct pairs *pairs = r->state;
    const struct npy_array *a = &pairs->array;
    size_t rows = (size_t)(piece->in.range_end - piece->in.range_begin), width = a->width;
    if (piece_clear_edges(piece, rows, e) != ST_OK)
        return e->status;
    const char *u, *v;
    if (a->bytes != NULL) {
        u = a->bytes + piece->in.range_begin * width;
        v = u + pairs->rows * width;
    } else {
        if (load_columns(r, piece, e) != ST_OK)
            return e->status;
        u = piece->in.buffer;
        v = u + (a->fortran ? rows * width : width);
    }
    piece->count = rows;
    if (rows > 0) {
        npy_widen(a, u, a->fortran ? width : 2 * width, rows, &piece->edges[0].u);
        npy_widen(a, v, a->fortran ? width : 2 * width, rows, &piece->edges[0].v);
    }
    return npy_rebase_ids(r, piece, a, a, e);
}

const struct reader_class read_npy_class = {
    .open = open_npy,
    .take = take_npy,
    .parse = parse_npy,
    .close = close_npy,
    .state_bytes = sizeof(struct pairs),
};

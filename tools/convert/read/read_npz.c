/* read_npz.c: a sparse matrix as scipy.sparse.save_npz writes it (.npz): an archive of arrays.
 *
 *   csr  indptr[n + 1], indices[m] (columns of a row)     coo  row[m], col[m]
 *   csc  indptr[n + 1], indices[m] (rows of a column)     format, shape: of each; data is not read
 *
 * `indices` comes before the `indptr` that tells its rows, so the arrays are read to memory. An entry at (u, v) is
 * an edge from u to v, a stored zero too.
 */
#include "npz_members.h"
#include "npy_ids.h"


typedef unsigned long long ull;

enum { PIECE_ENTRIES = 1 << 16 };

enum member { ROW, COL, INDICES, INDPTR, FORMAT, SHAPE, MEMBERS };
static const char *const member_name[MEMBERS] = {"row", "col", "indices", "indptr", "format", "shape"};

struct matrix {
    int loaded, is_coo, is_csc;
    uint64_t n, entries, next; /* rows and columns; entries, and those taken */
    struct npy_array array[MEMBERS];
};

/* ---- loading ---- */

/* Reads the arrays that are needed to memory, from one file of the archive after the other. The first of each name counts. */
static enum status load_members(struct graph_reader *r, struct matrix *m, struct error *e)
{
    uint64_t most = 4 * r->options.max_buffer_bytes; /* half of the memory */
    int end = 0;
    while (!end) {
        for (int i = 0; i < MEMBERS; i++) {
            struct npy_array *a = &m->array[i];
            if (!npz_is_member(input_name(r->input), member_name[i]) || a->bytes != NULL)
                continue;
            if (npy_read_header(a, r->input, e) != ST_OK || npy_load(a, r->input, most, e) != ST_OK)
                return e->status;
            most -= a->items * a->width;
        }
        if (input_next(r->input, &end, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Checks that an array was found and, unless it is the format, that it is a vector of integers. */
static enum status need(const struct graph_reader *r, const struct matrix *m, enum member i, struct error *e)
{
    const struct npy_array *a = &m->array[i];
    char name[512];
    if (a->bytes == NULL)
        return fail(e, ST_BAD_DATA, "%s: found no array '%s' beside it, expected those of scipy.sparse.save_npz: -f npy if "
                    "it holds the edges", r->name, member_name[i]);
    snprintf(name, sizeof name, "%s: '%s'", r->name, member_name[i]);
    if (i == FORMAT)
        return ST_OK;
    if (npy_check_integers(a, name, e) != ST_OK)
        return e->status;
    if (a->dimensions != 1)
        return fail(e, ST_BAD_DATA, "%s has %d dimensions, expected 1", name, a->dimensions);
    return ST_OK;
}

/* Sets which of csr, csc and coo the matrix is. The format is text of 1 or, in Python 2, 4 bytes a letter. */
static enum status read_format(const struct graph_reader *r, struct matrix *m, struct error *e)
{
    const struct npy_array *a = &m->array[FORMAT];
    char text[8] = "";
    if (need(r, m, FORMAT, e) != ST_OK)
        return e->status;
    size_t step = a->kind == 'U' ? 4 : 1;
    for (size_t i = 0; i < sizeof text - 1 && a->items == 1 && i * step < a->width; i++)
        text[i] = a->bytes[i * step];
    m->is_coo = strcmp(text, "coo") == 0;
    m->is_csc = strcmp(text, "csc") == 0;
    if (m->is_coo || m->is_csc || strcmp(text, "csr") == 0)
        return ST_OK;
    for (char *p = text; *p != '\0'; p++)
        *p = *p >= ' ' && *p <= '~' ? *p : '?';
    return fail(e, ST_BAD_DATA, "%s: is a matrix of the format '%s', expected csr, csc or coo: save A.tocsr()", r->name,
                text);
}

/* Sets n from 'shape', which must be a square, and which ids are allowed. */
static enum status read_size(struct graph_reader *r, struct matrix *m, struct error *e)
{
    const struct npy_array *shape = &m->array[SHAPE];
    if (need(r, m, SHAPE, e) != ST_OK)
        return e->status;
    if (shape->items == 2 && shape->kind == 'i' && (int64_t)npy_at(shape, 0) < 0)
        return fail(e, ST_BAD_DATA, "%s: 'shape' has %lld rows, expected 0 or more", r->name, (long long)npy_at(shape, 0));
    if (shape->items != 2 || npy_at(shape, 0) != npy_at(shape, 1))
        return fail(e, ST_BAD_DATA, "%s: the matrix has another number of columns than of rows, expected as many: a graph "
                    "is a square matrix", r->name);
    m->n = npy_at(shape, 0);
    return reader_set_ids(r, 0, m->n, 0, e);
}

/* Checks that row ends ascend from 0 to the number of entries. */
static enum status check_indptr(const struct graph_reader *r, const struct matrix *m, struct error *e)
{
    const struct npy_array *a = &m->array[INDPTR];
    uint64_t last = 0;
    char found[NPY_NUMBER_BYTES];
    if (a->items != m->n + 1)
        return fail(e, ST_BAD_DATA, "%s: 'indptr' has %llu items, expected %llu", r->name, (ull)a->items,
                    (ull)m->n + 1);
    for (uint64_t i = 0; i <= m->n; i++) {
        uint64_t at = npy_at(a, i), least = i < m->n ? last : m->entries, most = i == 0 ? 0 : m->entries;
        if (at >= least && at <= most) {
            last = at;
            continue;
        }
        npy_number_text(a, at, found);
        return fail(e, ST_BAD_DATA, "%s: 'indptr' has %s as item %llu, expected one from %llu to %llu", r->name,
                    found, (ull)i, (ull)least, (ull)most);
    }
    return ST_OK;
}

/* Reads the whole archive to memory, and checks that its arrays fit together. */
static enum status load(struct graph_reader *r, struct matrix *m, struct error *e)
{
    m->loaded = 1;
    if (load_members(r, m, e) != ST_OK || read_format(r, m, e) != ST_OK || read_size(r, m, e) != ST_OK ||
        need(r, m, m->is_coo ? ROW : INDICES, e) != ST_OK || need(r, m, m->is_coo ? COL : INDPTR, e) != ST_OK)
        return e->status;
    m->entries = m->array[m->is_coo ? ROW : INDICES].items;
    if (!m->is_coo)
        return check_indptr(r, m, e);
    if (m->array[COL].items != m->entries)
        return fail(e, ST_BAD_DATA, "%s: 'col' has %llu items, expected %llu, as 'row' has", r->name,
                    (ull)m->array[COL].items, (ull)m->entries);
    return ST_OK;
}

/* ---- the reader ---- */

/* Looks at nothing: take_npz loads the arrays. */
static enum status open_npz(struct graph_reader *r, struct error *e)
{
    r->facts.direction = EDGES_DIRECTED;
    r->facts.notes.weights = 1;
    return reader_set_ids(r, 0, NO_COUNT, 0, e);
}

static void close_npz(struct graph_reader *r)
{
    struct matrix *m = r->state;
    for (int i = 0; i < MEMBERS; i++)
        npy_free(&m->array[i]);
}

/* Takes a piece. The arrays are loaded when edges are first asked for, and not when an input is only looked at. */
static enum status take_npz(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct matrix *m = r->state;
    uint64_t stored = input_stored_position(r->input);
    if (!m->loaded && load(r, m, e) != ST_OK)
        return e->status;
    uint64_t left = m->entries - m->next, count = left < PIECE_ENTRIES ? left : PIECE_ENTRIES;
    *end = count == 0;
    piece->in.range_begin = m->next;
    piece->in.range_end = m->next += count;
    piece->input_bytes = input_stored_position(r->input) - stored;
    return ST_OK;
}

/* The row of an entry: the last with indptr <= entry. */
static uint64_t row_of(const struct matrix *m, uint64_t entry)
{
    uint64_t low = 0, high = m->n; /* indptr[low] <= entry < indptr[high] */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (npy_at(&m->array[INDPTR], middle) <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Writes the rows of a piece's entries to every second place of `ids`. */
static void expand_rows(const struct matrix *m, uint64_t first, size_t count, uint64_t *ids)
{
    uint64_t row = row_of(m, first), end = npy_at(&m->array[INDPTR], row + 1);
    for (size_t i = 0; i < count; i++) {
        while (end <= first + i)
            end = npy_at(&m->array[INDPTR], ++row + 1);
        ids[2 * i] = row;
    }
}

/* Makes an edge of each entry in the piece's range, from the loaded arrays. */
static enum status parse_npz(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct matrix *m = r->state;
    uint64_t first = piece->in.range_begin;
    size_t count = (size_t)(piece->in.range_end - first);
    const struct npy_array *rows = &m->array[ROW], *others = &m->array[m->is_coo ? COL : INDICES];
    if (piece_clear_edges(piece, count, e) != ST_OK || count == 0)
        return e->status;
    uint64_t *from = &piece->edges[0].u, *to = &piece->edges[0].v;
    piece->count = count;
    npy_widen(others, others->bytes + first * others->width, others->width, count, m->is_csc ? from : to);
    if (m->is_coo)
        npy_widen(rows, rows->bytes + first * rows->width, rows->width, count, from);
    else
        expand_rows(m, first, count, m->is_csc ? to : from);
    const struct npy_array *first_end = m->is_coo ? rows : NULL;
    return npy_rebase_ids(r, piece, m->is_csc ? others : first_end, m->is_csc ? NULL : others, e);
}

const struct reader_class read_npz_class = {
    .open = open_npz,
    .take = take_npz,
    .parse = parse_npz,
    .close = close_npz,
    .state_bytes = sizeof(struct matrix),
};

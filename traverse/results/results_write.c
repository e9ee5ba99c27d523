/* results_write.c: writes depths and parents as files in the order of original ids; see results.h
 *
 * Vertices are spread over shards by v mod p, so every rank has some of any range of ids. Output goes through
 * windows of consecutive ids: every rank fills in the vertices that it owns, the window is reduced to rank 0,
 * and rank 0 writes it. So no rank ever holds an array over n.
 */
#include "csv_names.h"
#include "outputs.h"
#include "results_internal.h"

#include "formats/base/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 18, NPY_HEADER_BYTES = 128 };

/* What is written, and how. */
struct output {
    enum result_kind kind;
    const struct root *root;
    const struct name_map *map; /* NULL: ids */
    int npy;                    /* numpy's format; otherwise lines */
    int csv;                    /* of the lines, with a comma between the fields */
};

/* numpy's format 1.0: magic, version, header length, a Python dict padded with spaces to a multiple
 * of 64 bytes, a newline. */
static enum status write_npy_header(struct outfile *out, enum result_kind kind, uint64_t n,
                                    struct error *e)
{
    char header[NPY_HEADER_BYTES];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(NPY_HEADER_BYTES - 10);
    header[9] = 0;
    int length = snprintf(header + 10, sizeof header - 10,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
                          kind == RESULT_DEPTHS ? "<i4" : "<i8", n);
    header[10 + length] = ' '; /* over the terminating NUL */
    header[NPY_HEADER_BYTES - 1] = '\n';
    return outfile_write(out, header, sizeof header, e);
}

static int64_t value_of(const struct results *r, enum result_kind kind, uint32_t g, uint32_t code)
{
    uint32_t at = code & ~PARENT_DELEGATE_BIT;
    int delegate = (code & PARENT_DELEGATE_BIT) != 0;
    if (code == CODE_NONE)
        return -1;
    if (kind == RESULT_DEPTHS)
        return delegate ? r->delegate_depth[at] : r->depth[g][at];
    uint64_t parent = delegate ? r->delegate_parent[at] : r->parent[g][at];
    return parent == UINT64_MAX ? -1 : (int64_t)original_id(r->graph, parent);
}

/* This rank's values of ids first..first+count, -1 elsewhere. */
static void fill_window(const struct results *r, const struct output *o, uint64_t first,
                        uint64_t count, int64_t *values)
{
    const struct graph *graph = r->graph;
    uint32_t p = graph->manifest.p;
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < count; i++) {
        uint64_t id = stored_id(graph, first + i);
        uint32_t shard = shard_of_vertex(id, p);
        values[i] = -1;
        if (rank_of_shard(shard, r->comm->ranks) != r->comm->rank)
            continue;
        uint32_t g = device_of_shard(shard, r->comm->ranks);
        if (id == o->root->id) /* also one without edges, which no device holds */
            values[i] = o->kind == RESULT_DEPTHS ? 0 : (int64_t)(first + i);
        else
            values[i] = value_of(r, o->kind, g, r->code[g][slot_of_vertex(id, p)]);
    }
}

static char *put_number(char *at, int64_t value)
{
    char digits[24];
    int count = 0;
    uint64_t x = value < 0 ? (uint64_t)-value : (uint64_t)value;
    if (value < 0)
        *at++ = '-';
    do {
        digits[count++] = (char)('0' + x % 10);
        x /= 10;
    } while (x != 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static enum status write_lines(struct outfile *out, char separator, uint64_t first, uint64_t count,
                               const int64_t *values, struct error *e)
{
    char line[64];
    for (uint64_t i = 0; i < count; i++) {
        char *end = put_number(line, (int64_t)(first + i));
        *end++ = separator;
        end = put_number(end, values[i]);
        *end++ = '\n';
        if (outfile_write(out, line, (size_t)(end - line), e) != ST_OK)
            return e->status;
    }
    return ST_OK;
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

/* The same through a map, which is read in order for the vertices and anywhere for their parents. */
static enum status write_named_lines(struct outfile *out, const struct output *o, uint64_t first,
                                     uint64_t count, const int64_t *values, struct error *e)
{
    char number[32];
    struct map_name vertex = name_map_at(o->map, first);
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        vertex = i > 0 ? name_map_after(vertex) : vertex;
        struct map_name value = {number, 0};
        if (o->kind == RESULT_PARENTS && values[i] >= 0)
            value = name_map_at(o->map, (uint64_t)values[i]);
        else
            value.length = (size_t)(put_number(number, values[i]) - number);
        if (write_name(out, vertex, o->csv, o->csv ? ',' : '\t', e) == ST_OK)
            write_name(out, value, o->csv, '\n', e);
    }
    return e->status;
}

static enum status write_binary(struct outfile *out, enum result_kind kind, uint64_t count,
                                int64_t *values, struct error *e)
{
    if (kind == RESULT_PARENTS)
        return outfile_write(out, values, count * sizeof *values, e);
    int32_t *narrow = (int32_t *)(void *)values; /* in place: element i is read before it is lost */
    for (uint64_t i = 0; i < count; i++) {
        int32_t depth = (int32_t)values[i];
        memcpy(&narrow[i], &depth, sizeof depth);
    }
    return outfile_write(out, narrow, count * sizeof *narrow, e);
}

static enum status write_window(struct outfile *out, const struct output *o, uint64_t first,
                                uint64_t count, int64_t *values, struct error *e)
{
    if (o->npy)
        return write_binary(out, o->kind, count, values, e);
    if (o->map != NULL)
        return write_named_lines(out, o, first, count, values, e);
    return write_lines(out, o->csv ? ',' : ' ', first, count, values, e);
}

/* Collective; rank 0 has `out`. After a failed write it still takes part in the reductions. */
static enum status write_windows(const struct results *r, const struct output *o,
                                 struct outfile *out, int64_t *values, struct error *e)
{
    uint64_t n = r->graph->manifest.totals.n;
    if (out != NULL && o->npy)
        write_npy_header(out, o->kind, n, e);
    for (uint64_t first = 0; first < n; first += WINDOW) {
        uint64_t count = n - first < WINDOW ? n - first : WINDOW;
        fill_window(r, o, first, count, values);
        comm_max_i64(r->comm, values, (int)count, 0);
        if (out != NULL && e->status == ST_OK)
            write_window(out, o, first, count, values, e);
    }
    return e->status;
}

enum status results_write(struct results *r, enum result_kind kind, const struct root *root,
                          const char *name, const struct name_map *map, struct error *e)
{
    struct output output = {.kind = kind, .root = root, .map = map,
                            .npy = outputs_ends_in(name, ".npy"),
                            .csv = outputs_ends_in(name, ".csv")};
    struct outfile *out = NULL;
    char *path = outputs_name(name, original_id(r->graph, root->id));
    int64_t *values = malloc(WINDOW * sizeof *values);
    if (path == NULL || values == NULL)
        fail_memory(e, name, WINDOW * sizeof *values);
    else if (r->comm->rank == 0)
        outfile_open(&out, path, e);
    if (comm_agree(r->comm, e) == ST_OK)
        write_windows(r, &output, out, values, e);
    if (out != NULL && e->status == ST_OK) {
        outfile_commit(out, NULL, e);
        out = NULL;
    }
    outfile_abort(out);
    free(values);
    free(path);
    return comm_agree(r->comm, e);
}

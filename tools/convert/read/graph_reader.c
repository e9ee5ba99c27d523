/* graph_reader.c: naming, opening and finishing of readers; see graph_reader.h */
#include "graph_reader.h"

#include "sniff.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum graph_format format;
} names[] = {
    {"auto", FORMAT_AUTO},
    {"edges", FORMAT_EDGES},
    {"pairs", FORMAT_PAIRS},
    {"text", FORMAT_PAIRS},
    {"snap", FORMAT_PAIRS},
    {"wdc", FORMAT_PAIRS},
    {"el", FORMAT_PAIRS},
    {"wel", FORMAT_PAIRS},
    {"csv", FORMAT_CSV},
    {"adjacency", FORMAT_ADJACENCY},
    {"friendster", FORMAT_ADJACENCY},
    {"matrix-market", FORMAT_MATRIX_MARKET},
    {"mtx", FORMAT_MATRIX_MARKET},
    {"metis", FORMAT_METIS},
    {"dimacs", FORMAT_DIMACS},
    {"gr", FORMAT_DIMACS},
    {"pace", FORMAT_PACE},
    {"lg", FORMAT_LG},
    {"jlg", FORMAT_LG},
    {"sg", FORMAT_SG},
    {"graph500", FORMAT_GRAPH500},
    {"graph500-16", FORMAT_GRAPH500_16},
    {"u32", FORMAT_U32},
    {"u64", FORMAT_U64},
    {"npy", FORMAT_NPY},
    {"npz", FORMAT_NPZ},
    {"wdc-index", FORMAT_WDC_INDEX},
};

int graph_format_named(const char *name, enum graph_format *format)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i].name) == 0) {
            *format = names[i].format;
            return 0;
        }
    }
    return -1;
}

void graph_format_list(char *text, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i > 0 ? ", " : "", names[i].name);
}

static const struct reader_class *class_of(enum graph_format format)
{
    switch (format) {
    case FORMAT_AUTO:
    case FORMAT_WDC_INDEX: break;
    case FORMAT_EDGES: return &read_edges_class;
    case FORMAT_PAIRS: return &read_pairs_class;
    case FORMAT_CSV: return &read_csv_class;
    case FORMAT_ADJACENCY: return &read_adjacency_class;
    case FORMAT_MATRIX_MARKET: return &read_matrix_market_class;
    case FORMAT_METIS: return &read_metis_class;
    case FORMAT_DIMACS: return &read_dimacs_class;
    case FORMAT_PACE: return &read_pace_class;
    case FORMAT_LG: return &read_lg_class;
    case FORMAT_SG: return &read_sg_class;
    case FORMAT_GRAPH500: return &read_graph500_class;
    case FORMAT_GRAPH500_16: return &read_graph500_16_class;
    case FORMAT_U32: return &read_u32_class;
    case FORMAT_U64: return &read_u64_class;
    case FORMAT_NPY: return &read_npy_class;
    case FORMAT_NPZ: return &read_npz_class;
    }
    return NULL;
}

/* Finds the format. If ids are words, a line of column names looks like any other: only names in
 * --columns tell that there is one. */
static enum status sniff(struct input *input, const struct reader_options *options,
                         enum graph_format *format, struct error *e)
{
    const struct field column = options->columns.end[0];
    if (sniff_graph(input, options, format, e) != ST_OK)
        return e->status;
    int is_list = *format == FORMAT_PAIRS || *format == FORMAT_CSV;
    if (!is_list && (column.begin != NULL || options->separator != SEPARATOR_ANY))
        return fail(e, ST_USAGE, "%s: is no list of pairs, and so has no %s to choose", input_name(input),
                    column.begin != NULL ? "--columns" : "--separator");
    if (reader_names_columns(options))
        *format = FORMAT_CSV;
    else if (*format == FORMAT_CSV && options->names)
        fail(e, ST_USAGE,
             "%s: its first line is two ids or the names of columns: -f pairs or -f csv says which",
             input_name(input));
    return e->status;
}

int reader_names_columns(const struct reader_options *options)
{
    for (int i = 0; i < 2; i++) {
        struct field column = options->columns.end[i];
        if (column.begin != NULL && !field_is_number(column))
            return 1;
    }
    return 0;
}

/* Refuses --one-based for a format that says by itself where ids begin. */
static enum status check_base(const struct graph_reader *r, enum graph_format format, struct error *e)
{
    int has_none = format == FORMAT_PAIRS || format == FORMAT_CSV || format == FORMAT_ADJACENCY || format == FORMAT_NPY;
    if (!r->options.one_based || has_none)
        return ST_OK;
    return fail(e, ST_USAGE, "%s: --one-based is for lists and arrays, which do not say where ids begin; its format (%s) does",
                r->name, r->class->name);
}

enum status graph_reader_open_input(struct graph_reader **result, struct input *input,
                                    const struct reader_options *options, struct error *e)
{
    *result = NULL;
    struct graph_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return fail_memory(e, input_name(input), sizeof *r);
    r->input = input;
    r->name = input_name(input);
    r->options = *options;
    r->text.declared_entries = NO_COUNT;
    r->limit = DBFS_MAX_VERTICES;
    enum graph_format format = options->format;
    if (format != FORMAT_AUTO || sniff(input, options, &format, e) == ST_OK) {
        r->class = class_of(format);
        if (check_base(r, format, e) == ST_OK && r->class->open(r, e) == ST_OK)
            r->facts.base_said = r->base == 1 && !r->options.one_based;
    }
    if (e->status != ST_OK) {
        graph_reader_close(r);
        return e->status;
    }
    *result = r;
    return ST_OK;
}

enum status graph_reader_open_fd(struct graph_reader **result, int fd, const char *name,
                                 const struct reader_options *options, struct error *e)
{
    struct input *input;
    *result = NULL;
    if (input_open_fd(&input, fd, name, e) != ST_OK)
        return e->status;
    if (graph_reader_open_input(result, input, options, e) == ST_OK)
        (*result)->owns_input = 1;
    else
        input_close(input);
    return e->status;
}

void graph_reader_close(struct graph_reader *r)
{
    if (r == NULL)
        return;
    if (r->class != NULL && r->class->close != NULL)
        r->class->close(r);
    line_feed_free(&r->text.feed);
    if (r->owns_input)
        input_close(r->input);
    free(r->text.head);
    free(r);
}

enum status graph_reader_finish(struct graph_reader *r, struct error *e)
{
    if (r->total.beyond > r->facts.n)
        r->facts.n = r->total.beyond;
    return r->class->finish != NULL ? r->class->finish(r, e) : ST_OK;
}

/* graph_reader.c: formats, and opening and finishing of readers; see graph_reader.h */
#include "graph_reader.h"

#include "sniff.h"

#include "formats/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The formats. Rows of one format stand together; the name in the first is the one that is printed. */
static const struct {
    const char *name;
    enum graph_format format;
    const struct reader_class *class;
    int no_base; /* does not say whether ids begin at 0 or 1 */
} formats[] = {
    {"auto", FORMAT_AUTO, NULL, 0},
    {"edges", FORMAT_EDGES, &read_edges_class, 0},
    {"pairs", FORMAT_PAIRS, &read_pairs_class, 1},
    {"text", FORMAT_PAIRS, &read_pairs_class, 1},
    {"snap", FORMAT_PAIRS, &read_pairs_class, 1},
    {"wdc", FORMAT_PAIRS, &read_pairs_class, 1},
    {"el", FORMAT_PAIRS, &read_pairs_class, 1},
    {"wel", FORMAT_PAIRS, &read_pairs_class, 1},
    {"csv", FORMAT_CSV, &read_csv_class, 1},
    {"adjacency", FORMAT_ADJACENCY, &read_adjacency_class, 1},
    {"friendster", FORMAT_ADJACENCY, &read_adjacency_class, 1},
    {"matrix-market", FORMAT_MATRIX_MARKET, &read_matrix_market_class, 0},
    {"mtx", FORMAT_MATRIX_MARKET, &read_matrix_market_class, 0},
    {"metis", FORMAT_METIS, &read_metis_class, 0},
    {"dimacs", FORMAT_DIMACS, &read_dimacs_class, 0},
    {"gr", FORMAT_DIMACS, &read_dimacs_class, 0},
    {"pace", FORMAT_PACE, &read_pace_class, 0},
    {"adjlist", FORMAT_ADJLIST, &read_adjlist_class, 1},
    {"lgl", FORMAT_LGL, &read_lgl_class, 1},
    {"lg", FORMAT_LG, &read_lg_class, 0},
    {"jlg", FORMAT_LG, &read_lg_class, 0},
    {"sg", FORMAT_SG, &read_sg_class, 0},
    {"graph500", FORMAT_GRAPH500, &read_graph500_class, 0},
    {"graph500-16", FORMAT_GRAPH500_16, &read_graph500_16_class, 0},
    {"u32", FORMAT_U32, &read_u32_class, 0},
    {"u64", FORMAT_U64, &read_u64_class, 0},
    {"npy", FORMAT_NPY, &read_npy_class, 1},
    {"npz", FORMAT_NPZ, &read_npz_class, 0},
    {"webgraph", FORMAT_WEBGRAPH, &read_webgraph_class, 0},
    {"bv", FORMAT_WEBGRAPH, &read_webgraph_class, 0},
    {"wdc-index", FORMAT_WDC_INDEX, NULL, 0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

int graph_format_named(const char *name, enum graph_format *format)
{
    for (int i = 0; i < FORMATS; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            *format = formats[i].format;
            return 0;
        }
    }
    return -1;
}

void graph_format_list(char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < FORMATS && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i > 0 ? ", " : "", formats[i].name);
}

/* The first row of a format. */
static int row_of(enum graph_format format)
{
    int row = 0;
    while (formats[row].format != format)
        row++;
    return row;
}

const char *graph_format_name(enum graph_format format)
{
    return formats[row_of(format)].name;
}

/* Finds the format of an input by its first bytes, and refuses options that this format cannot have. If ids are names, a line
 * of column names looks like any other line, unless --columns names columns. */
static enum status find_format(struct input *input, const struct reader_options *options, enum graph_format *format,
                               struct error *e)
{
    if (sniff_graph(input, options, format, e) != ST_OK)
        return e->status;
    const char *unused = reader_unused_option(options, *format);
    if (unused != NULL)
        return fail(e, ST_USAGE, "%s: is of the format %s, and so has no %s to choose", input_name(input),
                    graph_format_name(*format), unused);
    if (reader_columns_by_name(options))
        *format = FORMAT_CSV;
    else if (*format == FORMAT_CSV && options->names)
        fail(e, ST_USAGE,
             "%s: its first line is two ids or the names of columns: -f pairs or -f csv says which",
             input_name(input));
    return e->status;
}

const char *reader_unused_option(const struct reader_options *options, enum graph_format format)
{
    int has_columns = format == FORMAT_PAIRS || format == FORMAT_CSV;
    int is_list = has_columns || format == FORMAT_ADJLIST;
    if (options->columns.end[0].begin != NULL && !has_columns)
        return "--columns";
    if (options->separator != SEPARATOR_ANY && !is_list)
        return "--separator";
    return options->comments != NULL && !is_list && format != FORMAT_ADJACENCY ? "--comments" : NULL;
}

/* Nonzero if --columns gives a name, so that the list must have a line of names. */
int reader_columns_by_name(const struct reader_options *options)
{
    for (int i = 0; i < 2; i++) {
        struct field column = options->columns.end[i];
        if (column.begin != NULL && !field_is_number(column))
            return 1;
    }
    return 0;
}

/* Finds or checks the format, and lets its reader read the header. */
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
    if ((format == FORMAT_AUTO ? find_format(input, options, &format, e) : sniff_check(input, options, e)) == ST_OK) {
        const int row = row_of(format);
        r->format = format;
        r->class = formats[row].class;
        if (options->one_based && !formats[row].no_base)
            fail(e, ST_USAGE, "%s: --one-based is for lists and arrays, which do not say where ids begin; its format (%s) does",
                 r->name, formats[row].name);
        else
            r->state = zeroed(r->class->state_bytes, 1, r->name, e);
        if (e->status == ST_OK && r->class->open(r, e) == ST_OK)
            r->facts.base = (uint32_t)r->base;
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
    if (r->state != NULL && r->class->close != NULL)
        r->class->close(r);
    if (r->class != NULL && r->class->state_bytes > 0)
        free(r->state);
    line_feed_free(&r->text.feed);
    if (r->owns_input)
        input_close(r->input);
    free(r->text.head);
    free(r);
}

/* Raises facts.n to all vertices seen, and lets the format check what it declared. */
enum status graph_reader_finish(struct graph_reader *r, struct error *e)
{
    if (r->total.beyond > r->facts.n)
        r->facts.n = r->total.beyond;
    return r->class->finish != NULL ? r->class->finish(r, e) : ST_OK;
}

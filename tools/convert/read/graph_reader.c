/* graph_reader.c: opening and finishing of readers; see graph_reader.h */
#include "graph_reader.h"

#include "sniff.h"

#include "formats/base/memory.h"

#include <stdlib.h>

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
    struct graph_reader *r = *result = zeroed(1, sizeof *r, input_name(input), e);
    if (r == NULL)
        return e->status;
    r->input = input;
    r->name = input_name(input);
    r->options = *options;
    r->text.declared_entries = NO_COUNT;
    r->limit = DBFS_MAX_VERTICES;
    enum graph_format format = options->format;
    if ((format == FORMAT_AUTO ? find_format(input, options, &format, e) : sniff_check(input, options, e)) == ST_OK) {
        int no_base;
        r->format = format;
        r->class = graph_format_class(format, &no_base);
        if (options->one_based && !no_base)
            fail(e, ST_USAGE, "%s: --one-based is for lists and arrays, which do not say where ids begin; its format (%s) does",
                 r->name, graph_format_name(format));
        else if (r->class->state_bytes > 0)
            r->state = zeroed(r->class->state_bytes, 1, r->name, e);
        if (e->status == ST_OK && r->class->open(r, e) == ST_OK)
            r->facts.base = (uint32_t)r->base;
    }
    if (e->status != ST_OK) {
        graph_reader_close(r);
        *result = NULL;
    }
    return e->status;
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

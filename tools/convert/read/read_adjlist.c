/* read_adjlist.c: lists of neighbours, as networkx and people's own scripts write them:
 *
 *   u v1 v2 ...        a line for each vertex u, with the vertices at the other ends of its arcs
 *
 * A line of one id is a vertex without arcs here. Ids have blanks or one comma between, or what --separator says.
 */
#include "graph_reader.h"

#include "fields.h"
#include "scan_text.h"
#include "tools/convert/piece/names.h"

/* A line_parser: adds the arcs of a line, or its vertex. */
static const char *parse_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    const char *next = skip_line_without_data(r->text.comments, piece, p);
    if (next != NULL)
        return next;
    struct fields fields = fields_of(p, r->text.separator);
    struct field f;
    uint64_t u = 0, v;
    while (fields_take(&fields, &f)) {
        if (!reader_take_id(r, piece, f, fields.taken == 1 ? &u : &v))
            return set_fault(piece, f.begin, lines, reader_expected_id(r, f));
        if (fields.taken > 1)
            piece->edges[piece->count++] = (struct edge){u, v};
    }
    if (!r->facts.names && u >= piece->tally.beyond)
        piece->tally.beyond = u + 1;
    else if (r->facts.names && fields.taken == 1) /* a vertex without arcs here */
        piece->edges[piece->count++] = (struct edge){u, NAME_NONE};
    return next_line(fields.p);
}

/* Sets r->text.separator: for names, blanks. If the first line seems to hold another one, the user is asked to choose. */
static enum status choose_separator(struct graph_reader *r, const char *first, uint64_t line, struct error *e)
{
    r->text.separator = r->options.separator;
    if (!r->options.names || r->text.separator != SEPARATOR_ANY || first == NULL)
        return ST_OK;
    r->text.separator = SEPARATOR_BLANK;
    if (strcspn(first, ",\t;|\n") == strcspn(first, "\n"))
        return ST_OK;
    return fail(e, ST_USAGE, "%s:%llu: its words may be separated by blanks or otherwise: --separator says how",
                r->name, (unsigned long long)line + 1);
}

/* Reads to the first line of data, and starts there. */
static enum status open_adjlist(struct graph_reader *r, struct error *e)
{
    uint64_t line;
    const char *first;
    r->facts.direction = EDGES_DIRECTED;
    r->facts.names = r->options.names;
    if (text_peek_list(r, 1, e) != ST_OK || reader_set_ids(r, r->options.one_based, NO_COUNT, 0, e) != ST_OK ||
        text_first_of_list(r, &first, &line, e) != ST_OK || choose_separator(r, first, line, e) != ST_OK)
        return e->status;
    return text_start(r, first, line, e);
}

const struct reader_class read_adjlist_class = {
    .open = open_adjlist,
    READ_TEXT,
    .shortest_entry = 2,
    .line = parse_line,
};

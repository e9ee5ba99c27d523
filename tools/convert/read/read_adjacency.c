/* read_adjacency.c: archive.org's Friendster lists, with lines `id:f1,f2,...`. Each listed friend is an arc. Three kinds of
 * lines give no arcs: `id:` is an empty list, and `id:private` and `id:notfound` replace a list that could not be read. The
 * vertices of `id:private` and `id:` exist all the same. */
#include "graph_reader.h"

#include "tools/convert/piece/names.h"
#include "scan_text.h"

static const char expected_list[] = "a list of ids with commas, 'private', 'notfound' or nothing";

enum { PRIVATE, NOT_FOUND };

/* Adds the arcs of the list behind `u:`. Returns the next line, or NULL with a fault. */
static const char *parse_list(const struct graph_reader *r, struct piece *piece, uint64_t u,
                              const char *p, uint64_t lines)
{
    const uint64_t base = r->base, limit = r->limit;
    struct edge *edge = piece->edges + piece->count;
    for (;;) {
        uint64_t v;
        const char *q = scan_id(p, &v);
        if (q == p || v - base >= limit)
            return set_fault(piece, p, lines, r->expected_id);
        edge->u = u;
        edge->v = v - base;
        edge++;
        p = q + 1;
        if (*q == ',')
            continue;
        piece->count = (size_t)(edge - piece->edges);
        const char *next = skip_line_end(q);
        if (next == NULL)
            set_fault(piece, q, lines, "a comma or the end of the line");
        return next;
    }
}

static int starts_with(const char *p, const char *word)
{
    return strncmp(p, word, strlen(word)) == 0;
}

/* Counts the word that stands instead of a list, if there is one. Returns the next line, or NULL with a fault. */
static const char *parse_no_list(struct piece *piece, const char *p, uint64_t lines)
{
    int kind = starts_with(p, "private") ? PRIVATE : starts_with(p, "notfound") ? NOT_FOUND : -1;
    const char *end = kind == PRIVATE ? p + 7 : kind == NOT_FOUND ? p + 8 : p;
    const char *next = skip_line_end(end);
    if (next == NULL)
        set_fault(piece, p, lines, expected_list);
    else if (kind >= 0)
        piece->tally.unreadable_lists[kind]++;
    return next;
}

/* Adds the name at `p`, which ends before `stop` or at the end of the line, and sets *place to its place. Returns its end; NULL
 * with a fault. */
static const char *add_name(const struct graph_reader *r, struct piece *piece, const char *p, char stop,
                            uint64_t lines, uint64_t *place)
{
    const char *end = p;
    while (*end != stop && !at_line_end(end))
        end++;
    struct field f = {p, end};
    if (reader_take_id(r, piece, f, place))
        return end;
    return set_fault(piece, p, lines, reader_expected_id(r, f));
}

/* Parses the list of names behind `u:`, each of which is an arc from u. Returns the next line; NULL with a fault. */
static const char *parse_named_list(const struct graph_reader *r, struct piece *piece, uint64_t u, const char *p, uint64_t lines)
{
    for (;; p++) {
        uint64_t v;
        p = add_name(r, piece, p, ',', lines, &v);
        if (p == NULL)
            return NULL;
        piece->edges[piece->count++] = (struct edge){u, v};
        if (*p != ',')
            return skip_line_end(p);
    }
}

/* Adds the arcs of a line of names, or its vertex alone. Returns the next line, or NULL with a fault. */
static const char *parse_named_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    uint64_t u;
    const char *next = skip_line_without_data(r->text.comments, piece, p);
    if (next != NULL)
        return next;
    const char *end = add_name(r, piece, p, ':', lines, &u);
    if (end == NULL)
        return NULL;
    if (*end != ':')
        return set_fault(piece, end, lines, "':' after the id");
    const char *list = end + 1;
    int missing = starts_with(list, "notfound") && at_line_end(list + 8);
    int private = starts_with(list, "private") && at_line_end(list + 7);
    if (!missing && !private && !at_line_end(list))
        return parse_named_list(r, piece, u, list, lines);
    if (!missing) /* it is a vertex, though one without arcs here */
        piece->edges[piece->count++] = (struct edge){u, NAME_NONE};
    return parse_no_list(piece, list, lines);
}

/* A line_parser: adds the arcs of a line, and, for numbers, raises tally.beyond above its vertex. */
static const char *parse_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    uint64_t u;
    if (r->facts.names)
        return parse_named_line(r, piece, p, lines);
    const char *q = scan_id(p, &u);
    if (q == p) {
        const char *next = skip_line_without_data(r->text.comments, piece, p);
        if (next != NULL)
            return next;
    }
    if (q == p || u - r->base >= r->limit)
        return set_fault(piece, p, lines, r->expected_id);
    if (*q != ':')
        return set_fault(piece, q, lines, "':' after the id");
    u -= r->base;
    if (!starts_with(q + 1, "notfound") && u >= piece->tally.beyond)
        piece->tally.beyond = u + 1;
    if (q[1] >= '0' && q[1] <= '9')
        return parse_list(r, piece, u, q + 1, lines);
    return parse_no_list(piece, q + 1, lines);
}

/* Reads to the first line of data, and starts there. */
static enum status open_adjacency(struct graph_reader *r, struct error *e)
{
    r->facts.direction = EDGES_DIRECTED;
    r->facts.names = r->options.names;
    const char *first;
    uint64_t line;
    if (text_peek_list(r, 1, e) != ST_OK || text_first_of_list(r, &first, &line, e) != ST_OK ||
        reader_set_ids(r, r->options.one_based, NO_COUNT, 0, e) != ST_OK)
        return e->status;
    return text_start(r, first, line, e);
}

/* Notes the lists that could not be read, for the user. */
static enum status finish(struct graph_reader *r, struct error *e)
{
    r->facts.notes.private_lists = r->total.unreadable_lists[PRIVATE];
    r->facts.notes.missing_lists = r->total.unreadable_lists[NOT_FOUND];
    return text_finish(r, e);
}

const struct reader_class read_adjacency_class = {
    .open = open_adjacency,
    .take = text_take,
    .parse = text_parse,
    .account = text_account,
    .finish = finish,
    .shortest_entry = 2,
    .line = parse_line,
};

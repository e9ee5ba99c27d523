/* read_lg.c: the text format of Julia's Graphs.jl, formerly LightGraphs (.lg, .lgz, .jlg):
 *
 *   # comment
 *   N,EDGES,u,NAME[,VERSION,TYPE,simplegraph]     u: undirected, each edge once; d: directed
 *   SOURCE,DESTINATION                            1-based, EDGES lines
 *
 * A file of several graphs, one after the other, is refused.
 */
#include "graph_reader.h"

#include "scan_text.h"

static const char header[] = "'VERTICES,EDGES,u,NAME', or with d for a directed graph";

/* ---- edges ---- */

/* Skips blanks, a comma and blanks; NULL without a comma. */
static const char *skip_comma(const char *p)
{
    p = skip_blanks(p);
    return *p == ',' ? skip_blanks(p + 1) : NULL;
}

/* Reads an id, made 0-based, into *id. Returns the place behind it, or NULL with a fault. */
static const char *parse_id(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines, uint64_t *id)
{
    const char *word = skip_blanks(p), *after = scan_id(word, id);
    if (after == word || *id - 1 >= r->limit)
        return set_fault(piece, word, lines, r->expected_id);
    --*id;
    return after;
}

/* A line_parser: adds the edge of the line, unless it is blank or a comment. */
static const char *parse_edge(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    const char *next = skip_line_end(p);
    struct edge *edge = &piece->edges[piece->count];
    if (next != NULL || *p == '#')
        return next != NULL ? next : next_line(p);
    const char *after = parse_id(r, piece, p, lines, &edge->u);
    if (after == NULL)
        return NULL;
    const char *second = skip_comma(after);
    if (second == NULL)
        return set_fault(piece, skip_blanks(after), lines, "a comma between two vertices");
    after = parse_id(r, piece, second, lines, &edge->v);
    if (after == NULL)
        return NULL;
    next = skip_line_end(after);
    if (next == NULL)
        set_fault(piece, skip_blanks(after), lines, "the end of the line (of several graphs in a file, give one alone)");
    else
        piece->count++;
    return next;
}

/* ---- the header ---- */

/* Reads the two numbers of a header and returns the place of the letter after them, u or d; NULL if this is no header. */
static const char *find_kind(const char *p, uint64_t size[2])
{
    for (int i = 0; i < 2; i++) {
        const char *word = skip_blanks(p), *after = scan_id(word, &size[i]);
        p = after > word && size[i] != UINT64_MAX ? skip_comma(after) : NULL;
        if (p == NULL)
            return NULL;
    }
    return (*p == 'u' || *p == 'd') && skip_comma(p + 1) != NULL ? p : NULL;
}

int lg_sniff(const char *line)
{
    uint64_t size[2];
    return find_kind(line, size) != NULL;
}

/* Reads the header and starts behind it. */
static enum status open_lg(struct graph_reader *r, struct error *e)
{
    uint64_t line = 0, size[2];
    if (text_peek(r, "#", e) != ST_OK)
        return e->status;
    const char *first = text_data_line(r, text_head_start(r), &line);
    if (first == NULL)
        return reader_bad_line(r, line, NULL, "the end of the file", header, e);
    const char *kind = find_kind(first, size);
    if (kind == NULL)
        return reader_bad_line(r, line + 1, first, NULL, header, e);
    r->facts.direction = *kind == 'd' ? EDGES_DIRECTED : EDGES_UNDIRECTED_ONCE;
    r->facts.direction_fixed = 1;
    r->text.declared_entries = size[1];
    r->text.declared_line = line + 1;
    if (reader_set_ids(r, 1, size[0], line + 1, e) != ST_OK)
        return e->status;
    return text_start(r, next_line(first), line + 1, e);
}

const struct reader_class read_lg_class = {
    .open = open_lg,
    READ_TEXT,
    .shortest_entry = 4,
    .line = parse_edge,
};

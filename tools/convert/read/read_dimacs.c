/* read_dimacs.c: the two formats called .gr: DIMACS challenge 9 (roads) and PACE.
 *
 *   c comment                       c comment
 *   p sp N ARCS                     p tw N EDGES      (or p tdp)
 *   a U V WEIGHT                    U V
 *
 * Both are 1-based. DIMACS lists arcs, so it is directed; a file of an undirected graph lists each edge as
 * two arcs. PACE lists each undirected edge once.
 */
#include "graph_reader.h"

#include "scan_text.h"

static inline int ends_word(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

/* Reads two ids into the edge behind the last one, which is not counted yet. Returns the place behind them, or NULL with a
 * fault. */
static const char *parse_ids(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    struct edge *edge = &piece->edges[piece->count];
    const char *u = skip_blanks(p), *after_u = scan_id(u, &edge->u);
    if (after_u == u || edge->u - 1 >= r->limit || !ends_word(*after_u))
        return set_fault(piece, u, lines, r->expected_id);
    const char *v = skip_blanks(after_u), *after_v = scan_id(v, &edge->v);
    if (after_v == v || edge->v - 1 >= r->limit || !ends_word(*after_v))
        return set_fault(piece, v, lines, r->expected_id);
    edge->u--;
    edge->v--;
    return after_v;
}

/* Counts the edge that parse_ids read, if the line ends at `p`. Returns the next line, or NULL with a fault. */
static const char *parse_line_end(struct piece *piece, const char *p, uint64_t lines)
{
    const char *next = skip_line_end(p);
    if (next == NULL)
        set_fault(piece, skip_blanks(p), lines, "the end of the line");
    else
        piece->count++;
    return next;
}

/* Nonzero for a comment or a blank line. */
static inline int is_skipped(const char *p)
{
    return *p == 'c' || at_line_end(p);
}

/* A line_parser: adds the arc of a line. */
static const char *parse_dimacs_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    if (*p != 'a' || !is_blank(p[1])) {
        if (is_skipped(p))
            return next_line(p);
        return set_fault(piece, p, lines, "an arc 'a U V WEIGHT' or a comment 'c ...'");
    }
    p = parse_ids(r, piece, p + 1, lines);
    if (p == NULL)
        return NULL;
    const char *weight = skip_blanks(p);
    return parse_line_end(piece, skip_weight(weight), lines);
}

/* A line_parser: adds the edge of a line. */
static const char *parse_pace_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    if (is_skipped(p))
        return next_line(p);
    p = parse_ids(r, piece, p, lines);
    return p != NULL ? parse_line_end(piece, p, lines) : NULL;
}

/* ---- the problem line ---- */

/* Skips `word` and the blanks behind it. NULL: another word stands there. */
static const char *skip_word(const char *p, const char *word)
{
    size_t length = strlen(word);
    return strncmp(p, word, length) == 0 && is_blank(p[length]) ? skip_blanks(p + length) : NULL;
}

/* Reads the problem line, of either kind: sets which ids are allowed, and how many entries are declared. */
static enum status read_problem(struct graph_reader *r, const char *p, uint64_t line,
                                const char *kind, const char *other_kind, const char *expected,
                                struct error *e)
{
    uint64_t size[2];
    const char *q = skip_word(p, "p"), *sizes = NULL;
    if (q != NULL && (sizes = skip_word(q, kind)) == NULL)
        sizes = skip_word(q, other_kind);
    if (sizes == NULL)
        return reader_bad_line(r, line, q != NULL ? q : p, NULL, expected, e);
    for (int i = 0; i < 2; i++) {
        const char *word = skip_blanks(sizes);
        sizes = scan_id(word, &size[i]);
        if (sizes == word || size[i] == UINT64_MAX)
            return reader_bad_line(r, line, word, NULL, expected, e);
    }
    if (!at_line_end(sizes))
        return reader_bad_line(r, line, skip_blanks(sizes), NULL, "the end of the line", e);
    r->text.declared_entries = size[1];
    r->text.declared_line = line;
    return reader_set_ids(r, 1, size[0], line, e);
}

/* Reads the comments and the problem line, and starts behind it. */
static enum status open_problem(struct graph_reader *r, const char *kind, const char *other_kind,
                                const char *expected, struct error *e)
{
    uint64_t line = 0;
    if (text_peek(r, "c", e) != ST_OK)
        return e->status;
    const char *problem = text_data_line(r, text_head_start(r), &line);
    if (problem == NULL)
        return reader_bad_line(r, line, NULL, "the end of the file", expected, e);
    if (read_problem(r, problem, line + 1, kind, other_kind, expected, e) != ST_OK)
        return e->status;
    return text_start(r, next_line(problem), line + 1, e);
}

static enum status open_dimacs(struct graph_reader *r, struct error *e)
{
    r->facts.direction = EDGES_DIRECTED;
    r->facts.directed_by = "format";
    r->facts.notes.weights = 1;
    return open_problem(r, "sp", "sp", "the problem line 'p sp N ARCS'", e);
}

static enum status open_pace(struct graph_reader *r, struct error *e)
{
    r->facts.direction = EDGES_UNDIRECTED_ONCE;
    r->facts.direction_fixed = 1;
    r->text.plain = PLAIN_BLANK;
    return open_problem(r, "tw", "tdp", "the problem line 'p tw N EDGES'", e);
}

const struct reader_class read_dimacs_class = {
    .open = open_dimacs,
    READ_TEXT,
    .shortest_entry = 4,
    .line = parse_dimacs_line,
};

const struct reader_class read_pace_class = {
    .open = open_pace,
    READ_TEXT,
    .shortest_entry = 4,
    .line = parse_pace_line,
};

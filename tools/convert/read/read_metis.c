/* read_metis.c: METIS graphs: line i lists the neighbours of vertex i.
 *
 *   N M [FORMAT [CONSTRAINTS]]
 *   [size] [weight ...] v1 [w1] v2 [w2] ...       one line a vertex, 1-based, blank = no neighbours
 *
 * FORMAT has three digits, for vertex sizes, vertex weights and edge weights. Each edge is in the lines of both its ends, so
 * there are 2 M entries; a later step keeps one of the two of each edge (both_listed). Lines that start with `%` are comments,
 * and so are those with `#`, which cannot begin a vertex's line.
 */
#include "graph_reader.h"

#include "scan_text.h"

#include <stdio.h>

struct metis {
    uint64_t edges;  /* M */
    uint64_t before; /* numbers before the neighbours in a line */
    int edge_weights;
    uint64_t rows; /* vertex lines taken so far */
    char expected_end[64];
};

static inline int ends_word(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

/* Skips a number that is no id, such as a weight, and the blanks behind it. NULL with a fault. */
static const char *skip_number(struct piece *piece, const char *p, uint64_t lines, const char *expected)
{
    const char *end = skip_weight(p);
    if (end == p || !ends_word(*end))
        return set_fault(piece, p, lines, expected);
    return skip_blanks(end);
}

/* Adds the edges of vertex `row`, 0-based. Returns the next line, or NULL with a fault. */
static const char *parse_row(const struct graph_reader *r, struct piece *piece, const char *p,
                             uint64_t row, uint64_t lines)
{
    const struct metis *m = r->state;
    const char *next;
    p = skip_blanks(p);
    for (uint64_t i = 0; i < m->before; i++) {
        if ((p = skip_number(piece, p, lines, "the size or a weight of the vertex")) == NULL)
            return NULL;
    }
    while ((next = skip_line_end(p)) == NULL) {
        uint64_t v;
        const char *q = scan_id(p, &v);
        if (q == p || v - 1 >= r->limit || !ends_word(*q))
            return set_fault(piece, p, lines, r->expected_id);
        struct edge *edge = &piece->edges[piece->count++];
        edge->u = row;
        edge->v = v - 1;
        p = skip_blanks(q);
        if (m->edge_weights && (p = skip_number(piece, p, lines, "the weight of the edge")) == NULL)
            return NULL;
    }
    return next;
}

/* Parses the line of vertex *row and counts *row on, or passes a comment. Returns the next line, or NULL with a fault. */
static const char *parse_line(const struct graph_reader *r, struct piece *piece, const char *p,
                              uint64_t *row, uint64_t lines)
{
    const struct metis *m = r->state;
    if (is_comment(*p))
        return next_line(p);
    if (*row < r->facts.n)
        return parse_row(r, piece, p, (*row)++, lines);
    const char *next = skip_line_end(p); /* blank lines at the end do no harm */
    if (next == NULL)
        set_fault(piece, skip_blanks(p), lines, m->expected_end);
    return next;
}

/* reader_class.lines: goes through piece->in.text, from vertex piece->in.first_row on, up to a fault. */
static void parse_lines(const struct graph_reader *r, struct piece *piece)
{
    const char *p = piece->in.text, *end = p + piece->in.text_bytes;
    uint64_t lines = piece->tally.lines, row = piece->in.first_row;
    for (; p != NULL && p < end; lines += p != NULL)
        p = parse_line(r, piece, p, &row, lines);
    piece->tally.lines = lines;
}

/* Takes a piece and counts its lines. The number of a line in the file is its vertex, so lines are counted in order. */
static enum status take_rows(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    struct metis *m = r->state;
    if (text_take(r, piece, end, e) != ST_OK || *end)
        return e->status;
    const char *p = piece->in.text, *text_end = p + piece->in.text_bytes;
    piece->in.first_row = m->rows;
    while (p < text_end) {
        m->rows += !is_comment(*p);
        const char *newline = memchr(p, '\n', (size_t)(text_end - p));
        p = newline != NULL ? newline + 1 : text_end;
    }
    return ST_OK;
}

/* Checks that each vertex had a line, and that neighbours are twice the edges declared. */
static enum status finish(struct graph_reader *r, struct error *e)
{
    const struct metis *m = r->state;
    char found[64], expected[96];
    if (m->rows < r->facts.n) {
        snprintf(found, sizeof found, "the end of the file after %llu vertex lines",
                 (unsigned long long)m->rows);
        snprintf(expected, sizeof expected, "%llu, as line %llu says",
                 (unsigned long long)r->facts.n, (unsigned long long)r->text.declared_line);
        return reader_bad_line(r, r->text.lines, NULL, found, expected, e);
    }
    if (r->total.entries != 2 * m->edges) {
        snprintf(found, sizeof found, "%llu neighbours in all",
                 (unsigned long long)r->total.entries);
        snprintf(expected, sizeof expected, "2 x %llu, as this line says",
                 (unsigned long long)m->edges);
        return reader_bad_line(r, r->text.declared_line, NULL, found, expected, e);
    }
    return ST_OK;
}

/* ---- the header ---- */

/* Reads the header's numbers, four at most. Returns how many, or -1 with an error. */
static int read_numbers(const struct graph_reader *r, const char *p, uint64_t line,
                        uint64_t number[4], struct error *e)
{
    int count = 0;
    for (p = skip_blanks(p); !at_line_end(p); p = skip_blanks(p)) {
        const char *word = p;
        if (count == 4 || (p = scan_id(word, &number[count])) == word || !ends_word(*p)) {
            reader_bad_line(r, line, word, NULL, "N M [FORMAT [CONSTRAINTS]]", e);
            return -1;
        }
        count++;
    }
    if (count < 2) {
        reader_bad_line(r, line, NULL, "one number", "N M [FORMAT [CONSTRAINTS]]", e);
        return -1;
    }
    return count;
}

/* Reads N M FORMAT CONSTRAINTS into the struct metis, and sets which ids are allowed. */
static enum status read_header(struct graph_reader *r, const char *p, uint64_t line, struct error *e)
{
    struct metis *m = r->state;
    uint64_t number[4] = {0, 0, 0, 1};
    int count = read_numbers(r, p, line, number, e);
    if (count < 0)
        return e->status;
    uint64_t format = number[2], weights = number[3];
    if (format > 111 || format % 10 > 1 || format / 10 % 10 > 1 || weights > 1024)
        return reader_bad_line(r, line, p, NULL,
                               "N M FORMAT, and FORMAT three digits that are 0 or 1", e);
    if (number[1] > UINT64_MAX / 2)
        return reader_bad_line(r, line, p, NULL, "N M, and M below 2^63", e);
    m->edges = number[1];
    m->edge_weights = format % 10 == 1;
    m->before = (format / 100 == 1) + (format / 10 % 10 == 1 ? weights : 0);
    r->facts.notes.weights = m->edge_weights || m->before > 0;
    r->text.declared_line = line;
    snprintf(m->expected_end, sizeof m->expected_end, "the end of the file: line %llu says %llu",
             (unsigned long long)line, (unsigned long long)number[0]);
    return reader_set_ids(r, 1, number[0], line, e);
}

/* Reads the header and starts behind it, in order. */
static enum status open_metis(struct graph_reader *r, struct error *e)
{
    uint64_t line = 0;
    r->facts.direction = EDGES_UNDIRECTED_ONCE;
    r->facts.direction_fixed = 1;
    r->facts.both_listed = 1;
    if (text_peek(r, "#%", e) != ST_OK)
        return e->status;
    const char *header = text_data_line(r, text_head_start(r), &line);
    if (header == NULL)
        return reader_bad_line(r, line, NULL, "the end of the file", "N M", e);
    if (read_header(r, header, line + 1, e) != ST_OK)
        return e->status;
    return text_start_in_order(r, next_line(header), line + 1, e);
}

const struct reader_class read_metis_class = {
    .open = open_metis,
    .take = take_rows,
    .parse = text_parse,
    .account = text_account,
    .finish = finish,
    .state_bytes = sizeof(struct metis),
    .shortest_entry = 2,
    .lines = parse_lines,
};

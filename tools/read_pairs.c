/* read_pairs.c: two ids a line, as SNAP, WDC, GAPBS and people's own scripts write them.
 *
 * Ids are separated by blanks, tabs or one comma; `#` and `%` lines are comments; LF or CRLF. One or
 * two further columns of numbers (weights, times) are passed over; every line has as many columns
 * as the first, so that an adjacency list is never taken for pairs. A CSV file starts with a line
 * of column names.
 */
#include "graph_reader.h"

#include "scan_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { MAX_FURTHER_COLUMNS = 2, SHORTEST_LINE_BYTES = 4 };

struct pairs {
    int further; /* columns after the two ids */
    char expected_end[96];
};

static inline int is_separator(char c)
{
    return is_blank(c) || c == ',';
}

/* Past one separator: blanks, a comma, or a comma among blanks. `p` itself when there is none. */
static const char *skip_separator(const char *p)
{
    p = skip_blanks(p);
    if (*p == ',')
        p = skip_blanks(p + 1);
    return p;
}

/* Past the further columns and the line's end; NULL, and *stop where it went wrong, when the line
 * has another number of columns or something that is no number. */
static const char *scan_rest(const char *p, int further, const char **stop)
{
    for (int i = 0; i < further; i++) {
        const char *column = skip_separator(p);
        p = scan_weight(column);
        *stop = p > column ? p : column;
        if (column == p || !(is_separator(*p) || *p == '\r' || *p == '\n'))
            return NULL;
    }
    const char *next = scan_line_end(p);
    *stop = next == NULL ? skip_blanks(p) : p;
    return next;
}

/* One line that the fast loop does not take: blanks around, comments, faults. Returns the next line,
 * or NULL with a fault. */
static const char *parse_odd_line(const struct graph_reader *r, struct piece *piece, const char *p,
                                  uint64_t lines)
{
    const struct pairs *pairs = r->state;
    const char *next = scan_line_end(p), *stop;
    uint64_t id[2];
    if (next != NULL || is_comment(*(p = skip_blanks(p))))
        return next != NULL ? next : next_line(p);
    for (int i = 0; i < 2; i++) {
        const char *word = p;
        p = scan_id(word, &id[i]);
        int ended = is_separator(*p) || *p == '\n' || *p == '\r';
        if (p == word || !ended || id[i] - r->base >= r->limit) {
            set_fault(piece, word, lines, r->expected_id);
            return NULL;
        }
        p = i == 0 ? skip_separator(p) : p;
    }
    next = scan_rest(p, pairs->further, &stop);
    if (next == NULL) {
        set_fault(piece, stop, lines, pairs->expected_end);
        return NULL;
    }
    struct edge *edge = &piece->edges[piece->count++];
    edge->u = id[0] - r->base;
    edge->v = id[1] - r->base;
    return next;
}

static void parse_lines(const struct graph_reader *r, struct piece *piece)
{
    const struct pairs *pairs = r->state;
    const char *p = piece->text, *end = p + piece->text_bytes, *stop;
    const uint64_t base = r->base, limit = r->limit;
    struct edge *edge = piece->edges + piece->count;
    uint64_t lines = piece->tally.lines;
    for (; p != NULL && p < end; lines += p != NULL) {
        uint64_t u = 0, v = 0;
        const char *q = scan_id(p, &u);
        const char *s = scan_id(q + 1, &v);
        int plain = (q > p) & (s > q + 1) & is_separator(*q) & (u - base < limit) &
                    (v - base < limit);
        const char *next = NULL;
        if (__builtin_expect(plain, 1)) {
            if (__builtin_expect(*s == '\n' && pairs->further == 0, 1))
                next = s + 1;
            else
                next = scan_rest(s, pairs->further, &stop);
        }
        if (__builtin_expect(next != NULL, 1)) {
            edge->u = u - base;
            edge->v = v - base;
            edge++;
            p = next;
            continue;
        }
        piece->count = (size_t)(edge - piece->edges);
        p = parse_odd_line(r, piece, p, lines);
        edge = piece->edges + piece->count;
    }
    piece->count = (size_t)(edge - piece->edges);
    piece->tally.lines = lines;
}

static enum status parse(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    return text_parse(r, piece, SHORTEST_LINE_BYTES, parse_lines, e);
}

/* ---- the header ---- */

/* The number after `label` in a comment. */
static int find_count(const char *comment, const char *label, uint64_t *value)
{
    const char *end = next_line(comment);
    const char *at = memmem(comment, (size_t)(end - comment), label, strlen(label));
    if (at == NULL)
        return 0;
    at = skip_blanks(at + strlen(label));
    return scan_id(at, value) > at;
}

/* What SNAP's comments state: that the graph is undirected, and its counts. */
static void read_comment(struct graph_reader *r, const char *p)
{
    static const char undirected[] = "undirected";
    uint64_t nodes, edges;
    struct graph_facts *facts = &r->facts;
    const char *text = skip_blanks(p + 1);
    if (strncasecmp(text, undirected, strlen(undirected)) == 0)
        facts->direction = EDGES_UNDIRECTED_ONCE;
    if (find_count(p, "Nodes:", &nodes) && find_count(p, "Edges:", &edges)) {
        facts->has_snap_edges = 1;
        facts->snap_edges = edges;
        facts->n = nodes <= DBFS_MAX_VERTICES ? nodes : 0;
    }
}

static void read_comments(struct graph_reader *r, const char *end)
{
    for (const char *p = text_first(r); p < end; p = next_line(p)) {
        if (is_comment(*p))
            read_comment(r, p);
    }
}

/* The columns of a line, separated as pairs are. */
static int count_columns(const char *p)
{
    int columns = 0;
    for (p = skip_blanks(p); scan_line_end(p) == NULL; columns++) {
        while (!is_separator(*p) && *p != '\r' && *p != '\n')
            p++;
        p += *p == '\r';
        p = skip_separator(p);
    }
    return columns;
}

static enum status set_columns(struct graph_reader *r, const char *data, uint64_t line,
                               struct error *e)
{
    struct pairs *pairs = r->state;
    char found[48];
    int columns = data != NULL ? count_columns(data) : 2;
    if (columns > 2 + MAX_FURTHER_COLUMNS && isdigit((unsigned char)*skip_blanks(data))) {
        snprintf(found, sizeof found, "%d columns", columns);
        return reader_bad_line(r, line, NULL, found,
                               "two ids and at most two weights (METIS and other adjacency lists "
                               "have formats of their own: see -f)",
                               e);
    }
    pairs->further = columns > 2 && columns <= 2 + MAX_FURTHER_COLUMNS ? columns - 2 : 0;
    r->facts.weights = pairs->further;
    if (data == NULL)
        strcpy(pairs->expected_end, "the end of the line");
    else
        snprintf(pairs->expected_end, sizeof pairs->expected_end,
                 pairs->further == 0 ? "the end of the line: line %llu has %d columns"
                                     : "a number: line %llu has %d columns",
                 (unsigned long long)line, 2 + pairs->further);
    return ST_OK;
}

/* Opens at `data`, the first line of ids (NULL: none), with `line` lines before it. */
static enum status open_at(struct graph_reader *r, const char *body, const char *data,
                           uint64_t body_lines, uint64_t line, struct error *e)
{
    r->state = calloc(1, sizeof(struct pairs));
    if (r->state == NULL)
        return fail_memory(e, r->name, sizeof(struct pairs));
    r->facts.direction = EDGES_DIRECTED;
    read_comments(r, data != NULL ? data : r->head + r->head_bytes);
    if (reader_set_ids(r, r->options.one_based, NO_COUNT, 0, e) != ST_OK ||
        set_columns(r, data, line + 1, e) != ST_OK)
        return e->status;
    return text_start(r, body, body_lines, 0, e);
}

static enum status open_pairs(struct graph_reader *r, struct error *e)
{
    uint64_t line = 0;
    if (text_peek(r, "#%", 1, e) != ST_OK)
        return e->status;
    const char *data = text_data_line(r, text_first(r), &line);
    return open_at(r, text_first(r), data, 0, line, e);
}

static enum status open_csv(struct graph_reader *r, struct error *e)
{
    uint64_t line = 0;
    if (text_peek(r, "#%", 2, e) != ST_OK)
        return e->status;
    const char *names = text_data_line(r, text_first(r), &line);
    if (names == NULL)
        return reader_bad_line(r, line, NULL, "no line of column names", "one", e);
    const char *body = next_line(names);
    size_t length = strcspn(names, "\r\n");
    if (length >= sizeof r->facts.header_line)
        length = sizeof r->facts.header_line - 1;
    memcpy(r->facts.header_line, names, length);
    uint64_t body_lines = ++line;
    const char *data = text_data_line(r, body, &line);
    return open_at(r, body, data, body_lines, line, e);
}

static void close_pairs(struct graph_reader *r)
{
    free(r->state);
}

const struct reader_class read_pairs_class = {
    .name = "pairs",
    .open = open_pairs,
    .take = text_take,
    .parse = parse,
    .account = text_account,
    .finish = text_finish,
    .close = close_pairs,
};

const struct reader_class read_csv_class = {
    .name = "csv",
    .open = open_csv,
    .take = text_take,
    .parse = parse,
    .account = text_account,
    .finish = text_finish,
    .close = close_pairs,
};

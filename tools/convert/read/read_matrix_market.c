/* read_matrix_market.c: Matrix Market coordinate files as graphs: entry (i, j) is the edge i -> j.
 *
 *   %%MatrixMarket matrix coordinate FIELD SYMMETRY
 *   % comments
 *   ROWS COLUMNS ENTRIES
 *   i j [value [value]]        1-based, ENTRIES lines
 *
 * A `general` file is directed. In `symmetric`, `skew-symmetric` and `hermitian` files one triangle stands
 * for both, so these are undirected with each edge once. Values must be there but are not used.
 */
#include "graph_reader.h"

#include "scan_text.h"

#include <strings.h>

enum { MAX_WORDS = 5 };

struct matrix_market {
    int values; /* columns after the indices */
};

/* ---- entries ---- */

/* A line_parser: adds the edge of the line, unless it is blank or a comment. */
static const char *parse_entry(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    const struct matrix_market *m = r->state;
    const char *next = skip_line_end(p);
    uint64_t id[2];
    if (next != NULL || *p == '%')
        return next != NULL ? next : next_line(p);
    for (int i = 0; i < 2; i++) {
        const char *word = skip_blanks(p);
        p = scan_id(word, &id[i]);
        if (p == word || id[i] - 1 >= r->limit || !(is_blank(*p) || *p == '\n' || *p == '\r'))
            return set_fault(piece, word, lines, r->expected_id);
    }
    for (int i = 0; i < m->values; i++) {
        const char *word = skip_blanks(p);
        p = skip_weight(word);
        if (p == word || !(is_blank(*p) || *p == '\n' || *p == '\r'))
            return set_fault(piece, word, lines, "the value of the entry");
    }
    next = skip_line_end(p);
    if (next == NULL)
        return set_fault(piece, skip_blanks(p), lines, "the end of the line");
    struct edge *edge = &piece->edges[piece->count++];
    edge->u = id[0] - 1;
    edge->v = id[1] - 1;
    return next;
}

/* ---- the header ---- */

struct word {
    const char *at;
    size_t length;
};

/* Finds the words of a line, MAX_WORDS at most, and returns how many. */
static int split_words(const char *p, struct word words[MAX_WORDS])
{
    int count = 0;
    for (p = skip_blanks(p); !at_line_end(p) && count < MAX_WORDS; p = skip_blanks(p)) {
        words[count].at = p;
        words[count].length = strcspn(p, " \t\r\n");
        p += words[count++].length;
    }
    return count;
}

/* Whether the word is `text`, in capital or small letters. */
static int is_word(const struct word *word, const char *text)
{
    return word->length == strlen(text) && strncasecmp(word->at, text, word->length) == 0;
}

/* Returns the index of a word in a list; -1 if it is not there. */
static int find_word(const struct word *word, const char *const list[])
{
    for (int i = 0; list[i] != NULL; i++) {
        if (is_word(word, list[i]))
            return i;
    }
    return -1;
}

/* Reads the banner in the line at `p`, whose number is `line`: direction and values. */
static enum status read_banner(struct graph_reader *r, const char *p, uint64_t line, struct error *e)
{
    static const char *const fields[] = {"pattern", "real", "integer", "unsigned-integer", "double", "complex", NULL};
    static const int values[] = {0, 1, 1, 1, 1, 2};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                             NULL};
    struct matrix_market *m = r->state;
    struct word word[MAX_WORDS];
    int words = split_words(p, word);
    if (words < MAX_WORDS || !is_word(&word[0], "%%MatrixMarket") || !is_word(&word[1], "matrix"))
        return reader_bad_line(r, line, NULL, "no Matrix Market banner",
                               "'%%MatrixMarket matrix coordinate FIELD SYMMETRY'", e);
    if (!is_word(&word[2], "coordinate"))
        return reader_bad_line(r, line, word[2].at, NULL,
                               "'coordinate': a dense matrix is no list of edges", e);
    int field = find_word(&word[3], fields), symmetry = find_word(&word[4], symmetries);
    if (field < 0)
        return reader_bad_line(r, line, word[3].at, NULL, "pattern, integer, unsigned-integer, real or complex", e);
    if (symmetry < 0)
        return reader_bad_line(r, line, word[4].at, NULL,
                               "general, symmetric, skew-symmetric or hermitian", e);
    m->values = values[field];
    r->text.plain = m->values == 0 ? PLAIN_BLANK : NO_PLAIN_LINES;
    r->facts.notes.weights = m->values;
    r->facts.direction = symmetry == 0 ? EDGES_DIRECTED : EDGES_UNDIRECTED_ONCE;
    r->facts.direction_fixed = 1;
    return ST_OK;
}

/* Reads the line ROWS COLUMNS ENTRIES: sets which ids are allowed, and how many entries are declared. */
static enum status read_sizes(struct graph_reader *r, const char *p, uint64_t line, struct error *e)
{
    static const char expected[] = "ROWS COLUMNS ENTRIES, three numbers";
    uint64_t size[3];
    for (int i = 0; i < 3; i++) {
        const char *word = skip_blanks(p);
        p = scan_id(word, &size[i]);
        if (p == word || size[i] == UINT64_MAX)
            return reader_bad_line(r, line, word, NULL, expected, e);
    }
    if (!at_line_end(p))
        return reader_bad_line(r, line, skip_blanks(p), NULL, expected, e);
    if (size[0] != size[1])
        return reader_bad_line(r, line, NULL, "a rectangular matrix",
                               "as many columns as rows: a graph is a square matrix", e);
    r->text.declared_entries = size[2];
    r->text.declared_line = line;
    return reader_set_ids(r, 1, size[0], line, e);
}

int matrix_market_sniff(const char *line)
{
    return strncasecmp(line, "%%MatrixMarket", 14) == 0;
}

/* Returns the banner among the comments before the sizes, or the first line of the file if there is none. Adds the lines before
 * the banner to *line. */
static const char *find_banner(const struct graph_reader *r, uint64_t *line)
{
    const char *first = text_head_start(r), *sizes = text_data_line(r, first, &(uint64_t){0});
    for (const char *p = first; p != NULL && p < sizes; p = next_line(p), ++*line) {
        if (matrix_market_sniff(p))
            return p;
    }
    *line = 0;
    return first;
}

/* Reads banner and sizes, and starts behind them. */
static enum status open_matrix_market(struct graph_reader *r, struct error *e)
{
    uint64_t line = 0;
    if (text_peek(r, "%", e) != ST_OK)
        return e->status;
    const char *banner = find_banner(r, &line);
    if (read_banner(r, banner, line + 1, e) != ST_OK)
        return e->status;
    const char *sizes = text_data_line(r, banner, &line);
    if (sizes == NULL)
        return reader_bad_line(r, line, NULL, "the end of the file", "ROWS COLUMNS ENTRIES", e);
    if (read_sizes(r, sizes, line + 1, e) != ST_OK)
        return e->status;
    return text_start(r, next_line(sizes), line + 1, e);
}

const struct reader_class read_matrix_market_class = {
    .open = open_matrix_market,
    READ_TEXT,
    .state_bytes = sizeof(struct matrix_market),
    .shortest_entry = 4,
    .line = parse_entry,
};

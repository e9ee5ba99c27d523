/* read_pairs.c: lines of two ids, as SNAP, WDC, GAPBS and people's own scripts write them.
 *
 * Ids are separated by blanks, tabs or one comma. Lines end in LF or CRLF, and those that start with `#` or `%` are comments.
 * One or two further columns of numbers (weights, times) are skipped. Every line must have as many columns as the first, so
 * that a list of neighbours is never taken for pairs. A CSV file starts with a line of column names. If the ids are in other
 * columns (columns.c), or are names, pair_fields.c parses the lines.
 */
#include "graph_reader.h"

#include "columns.h"
#include "list_shape.h"
#include "pair_fields.h"
#include "plain_lines.h"
#include "scan_text.h"

#include "formats/base/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

/* The number of columns behind the two ids. */
static inline int further_columns(const struct pairs *pairs)
{
    return pairs->columns.count - 2;
}

/* Parses a line that is not plain: a comment, a line with weights or blanks around, or one with a fault. Adds its edge. Returns the next
 * line; NULL with a fault. */
static const char *parse_odd_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    const struct pairs *pairs = r->state;
    const char *next = skip_line_without_data(r->text.comments, piece, p), *stop;
    uint64_t id[2];
    if (next != NULL)
        return next;
    p = skip_blanks(p);
    for (int i = 0; i < 2; i++) {
        const char *word = p;
        struct field f = {word, word + strcspn(word, " \t,\r\n")};
        if (!reader_take_id(r, piece, f, &id[i]))
            return set_fault(piece, word, lines, reader_expected_id(r, f));
        p = f.end;
        p = i == 0 ? skip_separator(p) : p;
    }
    next = skip_weights(p, further_columns(pairs), &stop);
    if (next == NULL)
        return set_fault(piece, stop, lines, pairs->expected_end);
    struct edge *edge = &piece->edges[piece->count++];
    edge->u = id[0];
    edge->v = id[1];
    return next;
}

/* reader_class.lines: parses the text of a piece, or lets pair_fields_parse do so if columns are to be told apart. */
static void parse_lines(const struct graph_reader *r, struct piece *piece)
{
    const struct pairs *pairs = r->state;
    if (pairs->columns.separator == SEPARATOR_ANY)
        plain_lines_parse(r, piece, further_columns(pairs) == 0 ? PLAIN_BLANK_OR_COMMA : NO_PLAIN_LINES, parse_odd_line);
    else
        pair_fields_parse(r, piece);
}

/* ---- the header ---- */

/* Reads the number after `label` in a comment. Returns 0 if it is not there. */
static int find_count(const char *comment, const char *label, uint64_t *value)
{
    const char *end = next_line(comment);
    const char *at = memmem(comment, (size_t)(end - comment), label, strlen(label));
    if (at == NULL)
        return 0;
    at = skip_blanks(at + strlen(label));
    return scan_id(at, value) > at;
}

/* Nonzero if the text begins with this whole word, in capitals or not. */
static int begins_with_word(const char *text, const char *word)
{
    size_t bytes = strlen(word);
    return strncasecmp(text, word, bytes) == 0 && !isalnum((unsigned char)text[bytes]);
}

/* Nonzero if the comment has the word "directed", and no "false" behind it. */
static int says_directed(const char *comment)
{
    static const char word[] = "directed";
    const char *end = next_line(comment);
    for (const char *p = comment + 1; p + sizeof word <= end; p++) {
        if (isalpha((unsigned char)p[-1]) || p[-1] == '-' || !begins_with_word(p, word))
            continue;
        const char *value = p + strlen(word);
        value += strspn(value, " \t:='\"");
        if (!begins_with_word(value, "false") && !begins_with_word(value, "no") && !begins_with_word(value, "0"))
            return 1;
    }
    return 0;
}

/* Takes facts from a comment: of SNAP, counts and whether the graph is directed; of KONECT, the word asym, sym or bip. */
static void read_comment(struct graph_reader *r, const char *p)
{
    uint64_t nodes, edges;
    struct graph_facts *facts = &r->facts;
    const char *text = skip_blanks(p + 1);
    int is_konect = *p == '%';
    if (strncasecmp(text, "undirected", strlen("undirected")) == 0 ||
        (is_konect && (begins_with_word(text, "sym") || begins_with_word(text, "bip"))))
        facts->direction = EDGES_UNDIRECTED_ONCE;
    else if (says_directed(p) || (is_konect && begins_with_word(text, "asym")))
        facts->directed_by = "comment";
    if (find_count(p, "Nodes:", &nodes) && find_count(p, "Edges:", &edges)) {
        facts->notes.has_snap_edges = 1;
        facts->notes.snap_edges = edges;
        facts->n = nodes <= DBFS_MAX_VERTICES ? nodes : 0;
    }
}

/* Takes facts from all comments before the line `data`, and notes the last of them in *s. */
static void read_comments(struct graph_reader *r, struct list_sample *s, const char *data)
{
    for (const char *p = text_head_start(r); p < data; p = next_line(p)) {
        if (!is_comment_line(r->text.comments, p))
            continue;
        s->comment = skip_blanks(p);
        read_comment(r, s->comment);
    }
}

/* Returns the line behind the record at `p`. A record goes on over several lines while its quotes are odd in number. Adds the
 * lines between to *line. */
static const char *next_record(const char *p, const char *end, uint64_t *line)
{
    const char *first = next_line(p);
    uint64_t lines = 0;
    int quotes = 0;
    for (const char *next = p; next < end; p = next) {
        next = next_line(p);
        lines++;
        for (; (p = memchr(p, '"', (size_t)(next - p))) != NULL; p++)
            quotes++;
        if (quotes % 2 == 0) {
            *line += lines;
            return next;
        }
    }
    ++*line;
    return first;
}

/* Fills *s with the first lines of data from `p` on, which `line` lines precede. */
static void take_sample(const struct graph_reader *r, const char *p, uint64_t line, struct list_sample *s)
{
    s->lines = 0;
    s->end = r->text.head + r->text.head_bytes;
    s->first_line = line + 1;
    while (s->lines < SAMPLE_LINES && (p = text_data_line(r, p, &line)) != NULL) {
        if (s->lines == 0)
            s->first_line = line + 1;
        s->line[s->lines++] = p;
        p = next_record(p, s->end, &line);
    }
}

/* Describes what must stand at the end of a line, for messages. */
static void describe_end(struct pairs *pairs, const struct list_sample *s)
{
    const struct columns *c = &pairs->columns;
    unsigned long long line = s->header != NULL ? s->header_line : s->first_line;
    char *text = pairs->expected_end;
    size_t room = sizeof pairs->expected_end;
    if (s->lines == 0 && s->header == NULL)
        snprintf(text, room, "the end of the line");
    else if (c->any_rest)
        snprintf(text, room, "%d columns, as line %llu has", c->count, line);
    else
        snprintf(text, room, "%s: line %llu has %d columns%s",
                 c->count == 2 ? "the end of the line" : "a number", line, c->count,
                 c->count == 2 ? "" : "; --columns says which two are the ids");
}

/* Hashes the names of columns, whatever their case, quotes and blanks. */
static uint64_t hash_names(const char *line)
{
    uint64_t hash = 1;
    for (; *line != '\n'; line++) {
        if (strchr(" \"'\r", *line) == NULL)
            hash = mix64(hash + (uint64_t)tolower((unsigned char)*line));
    }
    return hash;
}

/* Without --comments, if other columns come before the ids, lets a sign begin a comment only if it stands alone, because those
 * columns may hold names that begin with the sign. Below names of columns even such a line may be a row, as CSV has no comments. */
static void choose_comments(struct graph_reader *r, const struct list_sample *s, struct pairs *pairs)
{
    const struct columns *c = &pairs->columns;
    r->text.comments.spaced |= r->options.comments == NULL && c->place[0] > 0 && c->place[1] > 0;
    pairs->signed_rows = r->text.comments.spaced && s->header != NULL && c->separator != SEPARATOR_BLANK;
}

/* Decides from a sample of the lines what the list is, and starts at `body`, which `body_lines` lines precede. `s` may have a
 * line of names. */
static enum status open_at(struct graph_reader *r, const char *body, uint64_t body_lines,
                           struct list_sample *s, struct error *e)
{
    struct pairs *pairs = r->state;
    take_sample(r, body, body_lines, s);
    const char *data = s->lines > 0 ? s->line[0] : r->text.head + r->text.head_bytes;
    r->facts.names = r->options.names;
    r->facts.direction = EDGES_DIRECTED;
    read_comments(r, s, data);
    if (reader_set_ids(r, r->options.one_based, NO_COUNT, 0, e) != ST_OK ||
        columns_decide(r, s, &pairs->columns, e) != ST_OK ||
        shape_check(r, s, &pairs->columns, e) != ST_OK)
        return e->status;
    choose_comments(r, s, pairs);
    counts_suspect(r, s, &pairs->columns, &pairs->counts);
    const struct columns *c = &pairs->columns;
    if (s->lines > 0 || s->header != NULL) /* other inputs are compared with this shape */
        r->facts.list = (struct list_facts){.columns = c->count,
                                            .place = {c->place[0], c->place[1]},
                                            .separator = c->separator,
                                            .names = s->header != NULL ? hash_names(s->header) : 0};
    describe_end(pairs, s);
    for (int i = 0; i < 2 && (c->count > 2 || c->place[0] > 0); i++)
        r->facts.notes.column[i] = c->place[i] + 1;
    if (!c->quotes)
        return text_start(r, body, body_lines, e);
    text_start_in_order(r, body, body_lines, e);
    r->text.feed.quotes = 1; /* lines may go on within quotes */
    r->text.feed.separator = c->separator;
    return e->status;
}

/* Reads to the first line of data, and starts there. */
static enum status open_pairs(struct graph_reader *r, struct error *e)
{
    struct list_sample sample = {0};
    const char *first;
    uint64_t line;
    if (text_peek_list(r, 1, e) != ST_OK || text_first_of_list(r, &first, &line, e) != ST_OK)
        return e->status;
    return open_at(r, first, line, &sample, e);
}

/* Refuses a first line of numbers where column names are expected: it is likely to be an edge, which would be lost. */
static enum status refuse_numbers(const struct graph_reader *r, const char *names, uint64_t line, struct error *e)
{
    struct fields fields = fields_of(names, r->options.separator);
    struct field f;
    char options[LIST_OPTIONS_BYTES];
    while (fields_take(&fields, &f)) {
        if (!field_is_weight(field_unquoted(f)))
            return ST_OK;
    }
    return fail(e, ST_BAD_DATA,
                "%s:%llu: found numbers, expected names of columns: if they are an edge, -f pairs; if they are names, "
                "`tail -n +%llu FILE | edgeconv -f pairs%s -`",
                r->name, (unsigned long long)line, (unsigned long long)line + 1,
                reader_list_options(&r->options, options));
}

/* Reads to the line of column names, and starts behind it. */
static enum status open_csv(struct graph_reader *r, struct error *e)
{
    struct list_sample sample = {0};
    const char *names;
    uint64_t line;
    if (text_peek_list(r, 2, e) != ST_OK || text_first_of_list(r, &names, &line, e) != ST_OK)
        return e->status;
    if (names == r->text.head + r->text.head_bytes)
        return reader_bad_line(r, line, NULL, "no line of column names", "one", e);
    if (refuse_numbers(r, names, line + 1, e) != ST_OK)
        return e->status;
    size_t length = strcspn(names, "\r\n");
    if (length >= sizeof r->facts.notes.header_line)
        length = sizeof r->facts.notes.header_line - 1;
    memcpy(r->facts.notes.header_line, names, length);
    sample.header = names;
    sample.header_line = line + 1;
    return open_at(r, next_line(names), line + 1, &sample, e);
}

/* Checks that the first line did not count the others. */
static enum status finish_pairs(struct graph_reader *r, struct error *e)
{
    const struct pairs *pairs = r->state;
    return text_finish(r, e) == ST_OK ? counts_check(r, &pairs->counts, e) : e->status;
}

const struct reader_class read_pairs_class = {
    .open = open_pairs,
    .take = text_take,
    .parse = text_parse,
    .account = text_account,
    .finish = finish_pairs,
    .state_bytes = sizeof(struct pairs),
    .shortest_entry = 4,
    .lines = parse_lines,
};

const struct reader_class read_csv_class = {
    .open = open_csv,
    READ_TEXT,
    .state_bytes = sizeof(struct pairs),
    .shortest_entry = 4,
    .lines = parse_lines,
};

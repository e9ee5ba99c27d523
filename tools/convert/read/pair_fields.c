/* pair_fields.c: see pair_fields.h */
#include "pair_fields.h"

#include "columns.h"
#include "scan_text.h"
#include "tools/convert/piece/names.h"

/* Adds a field as a name, without its quotes if quotes enclose fields. Returns 0 if a map cannot hold such a name. */
static int take_name(const struct graph_reader *r, struct piece *piece, struct field f, uint64_t *end)
{
    const struct pairs *pairs = r->state;
    char name[NAME_MAX_BYTES + 1];
    if (!pairs->columns.quotes || f.begin == f.end || *f.begin != '"')
        return reader_take_id(r, piece, f, end);
    f = field_unquoted(f);
    if (f.end - f.begin > NAME_MAX_BYTES || memchr(f.begin, '\n', (size_t)(f.end - f.begin)) != NULL)
        return 0;
    char *to = name;
    for (const char *p = f.begin; p < f.end; p += p[0] == '"' ? 2 : 1) /* two quotes stand for one */
        *to++ = *p;
    *to = '\n'; /* where scans of numbers stop */
    return reader_take_id(r, piece, (struct field){name, to}, end);
}

/* What a field that is no id should be; for messages. */
static const char *expected_end(const struct graph_reader *r, struct field f)
{
    int breaks = memchr(f.begin, '\n', (size_t)(f.end - f.begin)) != NULL;
    return breaks ? "a name without the end of a line" : reader_expected_id(r, f);
}

/* Returns the place of the fault in a field that is no id: behind its digits, if blanks or commas follow them, else its beginning. */
static const char *fault_within(const struct graph_reader *r, struct field f)
{
    const char *p = f.begin;
    while (!r->facts.names && p < f.end && *p >= '0' && *p <= '9')
        p++;
    return p > f.begin && p < f.end && is_separator(*p) ? p : f.begin;
}

/* Takes the fields of a line, and the two ids among them, into *edge. Returns the end of the line; NULL with a fault. */
static const char *take_fields(const struct graph_reader *r, struct piece *piece, const char *line,
                               uint64_t lines, struct edge *edge)
{
    const struct pairs *pairs = r->state;
    const struct columns *c = &pairs->columns;
    struct fields fields = columns_fields(c, line, piece->in.text + piece->in.text_bytes);
    struct field f = {line, line};
    for (int i = 0; i < c->count; i++) {
        uint64_t *end = i == c->place[0] ? &edge->u : i == c->place[1] ? &edge->v : NULL;
        int there = fields_take(&fields, &f);
        if (there && fields.torn == 0 &&
            (end == NULL        ? c->any_rest || field_is_weight(field_unquoted(f))
             : r->facts.names ? take_name(r, piece, f, end)
                              : reader_take_id(r, piece, field_unquoted(f), end)))
            continue;
        return set_fault(piece, there ? fault_within(r, f) : fields.p, lines,
                  fields.torn > 0 ? "a quote at the end of the field" : end != NULL ? expected_end(r, f) : pairs->expected_end);
    }
    if (fields_take(&fields, &f))
        return set_fault(piece, f.begin, lines, pairs->expected_end);
    return fields.p;
}

/* Returns whether a line that begins like a comment is a row of CSV, because it has as many fields as the others. Readers of CSV know
 * no comments, and do not ask for quotes around a name that begins with a sign and a blank. */
static int is_signed_row(const struct graph_reader *r, const struct piece *piece, const char *p)
{
    const struct pairs *pairs = r->state;
    if (!pairs->signed_rows || !is_comment_line(r->text.comments, p))
        return 0;
    struct fields fields = columns_fields(&pairs->columns, p, piece->in.text + piece->in.text_bytes);
    struct field f;
    while (fields_take(&fields, &f))
        continue;
    return fields.taken == pairs->columns.count && fields.torn == 0;
}

/* Adds the edge of the line at `p`, which may go on within quotes. Returns the next line, or NULL with a fault. */
static const char *parse_line(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines)
{
    struct edge edge;
    const int is_row = is_signed_row(r, piece, p);
    const char *next = is_row ? NULL : skip_line_without_data(r->text.comments, piece, p);
    if (next != NULL)
        return next;
    piece->tally.signed_rows += (uint64_t)is_row;
    p = take_fields(r, piece, p, lines, &edge);
    if (p == NULL)
        return NULL;
    piece->edges[piece->count++] = edge;
    return next_line(p);
}

/* Goes through piece->in.text up to a fault; adds edges, and counts lines in the tally. */
void pair_fields_parse(const struct graph_reader *r, struct piece *piece)
{
    const char *p = piece->in.text, *end = p + piece->in.text_bytes;
    uint64_t lines = piece->tally.lines;
    while (p < end) {
        const char *next = parse_line(r, piece, p, lines);
        if (next == NULL)
            break;
        for (; p < next; p = next_line(p)) /* several lines if a quoted field holds ends of lines */
            lines++;
    }
    piece->tally.lines = lines;
}

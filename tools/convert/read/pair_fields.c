/* pair_fields.c: see pair_fields.h */
#include "pair_fields.h"

#include "columns.h"
#include "scan_text.h"

/* The place of the fault in a field that is no end: behind the digits, if blanks or commas follow them. */
static const char *fault_within(const struct graph_reader *r, struct field f)
{
    const char *p = f.begin;
    while (!r->facts.names && p < f.end && *p >= '0' && *p <= '9')
        p++;
    return p > f.begin && p < f.end && is_separator(*p) ? p : f.begin;
}

/* Takes the fields of a line. Returns the end of the line, or NULL with a fault. */
static const char *take_fields(const struct graph_reader *r, struct piece *piece, const char *line,
                               uint64_t lines, struct edge *edge)
{
    const struct pairs *pairs = r->state;
    const struct columns *c = &pairs->columns;
    struct fields fields = fields_of(line, c->separator);
    struct field f = {line, line};
    for (int i = 0; i < c->count; i++) {
        uint64_t *end = i == c->place[0] ? &edge->u : i == c->place[1] ? &edge->v : NULL;
        int there = fields_take(&fields, &f);
        if (there && (end != NULL   ? reader_take_id(r, piece, r->facts.names ? f : field_unquoted(f), end)
                      : c->any_rest ? 1
                                    : field_is_weight(f)))
            continue;
        set_fault(piece, there ? fault_within(r, f) : fields.p, lines,
                  end != NULL ? reader_expected_id(r) : pairs->expected_end);
        return NULL;
    }
    if (fields_take(&fields, &f)) {
        set_fault(piece, f.begin, lines, pairs->expected_end);
        return NULL;
    }
    return fields.p;
}

/* Returns the next line, or NULL with a fault. */
static const char *parse_line(const struct graph_reader *r, struct piece *piece, const char *p,
                              uint64_t lines)
{
    struct edge edge;
    const char *next = scan_line_end(p);
    if (next != NULL)
        return next;
    if (is_comment_line(r->text.comments, p)) {
        piece->tally.comments++;
        return next_line(p);
    }
    p = take_fields(r, piece, p, lines, &edge);
    if (p == NULL)
        return NULL;
    piece->edges[piece->count++] = edge;
    return next_line(p);
}

void pair_fields_parse(const struct graph_reader *r, struct piece *piece)
{
    const char *p = piece->in.text, *end = p + piece->in.text_bytes;
    uint64_t lines = piece->tally.lines;
    for (; p != NULL && p < end; lines += p != NULL)
        p = parse_line(r, piece, p, lines);
    piece->tally.lines = lines;
}

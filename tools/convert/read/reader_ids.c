/* reader_ids.c: decides which ids a reader accepts, and reports errors at a line; see graph_reader.h */
#include "graph_reader.h"
#include "scan_text.h"
#include "tools/convert/piece/names.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

/* Nonzero for a number with an exponent and its sign, such as 1e+05. Without the sign, as in 1e5, it may be a name. */
static int has_exponent(struct field f)
{
    const char *e = *f.begin >= '0' && *f.begin <= '9' ? memchr(f.begin, '+', (size_t)(f.end - f.begin)) : NULL;
    return e != NULL && (e[-1] | 32) == 'e';
}

/* Adds a name, and sets *id to its place. That of 1e+05 is 100000, so that both are one vertex. Returns 0 if it is no name. */
static int take_name(struct piece *piece, struct field f, uint64_t *id)
{
    char digits[24]; /* of 2^64 - 1: 20 */
    uint64_t number;
    int rounded;
    if (f.end - f.begin > NAME_MAX_BYTES)
        return 0;
    if (has_exponent(f) && scan_real_id(f.begin, &number, &rounded) == f.end && number != UINT64_MAX) {
        if (rounded)
            return 0;
        f.end = digits + snprintf(digits, sizeof digits, "%llu", (ull)number);
        f.begin = digits;
    }
    *id = piece_add_name(piece, f.begin, (size_t)(f.end - f.begin));
    return 1;
}

/* Adds a name to the piece, or reads a number, made 0-based. Returns 0 if the field is no id, or none below r->limit. */
int reader_take_id(const struct graph_reader *r, struct piece *piece, struct field f, uint64_t *id)
{
    int rounded;
    if (f.end == f.begin)
        return 0;
    if (r->facts.names)
        return take_name(piece, f, id);
    if (scan_id(f.begin, id) != f.end && (scan_real_id(f.begin, id, &rounded) != f.end || rounded))
        return 0;
    *id -= r->base;
    return *id < r->limit;
}

const char *reader_expected_id(const struct graph_reader *r, struct field f)
{
    uint64_t id;
    int rounded;
    if (scan_real_id(f.begin, &id, &rounded) == f.end && rounded)
        return "an id with all its digits: this one may be rounded (in R, options(scipen = 99) prevents that)";
    return r->facts.names ? "a name of 1 to 65535 bytes" : r->expected_id;
}

/* Sets r->base, r->limit and the text of r->expected_id, which ends with `why`. */
void reader_limit_ids(struct graph_reader *r, uint64_t base, uint64_t limit, const char *why)
{
    r->base = base;
    r->limit = limit;
    if (limit == 0)
        snprintf(r->expected_id, sizeof r->expected_id, "no id: the graph has no vertices");
    else
        snprintf(r->expected_id, sizeof r->expected_id, "a vertex id from %llu to %llu%s",
                 (ull)base, (ull)(base + limit - 1), why);
}

/* Sets base and limit by the format, the file and --vertices, and facts.n if the file declares it. */
enum status reader_set_ids(struct graph_reader *r, uint64_t base, uint64_t n, uint64_t line, struct error *e)
{
    uint64_t vertices = r->options.vertices;
    int is_list = r->format == FORMAT_PAIRS || r->format == FORMAT_CSV || r->format == FORMAT_ADJLIST || r->format == FORMAT_LGL;
    const char *why = vertices > 0                  ? " (--vertices)"
                      : is_list && !r->options.names ? " (any others: --compact=MAP, or --compact of dbfs)"
                                                     : "";
    uint64_t limit = vertices > 0 ? vertices : r->options.names ? UINT64_MAX : DBFS_MAX_VERTICES;
    if (n != NO_COUNT) {
        char found[48], expected[128];
        snprintf(found, sizeof found, "%llu vertices", (ull)n);
        snprintf(expected, sizeof expected, "at most %llu%s", (ull)limit, why);
        if (n > limit)
            return line > 0 ? reader_bad_line(r, line, NULL, found, expected, e)
                            : fail(e, ST_BAD_DATA, "%s: found %s, expected %s", r->name, found,
                                   expected);
        limit = n;
        r->facts.has_n = 1;
        r->facts.n = n;
        why = "";
    }
    reader_limit_ids(r, base, limit, why);
    return ST_OK;
}

const char *reader_list_options(const struct reader_options *o, char text[LIST_OPTIONS_BYTES])
{
    const struct field *end = o->columns.end;
    int used = snprintf(text, LIST_OPTIONS_BYTES, "%s%s", o->one_based ? " --one-based" : "",
                        o->comments == NULL ? "" : *o->comments == '\0' ? " --comments none" : " --comments '");
    if (o->comments != NULL && *o->comments != '\0')
        used += snprintf(text + used, LIST_OPTIONS_BYTES - (size_t)used, "%.64s'", o->comments);
    if (o->separator != SEPARATOR_ANY)
        used += snprintf(text + used, LIST_OPTIONS_BYTES - (size_t)used, " --separator %s", separator_name(o->separator));
    if (end[0].begin != NULL && end[0].end - end[0].begin < 64)
        snprintf(text + used, LIST_OPTIONS_BYTES - (size_t)used, " --columns %.*s,%.*s", (int)(end[0].end - end[0].begin),
                 end[0].begin, (int)(end[1].end - end[1].begin), end[1].begin);
    return text;
}

/* Fails at a line: found the word at `at` or, if that is NULL, `found`. */
enum status reader_bad_line(const struct graph_reader *r, uint64_t line, const char *at,
                            const char *found, const char *expected, struct error *e)
{
    char word[DESCRIBED_BYTES];
    if (at != NULL)
        found = describe_word(at, word);
    return fail(e, ST_BAD_DATA, "%s:%llu: found %s, expected %s", r->name, (ull)line, found,
                expected);
}

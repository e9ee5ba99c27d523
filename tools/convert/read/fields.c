/* fields.c: see fields.h */
#include "fields.h"

#include <strings.h>

/* Every separator is one of three bytes, which may be the same. */
static const struct {
    const char *name;
    char byte[3];
} known[SEPARATORS] = {
    [SEPARATOR_ANY] = {"", {' ', '\t', ','}},
    [SEPARATOR_BLANK] = {"blank", {' ', '\t', '\t'}},
    [SEPARATOR_COMMA] = {"comma", {',', ',', ','}},
    [SEPARATOR_TAB] = {"tab", {'\t', '\t', '\t'}},
    [SEPARATOR_SEMICOLON] = {"semicolon", {';', ';', ';'}},
    [SEPARATOR_BAR] = {"bar", {'|', '|', '|'}},
};

/* Sets *separator by its name or its sign; -1 if there is none. */
int separator_named(const char *text, enum separator *separator)
{
    for (int i = SEPARATOR_BLANK; i < SEPARATORS; i++) {
        if (strcmp(text, known[i].name) == 0 || (text[0] == known[i].byte[0] && text[1] == '\0')) {
            *separator = (enum separator)i;
            return 0;
        }
    }
    return -1;
}

const char *separator_name(enum separator separator)
{
    return known[separator].name;
}

/* Skips blanks, and among them one comma. */
const char *skip_separator(const char *p)
{
    p = skip_blanks(p);
    if (*p == ',')
        p = skip_blanks(p + 1);
    return p;
}

/* Nonzero if from `p` to the end of the line there are an edge's attributes, {...}, as a third or later field. They are one field,
 * even if blanks separate fields. */
static int is_attributes(const char *p)
{
    if (*p != '{')
        return 0;
    const char *last = next_line(p) - 2;
    while (is_blank(*last) || *last == '\r')
        last--;
    return *last == '}';
}

const char *skip_weights(const char *p, int count, const char **stop)
{
    for (int i = 0; i < count; i++) {
        const char *column = skip_separator(p);
        p = *column == '{' && is_attributes(column) ? next_line(column) - 1 : skip_weight(column);
        *stop = p > column ? p : column;
        if (column == p || !(is_separator(*p) || *p == '\r' || *p == '\n'))
            return NULL;
    }
    const char *next = skip_line_end(p);
    *stop = next == NULL ? skip_blanks(p) : p;
    return next;
}

static int ends_line(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* Skips blanks before a field. Tabs are not skipped if they separate fields. */
static const char *skip_indent(const char *p, enum separator separator)
{
    while (*p == ' ' || (*p == '\t' && separator != SEPARATOR_TAB))
        p++;
    return p;
}

/* Passes the separator behind a field. Returns 0 if no other field follows. */
static int pass_separator(struct fields *f)
{
    const char *p = f->p;
    if (f->separator == SEPARATOR_BLANK || f->separator == SEPARATOR_ANY)
        p = skip_blanks(p);
    f->p = p;
    if (ends_line(p))
        return 0;
    if (f->separator != SEPARATOR_BLANK && (*p == ',' || f->separator != SEPARATOR_ANY))
        f->p = skip_indent(p + 1, f->separator);
    return 1;
}

/* Nonzero for a byte that separates fields. */
static int is_byte_of(enum separator separator, char c)
{
    const char *byte = known[separator].byte;
    return c == byte[0] || c == byte[1] || c == byte[2];
}

/* Returns the place behind the quote that ends a quoted field; NULL if there is none. `p` is within the field. A doubled quote
 * does not end the field, but is a quote in it. */
static const char *skip_quoted(const char *p, const char *end)
{
    while ((p = memchr(p, '"', (size_t)(end - p))) != NULL) {
        if (p + 1 == end || p[1] != '"')
            return p + 1;
        p += 2;
    }
    return NULL;
}

/* Returns the place behind the quoted field at `p`; NULL if its quote does not end, or other text follows before the next separator. */
static const char *quoted_end(const char *p, const char *end, enum separator separator)
{
    p = skip_quoted(p + 1, end);
    if (p == NULL)
        return NULL;
    const char *after = skip_indent(p, separator);
    return is_byte_of(separator, *p) || is_byte_of(separator, *after) || ends_line(after) ? p : NULL;
}

/* Takes the next field (fields.h), without the blanks around it. Counts it in f->taken, and in f->torn if it begins with a quote that does
 * not end. Behind two fields between blanks, attributes such as those of Python are one field. */
int fields_take(struct fields *f, struct field *field)
{
    if (f->taken == 0)
        f->p = skip_indent(f->p, f->separator);
    else if (!pass_separator(f))
        return 0;
    const char *end = f->p, *byte = known[f->separator].byte;
    if (f->quotes_end != NULL && *end == '"') {
        const char *behind = quoted_end(end, f->quotes_end, f->separator);
        f->torn += behind == NULL;
        end = behind != NULL ? behind : end;
    }
    const char a = byte[0], b = byte[1], c = byte[2];
    int whole = f->taken >= 2 && a == ' ' && is_attributes(end);
    field->begin = f->p;
    while (!ends_line(end) && (whole || (*end != a && *end != b && *end != c)))
        end++;
    f->p = end;
    f->taken++;
    while (end > field->begin && is_blank(end[-1]))
        end--;
    field->end = end;
    return 1;
}

/* Stores the first `room` fields of a line, in which quotes have no meaning. Returns how many fields it has. */
int fields_split(const char *line, enum separator separator, struct field *field, int room)
{
    struct fields fields = fields_of(line, separator);
    return fields_split_all(&fields, field, room);
}

/* Takes all fields that are left, and counts them, those before too; only the first `room` are stored. */
int fields_split_all(struct fields *fields, struct field *field, int room)
{
    struct field next;
    while (fields_take(fields, &next)) {
        if (fields->taken <= room)
            field[fields->taken - 1] = next;
    }
    return fields->taken;
}

/* Nonzero if a quote at `p` begins a field: before it, blanks aside, stands a separator or the start of a line. */
static int begins_field(const char *text, const char *p, enum separator separator)
{
    const char *before = p;
    while (before > text && (before[-1] == ' ' || (before[-1] == '\t' && separator != SEPARATOR_TAB)))
        before--;
    if (before == text || before[-1] == '\n' || is_byte_of(separator, before[-1]))
        return 1;
    return before < p && (separator == SEPARATOR_BLANK || separator == SEPARATOR_ANY);
}

/* Returns the end of the last whole line of a text, whose quoted fields may hold newlines; NULL if there is none. */
const char *fields_last_line_end(const char *text, size_t bytes, enum separator separator)
{
    const char *end = text + bytes, *from = text, *last = NULL;
    for (;;) {
        const char *quote = memchr(from, '"', (size_t)(end - from)), *stop = quote != NULL ? quote : end;
        const char *newline = memrchr(from, '\n', (size_t)(stop - from));
        last = newline != NULL ? newline + 1 : last;
        if (quote == NULL)
            return last;
        from = quote + 1;
        if (!begins_field(text, quote, separator))
            continue;
        from = skip_quoted(from, end);
        if (from == NULL)
            return last;
    }
}

struct field field_unquoted(struct field f)
{
    int quoted = f.end - f.begin >= 2 && *f.begin == '"' && f.end[-1] == '"';
    return (struct field){f.begin + quoted, f.end - quoted};
}

int field_is_number(struct field f)
{
    const char *p = f.begin;
    while (p < f.end && *p >= '0' && *p <= '9')
        p++;
    return p == f.end && p > f.begin;
}

/* Nonzero for a number with sign, fraction and exponent, and for {...}. */
int field_is_weight(struct field f)
{
    return f.end > f.begin && (skip_weight(f.begin) == f.end || is_attributes(f.begin));
}

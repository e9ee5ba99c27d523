/* fields.h: the fields of a line, and the separators between them. Commas, tabs, semicolons and bars separate fields that may
 * be empty; blanks do not. Blanks around a field do not belong to it, but quotes do: a field in quotes (RFC 4180) may hold
 * separators and ends of lines. The line must end in '\n' (scan_text.h). */
#ifndef DBFS_FIELDS_H
#define DBFS_FIELDS_H

#include "scan_text.h"

enum separator {
    SEPARATOR_ANY,   /* blanks, or a comma with or without blanks around it: enough for numbers */
    SEPARATOR_BLANK, /* blanks and tabs */
    SEPARATOR_COMMA,
    SEPARATOR_TAB,
    SEPARATOR_SEMICOLON,
    SEPARATOR_BAR,
    SEPARATORS
};

struct field {
    const char *begin, *end;
};

/* A way through the fields of one line. */
struct fields {
    const char *p; /* the separator or end of line behind the last field */
    enum separator separator;
    int taken;
    const char *quotes_end; /* quoted fields must end before; NULL: quotes have no meaning */
    int torn;               /* fields that begin with a quote, and are no quoted field */
};

/* Finds the separator that --separator gives, by its name or as itself. Nonzero if there is no such separator. */
int separator_named(const char *text, enum separator *separator);
const char *separator_name(enum separator separator);

/* Nonzero for the bytes that separate two numbers (SEPARATOR_ANY). */
static inline int is_separator(char c)
{
    return is_blank(c) || c == ',';
}

/* Skips one separator of SEPARATOR_ANY. Returns `p` if there is none. */
const char *skip_separator(const char *p);

/* Skips `count` weights behind an id, with any separators, and the end of the line. NULL if the line has more or fewer columns,
 * or a column that is no weight; *stop is then the place of the fault. */
const char *skip_weights(const char *p, int count, const char **stop);

/* Begins a way through the fields of a line. */
static inline struct fields fields_of(const char *line, enum separator separator)
{
    return (struct fields){.p = line, .separator = separator};
}

/* As fields_of, with quoted fields, which must end before `end`. */
static inline struct fields fields_of_quoted(const char *line, enum separator separator, const char *end)
{
    return (struct fields){.p = line, .separator = separator, .quotes_end = end};
}

/* Takes the next field. At the end of the line it returns 0, and fields->p is that end. */
int fields_take(struct fields *fields, struct field *field);

/* Writes the first `room` fields of a line, and returns how many there are. */
int fields_split(const char *line, enum separator separator, struct field *field, int room);

/* The same for any fields. */
int fields_split_all(struct fields *fields, struct field *field, int room);

/* Returns the end of the last whole line of the text; a line may go on within quotes. NULL if no line is whole. */
const char *fields_last_line_end(const char *text, size_t bytes, enum separator separator);

/* The field without a pair of quotes around it. */
struct field field_unquoted(struct field field);

int field_is_number(struct field field); /* digits alone */
int field_is_weight(struct field field); /* a number that may have sign and fraction, or attributes */

#endif

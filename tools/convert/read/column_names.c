/* column_names.c: see column_names.h */
#include "column_names.h"

#include "pair_line.h"

#include <ctype.h>
#include <stddef.h>
#include <strings.h>

enum { ENDS = 2 };

/* The bytes before the next separator. */
struct word {
    const char *bytes;
    size_t length;
};

static void split_ends(const char *line, struct word end[ENDS])
{
    const char *p = skip_blanks(line);
    for (int i = 0; i < ENDS; i++) {
        end[i].bytes = p;
        while (!is_separator(*p) && *p != '\r' && *p != '\n')
            p++;
        end[i].length = (size_t)(p - end[i].bytes);
        p = skip_separator(p);
    }
}

static int is_number(struct word w)
{
    size_t digits = 0;
    while (digits < w.length && isdigit((unsigned char)w.bytes[digits]))
        digits++;
    return w.length > 0 && digits == w.length;
}

static int starts_as_word(struct word w)
{
    return w.length > 0 && (isalpha((unsigned char)w.bytes[0]) || strchr("_:\"", w.bytes[0]) != NULL);
}

static int is_one_of(struct word w, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strlen(*names) == w.length && strncasecmp(*names, w.bytes, w.length) == 0)
            return 1;
    }
    return 0;
}

int column_names_likely(const char *first, const char *second)
{
    static const char *const from[] = {"source", "src",   "from", "fromnodeid", "node1", "node_1",
                                       "head",   "start", "id1",  "id_1",       NULL};
    static const char *const to[] = {"target", "dst", "dest", "to",  "tonodeid", "node2", "node_2",
                                     "tail",   "end", "id2",  "id_2", NULL};
    struct word name[ENDS], data[ENDS];
    split_ends(first, name);
    if (is_one_of(name[0], from) && is_one_of(name[1], to))
        return 1;
    if (second == NULL || !starts_as_word(name[0]) || !starts_as_word(name[1]))
        return 0;
    split_ends(second, data);
    return is_number(data[0]) && is_number(data[1]);
}

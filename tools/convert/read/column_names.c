/* column_names.c: see column_names.h */
#include "column_names.h"

#include <ctype.h>
#include <stddef.h>

enum { LOOKED_AT = 64, WORD_BYTES = 24 };

/* Reduces the name of a column to one word: its letters and digits, in lower case, without "id", "node" or "vertex" at the end.
 * So FromNodeId, from_id and "From" are the same word. A name longer than all known ones becomes the empty word. */
static void normalise(struct field name, char word[WORD_BYTES])
{
    static const char *const suffix[] = {"id", "node", "vertex"};
    size_t length = 0;
    for (const char *p = name.begin; p < name.end && length < WORD_BYTES; p++) {
        if (isalnum((unsigned char)*p))
            word[length++] = (char)tolower((unsigned char)*p);
    }
    if (length == WORD_BYTES)
        length = 0;
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        size_t cut = strlen(suffix[i]);
        if (length > cut && memcmp(word + length - cut, suffix[i], cut) == 0)
            length -= cut;
    }
    word[length] = '\0';
}

static int is_one_of(const char *word, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strcmp(*names, word) == 0)
            return 1;
    }
    return 0;
}

/* Returns the column with a name that is in the list; -1 if there is none, -2 if there are several. */
static int find_column(const struct field *name, int count, const char *const *list)
{
    char word[WORD_BYTES];
    int found = -1;
    for (int i = 0; i < count; i++) {
        normalise(name[i], word);
        if (is_one_of(word, list))
            found = found == -1 ? i : -2;
    }
    return found;
}

/* Finds the one column that is called source or the like, and the one that is called target. Returns 0 if there are not these
 * two; place[] is then as find_column says. */
static int find_ends(const struct field *name, int count, int place[2])
{
    static const char *const from[] = {"source", "src", "from", NULL};
    static const char *const to[] = {"target", "tgt", "destination", "dest", "dst", "to", NULL};
    place[0] = find_column(name, count, from);
    place[1] = find_column(name, count, to);
    return place[0] >= 0 && place[1] >= 0;
}

/* Finds two columns whose names stand for the ends of an edge only together, such as u and v (with_letters). In some files the
 * head of an arc is its start and in others its end, so head and tail keep the order of the columns. */
static int find_pair(const struct field *name, int count, int with_letters, int place[2])
{
    static const struct {
        const char *const from[2], *const to[2];
        int in_order;
    } pair[] = {
        {{"node1"}, {"node2"}, 0}, {{"vertex1"}, {"vertex2"}, 0}, {{"id1"}, {"id2"}, 0},
        {{"start"}, {"end"}, 0},   {{"head"}, {"tail"}, 1},       {{"u"}, {"v"}, 0},
    };
    enum { PAIRS = sizeof pair / sizeof *pair };
    int found = 0;
    for (int i = 0; i < PAIRS - !with_letters; i++) {
        int from = find_column(name, count, pair[i].from), to = find_column(name, count, pair[i].to);
        if (from < 0 || to < 0)
            continue;
        int swap = pair[i].in_order && from > to;
        place[0] = swap ? to : from;
        place[1] = swap ? from : to;
        found++;
    }
    return found == 1;
}

/* Finds the two columns with usual names for the ends of an edge. Returns 0 if there are none, or several pairs. */
int column_names_find(const struct field *name, int count, int place[2])
{
    if (find_ends(name, count, place))
        return 1;
    return place[0] == -1 && place[1] == -1 && find_pair(name, count, /* with_letters */ 1, place);
}

/* Finds the separator that gives both lines as many columns; without one, or without data, the first of `order` in the line. */
enum separator column_names_separator(const char *line, const char *data)
{
    static const struct {
        char byte;
        enum separator separator;
    } order[] = {{',', SEPARATOR_COMMA}, {'\t', SEPARATOR_TAB}, {' ', SEPARATOR_BLANK}};
    enum { SEPARATORS_TRIED = sizeof order / sizeof *order };
    enum separator first = SEPARATOR_BLANK;
    for (int i = SEPARATORS_TRIED; i-- > 0;) {
        if (memchr(line, order[i].byte, (size_t)(next_line(line) - line)) != NULL)
            first = order[i].separator;
    }
    for (int i = 0; i < SEPARATORS_TRIED && data != NULL; i++) {
        enum separator s = order[i].separator;
        int columns = fields_split(line, s, NULL, 0);
        if (columns > 1 && columns == fields_split(data, s, NULL, 0))
            return s;
    }
    return first;
}

/* Nonzero if the line `first` is likely to name columns: by usual names or, failing that, words above numbers. */
int column_names_likely(const char *first, const char *second, enum separator separator)
{
    struct field name[LOOKED_AT], data[LOOKED_AT];
    int place[2], words = 0, numbers = 0;
    if (separator == SEPARATOR_ANY)
        separator = column_names_separator(first, second);
    int count = fields_split(first, separator, name, LOOKED_AT);
    count = count < LOOKED_AT ? count : LOOKED_AT;
    if (find_ends(name, count, place) || find_pair(name, count, /* with_letters */ 0, place))
        return 1;
    if (second == NULL)
        return 0;
    int columns = fields_split(second, SEPARATOR_ANY, data, LOOKED_AT);
    if (columns != count)
        columns = fields_split(second, separator, data, LOOKED_AT);
    for (int i = 0; i < count && i < columns && i < LOOKED_AT; i++) {
        struct field n = field_unquoted(name[i]), d = field_unquoted(data[i]);
        words += n.begin < n.end && (isalpha((unsigned char)*n.begin) || strchr("_:", *n.begin) != NULL) && field_is_number(d);
        numbers += field_is_number(n);
    }
    return count == 2 ? words == 2 : count > 2 && words > 0 && numbers == 0;
}

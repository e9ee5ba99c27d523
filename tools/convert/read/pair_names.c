/* pair_names.c: see pair_names.h */
#include "pair_names.h"

#include "scan_text.h"
#include "tools/convert/piece/names.h"

/* ---- words ---- */

static int separates(char c, enum pair_separator separator)
{
    switch (separator) {
    case SEPARATOR_BLANKS: return is_blank(c);
    case SEPARATOR_COMMA: return c == ',';
    case SEPARATOR_TAB: return c == '\t';
    }
    return 0;
}

static int ends_line(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* The end of the word at `p`; blanks before its separator do not belong to it. *stop is the
 * separator or the end of the line. */
static const char *word_end(const char *p, enum pair_separator separator, const char **stop)
{
    const char *end = p;
    while (!separates(*end, separator) && !ends_line(end))
        end++;
    *stop = end;
    while (end > p && is_blank(end[-1]))
        end--;
    return end;
}

/* The next word after the separator or the blanks at `p`. */
static const char *next_word(const char *p, enum pair_separator separator)
{
    if (separates(*p, separator))
        p++;
    while (*p == ' ' || (*p == '\t' && separator != SEPARATOR_TAB))
        p++;
    return p;
}

int pair_names_columns(const char *line, enum pair_separator separator)
{
    int columns = 0;
    const char *p = skip_blanks(line);
    for (; !ends_line(p); p = next_word(p, separator), columns++)
        word_end(p, separator, &p);
    return columns;
}

enum pair_separator pair_names_separator(const char *line)
{
    const char *stop, *p = skip_blanks(line), *end = word_end(p, SEPARATOR_BLANKS, &stop);
    int one_word = ends_line(skip_blanks(stop)), comma_ends = end > p && end[-1] == ',';
    int comma_starts = *skip_blanks(stop) == ',';
    int comma_within = memchr(p, ',', (size_t)(end - p)) != NULL;
    return (one_word && comma_within) || comma_ends || comma_starts ? SEPARATOR_COMMA
                                                                    : SEPARATOR_BLANKS;
}

enum pair_separator pair_names_header_separator(const char *line)
{
    size_t length = (size_t)(next_line(line) - line);
    return memchr(line, ',', length) != NULL    ? SEPARATOR_COMMA
           : memchr(line, '\t', length) != NULL ? SEPARATOR_TAB
                                                : SEPARATOR_BLANKS;
}

/* ---- lines ---- */

static const char expected_name[] = "a name of 1 to 65535 bytes";

/* Returns the next line, or NULL with a fault. */
static const char *parse_line(const struct pairs *pairs, struct piece *piece, const char *p,
                              uint64_t lines)
{
    const char *next = scan_line_end(p), *stop;
    uint64_t place[2];
    if (next != NULL || is_comment(*(p = skip_blanks(p))))
        return next != NULL ? next : next_line(p);
    for (int i = 0; i < 2; i++) {
        const char *word = i == 0 ? p : next_word(p, pairs->separator);
        const char *end = word_end(word, pairs->separator, &p);
        if (end == word || end - word > NAME_MAX_BYTES) {
            set_fault(piece, word, lines, expected_name);
            return NULL;
        }
        place[i] = piece_add_name(piece, word, (size_t)(end - word));
    }
    next = pairs_scan_rest(p, pairs->further, &stop);
    if (next == NULL) {
        set_fault(piece, stop, lines, pairs->expected_end);
        return NULL;
    }
    piece->edges[piece->count++] = (struct edge){place[0], place[1]};
    return next;
}

void pair_names_parse(const struct graph_reader *r, struct piece *piece)
{
    const char *p = piece->in.text, *end = p + piece->in.text_bytes;
    uint64_t lines = piece->tally.lines;
    for (; p != NULL && p < end; lines += p != NULL)
        p = parse_line(r->state, piece, p, lines);
    piece->tally.lines = lines;
}

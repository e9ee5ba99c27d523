/* pair_line.h: what lines of two numbers (read_pairs.c) and of two names (pair_names.c) have in common */
#ifndef DBFS_PAIR_LINE_H
#define DBFS_PAIR_LINE_H

#include "scan_text.h"

/* Of names. Numbers are separated by blanks or a comma everywhere. */
enum pair_separator { SEPARATOR_BLANKS, SEPARATOR_COMMA, SEPARATOR_TAB };

/* The state of a reader of pairs. */
struct pairs {
    int further; /* columns after the two ids */
    char expected_end[96];
    enum pair_separator separator;
};

static inline int is_separator(char c)
{
    return is_blank(c) || c == ',';
}

/* Past one separator: blanks, a comma, or a comma among blanks. `p` itself when there is none. */
const char *skip_separator(const char *p);

/* Past the further columns and the line's end; NULL, and *stop where it went wrong, when the line has
 * another number of columns or something that is no number. */
const char *pairs_scan_rest(const char *p, int further, const char **stop);

#endif

/* pair_line.h: the common part of lines of two numbers (read_pairs.c) and of two names (pair_names.c) */
#ifndef DBFS_PAIR_LINE_H
#define DBFS_PAIR_LINE_H

#include "scan_text.h"

/* The separator of names. Numbers may always be separated by blanks or a comma. */
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

/* Skips one separator: blanks, or a comma with or without blanks around it. Returns `p` if there is none. */
const char *skip_separator(const char *p);

/* Skips the further columns and the end of the line. NULL if the line has another number of columns or a
 * column that is not a number; *stop is then the place of the fault. */
const char *pairs_scan_rest(const char *p, int further, const char **stop);

#endif

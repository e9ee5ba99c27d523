/* pair_line.c: see pair_line.h */
#include "pair_line.h"

const char *skip_separator(const char *p)
{
    p = skip_blanks(p);
    if (*p == ',')
        p = skip_blanks(p + 1);
    return p;
}

const char *pairs_scan_rest(const char *p, int further, const char **stop)
{
    for (int i = 0; i < further; i++) {
        const char *column = skip_separator(p);
        p = scan_weight(column);
        *stop = p > column ? p : column;
        if (column == p || !(is_separator(*p) || *p == '\r' || *p == '\n'))
            return NULL;
    }
    const char *next = scan_line_end(p);
    *stop = next == NULL ? skip_blanks(p) : p;
    return next;
}

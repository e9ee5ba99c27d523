/* pair_names.h: lines of two names, for read_pairs.c where ids are to be numbered.
 *
 * Any bytes make a name but those that separate: blanks and tabs; or a comma, or in files of column
 * names a tab, and then names may hold blanks. Nothing is unquoted.
 */
#ifndef DBFS_PAIR_NAMES_H
#define DBFS_PAIR_NAMES_H

#include "tools/convert/read/graph_reader.h"

enum pair_separator { SEPARATOR_BLANKS, SEPARATOR_COMMA, SEPARATOR_TAB };

/* The state of a reader of pairs. */
struct pairs {
    int further; /* columns after the two ids */
    char expected_end[96];
    enum pair_separator separator; /* of names */
};

/* What separates names, as the first line of them shows: a comma, where that ends the first word,
 * starts the second or stands within the only one; else blanks. */
enum pair_separator pair_names_separator(const char *line);

/* The same, as a line of column names shows: its comma, else its tab. */
enum pair_separator pair_names_header_separator(const char *line);

int pair_names_columns(const char *line, enum pair_separator separator);

/* A line_parser. */
void pair_names_parse(const struct graph_reader *r, struct piece *piece);

/* read_pairs.c: past the further columns and the line's end; NULL, and *stop where it went wrong,
 * when the line has another number of columns or something that is no number. */
const char *pairs_scan_rest(const char *p, int further, const char **stop);

#endif

/* pair_names.h: lines of two names, for read_pairs.c where ids are to be numbered.
 *
 * Any bytes make a name except those that separate names: blanks and tabs; or a comma; or, in files with a
 * line of column names, a tab. Names that a comma or a tab separates may hold blanks. Nothing is unquoted.
 */
#ifndef DBFS_PAIR_NAMES_H
#define DBFS_PAIR_NAMES_H

#include "graph_reader.h"
#include "pair_line.h"

/* What separates names, as the first line of them shows: a comma, where that ends the first word,
 * starts the second or stands within the only one; else blanks. */
enum pair_separator pair_names_separator(const char *line);

/* The same, as a line of column names shows: its comma, else its tab. */
enum pair_separator pair_names_header_separator(const char *line);

int pair_names_columns(const char *line, enum pair_separator separator);

/* A line_parser. */
void pair_names_parse(const struct graph_reader *r, struct piece *piece);

#endif

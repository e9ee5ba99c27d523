/* pair_names.h: parses lines of two names, for read_pairs.c when ids are to be numbered.
 *
 * A name may contain any bytes except the separators. The separators are blanks and tabs; or a comma; or, in
 * a file with a line of column names, perhaps a tab alone. Names separated by a comma or a tab may contain
 * blanks. Quotes are part of a name.
 */
#ifndef DBFS_PAIR_NAMES_H
#define DBFS_PAIR_NAMES_H

#include "graph_reader.h"
#include "pair_line.h"

/* Finds the separator of names from the first line of names. It is a comma if a comma ends the first word,
 * starts the second one or is within the only one; otherwise it is blanks. */
enum pair_separator pair_names_separator(const char *line);

/* Finds the separator from a line of column names: a comma if the line has one, else a tab. */
enum pair_separator pair_names_header_separator(const char *line);

int pair_names_columns(const char *line, enum pair_separator separator);

/* Parses the lines of a piece (line_parser in graph_reader.h). */
void pair_names_parse(const struct graph_reader *r, struct piece *piece);

#endif

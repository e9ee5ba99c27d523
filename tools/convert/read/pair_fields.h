/* pair_fields.h: parses lists whose ids are names, or numbers in any two columns */
#ifndef DBFS_PAIR_FIELDS_H
#define DBFS_PAIR_FIELDS_H

#include "graph_reader.h"

/* Parses the lines of a piece (reader_class.lines). r->state is a struct pairs whose columns have a known separator,
 * not SEPARATOR_ANY. */
void pair_fields_parse(const struct graph_reader *r, struct piece *piece);

#endif

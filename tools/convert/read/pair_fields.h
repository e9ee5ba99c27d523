/* pair_fields.h: parses lines whose ids are fields: names, or numbers in columns of any place */
#ifndef DBFS_PAIR_FIELDS_H
#define DBFS_PAIR_FIELDS_H

#include "graph_reader.h"

/* Parses the lines of a piece (line_parser in graph_reader.h). r->state is a struct pairs whose columns have a
 * separator other than SEPARATOR_ANY. */
void pair_fields_parse(const struct graph_reader *r, struct piece *piece);

#endif

/* edges_text.h: says of a graph whether its edges are directed, and which rows it has */
#ifndef DBFS_EDGES_TEXT_H
#define DBFS_EDGES_TEXT_H

#include "formats/graph/manifest.h"

#include <stdio.h>

/* A line of a directed graph, and of the direction of a search; nothing of an undirected one. */
void edges_print(FILE *out, const struct manifest *m, int reverse);

/* Members of a JSON object: "directed", and of a directed graph "rows". */
void edges_json(FILE *out, const struct manifest *m);

#endif

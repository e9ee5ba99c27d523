/* sniff.h: which format an input is in, by its content. */
#ifndef DBFS_SNIFF_H
#define DBFS_SNIFF_H

#include "graph_reader.h"
#include "tools/convert/input/input.h"

/* Looks at the first bytes without consuming them. Formats that edgeconv knows and does not read
 * are ST_BAD_DATA with a message that says what to do; text that fits nothing else is taken for
 * pairs, whose reader then names the place of the fault. */
enum status sniff_graph(struct input *input, enum graph_format *format, struct error *e);

#endif

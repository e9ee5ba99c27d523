/* sniff.h: finds the format of an input from its content */
#ifndef DBFS_SNIFF_H
#define DBFS_SNIFF_H

#include "graph_reader.h"
#include "tools/convert/input/input.h"

/* Looks at the first bytes without consuming them. A format that edgeconv recognises but cannot read is
 * ST_BAD_DATA, and the message says what to do. Text that fits no other format is taken for pairs; the reader
 * of pairs then names the place of the fault. With options->columns or options->separator, text is a list. */
enum status sniff_graph(struct input *input, const struct reader_options *options,
                        enum graph_format *format, struct error *e);

/* Checks options->format: refuses an input, with ST_BAD_DATA, whose first bytes state another format. */
enum status sniff_check(struct input *input, const struct reader_options *options, struct error *e);

#endif

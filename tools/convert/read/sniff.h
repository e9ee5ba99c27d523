/* sniff.h: finds the format of an input from its content */
#ifndef DBFS_SNIFF_H
#define DBFS_SNIFF_H

#include "graph_reader.h"
#include "tools/convert/input/input.h"

/* Finds the format of an input by its first bytes, without consuming them. A format that edgeconv recognises but cannot read is
 * ST_BAD_DATA, and the message says what to do. Text that fits no other format is taken for pairs, whose reader then names the
 * place of the fault. With options->columns or options->separator, text is a list. */
enum status sniff_graph(struct input *input, const struct reader_options *options,
                        enum graph_format *format, struct error *e);

/* Checks the format that the user gave: refuses with ST_BAD_DATA an input whose first bytes name another one. */
enum status sniff_check(struct input *input, const struct reader_options *options, struct error *e);

#endif

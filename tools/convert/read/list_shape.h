/* list_shape.h: recognises lists that are no pairs by their lines: counts in the first line, lists
 * of neighbours */
#ifndef DBFS_LIST_SHAPE_H
#define DBFS_LIST_SHAPE_H

#include "columns.h"

/* Refuses lists of counts and edges, and lists of neighbours, which numbers of columns show. */
enum status shape_check(const struct graph_reader *r, const struct list_sample *sample,
                        const struct columns *columns, struct error *e);

/* Notes the counts that the first line would have, if it were no edge. With -f pairs it is one. */
void counts_suspect(const struct graph_reader *r, const struct list_sample *sample,
                    const struct columns *columns, struct counts *counts);

/* Refuses a list, all of which has been read, if its first line counts the others. */
enum status counts_check(const struct graph_reader *r, const struct counts *counts, struct error *e);

#endif

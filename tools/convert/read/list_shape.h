/* list_shape.h: recognises lists that are not pairs of ids: those with counts in the first line, and lists of neighbours */
#ifndef DBFS_LIST_SHAPE_H
#define DBFS_LIST_SHAPE_H

#include "columns.h"

/* Refuses a list that begins with counts, and a list of neighbours, if the numbers of columns in the lines show it. */
enum status shape_check(const struct graph_reader *r, const struct list_sample *sample,
                        const struct columns *columns, struct error *e);

/* Notes the numbers of the first line, in case they are counts and no edge. With -f pairs the line is an edge. */
void counts_suspect(const struct graph_reader *r, const struct list_sample *sample,
                    const struct columns *columns, struct counts *counts);

/* Refuses a list, all of which has been read, if its first line proves to count the others. */
enum status counts_check(const struct graph_reader *r, const struct counts *counts, struct error *e);

#endif

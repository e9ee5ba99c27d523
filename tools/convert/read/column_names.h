/* column_names.h: recognises a first line that names the columns of a list, and which of the names stand for the ends of edges */
#ifndef DBFS_COLUMN_NAMES_H
#define DBFS_COLUMN_NAMES_H

#include "fields.h"

/* Returns the separator of `line`, a line of column names: the one that occurs as often in the line after it, `data`. `data` is
 * NULL if no line follows. */
enum separator column_names_separator(const char *line, const char *data);

/* Finds the two columns whose names are usual for the ends of an edge, such as source and target, among any others. Returns 0
 * if there are none, or several pairs. */
int column_names_find(const struct field *name, int count, int place[2]);

/* Nonzero if the line `first` is likely to name columns: it has usual names for the ends of an edge, or its columns are words
 * and those of the line `second` are numbers. `second` may be NULL, and `separator` SEPARATOR_ANY if it is not known. */
int column_names_likely(const char *first, const char *second, enum separator separator);

#endif

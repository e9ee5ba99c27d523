/* column_names.h: recognises a first line that names the columns of a list, though it could be an edge */
#ifndef DBFS_COLUMN_NAMES_H
#define DBFS_COLUMN_NAMES_H

/* Whether the line `first` is likely to name columns: its first two words are usual names for the ends of an
 * edge, or they are words while those of the line `second` after it are numbers. `second` may be NULL. */
int column_names_likely(const char *first, const char *second);

#endif

/* reached_list.h: writes the vertices that a search reached as a list */
#ifndef DBFS_REACHED_LIST_H
#define DBFS_REACHED_LIST_H

#include "results.h"

/* Collective, after results_collect. Rank 0 writes lines of id or name, tab and depth, by depth and then by id. A
 * %d in `name` stands for the original id of the root. The list takes 16 bytes for each reached vertex, on its
 * rank and on rank 0; no array over all ids is made. */
enum status reached_list_write(struct results *results, const struct root *root, const char *name,
                               const struct name_map *map, struct error *e);

#endif

/* tree_levels.h: finds the levels of a tree from its parents alone */
#ifndef DBFS_TREE_LEVELS_H
#define DBFS_TREE_LEVELS_H

#include "claim_windows.h"

/* Follows parents from every vertex to the root and stores the levels. All vertices are in one window, loaded
 * and surveyed. Takes time in proportion to the vertices. ST_INVALID names the first vertex whose way does
 * not lead to the root: it ends at a vertex that was not reached, or in a cycle. *sums is filled in. */
enum status tree_levels_find(struct claim_windows *windows, struct claim_sums *sums,
                             struct error *e);

#endif

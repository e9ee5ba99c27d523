/* tree_levels.h: finds the levels of a tree from its parents alone */
#ifndef DBFS_TREE_LEVELS_H
#define DBFS_TREE_LEVELS_H

#include "claim_windows.h"

/* Finds the level of every vertex by following parents to a root, in time proportional to the vertices. All vertices must be
 * in one window, loaded and surveyed (claims_survey). ST_INVALID names the first vertex from which parents lead into a cycle or
 * to a vertex that was not reached. *sums is filled in. */
enum status tree_levels_find(struct claim_windows *windows, struct claim_sums *sums, struct error *e);

#endif

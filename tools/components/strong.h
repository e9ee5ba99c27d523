/* strong.h: the strong components of a directed graph. Two vertices are in one if each can be reached from the other.
 *
 * The arcs of the graph are kept in memory, row by row, so this works for one process and for graphs that fit into the budget.
 */
#ifndef DBFS_STRONG_H
#define DBFS_STRONG_H

#include "forest.h"

#include "tools/stream/edge_source.h"

/* Makes the first pass over the edges and one more, and searches. Afterwards every slot of the forest, which has one window, is
 * the smallest id of the strong component. ST_RESOURCE if the budget has too little left, or the graph 2^31 vertices or more. */
enum status strong_components(struct forest *forest, struct edge_source *source, struct memory_budget *budget, struct error *e);

#endif

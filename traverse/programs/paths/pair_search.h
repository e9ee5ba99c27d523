/* pair_search.h: the distance between two vertices, and a shortest path, by two frontiers.
 *
 * One search grows from the source, along edges, the other from the target, against them. In each step the one
 * whose frontier has fewer edges grows by a level. Both have all vertices up to their depths, and no vertex in
 * common. So the first edge between them closes a shortest path: a shorter one would have been found a level
 * before.
 *
 * The searches read rows of all shards in place, decoded or packed. The number of a normal vertex is its nn
 * column; delegates have numbers after all of these. The state is a mark for each number. It is cleared by the
 * list of found vertices, so the time of a pair follows its visits, and not n. */
#ifndef DBFS_PAIR_SEARCH_H
#define DBFS_PAIR_SEARCH_H

#include "pair_runs.h"

#include "traverse/engine/engine.h"
#include "traverse/session/graph.h"

#include "formats/base/memory.h"

#include <stdint.h>

struct pair_search;

/* Returns the bytes that `searches` open searches take at first, for the vertices of this shard. `ignored` is unused. */
uint64_t pair_search_takes(const struct shard *shard, int searches, int ignored);

/* Opens a search. `graph` has all shards. Graph and budget must outlive the search. Each thread needs its own search.
 * After a failure, too, *search is to be closed. */
enum status pair_search_open(struct pair_search **search, const struct graph *graph, struct memory_budget *budget,
                             struct error *e);
void pair_search_close(struct pair_search *search); /* NULL is allowed */

/* Searches between two vertices, and fills *result. `one_sided`: only the search from the source grows, until it
 * finds the target. */
enum status pair_search_run(struct pair_search *search, const struct root *source, const struct root *target,
                            int one_sided, struct pair_result *result, struct error *e);

/* After a run that found a path: writes its vertices, distance + 1 input ids, from the source on, to `ids`. */
void pair_search_path(const struct pair_search *search, uint64_t *ids);

#endif

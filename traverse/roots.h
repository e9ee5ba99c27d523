/* roots.h: where searches start */
#ifndef DBFS_ROOTS_H
#define DBFS_ROOTS_H

#include "backend.h"
#include "comm.h"
#include "graph.h"

#include "formats/memory.h"

/* Collective. Finds the given original ids in the shards; ST_USAGE for an id >= n. */
enum status roots_locate(const struct graph *graph, const struct comm *comm, const uint64_t *ids,
                         uint64_t count, struct root *roots, struct memory_budget *budget,
                         struct error *e);

/* Collective. Draws up to `count` distinct vertices of degree at least 1, uniformly, by a counter-
 * based sequence over original ids: the same for every p, R and G. *drawn is less than `count` only
 * when the graph has no more such vertices. */
enum status roots_sample(const struct graph *graph, const struct comm *comm, uint64_t seed,
                         uint64_t count, uint64_t *ids, uint64_t *drawn,
                         struct memory_budget *budget, struct error *e);

#endif

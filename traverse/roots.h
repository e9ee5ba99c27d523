/* roots.h: where searches start */
#ifndef DBFS_ROOTS_H
#define DBFS_ROOTS_H

#include "backend.h"
#include "formats/mpi/comm.h"
#include "graph.h"

#include "formats/base/memory.h"
#include "formats/name_map.h"

/* Collective. Finds the given original ids in the shards; ST_USAGE for an id >= n. */
enum status roots_locate(const struct graph *graph, const struct comm *comm, const uint64_t *ids,
                         uint64_t count, struct root *roots, struct memory_budget *budget,
                         struct error *e);

/* Collective. The ids of the vertices that have these names in the map of rank 0; ST_USAGE for one
 * that none has. */
enum status roots_named(const struct comm *comm, const struct name_map *map,
                        const char *const *names, uint64_t count, uint64_t *ids, struct error *e);

/* Collective. Draws up to `count` distinct vertices of degree at least 1, uniformly, by a counter-
 * based sequence over original ids: the same for every p, R and G. *drawn is less than `count` only
 * when the graph has no more such vertices. */
enum status roots_sample(const struct graph *graph, const struct comm *comm, uint64_t seed,
                         uint64_t count, uint64_t *ids, uint64_t *drawn,
                         struct memory_budget *budget, struct error *e);

#endif

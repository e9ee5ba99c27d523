/* roots.h: chooses the vertices where searches start, and finds their shards */
#ifndef DBFS_ROOTS_H
#define DBFS_ROOTS_H

#include "traverse/options/args.h"
#include "traverse/engine/rank_devices.h"

#include "formats/name_map.h"

/* The roots of the searches of a program. */
struct roots {
    uint64_t count;
    uint64_t *ids;     /* [count] the original ids of the roots */
    struct root *root; /* [count] the stored id, the shard, the kind and the index of each root */
};

/* Collective. Chooses the roots, and finds the shard of each root.
 * - Roots are given on the command line, by id or by name: these are chosen.
 * - None are given: args->count random vertices are chosen, each with an edge that a search would follow. If the graph has
 *   fewer such vertices, all of them are chosen.
 * - With --serve: memory is allocated for one root, and none is chosen.
 * `map`: on rank 0, the names; NULL: there are none. Fails with ST_USAGE if an id is not below n, or if a name is unknown.
 * The caller calls roots_free, even after a failure. */
enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e);

/* Collective. Sets roots->root for each id of roots->ids. Fails with ST_USAGE if an id is not below n. */
enum status roots_locate(struct roots *roots, const struct rank *rank, struct error *e);
void roots_free(struct roots *roots); /* frees the arrays; *roots may be zeroed */

#endif

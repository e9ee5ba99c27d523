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
 * - Roots that the command line gives, by id or by name, are taken.
 * - If it gives none, args->count random vertices are drawn, or fewer if fewer have an edge that a search would follow.
 * - With --serve, none is chosen. The caller gives roots by roots_resize and roots_locate.
 * `map` has the names, on rank 0; NULL: there are none. Fails with ST_USAGE if an id or a name is not in the graph, with
 * ST_RUNTIME if no vertex has an edge, and with ST_BAD_DATA if the graph has no vertices, or fewer vertices with edges than
 * its manifest says. The caller calls roots_free, even after a failure. */
enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e);

/* Overwrites roots->count, and allocates arrays of this size in place of the old ones, whose content is lost. */
enum status roots_resize(struct roots *roots, uint64_t count, struct error *e);

/* Collective. Sets roots->root for each id of roots->ids, which are below n: id_from_user refuses others. Fails if memory is short. */
enum status roots_locate(struct roots *roots, const struct rank *rank, struct error *e);
void roots_free(struct roots *roots); /* frees the arrays; *roots may be zeroed */

#endif

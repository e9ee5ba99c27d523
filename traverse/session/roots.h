/* roots.h: the vertices where searches start */
#ifndef DBFS_ROOTS_H
#define DBFS_ROOTS_H

#include "traverse/options/args.h"
#include "traverse/engine/rank_devices.h"

#include "formats/name_map.h"

struct roots {
    uint64_t count;
    uint64_t *ids;     /* [count] original ids */
    struct root *root; /* [count] where they are */
};

/* Chooses the roots and finds out where each is; with --serve, makes room for one. Collective. The roots
 * are those of the command line, by id or by name, or a sample of vertices with edges. A sample is smaller
 * than args->count only if the graph has no more such vertices. Rank 0 has the map of names; NULL: there is
 * none. ST_USAGE: an id >= n, or an unknown name. */
enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e);

/* Finds out where each of roots->ids is. Collective. ST_USAGE: an id >= n. */
enum status roots_locate(struct roots *roots, const struct rank *rank, struct error *e);
void roots_free(struct roots *roots); /* zeroed ones are allowed */

#endif

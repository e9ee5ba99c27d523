/* roots.h: where searches start */
#ifndef DBFS_ROOTS_H
#define DBFS_ROOTS_H

#include "args.h"
#include "rank_devices.h"

#include "formats/name_map.h"

struct roots {
    uint64_t count;
    uint64_t *ids;     /* [count] original ids */
    struct root *root; /* [count] where they are */
};

/* Collective. The roots that the command line gives, by id or by name in the map of rank 0 (NULL: none), or
 * a sample; and where each is. A sample has fewer than args->count roots only if the graph has no more
 * vertices with edges. ST_USAGE for an id >= n or an unknown name. */
enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e);
void roots_free(struct roots *roots); /* zeroed ones are allowed */

#endif

/* roots.h: the vertices where searches start */
#ifndef DBFS_ROOTS_H
#define DBFS_ROOTS_H

#include "traverse/options/args.h"
#include "traverse/engine/rank_devices.h"

#include "formats/name_map.h"

/* The roots of the searches of a program. */
struct roots {
    uint64_t count;
    uint64_t *ids;     /* [count] original ids */
    struct root *root; /* [count] where each root is */
};

/* Collective. Chooses the roots, and locates each. The roots are given on the command line, by id or by name, or are a
 * sample of the vertices with edges. A sample is smaller than args->count only if the graph has no more vertices with
 * edges. With --serve only allocates the memory of one root. `map`: the names, on rank 0; NULL: there are none. ST_USAGE:
 * an id >= n, or an unknown name. */
enum status roots_choose(struct roots *roots, const struct rank *rank, const struct args *args,
                         const struct name_map *map, struct error *e);

/* Collective. Sets roots->root to where each of roots->ids is. ST_USAGE: an id >= n. */
enum status roots_locate(struct roots *roots, const struct rank *rank, struct error *e);
void roots_free(struct roots *roots); /* frees the arrays; zeroed roots are allowed */

#endif

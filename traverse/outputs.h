/* outputs.h: the names of results, and what they must not replace */
#ifndef DBFS_OUTPUTS_H
#define DBFS_OUTPUTS_H

#include "args.h"

#include "formats/base/status.h"

#include <stdint.h>

/* FILE with %d replaced by the root, to free; NULL when memory is out. */
char *outputs_name(const char *pattern, uint64_t root);

/* Refuses with ST_USAGE a result that is a file of the graph, its map, or another result. The first
 * looks at the names as they were given, before anything is read; the second at those of each root,
 * where they have %d. */
enum status outputs_check(const struct args *args, struct error *e);
enum status outputs_check_roots(const struct args *args, const uint64_t *ids, uint64_t count,
                                struct error *e);

#endif

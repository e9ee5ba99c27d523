/* outputs.h: the names of result files, and the files that they must not replace */
#ifndef DBFS_OUTPUTS_H
#define DBFS_OUTPUTS_H

#include "traverse/options/args.h"

#include "formats/base/status.h"

#include <stdint.h>

/* The name `pattern` with %d replaced by the root. The caller frees it. NULL: out of memory. */
char *outputs_name(const char *pattern, uint64_t root);

/* Whether a name ends in this suffix, which tells the format of a result. */
int outputs_ends_in(const char *name, const char *suffix);

/* Both refuse with ST_USAGE a result whose file is one of the graph, its map, or another result, or whose
 * name asks for compression or for a format that is not written; and one that could not be written (outfile_check_output). outputs_check looks
 * at the names as given, before anything is read. outputs_check_roots looks at the names of every root, if
 * they have a %d. */
enum status outputs_check(const struct args *args, struct error *e);
enum status outputs_check_roots(const struct args *args, const uint64_t *ids, uint64_t count,
                                struct error *e);

#endif

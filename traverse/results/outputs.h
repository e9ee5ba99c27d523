/* outputs.h: the names of result files, and the files that they must not replace */
#ifndef DBFS_OUTPUTS_H
#define DBFS_OUTPUTS_H

#include "traverse/options/args.h"

#include "formats/base/outfile.h"

#include <stdint.h>

/* Returns the name `pattern` with %d replaced by the root, or NULL without memory. The caller frees it. */
char *outputs_name(const char *pattern, uint64_t root);

/* Returns whether a name ends in this suffix, which chooses the format of a result. */
int outputs_ends_in(const char *name, const char *suffix);

/* Collective. Opens the file *out of rank 0 on all other ranks, if rank 0 passes a nonzero `wanted`. Returns,
 * alike on all ranks, whether all have the file open; if not, some ranks may have it open all the same. `name`:
 * the final name. */
int outputs_join(struct outfile **out, const struct comm *comm, int wanted, const char *name);

/* Collective. Ends the writing of a file: the other ranks close it, and then rank 0 commits it, or discards it if
 * any rank has failed. *out may be NULL, and becomes NULL. All ranks return the same status. */
enum status outputs_commit(struct outfile **out, const struct comm *comm, struct error *e);

/* Both functions refuse with ST_USAGE a result that is a file of the graph, its map or another result; a name that asks for
 * compression or for an unknown format; and a file that could not be written (outfile_check_output). outputs_check
 * looks at the names as given, before anything is read. outputs_check_roots looks at the names for each root, if
 * they have a %d. */
enum status outputs_check(const struct args *args, struct error *e);
enum status outputs_check_roots(const struct args *args, const uint64_t *ids, uint64_t count,
                                struct error *e);

#endif

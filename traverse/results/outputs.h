/* outputs.h: the names of result files, and the files that they must not replace; files that several ranks write */
#ifndef DBFS_OUTPUTS_H
#define DBFS_OUTPUTS_H

#include "traverse/options/args.h"

#include "formats/base/outfile.h"

#include <stdint.h>

/* Returns a copy of the name `pattern` with its first %d replaced by the root, or NULL without memory. The caller frees it.
 */
char *outputs_name(const char *pattern, uint64_t root);

/* Returns whether a name ends in this suffix. The suffix of a result's name chooses its format. */
int outputs_ends_in(const char *name, const char *suffix);

/* Collective. Opens the file *out of rank 0 on all other ranks, if rank 0 passes a nonzero `wanted`. Returns whether all
 * ranks have the file open, alike on all ranks. If not, some ranks may have it open all the same. `name`: the final name of
 * the file. */
int outputs_join(struct outfile **out, const struct comm *comm, int wanted, const char *name);

/* Collective. Ends the writing of a file. The other ranks close it. Then rank 0 commits it, or discards it if any rank has
 * failed. *out may be NULL, and becomes NULL. All ranks return the same status. */
enum status outputs_commit(struct outfile **out, const struct comm *comm, struct error *e);

/* Both functions check the names of results, and fail with ST_USAGE for:
 * - a result that is a file of the graph, its map or another result;
 * - a name that asks for compression or for a format that is not written;
 * - a file that could not be written (outfile_check_output).
 * outputs_check looks at the names as given, before anything is read. outputs_check_roots looks at the names of each root's
 * files, if names have a %d. */
enum status outputs_check(const struct args *args, struct error *e);
enum status outputs_check_roots(const struct args *args, const uint64_t *ids, uint64_t count,
                                struct error *e);

#endif

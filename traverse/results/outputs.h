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

/* Collective. Lets all ranks write the file that rank 0 has opened, if that `wanted` it. Returns whether all can; some
 * may have joined it if not. */
int outputs_join(struct outfile **out, const struct comm *comm, int wanted, const char *name);

/* Collective. Ends the writing: rank 0 commits its file when those that joined have left it, unless a rank has failed.
 * *out, which may be NULL, becomes NULL. All ranks get the same status. */
enum status outputs_commit(struct outfile **out, const struct comm *comm, struct error *e);

/* Both refuse with ST_USAGE a result that is a file of the graph, its map or another result; a name that asks for
 * compression or for an unknown format; and a file that could not be written (outfile_check_output). outputs_check
 * looks at the names as given, before anything is read. outputs_check_roots looks at the names for each root, if
 * they have a %d. */
enum status outputs_check(const struct args *args, struct error *e);
enum status outputs_check_roots(const struct args *args, const uint64_t *ids, uint64_t count,
                                struct error *e);

#endif

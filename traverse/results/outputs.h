/* outputs.h: makes and checks the names of result files, and opens and closes files that several ranks write */
#ifndef DBFS_OUTPUTS_H
#define DBFS_OUTPUTS_H

#include "traverse/options/args.h"

#include "formats/base/outfile.h"
#include "formats/name_map.h"

#include <stdint.h>

/* Returns a copy of the name `pattern`, with the root of input id `root` for the first %d; NULL if memory is short. The root is what
 * people call it, who call input id 0 `base`, or, with a map, its name. In the name, control characters, %, /, and a point or minus at its
 * beginning are written as %XX, with two hexadecimal digits; a name of more than 180 bytes is cut, and %. and the number follow. So two
 * roots never have the same file. The caller frees the copy. */
char *outputs_name(const char *pattern, const struct name_map *map, uint64_t root, uint64_t base);

/* Prints a note for each array of distances or parents of vertices with names: which line of the map has the name of a value. */
void outputs_note_names(const struct args *args);

/* Collective. Lets the other ranks open the file that rank 0 has open in *out, and sets their *out. If rank 0 passes 0 for
 * `wanted`, opens nothing. `name` is the name of the file in messages. Returns, on all ranks, whether all ranks have the file
 * open. If not, some of them may still have it open. */
int outputs_join(struct outfile **out, const struct comm *comm, int wanted, const char *name);

/* Collective. Closes a file on all ranks, and sets *out to NULL. Rank 0 gives the file its final name, or discards it if
 * any rank has failed. *out may be NULL before. All ranks return the same status. */
enum status outputs_commit(struct outfile **out, const struct comm *comm, struct error *e);

/* outputs_check checks the names of results as they are given, before the graph is opened. outputs_check_roots checks the
 * names of each root's files, if names have a %d. Both fail with ST_USAGE for
 * - a result that is a file of the graph, the map, or another result;
 * - a name with a suffix of compressed files, or of a format that is not written;
 * - a file that could not be written (outfile_check_output). */
enum status outputs_check(const struct args *args, struct error *e);
enum status outputs_check_roots(const struct args *args, const struct name_map *map, const uint64_t *ids, uint64_t count,
                                uint64_t base, struct error *e);

#endif

/* unwrap.h: the bytes of a file with everything undone that they are wrapped in, by content:
 * compression, and an archive, whose files then come one after the other. A file may be compressed
 * inside and outside of the archive (parts.tar.gz of part.txt.gz); archives inside of archives are
 * refused.
 */
#ifndef DBFS_UNWRAP_H
#define DBFS_UNWRAP_H

#include "raw_in.h"
#include "wrapping.h"

struct unwrap;

/* Over `file`, which stays the caller's and outlives the result. `glob` chooses among the files of
 * an archive (NULL: all of them); the first one is entered. */
enum status unwrap_open(struct unwrap **unwrap, struct raw_in *file, const char *glob,
                        struct error *e);
void unwrap_close(struct unwrap *unwrap); /* NULL is allowed */

/* Goes to the next file of an archive; *end where there is none. */
enum status unwrap_next(struct unwrap *unwrap, int *end, struct error *e);

/* *got is fewer than `count` only at the end. */
enum status unwrap_read(struct unwrap *unwrap, void *bytes, size_t count, size_t *got,
                        struct error *e);

/* What undoing takes, about. */
size_t unwrap_memory(const struct unwrap *unwrap);

/* For messages: "file", or "archive(file)". Valid until the result is closed. */
const char *unwrap_name(const struct unwrap *unwrap);

/* What the bytes are wrapped in next; WRAPPING_NONE where they are stored as they are. */
enum wrapping unwrap_innermost(const struct unwrap *unwrap);
int unwrap_from_archive(const struct unwrap *unwrap);

#endif

/* unwrap.h: removes everything that a file is wrapped in: compression and archives, recognised by content.
 *
 * The files of an archive come one after the other. A file may be compressed inside an archive, and the
 * archive may be compressed itself (parts.tar.gz with part.txt.gz). An archive within an archive is refused.
 */
#ifndef DBFS_UNWRAP_H
#define DBFS_UNWRAP_H

#include "raw_in.h"
#include "wrapping.h"

struct unwrap;

/* Unwraps `file`, which stays the caller's and must outlive the result. `member` chooses among the files of an
 * archive (NULL: all of them). The first chosen file is entered. With `as_stored`, the bytes stay as they are. */
enum status unwrap_open(struct unwrap **unwrap, struct raw_in *file, int as_stored, const char *member,
                        struct error *e);
void unwrap_close(struct unwrap *unwrap); /* NULL is allowed */

/* Goes to the next file of an archive. Sets *end if there is none. */
enum status unwrap_next(struct unwrap *unwrap, int *end, struct error *e);

/* *got is fewer than `count` only at the end. */
enum status unwrap_read(struct unwrap *unwrap, void *bytes, size_t count, size_t *got,
                        struct error *e);

/* An estimate of the memory that unwrapping takes. */
size_t unwrap_memory(const struct unwrap *unwrap);

/* For messages: "file", or "archive(file)". Valid until the result is closed. */
const char *unwrap_name(const struct unwrap *unwrap);

/* The wrapping that was removed last. WRAPPING_NONE if the bytes are stored as they are. */
enum wrapping unwrap_innermost(const struct unwrap *unwrap);
int unwrap_from_archive(const struct unwrap *unwrap);

/* As archive_in_explain and archive_in_skipped; outside of an archive nothing, and 0. */
void unwrap_explain_members(struct unwrap *unwrap, struct error *e);
const char *unwrap_skipped(const struct unwrap *unwrap, uint64_t *count);

#endif

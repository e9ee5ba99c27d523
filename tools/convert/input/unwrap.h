/* unwrap.h: removes everything that a file is wrapped in: compression and archives, recognised by content. The files of an
 * archive come one after the other. An archive may be compressed, and so may its files (parts.tar.gz with part.txt.gz). An
 * archive within an archive is refused. */
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

/* Returns a name for messages: "file", or "archive(file)". It is valid until the result is closed. */
const char *unwrap_name(const struct unwrap *unwrap);

/* Returns the innermost wrapping, which was removed last; WRAPPING_NONE if there is none. */
enum wrapping unwrap_innermost(const struct unwrap *unwrap);
int unwrap_from_archive(const struct unwrap *unwrap);

/* unwrap_explain_members explains a failure as archive_in_explain does; unwrap_skipped names skipped documents, as
 * archive_in_skipped. If the file is no archive, there is nothing to explain, and no document was skipped. */
void unwrap_explain_members(struct unwrap *unwrap, struct error *e);
const char *unwrap_skipped(const struct unwrap *unwrap, uint64_t *count);

#endif

/* archive_in.h: what libarchive undoes: data compressed by xz, bzip2 or zstd, and the files in tar,
 * zip and 7z archives. (Gzip is not among them: gzip_in.h says why it is checked by us.)
 *
 * What libarchive 3.6 passes over is found here: bytes behind compressed data, an archive without
 * its end, a file that a damaged zip archive hides from a reader of a pipe.
 */
#ifndef DBFS_ARCHIVE_IN_H
#define DBFS_ARCHIVE_IN_H

#include "raw_in.h"
#include "wrapping.h"

struct archive_in;

/* `raw` stays the caller's, stands at the start of what `kind` says, and outlives the result. Of an
 * archive only the files are read whose path matches `glob` (fnmatch(3), where * matches / too;
 * NULL: all of them). 7z archives need a seekable `raw`. */
enum status archive_in_open(struct archive_in **archive, struct raw_in *raw, enum wrapping kind,
                            const char *glob, struct error *e);
void archive_in_close(struct archive_in *archive); /* NULL is allowed */

/* Goes to the next file, the first one after opening; compressed data is one. At the end *end is
 * set, and the archive was whole. Folders are passed over, and so is what macOS adds to archives;
 * links, devices and encrypted files are ST_BAD_DATA. */
enum status archive_in_next(struct archive_in *archive, int *end, struct error *e);

/* The path of the file, fit to be printed; NULL for compressed data. */
const char *archive_in_path(const struct archive_in *archive);

/* Up to `count` bytes of the file; *got is fewer only at its end, after its checks. */
enum status archive_in_read(struct archive_in *archive, void *bytes, size_t count, size_t *got,
                            struct error *e);

#endif

/* archive_in.h: reads with libarchive: data compressed by xz, bzip2 or zstd, and the files in tar, zip and 7z
 * archives.
 *
 * Gzip is not among them; gzip_in.h checks it itself. Some faults that libarchive 3.6 does not report are
 * found here: bytes after compressed data, an archive without its end, a file that a damaged zip archive
 * hides when it is read from a pipe.
 */
#ifndef DBFS_ARCHIVE_IN_H
#define DBFS_ARCHIVE_IN_H

#include "raw_in.h"
#include "wrapping.h"

struct archive_in;

/* `raw` stays the caller's and must outlive the result. It stands at the start of data of kind `kind`. In an
 * archive, only files that fit `member` are read (--member; NULL: all but documents: members.h). 7z archives need a seekable `raw`. */
enum status archive_in_open(struct archive_in **archive, struct raw_in *raw, enum wrapping kind,
                            const char *member, struct error *e);
void archive_in_close(struct archive_in *archive); /* NULL is allowed */

/* Goes to the next file; after opening, to the first. Compressed data without an archive is one file. At the
 * end of a whole archive *end is set. Folders are skipped, and so are files that macOS adds to archives.
 * Links, devices and encrypted files are ST_BAD_DATA. */
enum status archive_in_next(struct archive_in *archive, int *end, struct error *e);

/* Appends to a message the names of the files in the archive, and the option that chooses one. Nothing can be read
 * afterwards. */
void archive_in_explain(struct archive_in *archive, struct error *e);

/* The names of documents that were skipped so far, and their number. */
const char *archive_in_skipped(const struct archive_in *archive, uint64_t *count);

/* The path of the file, made printable; NULL for compressed data without an archive. */
const char *archive_in_path(const struct archive_in *archive);

/* Reads up to `count` bytes of the file. *got is fewer only at the end of the file, after its checks. */
enum status archive_in_read(struct archive_in *archive, void *bytes, size_t count, size_t *got,
                            struct error *e);

#endif

/* archive_in.h: reads, with libarchive, data compressed by xz, bzip2 or zstd, and the files in tar, zip and 7z archives. Some
 * faults that libarchive 3.6 does not report are found here: bytes after compressed data, an archive without its end, and a
 * file that a damaged zip archive hides when it is read from a pipe. (gzip_in.h reads gzip.) */
#ifndef DBFS_ARCHIVE_IN_H
#define DBFS_ARCHIVE_IN_H

#include "raw_in.h"
#include "wrapping.h"

struct archive_in;

/* Opens an archive or compressed data of kind `kind`, which begins where `raw` stands. The caller keeps `raw`, which must outlive the
 * result; for 7z it must be seekable. Only files that fit `member` (--member) are read; if it is NULL, all files except documents
 * (members.h). */
enum status archive_in_open(struct archive_in **archive, struct raw_in *raw, enum wrapping kind,
                            const char *member, struct error *e);
void archive_in_close(struct archive_in *archive); /* NULL is allowed */

/* Goes to the next file; the first call, to the first. Compressed data without an archive is one file. *end is set at the end of a whole
 * archive. Folders are skipped, and so are files that macOS adds to archives. Links, devices and encrypted files are ST_BAD_DATA. */
enum status archive_in_next(struct archive_in *archive, int *end, struct error *e);

/* Appends to a message the names of the archive's files, and the option that chooses one. Nothing can be read from the archive
 * afterwards. */
void archive_in_explain(struct archive_in *archive, struct error *e);

/* The names of documents that were skipped so far, and their number. */
const char *archive_in_skipped(const struct archive_in *archive, uint64_t *count);

/* Returns the path of the current file, made printable; NULL for compressed data without an archive. */
const char *archive_in_path(const struct archive_in *archive);

/* Reads up to `count` bytes of the current file. *got is fewer only at the end of the file, whose checksums have then been compared. */
enum status archive_in_read(struct archive_in *archive, void *bytes, size_t count, size_t *got,
                            struct error *e);

#endif

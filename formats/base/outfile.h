/* outfile.h: an output that exists under its final name only when it is complete.
 *
 * A regular file is written under a temporary name in the same folder and renamed on commit, after
 * fsync of file and folder. A pipe, device or standard output ("-" or NULL) is written directly.
 * Temporary files still open when the process dies of SIGINT, SIGTERM or SIGHUP are removed; after
 * SIGKILL they stay under their temporary names, ".NAME.XXXXXX".
 */
#ifndef DBFS_OUTFILE_H
#define DBFS_OUTFILE_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

struct outfile;

/* Refuses with ST_USAGE, before anything is read or written, an output that is one of the inputs by
 * whatever name, symbolic or hard link: what is read would be replaced. Standard output and what is no
 * regular file replace nothing. The input "-" is standard input; NULL is none. */
enum status outfile_refuse_inputs(const char *output, const char *const *inputs, size_t count,
                                  struct error *e);

/* The same for two outputs, which may be yet to be made: one would replace the other. */
enum status outfile_refuse_output(const char *output, const char *other, struct error *e);

/* Opens `path`; "-" and NULL mean standard output. On failure *out is NULL. */
enum status outfile_open(struct outfile **out, const char *path, struct error *e);

/* Appends bytes. Small writes are buffered. A reader that closed the pipe gives ST_RUNTIME with
 * errno EPIPE; programs end quietly on it (outfile_broken_pipe). */
enum status outfile_write(struct outfile *out, const void *bytes, size_t count, struct error *e);

/* Overwrites bytes already written at `offset`; only for seekable outputs (outfile_seekable). */
enum status outfile_rewrite(struct outfile *out, uint64_t offset, const void *bytes, size_t count,
                            struct error *e);

/* Moves the end of a seekable output to `offset`, filling with zero bytes. */
enum status outfile_pad_to(struct outfile *out, uint64_t offset, struct error *e);

/* Leaves `count` bytes of a seekable output out, for outfile_fill to write at the offset that this
 * returns in *at: any number of threads, each a part, and all of it before the commit. */
enum status outfile_skip(struct outfile *out, uint64_t count, uint64_t *at, struct error *e);
enum status outfile_fill(const struct outfile *out, uint64_t at, const void *bytes, size_t count,
                         struct error *e);

/* Bytes appended so far. */
uint64_t outfile_tell(const struct outfile *out);
int outfile_seekable(const struct outfile *out);

/* Nonzero when the output is a terminal. */
int outfile_is_terminal(const struct outfile *out);

/* Nonzero once a write found the reader gone. */
int outfile_broken_pipe(const struct outfile *out);

/* The name for messages: the final path, or "standard output". */
const char *outfile_name(const struct outfile *out);

/* Flushes, syncs, renames into place and frees. On failure nothing is left behind. `sync_seconds`,
 * where not NULL, receives the time that fsync took. */
enum status outfile_commit(struct outfile *out, double *sync_seconds, struct error *e);

/* Discards what was written and frees; NULL is allowed. */
void outfile_abort(struct outfile *out);

#endif

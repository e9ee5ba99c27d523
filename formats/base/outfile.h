/* outfile.h: an output file that gets its final name only when it is complete.
 *
 * A regular file is written in the same folder without a name (O_TMPFILE), so that nothing is left of it
 * however the process ends. The commit syncs the file, gives it the temporary name ".NAME.XXXXXX", renames it
 * and syncs the folder. A pipe, a device or standard output ("-" or NULL) is written directly, and so is a descriptor
 * that the caller opened (/dev/stdout, /dev/fd/3), whatever is behind it. A link stays: the file that it names is made
 * or replaced.
 *
 * The file has the temporary name from the beginning if the file system has no files without names,
 * as NFS, or if several processes fill the file. SIGINT, SIGTERM and SIGHUP then remove it; after
 * SIGKILL it stays.
 *
 * A file that grows for hours is NAME.part until the commit, and NAME.part stays however the process ends, so that
 * another run can go on (outfile_open_growing).
 */
#ifndef DBFS_OUTFILE_H
#define DBFS_OUTFILE_H

#include "status.h"
#include "text.h"

#include <stddef.h>
#include <stdint.h>

struct outfile;

/* Refuses, with ST_USAGE, an output that is the same file as one of the inputs, because writing it would
 * replace that input. Symbolic and hard links are recognised. Call it before anything is read or written. An
 * output that is not a regular file replaces nothing and is accepted. An input need not exist, if it would be read once it
 * did. The input "-" is standard input; NULL is no input, and no output. */
enum status outfile_refuse_inputs(const char *output, const char *const *inputs, size_t count, struct error *e);

/* The same for two outputs, of which one would replace the other, or whose bytes would mix in a pipe. The files need not
 * exist yet. NULL is no output. */
enum status outfile_refuse_output(const char *output, const char *other, struct error *e);

/* Refuses, with ST_RUNTIME, an output that could not be written at the end: a folder, a file in a folder that
 * is missing or takes no new files, and, without `force`, a regular file that exists. Call it before the work
 * begins. Pipes, devices and standard output are accepted, and so is NULL, which is no output. */
enum status outfile_check_output(const char *output, int force, struct error *e);

/* Nonzero if the output is standard output, under whatever name. NULL is no output. */
int outfile_is_stdout(const char *output);

/* Opens `path`; "-" and NULL mean standard output. On failure *out is NULL. */
enum status outfile_open(struct outfile **out, const char *path, struct error *e);

/* Opens a regular file that exists to be written over where it stands: who has mapped it sees the new bytes, and its memory
 * or disk is used again. It has no other name in between, and is cut to what was written. Other paths are opened as above,
 * and so is a file whose mode would not stay if it were replaced. */
enum status outfile_open_in_place(struct outfile **out, const char *path, struct error *e);

/* Opens a regular file that grows as NAME.part. The first `kept` bytes that an earlier run left there stay; 0 makes it
 * anew. After each outfile_keep all that was written is on disk. Neither a failure nor outfile_abort removes the part.
 * Other paths are opened as above. */
enum status outfile_open_growing(struct outfile **out, const char *path, uint64_t kept, struct error *e);
enum status outfile_keep(struct outfile *out, struct error *e);

/* Ends such an output without a file: removes NAME.part, and frees `out`. For a caller who has written what the part says to an
 * output of its own. */
void outfile_remove_part(struct outfile *out);

/* The name of that part, which the caller frees; NULL for a path that is written directly. */
enum status outfile_part(char **part, const char *path, struct error *e);

/* Appends bytes. Small writes are buffered. If the reader of a pipe has closed it, the result is ST_RUNTIME
 * with errno EPIPE. Programs end quietly then (error.broken_pipe). */
enum status outfile_write(struct outfile *out, const void *bytes, size_t count, struct error *e);

/* Overwrites the first bytes, which were written before. Only for seekable outputs (outfile_seekable). */
enum status outfile_rewrite(struct outfile *out, const void *bytes, size_t count, struct error *e);

/* Threads may write parts of a seekable output side by side. outfile_skip leaves out the next `count` bytes
 * and returns their offset in *at. outfile_fill then writes them: any number of threads may each write a
 * part. Everything left out must be written before the commit. */
enum status outfile_skip(struct outfile *out, uint64_t count, uint64_t *at, struct error *e);
enum status outfile_fill(const struct outfile *out, uint64_t at, const void *bytes, size_t count, struct error *e);

/* Several processes may fill one file. One of them opens the output, and writes and commits it. The others join
 * it by the name that outfile_temporary gives there (NULL: it cannot be joined), fill their parts of it, and
 * leave before it is committed. `name` is for messages. */
const char *outfile_temporary(struct outfile *out);
enum status outfile_join(struct outfile **out, const char *temporary, const char *name, struct error *e);
enum status outfile_leave(struct outfile *out, struct error *e); /* syncs it; NULL is allowed */

/* Bytes appended so far. */
uint64_t outfile_tell(const struct outfile *out);
int outfile_seekable(const struct outfile *out);

/* Nonzero when the output is a terminal. */
int outfile_is_terminal(const struct outfile *out);

/* The name for messages: the final path, or "standard output". */
const char *outfile_name(const struct outfile *out);

/* Flushes the output, syncs it, renames it and frees `out`. On failure no file is left behind, nor if *e holds a failure already:
 * then it does what outfile_abort does. `out` may be NULL. *sync_seconds, if not NULL, receives the time that fsync took. */
enum status outfile_commit(struct outfile *out, double *sync_seconds, struct error *e);

/* Discards the output and frees `out`; NULL is allowed. */
void outfile_abort(struct outfile *out);

/* Write a whole output in one call: the given bytes, or the text that `print` prints. */
enum status outfile_put(const char *path, const void *bytes, size_t count, struct error *e);
enum status outfile_print(const char *path, text_printer *print, const void *context, struct error *e);

/* After printing to standard output, or to standard error: fails if not all could be written. */
enum status stream_flush(FILE *stream, struct error *e);

#endif

/* input.h: the bytes of one input: a file, a pipe or standard input. Compression and archives are removed
 * (unwrap.h), but not of a graph of WebGraph, which is read as it is stored (beside.h).
 *
 * input_peek looks at the first bytes; input_read then gives all bytes in order. Any thread may also read a
 * plain regular file at any offset. The files of an archive are separate inputs; input_next goes to the next
 * one.
 */
#ifndef DBFS_INPUT_H
#define DBFS_INPUT_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct input;

/* Opens an input over an open file, which is closed with the input. An input without a single byte
 * is ST_BAD_DATA, and so is an archive with a second file, which is found when the first file
 * ends. */
enum status input_open_fd(struct input **in, int fd, const char *name, struct error *e);

/* Opens `path` ("-" is standard input). If it is an archive, goes to its first file that fits `member` (--member;
 * NULL: to its first file that is no document). */
enum status input_open_first(struct input **in, const char *path, const char *member,
                             struct error *e);

/* Goes to the start of the next file of an archive; the name of the input changes. Sets *end if there is
 * none. */
enum status input_next(struct input *in, int *end, struct error *e);
void input_close(struct input *in); /* NULL is allowed */

const char *input_name(const struct input *in); /* for messages; valid until it is closed */
int input_from_archive(const struct input *in);

/* Appends to a message the names of the files in the archive, if there are several, and the option that chooses one.
 * The input cannot be read afterwards. */
void input_explain_members(struct input *in, struct error *e);

/* The names of files in the archive that were skipped so far, since their names are those of documents, and their
 * number. */
const char *input_skipped(const struct input *in, uint64_t *count);

/* Nonzero once reading has failed. Errors that a reader finds in the bytes before the failure mean nothing
 * then. */
int input_failed(const struct input *in);

/* Nonzero for a regular file, which can be opened again by its path and read again from its start. */
int input_is_regular(const struct input *in);

/* Shows at least `want` bytes of the input, or all if there are fewer, without consuming them. The bytes are
 * valid until the next call. */
enum status input_peek(struct input *in, size_t want, const unsigned char **bytes, size_t *count,
                       struct error *e);

/* Reads the next bytes; *got is fewer than `count` only at the end. */
enum status input_read(struct input *in, void *bytes, size_t count, size_t *got, struct error *e);

/* ---- ahead of the reader ---- */

enum { INPUT_AHEAD_BYTES = 1 << 20 };

/* Reads INPUT_AHEAD_BYTES and keeps them for input_read and input_peek, which must not be called at the same
 * time. Zero when there is nothing more to keep, because the input has ended or failed. The reader learns of
 * a failure when it gets there. */
int input_read_ahead(struct input *in);

/* An estimate of the memory of the bytes kept and of decompressing. Any thread may call it. */
size_t input_memory(const struct input *in);

/* ---- random access: plain regular files ---- */

int input_random_access(const struct input *in);
uint64_t input_size(const struct input *in); /* the size */

/* Reads at an offset. Any thread may call it. *got is fewer than `count` only at the end. */
enum status input_read_at(const struct input *in, uint64_t offset, void *bytes, size_t count,
                          size_t *got, struct error *e);

/* Opens the file again: a new descriptor, at the start of the file, which the caller closes. */
enum status input_reopen(const struct input *in, int *fd, struct error *e);

/* ---- for progress ---- */

/* The size of the file as it is stored, so compressed if it is compressed; 0 if unknown. */
uint64_t input_stored_size(const struct input *in);

/* The stored bytes that were read for the bytes given out by input_read. Never decreases. Any thread may call
 * it. */
uint64_t input_stored_position(const struct input *in);

#endif

/* input.h: the bytes of one input: a file, a pipe or standard input, with what they are wrapped in
 * undone (unwrap.h).
 *
 * Bytes come in order through input_read, after input_peek has looked at the first ones. A plain
 * regular file can also be read at any offset by any thread. The files of an archive are inputs one
 * after the other: input_next goes to the next one.
 */
#ifndef DBFS_INPUT_H
#define DBFS_INPUT_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct input;

/* Over an open file, which is closed with the input. An input without a single byte is ST_BAD_DATA,
 * and so is the second file of an archive, when the first one ends. */
enum status input_open_fd(struct input **in, int fd, const char *name, struct error *e);

/* Opens `path` ("-" is standard input) at the first of the files of an archive that match `glob`
 * (NULL: all do). */
enum status input_open_first(struct input **in, const char *path, const char *glob,
                             struct error *e);

/* Goes to the start of the next file of an archive, under a new name; *end where none follows. */
enum status input_next(struct input *in, int *end, struct error *e);
void input_close(struct input *in); /* NULL is allowed */

const char *input_name(const struct input *in); /* for messages; valid until it is closed */
int input_from_archive(const struct input *in);

/* Nonzero once reading has failed: what a format made of the bytes before tells nothing. */
int input_failed(const struct input *in);

/* A regular file, which can be opened again by its path and read again from its start. */
int input_is_regular(const struct input *in);

/* Makes at least `want` bytes (all there are, when fewer) of the input visible without consuming
 * them. Valid until the next call. */
enum status input_peek(struct input *in, size_t want, const unsigned char **bytes, size_t *count,
                       struct error *e);

/* The next bytes; *got is fewer than `count` only at the end. */
enum status input_read(struct input *in, void *bytes, size_t count, size_t *got, struct error *e);

/* ---- ahead of the reader ---- */

enum { INPUT_AHEAD_BYTES = 1 << 20 };

/* Reads INPUT_AHEAD_BYTES and keeps them for input_read and input_peek, neither of which is to be
 * called meanwhile. Zero when there is nothing more to keep: the input has ended, or failed, which
 * the reader is told when it comes there. */
int input_read_ahead(struct input *in);

/* What is kept, and what decompressing takes, about. Any thread. */
size_t input_memory(const struct input *in);

/* ---- random access: plain regular files ---- */

int input_random_access(const struct input *in);
uint64_t input_bytes(const struct input *in); /* the size */

/* Any thread. *got is fewer than `count` only at the end. */
enum status input_read_at(const struct input *in, uint64_t offset, void *bytes, size_t count,
                          size_t *got, struct error *e);

/* A descriptor of the file of its own, at its start, for the caller to close. */
enum status input_reopen(const struct input *in, int *fd, struct error *e);

/* ---- for progress ---- */

/* Bytes of the file as stored (compressed ones, if so); 0 where unknown. */
uint64_t input_stored_bytes(const struct input *in);

/* Stored bytes read for what input_read has given out; it never falls. Any thread. */
uint64_t input_stored_position(const struct input *in);

#endif

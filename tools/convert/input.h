/* input.h: the bytes of one input: a file, a pipe or standard input, plain or gzip by content.
 *
 * Bytes come in order through input_read, after input_peek has looked at the first ones. A plain
 * regular file can also be read at any offset by any thread.
 */
#ifndef DBFS_INPUT_H
#define DBFS_INPUT_H

#include "formats/status.h"

#include <stddef.h>
#include <stdint.h>

struct input;

/* Opens `path`; "-" is standard input. An input without a single byte is ST_BAD_DATA. */
enum status input_open(struct input **in, const char *path, struct error *e);

/* The same over an open file; `fd` is closed with the input. */
enum status input_open_fd(struct input **in, int fd, const char *name, struct error *e);
void input_close(struct input *in); /* NULL is allowed */

const char *input_name(const struct input *in); /* for messages */
int input_is_gzip(const struct input *in);

/* A regular file, which can be opened again by its path and read again from its start. */
int input_is_regular(const struct input *in);

/* Makes at least `want` bytes (all there are, when fewer) of the input visible without consuming
 * them. Valid until the next call. */
enum status input_peek(struct input *in, size_t want, const unsigned char **bytes, size_t *count,
                       struct error *e);

/* The next bytes; *got is fewer than `count` only at the end. */
enum status input_read(struct input *in, void *bytes, size_t count, size_t *got, struct error *e);

/* ---- random access: plain regular files ---- */

int input_random_access(const struct input *in);
uint64_t input_bytes(const struct input *in); /* the size */

/* Any thread. *got is fewer than `count` only at the end. */
enum status input_read_at(const struct input *in, uint64_t offset, void *bytes, size_t count,
                          size_t *got, struct error *e);

/* ---- for progress ---- */

/* Bytes of the file as stored (compressed ones, if so); 0 where unknown. */
uint64_t input_stored_bytes(const struct input *in);
uint64_t input_stored_position(const struct input *in); /* how far input_read has come */

/* ---- for readers that want a descriptor ---- */

/* A descriptor that delivers the whole input, peeked bytes included, for the caller to close. What
 * cannot be handed over as it is (a pipe that was peeked at, gzip) is pumped through a pipe by a
 * thread; input_end_descriptor, after the descriptor is closed, ends it and tells of failures that
 * the reader of the descriptor cannot know (a damaged gzip member looks like an early end). SIGPIPE
 * must be ignored. */
enum status input_as_descriptor(struct input *in, int *fd, struct error *e);
enum status input_end_descriptor(struct input *in, struct error *e);

#endif

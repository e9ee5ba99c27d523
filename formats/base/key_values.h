/* key_values.h: small text files of `key value` lines, for programs and for people.
 *
 * The first line names the kind of file and its version. The last line, `crc XXXXXXXX`, is the CRC of all
 * lines before it. The manifest and the journal of shards are such files (SPEC-shard.md).
 */
#ifndef DBFS_KEY_VALUES_H
#define DBFS_KEY_VALUES_H

#include "status.h"
#include "text.h"

#include <stddef.h>

/* Writes what `print` prints, from the first line on, and the last line, by temporary file and rename. */
enum status key_values_write(const char *path, text_printer *print, const void *context,
                             struct error *e);

struct key_values {
    char *text; /* owned */
    size_t size;
    char *next, *end; /* the lines not yet given out */
    int line;         /* number of the line given out last */
};

/* Reads the whole file. Where there is none, *found is 0, or, with `found` NULL, it is ST_RUNTIME. */
enum status key_values_read(struct key_values *kv, const char *path, int *found, struct error *e);
void key_values_free(struct key_values *kv); /* a zeroed one is allowed */

/* Nonzero when the file starts with `text`, such as its first line. */
int key_values_starts_with(const struct key_values *kv, const char *text);

/* Nonzero when the last line is the CRC of those before it. Only then the lines may be read. */
int key_values_check(struct key_values *kv);

/* The next of the lines between the first and the last one; zero at the end. *value is NULL when the line is
 * not a `key value`. Both strings last until key_values_free. */
int key_values_next(struct key_values *kv, const char **key, const char **value);

#endif

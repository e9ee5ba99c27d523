/* key_values.h: small text files of `key value` lines, for programs and for people. The first line names the kind of file and its version.
 * The last line, `crc XXXXXXXX`, is the CRC of all lines before it. The manifest and the journal of shards are such files
 * (SPEC-shard.md). */
#ifndef DBFS_KEY_VALUES_H
#define DBFS_KEY_VALUES_H

#include "status.h"
#include "text.h"

#include <stddef.h>
#include <stdio.h>

/* Prints `key` and a line of `text` on each line; leaves out empty lines. */
void key_values_print(FILE *file, const char *key, const char *text);

/* Writes the file: the lines that `print` prints, the first line of the file among them, and then the line
 * with the CRC. The file gets its name only when it is complete. */
enum status key_values_write(const char *path, text_printer *print, const void *context, struct error *e);

struct key_values {
    char *text; /* owned */
    size_t size;
    char *next, *end; /* the lines not yet given out */
    int line;         /* number of the line given out last */
};

/* Reads the whole file. *found is set to 0 if there is no such file; if `found` is NULL, a missing file is ST_RUNTIME. */
enum status key_values_read(struct key_values *kv, const char *path, int *found, struct error *e);
void key_values_free(struct key_values *kv); /* a zeroed one is allowed */

/* Nonzero when the file starts with `text`, such as its first line. */
int key_values_starts_with(const struct key_values *kv, const char *text);

/* Returns nonzero if the last line is the CRC of the lines before it. Call it before key_values_next. */
int key_values_check(struct key_values *kv);

/* Gives the next line between the first one and the CRC; returns 0 when none is left. *value is NULL if the
 * line is not a `key value`. Both strings last until key_values_free. */
int key_values_next(struct key_values *kv, const char **key, const char **value);

#endif

/* roots_file.h: reads the lines of the file of --roots-from (roots), or of --pairs (pairs of roots) */
#ifndef DBFS_ROOTS_FILE_H
#define DBFS_ROOTS_FILE_H

#include "formats/base/status.h"

#include <stdint.h>

/* The lines of a file. Each line has a root or a pair of roots. A root is an id or a name. */
struct roots_file {
    char *text;  /* the text of the file. Owned */
    char **line; /* [count] the lines that are not empty. The array is owned, and points into `text` */
    uint64_t count;
};

/* Reads the lines of the file `path`, or of standard input if `path` is "-". Each rank reads the file. `item` is "root" or
 * "pair", for messages. `memory_bytes` is the memory of -S; 0: its default. roots_file_free frees the lines, even after a
 * failure. Failures:
 * - ST_USAGE: there are several ranks, and the file is not a regular file.
 * - ST_RESOURCE: the text or the array of lines needs more than half of the memory of -S.
 * - ST_BAD_DATA: the file has no lines, or has a NUL. */
enum status roots_file_read(struct roots_file *file, const char *path, const char *item, uint64_t memory_bytes,
                            struct error *e);
void roots_file_free(struct roots_file *file); /* frees the lines; *file may be zeroed */

#endif

/* roots_file.h: reads the roots of --roots-from, or the pairs of --pairs */
#ifndef DBFS_ROOTS_FILE_H
#define DBFS_ROOTS_FILE_H

#include "formats/base/status.h"

#include <stdint.h>

/* The lines of a file. Each line has a root, which is an id or a name, or a pair of roots. */
struct roots_file {
    char *text;  /* the text of the file. Owned; the lines point into it */
    char **line; /* [count] the lines that are not blank. The array is owned */
    uint64_t count;
};

/* Reads the lines of a file; "-" is standard input. With several ranks each rank reads the file, and anything but a regular
 * file is ST_USAGE. `item` is "root" or "pair", for messages. `memory_bytes`: the memory of -S; 0: the default of -S.
 * ST_RESOURCE: the text takes more than half of this memory. roots_file_free frees the lines, also after a failure. */
enum status roots_file_read(struct roots_file *file, const char *path, const char *item, uint64_t memory_bytes,
                            struct error *e);
void roots_file_free(struct roots_file *file); /* frees the lines; a zeroed file is allowed */

#endif

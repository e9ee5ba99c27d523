/* roots_file.h: reads the roots of --roots-from, or the pairs of --pairs */
#ifndef DBFS_ROOTS_FILE_H
#define DBFS_ROOTS_FILE_H

#include "formats/base/status.h"

#include <stdint.h>

/* The lines of a file. Each has a root, which is an id or a name, or a pair of roots. */
struct roots_file {
    char *text;  /* owned; the lines point into it */
    char **line; /* [count], owned; without blank lines */
    uint64_t count;
};

/* Reads the file once; "-" is standard input. With several ranks each rank reads the file, so anything but a regular file is
 * ST_USAGE. `item` is "root" or "pair", for messages. ST_RESOURCE: the text takes more than half of the memory, which is
 * that of -S; 0: its default. */
enum status roots_file_read(struct roots_file *file, const char *path, const char *item, uint64_t memory_bytes,
                            struct error *e);
void roots_file_free(struct roots_file *file); /* a zeroed one is allowed */

#endif

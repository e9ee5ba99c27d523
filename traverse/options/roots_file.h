/* roots_file.h: reads the roots of --roots-from */
#ifndef DBFS_ROOTS_FILE_H
#define DBFS_ROOTS_FILE_H

#include "formats/base/status.h"

#include <stdint.h>

/* A file with a root on each line: an id, or a name. */
struct roots_file {
    char *text;  /* owned; the lines point into it */
    char **line; /* [count], owned; blank lines are left out */
    uint64_t count;
};

/* Reads the file, once; "-" is standard input. Where a launcher started several ranks, each reads it, so anything but a
 * regular file is ST_USAGE. */
enum status roots_file_read(struct roots_file *file, const char *path, struct error *e);
void roots_file_free(struct roots_file *file); /* a zeroed one is allowed */

#endif

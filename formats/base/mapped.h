/* mapped.h: maps files into memory, and prints a message if such a file cannot be read any more. If a mapped file becomes
 * shorter, or its disk cannot read a page, the thread that touches the page gets SIGBUS. The handler names the file and ends
 * the process with exit status 1. */
#ifndef DBFS_MAPPED_H
#define DBFS_MAPPED_H

#include "status.h"

#include <stddef.h>

/* The caller's, zeroed before. It must stay where it is while it is open. */
struct mapped_file {
    const char *path; /* of the caller; must stay valid */
    void *bytes;
    size_t size;
    struct mapped_file *next;
};

/* Maps the first `size` bytes, more than 0, of `fd` for reading. */
enum status mapped_open(struct mapped_file *file, int fd, size_t size, const char *path, struct error *e);
void mapped_close(struct mapped_file *file); /* a zeroed one is allowed */

#endif

/* mapped.h: files mapped into memory; a message if such a file becomes shorter while it is used.
 *
 * The system then has no bytes for the pages that are gone, nor for those that a disk cannot read, and sends
 * SIGBUS to the thread that asks for them. The process ends with exit status 1 and names the file.
 */
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
enum status mapped_open(struct mapped_file *file, int fd, size_t size, const char *path,
                        struct error *e);
void mapped_close(struct mapped_file *file); /* a zeroed one is allowed */

#endif

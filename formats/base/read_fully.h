/* read_fully.h: reads bytes at a place of a file, although one call may give fewer, or be interrupted */
#ifndef DBFS_READ_FULLY_H
#define DBFS_READ_FULLY_H

#include <stddef.h>
#include <stdint.h>

/* Reads `count` bytes of a descriptor at an offset; *got is fewer only at the end of the file. Returns -1 if a read fails,
 * with errno. */
int read_fully_at(int fd, uint64_t offset, void *bytes, size_t count, size_t *got);

#endif

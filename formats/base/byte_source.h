/* byte_source.h: bytes that are read in order, whether they come from a file, a pipe or a decompressor */
#ifndef DBFS_BYTE_SOURCE_H
#define DBFS_BYTE_SOURCE_H

#include "status.h"

#include <stddef.h>

/* `read` stores at most `count` bytes and sets *got to their number, which is 0 only at the end of the source. */
struct byte_source {
    void *from;
    enum status (*read)(void *from, void *bytes, size_t count, size_t *got, struct error *e);
};

#endif

/* byte_source.h: a source of bytes that are read in order.
 *
 * A reader that is given one need not know whether its bytes come from a file, a pipe or a decompressor.
 */
#ifndef DBFS_BYTE_SOURCE_H
#define DBFS_BYTE_SOURCE_H

#include "status.h"

#include <stddef.h>

/* `read` stores at most `count` bytes and puts their number in *got, which is 0 only when nothing is left. */
struct byte_source {
    void *from;
    enum status (*read)(void *from, void *bytes, size_t count, size_t *got, struct error *e);
};

#endif

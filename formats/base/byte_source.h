/* byte_source.h: where bytes come from, in order, for readers that need not know */
#ifndef DBFS_BYTE_SOURCE_H
#define DBFS_BYTE_SOURCE_H

#include "status.h"

#include <stddef.h>

/* `read` gives at least one of the `count` bytes, unless nothing is left. */
struct byte_source {
    void *from;
    enum status (*read)(void *from, void *bytes, size_t count, size_t *got, struct error *e);
};

#endif

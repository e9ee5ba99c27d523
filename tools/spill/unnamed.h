/* unnamed.h: temporary files without a name, which disappear with the process, however it ends */
#ifndef DBFS_UNNAMED_H
#define DBFS_UNNAMED_H

#include "formats/base/status.h"

#include <stddef.h>

/* A descriptor to read and write, in `folder`; negative, with errno set, on failure. */
int unnamed_file(const char *folder);

/* Appends all `count` bytes to it. Failures name `folder`: "cannot write " and `what`. */
enum status unnamed_append(int fd, const void *bytes, size_t count, const char *folder,
                           const char *what, struct error *e);

#endif

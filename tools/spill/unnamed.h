/* unnamed.h: temporary files without a name, which disappear with the process, however it ends */
#ifndef DBFS_UNNAMED_H
#define DBFS_UNNAMED_H

#include "formats/base/status.h"

#include <stddef.h>

/* Creates a file in `folder` and returns a descriptor to read and write it; a negative number with errno set on failure. */
int unnamed_file(const char *folder);

/* Appends all `count` bytes to the file. The message of a failure names `folder` and says "cannot write" and `what`. */
enum status unnamed_append(int fd, const void *bytes, size_t count, const char *folder,
                           const char *what, struct error *e);

#endif

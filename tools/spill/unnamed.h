/* unnamed.h: temporary files without a name, which disappear with the process, however it ends */
#ifndef DBFS_UNNAMED_H
#define DBFS_UNNAMED_H

#include "formats/base/status.h"

#include <stddef.h>

/* Creates a file in `folder` and returns a descriptor to read and write it. On failure the result is negative
 * and errno is set. */
int unnamed_file(const char *folder);

/* Appends all `count` bytes to the file. `folder` and `what` are for the message of a failure: "cannot write"
 * and then `what`. */
enum status unnamed_append(int fd, const void *bytes, size_t count, const char *folder,
                           const char *what, struct error *e);

#endif

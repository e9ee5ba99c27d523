/* unnamed.c: see unnamed.h */
#include "unnamed.h"

#include "formats/base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Opens a file and removes its name at once, for file systems that cannot make files without names. -1 with errno. */
static int open_and_unlink(const char *folder)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/dbfs.XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* Opens a new file without a name in a folder; a negative number, with errno, on failure. */
int unnamed_file(const char *folder)
{
    signals_ignore_writes();
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    return open_and_unlink(folder);
}

/* Appends bytes to the file; `folder` and `what` are for the message. */
enum status unnamed_append(int fd, const void *bytes, size_t count, const char *folder,
                           const char *what, struct error *e)
{
    const unsigned char *p = bytes;
    while (count > 0) {
        char doing[64];
        ssize_t done = write(fd, p, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            snprintf(doing, sizeof doing, "cannot write %s", what);
            return fail_errno(e, folder, doing);
        }
        p += done;
        count -= (size_t)done;
    }
    return ST_OK;
}

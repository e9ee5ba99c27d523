/* read_fully.c: see read_fully.h */
#include "read_fully.h"

#include <errno.h>
#include <unistd.h>

/* Reads `count` bytes at an offset; *got is fewer only at the end of the file. -1, with errno, if a read fails. */
int read_fully_at(int fd, uint64_t offset, void *bytes, size_t count, size_t *got)
{
    *got = 0;
    while (*got < count) {
        ssize_t done = pread(fd, (char *)bytes + *got, count - *got, (off_t)(offset + *got));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return (int)done;
        *got += (size_t)done;
    }
    return 0;
}

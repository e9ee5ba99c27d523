/* raw_in.c: see raw_in.h */
#include "raw_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18 };

static enum status read_some(int fd, const char *name, void *bytes, size_t count, size_t *got,
                             struct error *e)
{
    ssize_t done;
    do {
        done = read(fd, bytes, count);
    } while (done < 0 && errno == EINTR);
    if (done < 0)
        return fail_errno(e, name, "cannot read");
    *got = (size_t)done;
    return ST_OK;
}

enum status read_fully(int fd, const char *name, void *bytes, size_t count, size_t *got,
                       struct error *e)
{
    size_t done = 0;
    *got = 0;
    while (*got < count) {
        if (read_some(fd, name, (char *)bytes + *got, count - *got, &done, e) != ST_OK)
            return e->status;
        if (done == 0)
            break;
        *got += done;
    }
    return ST_OK;
}

enum status raw_in_init(struct raw_in *raw, int fd, const char *name, struct error *e)
{
    memset(raw, 0, sizeof *raw);
    raw->fd = fd;
    raw->name = name;
    raw->buffer = malloc(BUFFER_BYTES);
    return raw->buffer != NULL ? ST_OK : fail_memory(e, name, BUFFER_BYTES);
}

void raw_in_free(struct raw_in *raw)
{
    free(raw->buffer);
    raw->buffer = NULL;
}

enum status raw_in_fill(struct raw_in *raw, struct error *e)
{
    size_t left = raw->end - raw->at, got = 0;
    memmove(raw->buffer, raw->buffer + raw->at, left);
    raw->offset += raw->at;
    raw->at = 0;
    raw->end = left;
    if (raw->ended || left == BUFFER_BYTES)
        return ST_OK;
    if (read_some(raw->fd, raw->name, raw->buffer + left, BUFFER_BYTES - left, &got, e) != ST_OK)
        return e->status;
    raw->end += got;
    raw->ended = got == 0;
    return ST_OK;
}

enum status raw_in_read(struct raw_in *raw, void *bytes, size_t count, size_t *got,
                        struct error *e)
{
    size_t left = raw->end - raw->at;
    *got = left < count ? left : count;
    memcpy(bytes, raw->buffer + raw->at, *got);
    raw->at += *got;
    if (*got == count || raw->ended)
        return ST_OK;
    size_t more;
    if (read_fully(raw->fd, raw->name, (char *)bytes + *got, count - *got, &more, e) != ST_OK)
        return e->status;
    /* the buffer is empty: only the position moves */
    raw->offset += raw->at + more;
    raw->at = raw->end = 0;
    raw->ended = *got + more < count;
    *got += more;
    return ST_OK;
}

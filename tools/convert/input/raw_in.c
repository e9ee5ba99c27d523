/* raw_in.c: see raw_in.h */
#include "raw_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Begins at the current place of the source; `name` stays the caller's. */
enum status raw_in_init(struct raw_in *raw, struct byte_source source, const char *name, struct error *e)
{
    memset(raw, 0, sizeof *raw);
    raw->source = source;
    raw->name = name;
    raw->fd = -1;
    raw->buffer = malloc(RAW_IN_BYTES);
    return raw->buffer != NULL ? ST_OK : fail_memory(e, name, RAW_IN_BYTES);
}

/* byte_source.read of a descriptor: raw->fd. */
static enum status read_file(void *from, void *bytes, size_t count, size_t *got, struct error *e)
{
    const struct raw_in *raw = from;
    ssize_t done;
    *got = 0;
    do {
        done = read(raw->fd, bytes, count);
    } while (done < 0 && errno == EINTR);
    if (done < 0)
        return fail_errno(e, raw->name, "cannot read");
    *got = (size_t)done;
    return ST_OK;
}

enum status raw_in_init_file(struct raw_in *raw, int fd, const char *name, struct error *e)
{
    if (raw_in_init(raw, (struct byte_source){raw, read_file}, name, e) == ST_OK)
        raw->fd = fd;
    return e->status;
}

void raw_in_free(struct raw_in *raw)
{
    free(raw->buffer);
    raw->buffer = NULL;
}

/* Reads from the source, past the buffer's bookkeeping: counts raw->loaded, and sets raw->ended when nothing comes. */
static enum status load(struct raw_in *raw, void *bytes, size_t count, size_t *got, struct error *e)
{
    if (raw->source.read(raw->source.from, bytes, count, got, e) != ST_OK)
        return e->status;
    raw->loaded += *got;
    raw->ended = *got == 0;
    return ST_OK;
}

/* Moves the unread bytes to the front of the buffer, and reads once behind them. */
enum status raw_in_fill(struct raw_in *raw, struct error *e)
{
    size_t left = raw->end - raw->at, got;
    memmove(raw->buffer, raw->buffer + raw->at, left);
    raw->offset += raw->at;
    raw->at = 0;
    raw->end = left;
    if (raw->ended || left == RAW_IN_BYTES)
        return ST_OK;
    if (load(raw, raw->buffer + left, RAW_IN_BYTES - left, &got, e) != ST_OK)
        return e->status;
    raw->end += got;
    return ST_OK;
}

/* Copies the bytes of the buffer, and reads the rest past it. */
enum status raw_in_read(struct raw_in *raw, void *bytes, size_t count, size_t *got, struct error *e)
{
    size_t left = raw->end - raw->at;
    *got = left < count ? left : count;
    memcpy(bytes, raw->buffer + raw->at, *got);
    raw->at += *got;
    while (*got < count && !raw->ended) {
        size_t more;
        if (load(raw, (char *)bytes + *got, count - *got, &more, e) != ST_OK)
            return e->status;
        /* the buffer is empty: only the position moves */
        raw->offset += raw->at + more;
        raw->at = raw->end = 0;
        *got += more;
    }
    return ST_OK;
}

enum status raw_in_seek(struct raw_in *raw, uint64_t position, struct error *e)
{
    if (lseek(raw->fd, (off_t)(raw->start + position), SEEK_SET) < 0)
        return fail_errno(e, raw->name, "cannot move in it");
    raw->offset = position;
    raw->at = raw->end = 0;
    raw->ended = 0;
    return ST_OK;
}

/* input.c: see input.h */
#include "input.h"

#include "gzip_in.h"
#include "raw_in.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PUMP_BYTES = 1 << 18, PIPE_BYTES = 1 << 20 };

struct pump {
    pthread_t thread;
    int fd; /* the end written to; -1 once closed */
    int running;
    unsigned char *buffer;
    struct error error; /* set before the end is closed, so whoever saw the end can read it */
};

struct input {
    int fd;
    char *name;
    int regular, is_empty_file;
    uint64_t start, size; /* of a regular file: where its descriptor stood, and bytes from there */
    struct raw_in raw;
    struct gzip_in *gzip; /* NULL: plain */
    unsigned char *ahead; /* peeked bytes not yet consumed: ahead[ahead_at..ahead_end) */
    size_t ahead_at, ahead_end, ahead_capacity;
    int ended; /* nothing after the peeked bytes */
    struct pump pump;
};

/* ---- opening ---- */

static void look_at_file(struct input *in)
{
    struct stat st;
    off_t at;
    if (fstat(in->fd, &st) != 0)
        return;
    in->is_empty_file = S_ISREG(st.st_mode) && st.st_size == 0;
    /* files of /proc are regular, and of size 0 until they are read */
    if (S_ISREG(st.st_mode) && st.st_size > 0 && (at = lseek(in->fd, 0, SEEK_CUR)) >= 0) {
        in->regular = 1;
        in->start = (uint64_t)at;
        in->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
        posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (S_ISFIFO(st.st_mode)) {
        fcntl(in->fd, F_SETPIPE_SZ, PIPE_BYTES); /* fewer switches between writer and reader */
    }
}

/* Reads the first bytes as stored and sets up inflating where they ask for it. */
static enum status start_reading(struct input *in, struct error *e)
{
    struct raw_in *raw = &in->raw;
    if (raw_in_init(raw, in->fd, in->name, e) != ST_OK)
        return e->status;
    while (raw->end < 3 && !raw->ended) {
        if (raw_in_fill(raw, e) != ST_OK)
            return e->status;
    }
    if (gzip_sniff(raw->buffer, raw->end))
        return gzip_in_open(&in->gzip, raw, e);
    return ST_OK;
}

static enum status refuse_empty(struct input *in, struct error *e)
{
    const unsigned char *bytes;
    size_t count;
    if (input_peek(in, 1, &bytes, &count, e) != ST_OK || count > 0)
        return e->status;
    return fail(e, ST_BAD_DATA, "%s: found an empty %s, expected a graph", in->name,
                in->gzip != NULL    ? "gzip file"
                : in->is_empty_file ? "file"
                                    : "input");
}

enum status input_open_fd(struct input **result, int fd, const char *name, struct error *e)
{
    *result = NULL;
    struct input *in = calloc(1, sizeof *in);
    if (in == NULL) {
        close(fd);
        return fail_memory(e, name, sizeof *in);
    }
    in->fd = fd;
    in->name = strdup(name);
    if (in->name == NULL) {
        fail_memory(e, name, strlen(name) + 1);
    } else {
        look_at_file(in);
        if (start_reading(in, e) == ST_OK)
            refuse_empty(in, e);
    }
    if (e->status != ST_OK) {
        input_close(in);
        return e->status;
    }
    *result = in;
    return ST_OK;
}

enum status input_open(struct input **result, const char *path, struct error *e)
{
    int from_stdin = strcmp(path, "-") == 0;
    const char *name = from_stdin ? "standard input" : path;
    *result = NULL;
    int fd =
        from_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(e, name, "cannot open");
    return input_open_fd(result, fd, name, e);
}

void input_close(struct input *in)
{
    if (in == NULL)
        return;
    gzip_in_close(in->gzip);
    raw_in_free(&in->raw);
    close(in->fd);
    free(in->pump.buffer);
    free(in->ahead);
    free(in->name);
    free(in);
}

const char *input_name(const struct input *in)
{
    return in->name;
}

int input_is_gzip(const struct input *in)
{
    return in->gzip != NULL;
}

int input_is_regular(const struct input *in)
{
    return in->regular;
}

/* ---- reading in order ---- */

static enum status read_behind(struct input *in, void *bytes, size_t count, size_t *got,
                               struct error *e)
{
    *got = 0;
    if (in->ended)
        return ST_OK;
    enum status status = in->gzip != NULL ? gzip_in_read(in->gzip, bytes, count, got, e)
                                          : raw_in_read(&in->raw, bytes, count, got, e);
    if (status == ST_OK)
        in->ended = *got < count;
    return status;
}

static enum status grow_ahead(struct input *in, size_t want, struct error *e)
{
    unsigned char *grown = realloc(in->ahead, want);
    if (grown == NULL)
        return fail_memory(e, in->name, want);
    in->ahead = grown;
    in->ahead_capacity = want;
    return ST_OK;
}

enum status input_peek(struct input *in, size_t want, const unsigned char **bytes, size_t *count,
                       struct error *e)
{
    size_t have = in->ahead_end - in->ahead_at, got;
    if (want > have) {
        if (in->ahead_at > 0)
            memmove(in->ahead, in->ahead + in->ahead_at, have);
        in->ahead_at = 0;
        in->ahead_end = have;
        if (want > in->ahead_capacity && grow_ahead(in, want, e) != ST_OK)
            return e->status;
        if (read_behind(in, in->ahead + have, want - have, &got, e) != ST_OK)
            return e->status;
        in->ahead_end += got;
    }
    *bytes = in->ahead + in->ahead_at;
    *count = in->ahead_end - in->ahead_at;
    return ST_OK;
}

enum status input_read(struct input *in, void *bytes, size_t count, size_t *got, struct error *e)
{
    size_t have = in->ahead_end - in->ahead_at, more = 0;
    *got = have < count ? have : count;
    if (*got > 0)
        memcpy(bytes, in->ahead + in->ahead_at, *got);
    in->ahead_at += *got;
    if (*got < count) {
        if (read_behind(in, (char *)bytes + *got, count - *got, &more, e) != ST_OK)
            return e->status;
        *got += more;
    }
    return ST_OK;
}

/* ---- random access ---- */

int input_random_access(const struct input *in)
{
    return in->regular && in->gzip == NULL;
}

uint64_t input_bytes(const struct input *in)
{
    return in->size;
}

enum status input_read_at(const struct input *in, uint64_t offset, void *bytes, size_t count,
                          size_t *got, struct error *e)
{
    *got = 0;
    while (*got < count) {
        ssize_t done =
            pread(in->fd, (char *)bytes + *got, count - *got, (off_t)(in->start + offset + *got));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_errno(e, in->name, "cannot read");
        if (done == 0)
            break;
        *got += (size_t)done;
    }
    return ST_OK;
}

uint64_t input_stored_bytes(const struct input *in)
{
    return in->regular ? in->size : 0;
}

uint64_t input_stored_position(const struct input *in)
{
    return raw_in_position(&in->raw);
}

/* ---- as a descriptor ---- */

/* Writes until the reader is gone, which has its own reason then. */
static int pump_out(const struct pump *pump, size_t count)
{
    size_t sent = 0;
    while (sent < count) {
        ssize_t done = write(pump->fd, pump->buffer + sent, count - sent);
        if (done < 0 && errno != EINTR)
            return -1;
        sent += done > 0 ? (size_t)done : 0;
    }
    return 0;
}

/* May be cancelled in any of its reads and writes. */
static void *run_pump(void *argument)
{
    struct input *in = argument;
    struct pump *pump = &in->pump;
    size_t got = PUMP_BYTES;
    while (got == PUMP_BYTES &&
           input_read(in, pump->buffer, PUMP_BYTES, &got, &pump->error) == ST_OK &&
           pump_out(pump, got) == 0)
        continue;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    close(pump->fd);
    pump->fd = -1;
    return NULL;
}

static enum status start_pump(struct input *in, int *fd, struct error *e)
{
    struct pump *pump = &in->pump;
    int ends[2];
    pump->buffer = malloc(PUMP_BYTES);
    if (pump->buffer == NULL)
        return fail_memory(e, in->name, PUMP_BYTES);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(e, in->name, "cannot make a pipe");
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    pump->fd = ends[1];
    int failed = pthread_create(&pump->thread, NULL, run_pump, in);
    if (failed != 0) {
        close(ends[0]);
        close(ends[1]);
        errno = failed;
        return fail_errno(e, in->name, "cannot start a thread");
    }
    pump->running = 1;
    *fd = ends[0];
    return ST_OK;
}

enum status input_as_descriptor(struct input *in, int *fd, struct error *e)
{
    if (!input_random_access(in))
        return start_pump(in, fd, e);
    *fd = fcntl(in->fd, F_DUPFD_CLOEXEC, 3);
    if (*fd < 0 || lseek(*fd, (off_t)in->start, SEEK_SET) < 0) {
        fail_errno(e, in->name, "cannot read it from its start");
        if (*fd >= 0)
            close(*fd);
    }
    return e->status;
}

enum status input_end_descriptor(struct input *in, struct error *e)
{
    struct pump *pump = &in->pump;
    if (!pump->running)
        return ST_OK;
    pthread_cancel(pump->thread); /* it may wait for a writer that has nothing to say */
    pthread_join(pump->thread, NULL);
    pump->running = 0;
    if (pump->fd >= 0)
        close(pump->fd);
    return pump->error.status == ST_OK ? ST_OK
                                       : fail(e, pump->error.status, "%s", pump->error.text);
}

/* pump.c: see pump.h */
#include "pump.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { PUMP_BYTES = 1 << 18, PIPE_BYTES = 1 << 20 };

struct pump {
    struct input *in;
    pthread_t thread;
    int fd; /* the end written to; -1 once closed */
    int running;
    struct error error; /* set before the end is closed, so whoever saw the end can read it */
    unsigned char buffer[PUMP_BYTES];
};

/* Writes until the reader is gone, which has its own reason then. */
static int write_out(const struct pump *pump, size_t count)
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
static void *run(void *argument)
{
    struct pump *pump = argument;
    size_t got = PUMP_BYTES;
    while (got == PUMP_BYTES &&
           input_read(pump->in, pump->buffer, PUMP_BYTES, &got, &pump->error) == ST_OK &&
           write_out(pump, got) == 0)
        continue;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    close(pump->fd);
    pump->fd = -1;
    return NULL;
}

static enum status start(struct pump *pump, int *fd, struct error *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(e, input_name(pump->in), "cannot make a pipe");
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    pump->fd = ends[1];
    int failed = pthread_create(&pump->thread, NULL, run, pump);
    if (failed != 0) {
        close(ends[0]);
        close(ends[1]);
        errno = failed;
        return fail_errno(e, input_name(pump->in), "cannot start a thread");
    }
    pump->running = 1;
    *fd = ends[0];
    return ST_OK;
}

enum status pump_open(struct pump **result, struct input *in, int *fd, struct error *e)
{
    *result = NULL;
    if (input_random_access(in))
        return input_reopen(in, fd, e);
    struct pump *pump = calloc(1, sizeof *pump);
    if (pump == NULL)
        return fail_memory(e, input_name(in), sizeof *pump);
    pump->in = in;
    if (start(pump, fd, e) != ST_OK) {
        free(pump);
        return e->status;
    }
    *result = pump;
    return ST_OK;
}

enum status pump_close(struct pump *pump, struct error *e)
{
    if (pump == NULL)
        return ST_OK;
    pthread_cancel(pump->thread); /* it may wait for a writer that has nothing to say */
    pthread_join(pump->thread, NULL);
    if (pump->fd >= 0)
        close(pump->fd);
    if (pump->error.status != ST_OK)
        fail(e, pump->error.status, "%s", pump->error.text);
    free(pump);
    return e->status;
}

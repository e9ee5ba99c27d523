/* read_ahead.c: see read_ahead.h */
#include "read_ahead.h"

#include <pthread.h>
#include <stdlib.h>

/* One input. A thread that sets `busy` owns the input until it clears that. */
struct part {
    const char *path;
    struct input *input; /* NULL: not opened */
    int busy;
    int done; /* nothing more to do ahead of its reader */
    struct error error;
};

struct read_ahead {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a part is no longer busy */
    struct part *parts;
    int count, ahead;
    int given; /* the number of parts that read_ahead_next gave; the last of them is being read */
    uint64_t memory_bytes;
    const char *member;
};

enum status read_ahead_open(struct read_ahead **result, const char *const *paths, int count,
                            int ahead, uint64_t memory_bytes, const char *member, struct error *e)
{
    *result = NULL;
    struct read_ahead *r = calloc(1, sizeof *r);
    if (r == NULL || (r->parts = calloc((size_t)count, sizeof *r->parts)) == NULL) {
        free(r);
        return fail_memory(e, "list of inputs", (uint64_t)count * sizeof *r->parts);
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->count = count;
    r->ahead = ahead;
    r->memory_bytes = memory_bytes;
    r->member = member;
    for (int i = 0; i < count; i++)
        r->parts[i].path = paths[i];
    *result = r;
    return ST_OK;
}

void read_ahead_close(struct read_ahead *r)
{
    if (r == NULL)
        return;
    for (int i = 0; i < r->count; i++)
        input_close(r->parts[i].input);
    free(r->parts);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* Closes the input that the call before gave, and gives the next one: waits until no thread works on it, and opens it if none has. */
enum status read_ahead_next(struct read_ahead *r, struct input **in, struct error *e)
{
    pthread_mutex_lock(&r->lock);
    if (r->given > 0) {
        input_close(r->parts[r->given - 1].input);
        r->parts[r->given - 1].input = NULL;
    }
    struct part *part = &r->parts[r->given++];
    while (part->busy)
        pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
    if (part->error.status != ST_OK)
        *e = part->error;
    else if (part->path != NULL && part->input == NULL)
        input_open_first(&part->input, part->path, r->member, e);
    *in = part->input;
    return e->status;
}

/* Returns the next part of the conversion's inputs to work on, in order; NULL if there is none, or no memory left for it. */
static struct part *choose(const struct read_ahead *r)
{
    int last = r->given + r->ahead < r->count ? r->given + r->ahead : r->count;
    uint64_t held = 0;
    struct part *chosen = NULL;
    for (int i = r->given > 0 ? r->given - 1 : 0; i < last; i++) {
        struct part *part = &r->parts[i];
        if (part->busy)
            held += INPUT_AHEAD_BYTES; /* more than its owner may add meanwhile */
        if (part->input != NULL)
            held += input_memory(part->input);
        if (chosen == NULL && i >= r->given && part->path != NULL && !part->busy && !part->done)
            chosen = part;
    }
    return held + INPUT_AHEAD_BYTES <= r->memory_bytes ? chosen : NULL;
}

/* Opens a part, which no other thread works on, or reads a little more of it. Nonzero if nothing is left to do. *input is its
 * input. */
static int work_on(const struct read_ahead *r, struct part *part, struct input **input)
{
    if (*input != NULL)
        return !input_read_ahead(*input);
    return input_open_first(input, part->path, r->member, &part->error) != ST_OK ||
           input_random_access(*input);
}

/* Opens or reads a little of a later input: claims it by its `busy` and works outside the lock. 0: nothing to do. */
int read_ahead_work(void *context)
{
    struct read_ahead *r = context;
    pthread_mutex_lock(&r->lock);
    struct part *part = choose(r);
    if (part != NULL)
        part->busy = 1;
    pthread_mutex_unlock(&r->lock);
    if (part == NULL)
        return 0;
    struct input *input = part->input;
    int done = work_on(r, part, &input);
    pthread_mutex_lock(&r->lock);
    part->input = input;
    part->done = done;
    part->busy = 0;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return 1;
}

/* exchange.c: the steps of an exchange in their order, and its memory; see exchange.h */
#include "exchange_internal.h"

#include "formats/base/cli.h"

#include <stdlib.h>

/* ---- opening ---- */

enum status exchange_memory_choose(enum exchange_memory *memory, enum exchange_memory_choice choice,
                                   const struct backend *backend, const struct comm *comm,
                                   struct error *e)
{
    int usable = choice != EXCHANGE_MEMORY_HOST && backend->has_device_memory &&
                 comm_takes_device_memory();
    *memory = usable ? EXCHANGE_DEVICE : EXCHANGE_HOST;
    if (choice != EXCHANGE_MEMORY_DEVICE || usable)
        return ST_OK;
    if (!backend->has_device_memory)
        return fail(e, ST_RESOURCE, "--exchange-memory device: the %s backend has host memory only",
                    backend->name);
    return fail(e, ST_RESOURCE, "--exchange-memory device: the MPI library does not say that it "
                "takes device memory: %s", comm->library);
}

static void release_buffers(const struct exchange *x, struct buffer *buffers)
{
    for (uint32_t g = 0; buffers != NULL && g < x->G; g++)
        x->rank->backend->messages->exchange_release(x->rank->devices[g], buffers[g].ids);
    free(buffers);
}

void exchange_close(struct exchange *x)
{
    if (x == NULL)
        return;
    x->rank->backend->messages->host_release(x->mask);
    free(x->control);
    free(x->control_in);
    free(x->outbox);
    free(x->sends);
    free(x->receives);
    release_buffers(x, x->send);
    release_buffers(x, x->receive);
    free(x);
}

enum status exchange_open(struct exchange **result, const struct rank *rank,
                          const struct exchange_options *options, struct error *e)
{
    *result = NULL;
    struct exchange *x = calloc(1, sizeof *x);
    if (x == NULL)
        return fail_memory(e, "exchange", sizeof *x);
    x->rank = rank;
    x->options = *options;
    x->G = rank->device_count;
    x->R = rank->comm->ranks;
    x->words = mask_words(rank->graph->manifest.d);
    size_t pairs = x->G * boxes_of_device(x);
    x->mask = rank->backend->messages->host_take((x->words + 1) * sizeof *x->mask);
    x->control = calloc(x->R * control_width(x), sizeof *x->control);
    x->control_in = calloc(x->R * control_width(x), sizeof *x->control_in);
    x->outbox = calloc(pairs, sizeof *x->outbox);
    x->send = calloc(x->G, sizeof *x->send);
    x->receive = calloc(x->G, sizeof *x->receive);
    x->sends = calloc(pairs, sizeof *x->sends);
    x->receives = calloc(pairs, sizeof *x->receives);
    if (x->mask == NULL || x->control == NULL || x->control_in == NULL || x->outbox == NULL ||
        x->send == NULL || x->receive == NULL || x->sends == NULL || x->receives == NULL) {
        fail_memory(e, "exchange", x->words * 8);
        exchange_close(x);
        return e->status;
    }
    *result = x;
    return ST_OK;
}

/* ---- a level ---- */

/* Seconds since *clock, which moves on to now. */
static double lap(double *clock)
{
    double before = *clock;
    *clock = cli_seconds();
    return *clock - before;
}

enum status exchange_begin_masks(struct exchange *x, const struct member *m,
                                 struct exchange_stats *stats, struct error *e)
{
    const struct rank *rank = x->rank;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->search->finish_delegates(rank->devices[g], e);
    if (team_meet(m, e) != ST_OK)
        return e->status;
    double clock = cli_seconds();
    if (m->number == 0)
        begin_masks(x, e);
    stats->masks_s = lap(&clock);
    return team_meet(m, e); /* before the devices finish, which writes what masks are read by */
}

/* Puts what leaves into boxes, and agrees with the other ranks on what the level found. */
static enum status take_stock(struct exchange *x, const struct member *m, uint64_t found,
                              struct error *e)
{
    if (m->number == 0) {
        x->level = (struct level_state){.updated = masks_updated(x), .found = found > 0};
        collect_leaving(x, e);
    }
    if (x->options.uniquify && team_meet(m, e) == ST_OK)
        drop_duplicates(x, m, e);
    if (team_meet(m, e) != ST_OK)
        return e->status;
    if (m->number == 0)
        share_counts(x);
    return team_meet(m, e);
}

enum status exchange_level(struct exchange *x, const struct member *m, uint64_t found, int *done,
                           struct exchange_stats *stats, struct error *e)
{
    const struct level_state *level = &x->level;
    double clock = cli_seconds();
    if (take_stock(x, m, found, e) != ST_OK)
        return e->status;
    stats->remote_s = lap(&clock);
    if (level->updated && !x->masks_begun)
        reduce_masks(x, m, e);
    stats->masks_s += lap(&clock);
    if (m->number == 0)
        send_vertices(x, e);
    if (team_meet(m, e) != ST_OK) /* masks are read, and vertices are here */
        return e->status;
    stats->remote_s += lap(&clock);
    receive_from_devices(x, m, e);
    stats->local_s = lap(&clock);
    receive_from_ranks(x, m, e);
    stats->remote_s += lap(&clock);
    if (level->updated)
        take_masks(x, m, e);
    team_meet(m, e); /* what members do next may change what others read here */
    stats->masks_s += lap(&clock);
    stats->reduced_masks = level->updated;
    stats->leaving_vertices = level->leaving;
    stats->sent_vertices = level->sent;
    stats->local_vertices = level->staying;
    *done = !level->updated && !level->found;
    return e->status;
}

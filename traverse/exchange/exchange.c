/* exchange.c: see exchange.h */
#include "exchange.h"

#include "formats/base/cli.h"
#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* Exchange memory of one device. */
struct buffer {
    uint32_t *ids;
    uint64_t capacity;
};

struct exchange {
    const struct comm *comm;
    const struct backend *backend;
    struct device *const *devices;
    struct team *team;
    uint32_t G, R, rank;
    uint64_t words; /* of a delegate mask */
    struct exchange_options options;
    struct memory_budget *budget;
    uint64_t *mask; /* [words] */
    int begun;      /* the reduction of this level's masks */
    uint64_t *control, *control_in; /* [R][CONTROL_COUNTS + G*G] */
    struct outbox *outbox;          /* [G from][R][G to] */
    struct buffer *send, *receive;  /* [G], grown as needed */
    struct transfer *sends, *receives; /* [R*G*G] */
};

/* A rank's message to each other rank: its state, then how many vertices come from each of its
 * devices to each of the receiver's. */
enum { CONTROL_UPDATED, CONTROL_FOUND, CONTROL_COUNTS };

static size_t control_width(const struct exchange *x)
{
    return CONTROL_COUNTS + (size_t)x->G * x->G;
}

/* What a device sends is in one box for each device of each rank; those of its own rank stay empty. */
static size_t boxes_of_device(const struct exchange *x)
{
    return (size_t)x->R * x->G;
}

static struct outbox *outbox_of(const struct exchange *x, uint32_t from, uint32_t rank, uint32_t to)
{
    return &x->outbox[((size_t)from * x->R + rank) * x->G + to];
}

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
        x->backend->exchange_release(x->devices[g], buffers[g].ids);
    free(buffers);
}

void exchange_close(struct exchange *x)
{
    if (x == NULL)
        return;
    x->backend->host_release(x->mask);
    free(x->control);
    free(x->control_in);
    free(x->outbox);
    free(x->sends);
    free(x->receives);
    release_buffers(x, x->send);
    release_buffers(x, x->receive);
    free(x);
}

enum status exchange_open(struct exchange **result, const struct comm *comm,
                          const struct backend *backend, struct device *const *devices,
                          struct team *team, uint32_t device_count, uint64_t d, const struct exchange_options *options,
                          struct memory_budget *budget, struct error *e)
{
    *result = NULL;
    struct exchange *x = calloc(1, sizeof *x);
    if (x == NULL)
        return fail_memory(e, "exchange", sizeof *x);
    x->comm = comm;
    x->backend = backend;
    x->devices = devices;
    x->team = team;
    x->G = device_count;
    x->R = comm->ranks;
    x->rank = comm->rank;
    x->words = mask_words(d);
    x->options = *options;
    x->budget = budget;
    size_t pairs = x->G * boxes_of_device(x);
    x->mask = backend->host_take((x->words + 1) * sizeof *x->mask);
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

/* ---- collecting what leaves ---- */

static enum status grow(struct exchange *x, uint32_t device, struct buffer *buffer, uint64_t need,
                        struct error *e)
{
    uint64_t target = need > 2 * buffer->capacity ? need : 2 * buffer->capacity;
    if (need <= buffer->capacity)
        return ST_OK;
    x->backend->exchange_release(x->devices[device], buffer->ids);
    buffer->capacity = 0;
    buffer->ids = x->backend->exchange_take(x->devices[device], target * sizeof *buffer->ids);
    if (buffer->ids == NULL)
        return fail_memory(e, "nn exchange buffers", target * sizeof *buffer->ids);
    buffer->capacity = target;
    return ST_OK;
}

/* Which of this rank's devices sends what device `from` found for device `to` of another rank. */
static uint32_t sender_of(const struct exchange *x, uint32_t from, uint32_t to)
{
    return x->options.local_all2all ? to : from;
}

/* The box for what device `from` found for shard s, of another rank. */
static struct outbox *outbox_for(const struct exchange *x, uint32_t from, uint32_t s)
{
    uint32_t to = device_of_shard(s, x->R);
    return outbox_of(x, sender_of(x, from, to), rank_of_shard(s, x->R), to);
}

static void count_outboxes(struct exchange *x, uint64_t *total)
{
    memset(x->outbox, 0, x->G * boxes_of_device(x) * sizeof *x->outbox);
    *total = 0;
    for (uint32_t from = 0; from < x->G; from++) {
        for (uint32_t s = 0; s < x->R * x->G; s++) {
            if (rank_of_shard(s, x->R) == x->rank)
                continue;
            uint64_t count = x->backend->outgoing(x->devices[from], s);
            outbox_for(x, from, s)->count += count;
            *total += count;
        }
    }
}

/* Room for what a device sends: its boxes, one after the other. */
static enum status place_outboxes(struct exchange *x, uint32_t device, struct error *e)
{
    struct outbox *box = outbox_of(x, device, 0, 0);
    uint64_t total = 0;
    for (size_t i = 0; i < boxes_of_device(x); i++)
        total += box[i].count;
    if (grow(x, device, &x->send[device], total, e) != ST_OK)
        return e->status;
    uint32_t *at = x->send[device].ids;
    for (size_t i = 0; i < boxes_of_device(x); i++) {
        box[i].ids = at;
        at += box[i].count;
        box[i].count = 0; /* filled again below */
    }
    return ST_OK;
}

static enum status fill_outboxes(struct exchange *x, struct error *e)
{
    for (uint32_t from = 0; from < x->G; from++) {
        for (uint32_t s = 0; s < x->R * x->G; s++) {
            if (rank_of_shard(s, x->R) == x->rank)
                continue;
            uint64_t count = x->backend->outgoing(x->devices[from], s);
            struct outbox *box = outbox_for(x, from, s);
            if (count == 0)
                continue;
            if (x->backend->take_outgoing(x->devices[from], s, box->ids + box->count, e) != ST_OK)
                return e->status;
            box->count += count;
        }
    }
    return ST_OK;
}

/* Option U. With L everything for one device is in one box, so duplicates between devices go too. */
static enum status uniquify(void *context, uint32_t device, struct error *e)
{
    struct exchange *x = context;
    return x->backend->uniquify(x->devices[device], outbox_of(x, device, 0, 0),
                                (uint32_t)boxes_of_device(x), e);
}

static enum status collect(struct exchange *x, uint64_t *leaving, struct error *e)
{
    count_outboxes(x, leaving);
    if (*leaving == 0)
        return ST_OK;
    for (uint32_t g = 0; g < x->G; g++) {
        if (place_outboxes(x, g, e) != ST_OK)
            return e->status;
    }
    if (fill_outboxes(x, e) == ST_OK && x->options.uniquify)
        team_run(x->team, uniquify, x, e);
    return e->status;
}

/* ---- telling the other ranks ---- */

struct level_state {
    int updated, found; /* anywhere */
};

static void share_counts(struct exchange *x, struct level_state *state)
{
    size_t width = control_width(x);
    if (x->R == 1)
        return;
    for (uint32_t r = 0; r < x->R; r++) {
        uint64_t *row = x->control + r * width;
        row[CONTROL_UPDATED] = (uint64_t)state->updated;
        row[CONTROL_FOUND] = (uint64_t)state->found;
        for (uint32_t i = 0; i < x->G * x->G; i++)
            row[CONTROL_COUNTS + i] = outbox_of(x, i / x->G, r, i % x->G)->count;
    }
    comm_alltoall_u64(x->comm, x->control, x->control_in, (int)width);
    for (uint32_t r = 0; r < x->R; r++) {
        state->updated |= x->control_in[r * width + CONTROL_UPDATED] != 0;
        state->found |= x->control_in[r * width + CONTROL_FOUND] != 0;
    }
}

/* ---- moving vertices ---- */

static int tag_of(const struct exchange *x, uint32_t from, uint32_t to)
{
    return (int)(from * x->G + to);
}

static size_t list_sends(struct exchange *x, struct exchange_stats *stats)
{
    size_t count = 0;
    for (uint32_t r = 0; r < x->R; r++) {
        for (uint32_t i = 0; i < x->G * x->G && r != x->rank; i++) {
            const struct outbox *box = outbox_of(x, i / x->G, r, i % x->G);
            if (box->count == 0)
                continue;
            x->sends[count++] = (struct transfer){.rank = r,
                                                  .tag = tag_of(x, i / x->G, i % x->G),
                                                  .bytes = box->ids,
                                                  .size = box->count * sizeof *box->ids};
            stats->sent_vertices += box->count;
        }
    }
    return count;
}

static uint64_t incoming_count(const struct exchange *x, uint32_t rank, uint32_t pair)
{
    return x->control_in[rank * control_width(x) + CONTROL_COUNTS + pair];
}

/* Room for what a device receives, a message from each device of each rank. */
static enum status list_receives_of(struct exchange *x, uint32_t to, size_t *listed,
                                    struct error *e)
{
    uint64_t total = 0;
    for (uint32_t r = 0; r < x->R; r++) {
        for (uint32_t from = 0; from < x->G; from++)
            total += incoming_count(x, r, from * x->G + to);
    }
    if (grow(x, to, &x->receive[to], total, e) != ST_OK)
        return e->status;
    uint32_t *at = x->receive[to].ids;
    for (uint32_t r = 0; r < x->R; r++) {
        for (uint32_t from = 0; from < x->G; from++) {
            uint64_t count = incoming_count(x, r, from * x->G + to);
            if (count == 0)
                continue;
            x->receives[(*listed)++] = (struct transfer){.rank = r,
                                                         .tag = tag_of(x, from, to),
                                                         .bytes = at,
                                                         .size = count * sizeof *at};
            at += count;
        }
    }
    return ST_OK;
}

static enum status list_receives(struct exchange *x, size_t *listed, struct error *e)
{
    *listed = 0;
    for (uint32_t to = 0; to < x->G; to++) {
        if (list_receives_of(x, to, listed, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

static enum status deliver_received(struct exchange *x, size_t count, struct error *e)
{
    for (size_t i = 0; i < count; i++) {
        const struct transfer *t = &x->receives[i];
        struct device *device = x->devices[(uint32_t)t->tag % x->G];
        if (x->backend->receive(device, t->bytes, t->size / sizeof(uint32_t), e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* What goes to other devices of this rank needs no message. */
static enum status receive_local(void *context, uint32_t device, struct error *e)
{
    struct exchange *x = context;
    return x->backend->receive_local(x->devices[device], x->devices, x->G, e);
}

static uint64_t count_local(const struct exchange *x)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < x->G * x->G; i++) {
        if (i / x->G != i % x->G)
            count += x->backend->outgoing(x->devices[i / x->G],
                                          shard_of_device(x->rank, i % x->G, x->R));
    }
    return count;
}

static enum status move_vertices(struct exchange *x, struct exchange_stats *stats, struct error *e)
{
    size_t receives = 0;
    double start = cli_seconds();
    if (x->R > 1) {
        size_t sends = list_sends(x, stats);
        if (list_receives(x, &receives, e) != ST_OK ||
            comm_transfer(x->comm, x->sends, sends, x->receives, receives, x->options.chunk_bytes,
                          e) != ST_OK)
            return e->status;
    }
    double sent = cli_seconds();
    stats->remote_s += sent - start;
    if (stats->local_vertices > 0 && team_run(x->team, receive_local, x, e) != ST_OK)
        return e->status;
    double delivered = cli_seconds();
    stats->local_s += delivered - sent;
    deliver_received(x, receives, e);
    stats->remote_s += cli_seconds() - delivered;
    return e->status;
}

/* ---- masks ---- */

static int any_updated(const struct exchange *x)
{
    int updated = 0;
    for (uint32_t i = 0; i < x->G; i++)
        updated |= x->backend->updated(x->devices[i]);
    return updated;
}

/* Other ranks get this rank's mask from the first device; without them each reads for itself. */
static enum status read_masks(void *context, uint32_t device, struct error *e)
{
    struct exchange *x = context;
    if (x->R > 1 && device > 0)
        return ST_OK;
    return x->backend->read_masks(x->devices[device], x->devices, x->G, x->R > 1 ? x->mask : NULL,
                                  e);
}

static enum status take_masks(void *context, uint32_t device, struct error *e)
{
    struct exchange *x = context;
    return x->backend->take_mask(x->devices[device], x->devices, x->G, x->R > 1 ? x->mask : NULL,
                                 e);
}

/* Begins the reduction of updated masks: ends it, too, where it is a blocking one. */
static enum status reduce_masks(struct exchange *x, struct error *e)
{
    if (team_run(x->team, read_masks, x, e) != ST_OK || x->R == 1)
        return e->status;
    if (x->options.nonblocking)
        comm_begin_or_masks(x->comm, x->mask, x->words);
    else
        comm_or_masks(x->comm, x->mask, x->words);
    return ST_OK;
}

static enum status end_masks(struct exchange *x, struct error *e)
{
    if (x->R > 1 && x->options.nonblocking)
        comm_wait_masks(x->comm);
    return team_run(x->team, take_masks, x, e);
}

/* ---- a level ---- */

int exchange_overlaps(const struct exchange *x)
{
    return x->R > 1 && x->options.nonblocking;
}

static enum status finish_delegates(void *context, uint32_t device, struct error *e)
{
    struct exchange *x = context;
    return x->backend->finish_delegates(x->devices[device], e);
}

enum status exchange_begin(struct exchange *x, struct exchange_stats *stats, struct error *e)
{
    if (team_run(x->team, finish_delegates, x, e) != ST_OK)
        return e->status;
    double start = cli_seconds();
    uint64_t updating = (uint64_t)any_updated(x); /* ranks that do */
    comm_sum_u64(x->comm, &updating, 1);
    x->begun = updating > 0;
    if (x->begun)
        reduce_masks(x, e);
    stats->masks_s = cli_seconds() - start;
    return e->status;
}

enum status exchange_level(struct exchange *x, uint64_t found, int *done,
                           struct exchange_stats *stats, struct error *e)
{
    struct level_state state = {.updated = any_updated(x)};
    uint64_t leaving = 0;
    double start = cli_seconds();
    if (collect(x, &leaving, e) != ST_OK)
        return e->status;
    stats->local_vertices = count_local(x);
    state.found = found > 0 || leaving > 0 || stats->local_vertices > 0;
    share_counts(x, &state);
    stats->reduced_masks = state.updated;
    double shared = cli_seconds();
    stats->remote_s = shared - start;
    if (state.updated && !x->begun && reduce_masks(x, e) != ST_OK)
        return e->status;
    stats->masks_s += cli_seconds() - shared;
    if (move_vertices(x, stats, e) != ST_OK)
        return e->status;
    double moved = cli_seconds();
    if (state.updated)
        end_masks(x, e);
    x->begun = 0;
    stats->masks_s += cli_seconds() - moved;
    *done = !state.updated && !state.found;
    return e->status;
}

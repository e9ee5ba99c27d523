/* exchange_collect.c: the vertices that leave this rank, put into boxes (Pan et al., section V-B; exchange.h)
 *
 * There is a box for each pair of a sending device and a receiving device of another rank. The boxes of a
 * device lie one after the other in its exchange memory, so vertices are counted first and copied then.
 */
#include "exchange_internal.h"
#include "unique.h"

#include "formats/graph/partition.h"

#include <string.h>

/* Buffers in memory of the host are charged to the budget. */
static uint64_t charged_for(const struct exchange *x, uint64_t ids)
{
    return x->rank->exchange_memory == EXCHANGE_HOST ? ids * sizeof(uint32_t) : 0;
}

void release_buffer(const struct exchange *x, uint32_t device, struct buffer *buffer)
{
    x->rank->backend->messages->exchange_release(x->rank->devices[device], buffer->ids);
    memory_discharge(x->rank->budget, charged_for(x, buffer->capacity));
    *buffer = (struct buffer){0};
}

/* Twice as much as before, if that much may be needed. With option L nobody knows how much a device may gather, and
 * it takes what it needs: all devices then have no more than without. */
static uint64_t next_capacity(const struct exchange *x, uint32_t device, uint64_t capacity,
                              uint64_t need)
{
    uint64_t most = x->rank->graph->shards[device].csr[NN].edges, twice = 2 * capacity;
    if (twice > most)
        twice = most;
    return need > twice || x->options.local_all2all ? need : twice;
}

enum status grow_buffer(struct exchange *x, uint32_t device, struct buffer *buffer, uint64_t need,
                        struct error *e)
{
    uint64_t capacity = next_capacity(x, device, buffer->capacity, need);
    if (need <= buffer->capacity)
        return ST_OK;
    release_buffer(x, device, buffer);
    if (memory_charge(x->rank->budget, charged_for(x, capacity), "nn exchange buffers", e) != ST_OK)
        return e->status;
    buffer->capacity = capacity;
    buffer->ids = x->rank->backend->messages->exchange_take(
        x->rank->devices[device], capacity * sizeof *buffer->ids, "nn exchange buffers", e);
    return e->status;
}

/* The box for what device `from` found for shard s, of another rank. With option L the device that has the
 * receiver's number sends it. */
static struct outbox *outbox_for(const struct exchange *x, uint32_t from, uint32_t s)
{
    uint32_t to = device_of_shard(s, x->R);
    return outbox_of(x, x->options.local_all2all ? to : from, rank_of_shard(s, x->R), to);
}

static int leaves_group(const struct exchange *x, uint32_t shard)
{
    return x->group.number[shard] == GROUP_NONE;
}

/* With option L the masks of several devices become one. All devices of a rank use the same form. */
static void count_parcel(struct exchange *x, struct outbox *box, const struct parcel *parcel)
{
    box->form = parcel->form;
    box->count = parcel->form == OUTGOING_MASK ? parcel->count : box->count + parcel->count;
    x->level.leaving = 1;
}

static void count_outgoing(struct exchange *x)
{
    memset(x->mail.outbox, 0, x->G * boxes_of_device(x) * sizeof *x->mail.outbox);
    for (uint32_t from = 0; from < x->G; from++) {
        for (uint32_t s = 0; s < x->R * x->G; s++) {
            struct parcel parcel = {0};
            if (leaves_group(x, s))
                parcel = parcel_for(x, from, s);
            if (parcel.count > 0)
                count_parcel(x, outbox_for(x, from, s), &parcel);
        }
    }
}

/* Room for what a device sends. */
static enum status place_outboxes(struct exchange *x, uint32_t device, struct error *e)
{
    struct outbox *box = outbox_of(x, device, 0, 0);
    uint64_t total = 0;
    for (size_t i = 0; i < boxes_of_device(x); i++)
        total += box[i].count;
    if (grow_buffer(x, device, &x->mail.send[device], total, e) != ST_OK)
        return e->status;
    uint32_t *at = x->mail.send[device].ids;
    for (size_t i = 0; i < boxes_of_device(x); i++) {
        box[i].ids = at;
        at += box[i].count;
        if (x->options.local_all2all)
            box[i].count = 0; /* fill_outbox adds it up again */
    }
    return ST_OK;
}

/* Option L: the vertices of all devices of this rank for one of another rank become one message. */
static enum status fill_outbox(struct exchange *x, uint32_t from, uint32_t s, struct error *e)
{
    const struct rank *rank = x->rank;
    struct parcel parcel = parcel_for(x, from, s);
    struct outbox *box = outbox_for(x, from, s);
    if (parcel.count == 0)
        return ST_OK;
    if (parcel.form == OUTGOING_MASK && box->count > 0) /* one device after the other */
        return wait_for_copies(x, e) == ST_OK
                   ? rank->backend->messages->or_outgoing(rank->devices[from], &parcel, box->ids, e)
                   : e->status;
    if (rank->backend->messages->take_outgoing(rank->devices[from], &parcel, box->ids + box->count,
                                               e) == ST_OK)
        box->count += parcel.count;
    return e->status;
}

enum status collect_leaving(struct exchange *x, struct error *e)
{
    count_outgoing(x);
    if (!x->level.leaving)
        return ST_OK;
    for (uint32_t g = 0; g < x->G && e->status == ST_OK; g++)
        place_outboxes(x, g, e);
    if (!x->options.local_all2all) /* exchange_flow.c copies what it sends */
        return e->status;
    for (uint32_t from = 0; from < x->G; from++) {
        for (uint32_t s = 0; s < x->R * x->G && e->status == ST_OK; s++) {
            if (leaves_group(x, s))
                fill_outbox(x, from, s, e);
        }
    }
    return e->status == ST_OK ? wait_for_copies(x, e) : e->status;
}

/* Option U. */
enum status drop_repeated(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->messages->drop_repeated(rank->devices[g], e);
    return e->status;
}

static void drop_in_boxes(struct outbox *box, uint32_t boxes)
{
    for (uint32_t i = 0; i < boxes; i++) {
        if (box[i].form == OUTGOING_LIST)
            box[i].count = unique_ids(box[i].ids, box[i].count);
    }
}

/* Options U and L: everything for one device is in one box, so duplicates between devices go, too. Masks have
 * none. */
enum status drop_duplicates(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    const struct backend_messages *messages = rank->backend->messages;
    uint32_t boxes = (uint32_t)boxes_of_device(x);
    for (uint32_t g = m->first; x->level.leaving && g < m->end && e->status == ST_OK; g++) {
        struct outbox *box = outbox_of(x, g, 0, 0);
        if (messages->uniquify != NULL)
            messages->uniquify(rank->devices[g], box, boxes, e);
        else
            drop_in_boxes(box, boxes);
    }
    return e->status;
}

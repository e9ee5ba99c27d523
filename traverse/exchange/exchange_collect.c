/* exchange_collect.c: the vertices that leave this rank, put into boxes (Pan et al., section V-B; exchange.h)
 *
 * There is a box for each pair of a sending device and a receiving device of another rank. The boxes of a
 * device lie one after the other in its exchange memory, so vertices are counted first and copied then.
 */
#include "exchange_internal.h"
#include "unique.h"

#include "formats/graph/partition.h"

#include <string.h>

enum status grow_buffer(struct exchange *x, uint32_t device, struct buffer *buffer, uint64_t need,
                        struct error *e)
{
    const struct backend_messages *messages = x->rank->backend->messages;
    uint64_t target = need > 2 * buffer->capacity ? need : 2 * buffer->capacity;
    if (need <= buffer->capacity)
        return ST_OK;
    messages->exchange_release(x->rank->devices[device], buffer->ids);
    buffer->capacity = 0;
    buffer->ids = messages->exchange_take(x->rank->devices[device], target * sizeof *buffer->ids);
    if (buffer->ids == NULL)
        return fail_memory(e, "nn exchange buffers", target * sizeof *buffer->ids);
    buffer->capacity = target;
    return ST_OK;
}

/* The box for what device `from` found for shard s, of another rank. With option L the device that has the
 * receiver's number sends it. */
static struct outbox *outbox_for(const struct exchange *x, uint32_t from, uint32_t s)
{
    uint32_t to = device_of_shard(s, x->R);
    return outbox_of(x, x->options.local_all2all ? to : from, rank_of_shard(s, x->R), to);
}

static uint64_t outgoing(const struct exchange *x, uint32_t from, uint32_t shard)
{
    return x->rank->backend->messages->outgoing(x->rank->devices[from], shard);
}

static void count_outgoing(struct exchange *x)
{
    uint32_t own = x->rank->comm->rank;
    memset(x->outbox, 0, x->G * boxes_of_device(x) * sizeof *x->outbox);
    for (uint32_t from = 0; from < x->G; from++) {
        for (uint32_t s = 0; s < x->R * x->G; s++) {
            uint64_t count = outgoing(x, from, s);
            if (rank_of_shard(s, x->R) != own) {
                outbox_for(x, from, s)->count += count;
                x->level.leaving += count;
            } else if (device_of_shard(s, x->R) != from) {
                x->level.staying += count;
            }
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
    if (grow_buffer(x, device, &x->send[device], total, e) != ST_OK)
        return e->status;
    uint32_t *at = x->send[device].ids;
    for (size_t i = 0; i < boxes_of_device(x); i++) {
        box[i].ids = at;
        at += box[i].count;
        box[i].count = 0; /* fill_outbox adds it up again */
    }
    return ST_OK;
}

static enum status fill_outbox(struct exchange *x, uint32_t from, uint32_t s, struct error *e)
{
    uint64_t count = outgoing(x, from, s);
    struct outbox *box = outbox_for(x, from, s);
    if (count == 0)
        return ST_OK;
    if (x->rank->backend->messages->take_outgoing(x->rank->devices[from], s, box->ids + box->count,
                                                  e) == ST_OK)
        box->count += count;
    return e->status;
}

enum status collect_leaving(struct exchange *x, struct error *e)
{
    count_outgoing(x);
    if (x->level.leaving == 0)
        return ST_OK;
    for (uint32_t g = 0; g < x->G && e->status == ST_OK; g++)
        place_outboxes(x, g, e);
    for (uint32_t from = 0; from < x->G; from++) {
        for (uint32_t s = 0; s < x->R * x->G && e->status == ST_OK; s++) {
            if (rank_of_shard(s, x->R) != x->rank->comm->rank)
                fill_outbox(x, from, s, e);
        }
    }
    return e->status;
}

/* Option U. With L everything for one device is in one box, so duplicates between devices go, too. */
enum status drop_duplicates(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    uint32_t boxes = (uint32_t)boxes_of_device(x);
    if (x->level.leaving == 0)
        return ST_OK;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        struct outbox *box = outbox_of(x, g, 0, 0);
        if (rank->exchange_memory == EXCHANGE_DEVICE)
            rank->backend->messages->uniquify(rank->devices[g], box, boxes, e);
        for (uint32_t i = 0; rank->exchange_memory == EXCHANGE_HOST && i < boxes; i++)
            box[i].count = unique_ids(box[i].ids, box[i].count);
    }
    return e->status;
}

/* exchange_flow.c: vertices on their way to devices of other groups (Pan et al., section V-B; exchange.h)
 *
 * There is a message for each box that is not empty. It goes in chunks, several of them under way at once:
 * 1. The device copies a chunk to exchange memory.
 * 2. MPI sends it when the copy is over.
 * 3. The receiving device takes it in when it has arrived.
 * Member 0 does all this for the devices of its rank, as only it calls MPI. It never waits for one of the
 * three.
 */
#include "exchange_internal.h"

#include <string.h>

/* ---- what leaves ---- */

/* The chunk at a place, as a message; 0: there is none left. The place moves on over empty boxes. */
static int chunk_at(const struct exchange *x, uint32_t device, struct outflow_place *place,
                    struct transfer *chunk)
{
    const struct outbox *boxes = outbox_of(x, device, 0, 0);
    while (place->box < boxes_of_device(x) && boxes[place->box].count == 0)
        place->box++;
    if (place->box == boxes_of_device(x))
        return 0;
    const struct outbox *box = &boxes[place->box];
    uint32_t to = (uint32_t)place->box % x->G;
    uint64_t left = box->count * sizeof *box->ids - place->at;
    *chunk = (struct transfer){
        .rank = (uint32_t)(place->box / x->G),
        .tag = (int)(device * x->G + to),
        .bytes = (unsigned char *)box->ids + place->at,
        .size = left < x->options.chunk_bytes ? left : x->options.chunk_bytes};
    return 1;
}

static void pass_chunk(const struct exchange *x, uint32_t device, struct outflow_place *place,
                       uint64_t size)
{
    const struct outbox *box = outbox_of(x, device, 0, 0) + place->box;
    place->at += size;
    if (place->at < box->count * sizeof *box->ids)
        return;
    place->box++;
    place->at = 0;
}

/* An id that ends in a chunk is copied with it. */
static enum status copy_chunk(struct exchange *x, uint32_t device, const struct transfer *chunk,
                              struct error *e)
{
    const struct backend_messages *messages = x->rank->backend->messages;
    const struct outflow *out = &x->mail.out[device];
    const struct outbox *box = outbox_of(x, device, 0, 0) + out->copied.box;
    uint32_t shard = shard_of_device(chunk->rank, (uint32_t)out->copied.box % x->G, x->R);
    uint64_t width = sizeof *box->ids, first = (out->copied.at + width - 1) / width;
    uint64_t end = (out->copied.at + chunk->size + width - 1) / width;
    struct parcel parcel = parcel_for(x, device, shard);
    parcel = (struct parcel){parcel.begin + first, end - first, parcel.form};
    if (end > first)
        messages->take_outgoing(x->rank->devices[device], &parcel, box->ids + first, e);
    if (e->status == ST_OK && messages->mark_copies != NULL)
        messages->mark_copies(x->rank->devices[device], out->mark, e);
    return e->status;
}

/* Begins to copy the next chunk. With option L the boxes are full already. Returns 0 if nothing is left. */
static int begin_chunk(struct exchange *x, uint32_t device, struct error *e)
{
    struct outflow *out = &x->mail.out[device];
    struct transfer chunk;
    if (!chunk_at(x, device, &out->copied, &chunk))
        return 0;
    if (!x->options.local_all2all && copy_chunk(x, device, &chunk, e) != ST_OK)
        return 0;
    pass_chunk(x, device, &out->copied, chunk.size);
    out->mark = (out->mark + 1) % COPY_MARKS;
    out->copying++;
    return 1;
}

/* Sends the oldest chunk that is being copied, if the copy is over. */
static int send_chunk(struct exchange *x, uint32_t device, struct error *e)
{
    const struct backend_messages *messages = x->rank->backend->messages;
    struct outflow *out = &x->mail.out[device];
    struct transfer chunk;
    int over = 1;
    if (out->copying == 0)
        return 0;
    uint32_t oldest = (out->mark + COPY_MARKS - out->copying) % COPY_MARKS;
    if (messages->copies_are_over != NULL && !x->options.local_all2all)
        messages->copies_are_over(x->rank->devices[device], oldest, &over, e);
    if (!over || e->status != ST_OK || !chunk_at(x, device, &out->sent, &chunk))
        return 0;
    comm_flow_send(x->mail.flow, &chunk);
    pass_chunk(x, device, &out->sent, chunk.size);
    out->copying--;
    return 1;
}

/* For copies that must be over before the next step. */
enum status wait_for_copies(struct exchange *x, struct error *e)
{
    const struct backend_messages *messages = x->rank->backend->messages;
    for (uint32_t g = 0; messages->mark_copies != NULL && g < x->G && e->status == ST_OK; g++) {
        int over = 0;
        messages->mark_copies(x->rank->devices[g], 0, e);
        while (!over && e->status == ST_OK)
            messages->copies_are_over(x->rank->devices[g], 0, &over, e);
    }
    return e->status;
}

/* ---- what arrives ---- */

/* Room for what a device receives, and a message from each device of each rank. */
static enum status list_receives(struct exchange *x, uint32_t to, struct error *e)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < x->R * x->G; i++)
        total += incoming(x, i / x->G, i % x->G, to) & ~MASK_BIT;
    if (grow_buffer(x, to, &x->mail.receive[to], total, e) != ST_OK)
        return e->status;
    uint32_t *at = x->mail.receive[to].ids;
    for (uint32_t i = 0; i < x->R * x->G; i++) {
        uint32_t rank = i / x->G, from = i % x->G;
        uint64_t count = incoming(x, rank, from, to) & ~MASK_BIT;
        if (count == 0)
            continue;
        x->mail.receives[x->level.receives++] = (struct transfer){.rank = rank,
                                                                  .tag = (int)(from * x->G + to),
                                                                  .bytes = at,
                                                                  .size = count * sizeof *at};
        at += count;
    }
    return ST_OK;
}

/* The devices that a message is from and for stand in its tag. An id is taken in with the chunk that it ends
 * in. */
static enum status take_chunk(struct exchange *x, const struct flow_chunk *chunk, struct error *e)
{
    const struct transfer *t = &x->mail.receives[chunk->message];
    uint32_t from = (uint32_t)t->tag / x->G, to = (uint32_t)t->tag % x->G, *ids = t->bytes;
    int mask = (incoming(x, t->rank, from, to) & MASK_BIT) != 0;
    uint64_t first = chunk->at / sizeof *ids, end = (chunk->at + chunk->size) / sizeof *ids;
    struct parcel part = {first, end - first, mask ? OUTGOING_MASK : OUTGOING_LIST};
    if (part.count == 0)
        return e->status;
    return x->rank->backend->messages->receive(x->rank->devices[to], ids + first, &part, e);
}

/* ---- both ---- */

static size_t chunks_to_send(struct exchange *x)
{
    size_t chunks = 0;
    for (size_t i = 0; i < x->G * boxes_of_device(x); i++) {
        const struct outbox *box = &x->mail.outbox[i];
        uint64_t bytes = box->count * sizeof *box->ids;
        chunks += (size_t)((bytes + x->options.chunk_bytes - 1) / x->options.chunk_bytes);
        if (bytes > 0)
            count_box(x, box);
    }
    x->counts.of[COUNT_MESSAGES] += chunks;
    return chunks;
}

enum status open_flow(struct exchange *x, struct error *e)
{
    memset(x->mail.out, 0, x->G * sizeof *x->mail.out);
    size_t chunks = chunks_to_send(x);
    for (uint32_t to = 0; to < x->G && e->status == ST_OK; to++)
        list_receives(x, to, e);
    if (e->status != ST_OK)
        return e->status;
    return comm_flow_open(&x->mail.flow, x->mail.receives, x->level.receives, chunks,
                          x->options.chunk_bytes, e);
}

static int all_is_sent(const struct exchange *x, uint32_t device)
{
    struct outflow_place place = x->mail.out[device].sent;
    struct transfer chunk;
    return !chunk_at(x, device, &place, &chunk);
}

int flow_is_over(const struct exchange *x)
{
    int over = comm_flow_has_arrived(x->mail.flow);
    for (uint32_t g = 0; g < x->G && over; g++)
        over = all_is_sent(x, g);
    return over;
}

enum status move_flow(struct exchange *x, struct error *e)
{
    struct flow_chunk chunk;
    for (uint32_t g = 0; g < x->G && e->status == ST_OK; g++) {
        do {
            while (x->mail.out[g].copying < COPY_MARKS && begin_chunk(x, g, e))
                ;
        } while (send_chunk(x, g, e));
    }
    if (e->status == ST_OK && comm_flow_arrived(x->mail.flow, &chunk))
        take_chunk(x, &chunk, e);
    return e->status;
}

void close_flow(struct exchange *x)
{
    comm_flow_close(x->mail.flow);
    x->mail.flow = NULL;
}

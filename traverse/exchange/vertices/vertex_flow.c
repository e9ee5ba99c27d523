/* vertex_flow.c: vertices on their way to devices of other groups; see vertices.h
 *
 * There is a message for each box that is not empty. It goes in chunks, several of them under way at once:
 * 1. The device copies a chunk to exchange memory.
 * 2. MPI sends it when the copy is over.
 * 3. The receiving device takes it in when it has arrived.
 * Member 0 does all this for the devices of its rank, as only it calls MPI. It never waits for one of the
 * three.
 */
#include "vertices.h"

#include "formats/base/arith.h"
#include "formats/mpi/flow.h"

#include <string.h>

/* ---- sending ---- */

/* The tag of a message: which devices it is from and for. */
static int tag_of(const struct vertices *v, uint32_t from, uint32_t to)
{
    return (int)(from * v->rank->device_count + to);
}

/* The chunk at a place, as a message; 0: there is none left. The place moves on over empty boxes. */
static int chunk_at(const struct vertices *v, uint32_t device, struct outflow_place *place,
                    struct transfer *chunk)
{
    const struct outbox *boxes = outbox_of(v, device, 0, 0);
    while (place->box < boxes_of_device(v) && boxes[place->box].count == 0)
        place->box++;
    if (place->box == boxes_of_device(v))
        return 0;
    const struct outbox *box = &boxes[place->box];
    uint32_t G = v->rank->device_count;
    *chunk = (struct transfer){
        .rank = (uint32_t)(place->box / G),
        .tag = tag_of(v, device, (uint32_t)place->box % G),
        .bytes = (unsigned char *)box->ids + place->at,
        .size = smaller(box->count * sizeof *box->ids - place->at, v->chunk_bytes)};
    return 1;
}

static void pass_chunk(const struct vertices *v, uint32_t device, struct outflow_place *place,
                       uint64_t size)
{
    const struct outbox *box = outbox_of(v, device, 0, 0) + place->box;
    place->at += size;
    if (place->at < box->count * sizeof *box->ids)
        return;
    place->box++;
    place->at = 0;
}

/* Begins to copy a chunk: the ids that end in it. */
static enum status copy_chunk(struct vertices *v, uint32_t device, const struct transfer *chunk,
                              struct error *e)
{
    const struct backend_messages *messages = v->rank->backend->messages;
    const struct outflow *out = &v->out[device];
    const struct outbox *box = outbox_of(v, device, 0, 0) + out->copied.box;
    uint32_t to = (uint32_t)chunk->tag % v->rank->device_count;
    uint32_t shard = shard_of_device(chunk->rank, to, v->rank->comm->ranks);
    uint64_t first = divide_up(out->copied.at, sizeof *box->ids);
    uint64_t end = divide_up(out->copied.at + chunk->size, sizeof *box->ids);
    struct parcel parcel = group_parcel_for(v->group, device, shard);
    parcel = (struct parcel){parcel.begin + first, end - first, parcel.form};
    if (end > first)
        messages->take_outgoing(v->rank->devices[device], &parcel, box->ids + first, e);
    if (e->status == ST_OK && messages->mark_copies != NULL)
        messages->mark_copies(v->rank->devices[device], out->mark, e);
    return e->status;
}

/* Begins to copy the next chunk. With option L the boxes are full already. Returns 0 if nothing is left. */
static int begin_chunk(struct vertices *v, uint32_t device, struct error *e)
{
    struct outflow *out = &v->out[device];
    struct transfer chunk;
    if (!chunk_at(v, device, &out->copied, &chunk))
        return 0;
    if (!v->gathers && copy_chunk(v, device, &chunk, e) != ST_OK)
        return 0;
    pass_chunk(v, device, &out->copied, chunk.size);
    out->mark = (out->mark + 1) % COPY_MARKS;
    out->copying++;
    return 1;
}

/* Sends the oldest chunk that is being copied, if the copy is over. */
static int send_chunk(struct vertices *v, uint32_t device, struct error *e)
{
    const struct backend_messages *messages = v->rank->backend->messages;
    struct outflow *out = &v->out[device];
    struct transfer chunk;
    int over = 1;
    if (out->copying == 0)
        return 0;
    uint32_t oldest = (out->mark + COPY_MARKS - out->copying) % COPY_MARKS;
    if (messages->copies_are_over != NULL && !v->gathers)
        messages->copies_are_over(v->rank->devices[device], oldest, &over, e);
    if (!over || e->status != ST_OK || !chunk_at(v, device, &out->sent, &chunk))
        return 0;
    comm_flow_send(v->flow, &chunk);
    pass_chunk(v, device, &out->sent, chunk.size);
    out->copying--;
    return 1;
}

/* ---- receiving ---- */

/* Makes room for messages that a device receives, and expects one from each device of each rank. */
static enum status list_receives(struct vertices *v, uint32_t to, struct error *e)
{
    uint32_t G = v->rank->device_count, devices = v->rank->comm->ranks * G;
    uint64_t total = 0;
    for (uint32_t i = 0; i < devices; i++)
        total += control_incoming(v, i / G, i % G, to).count;
    if (buffer_grow(v, to, &v->buffers[to].receive, total, e) != ST_OK)
        return e->status;
    uint32_t *at = v->buffers[to].receive.ids;
    for (uint32_t i = 0; i < devices; i++) {
        uint64_t count = control_incoming(v, i / G, i % G, to).count;
        if (count > 0)
            v->receives[v->receive_count++] =
                (struct transfer){i / G, tag_of(v, i % G, to), at, count * sizeof *at};
        at += count;
    }
    return ST_OK;
}

/* Gives a chunk to its device: the ids that end in it. */
static enum status take_chunk(struct vertices *v, const struct flow_chunk *chunk, struct error *e)
{
    const struct transfer *t = &v->receives[chunk->message];
    uint32_t G = v->rank->device_count, to = (uint32_t)t->tag % G, *ids = t->bytes;
    struct parcel part = control_incoming(v, t->rank, (uint32_t)t->tag / G, to);
    part.begin = chunk->at / sizeof *ids;
    part.count = (chunk->at + chunk->size) / sizeof *ids - part.begin;
    if (part.count == 0)
        return e->status;
    return v->rank->backend->messages->receive(v->rank->devices[to], ids + part.begin, &part, e);
}

/* ---- both ---- */

/* Counts the boxes. Returns the number of their chunks. */
static size_t count_boxes(const struct vertices *v, struct exchange_counts *counts)
{
    uint64_t chunks = 0;
    for (size_t i = 0; i < v->rank->device_count * boxes_of_device(v); i++) {
        const struct outbox *box = &v->box[i];
        uint64_t bytes = box->count * sizeof *box->ids, *to = v->to[i % boxes_of_device(v) / v->rank->device_count].of;
        int list = box->form == OUTGOING_LIST;
        chunks += divide_up(bytes, v->chunk_bytes);
        to[PAIR_SENT] += list ? box->count : 0;
        to[PAIR_BYTES] += bytes;
        counts->of[list ? COUNT_LIST_BYTES : COUNT_BITS_BYTES] += bytes;
    }
    for (uint32_t r = 0; r < v->rank->comm->ranks; r++) {
        counts->of[COUNT_FOUND_VERTICES] += v->to[r].of[PAIR_FOUND];
        counts->of[COUNT_SENT_VERTICES] += v->to[r].of[PAIR_SENT];
    }
    counts->of[COUNT_MESSAGES] += chunks;
    return (size_t)chunks;
}

enum status vertices_begin(struct vertices *v, struct exchange_counts *counts, struct error *e)
{
    memset(v->out, 0, v->rank->device_count * sizeof *v->out);
    v->receive_count = 0;
    size_t chunks = count_boxes(v, counts);
    for (uint32_t to = 0; to < v->rank->device_count && e->status == ST_OK; to++)
        list_receives(v, to, e);
    if (e->status != ST_OK)
        return e->status;
    return comm_flow_open(&v->flow, v->receives, v->receive_count, chunks, v->chunk_bytes, e);
}

int vertices_are_here(const struct vertices *v)
{
    int over = comm_flow_has_arrived(v->flow);
    for (uint32_t g = 0; g < v->rank->device_count && over; g++) {
        struct outflow_place place = v->out[g].sent;
        struct transfer chunk;
        over = !chunk_at(v, g, &place, &chunk);
    }
    return over;
}

enum status vertices_move(struct vertices *v, struct error *e)
{
    struct flow_chunk chunk;
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++) {
        do {
            while (v->out[g].copying < COPY_MARKS && begin_chunk(v, g, e))
                ;
        } while (send_chunk(v, g, e));
    }
    if (e->status == ST_OK && comm_flow_arrived(v->flow, &chunk))
        take_chunk(v, &chunk, e);
    return e->status;
}

void vertices_end(struct vertices *v)
{
    comm_flow_close(v->flow);
    v->flow = NULL;
}

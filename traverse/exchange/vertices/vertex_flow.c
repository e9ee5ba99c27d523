/* vertex_flow.c: sends vertices to devices of other groups, and takes in theirs (vertices.h)
 *
 * Each send buffer with vertices is a message, which goes in chunks. Several chunks are under way at once: the sending
 * device copies a chunk to its message memory, MPI sends it when the copy is over, and the receiving device takes it in
 * when it has arrived.
 *
 * Host thread 0 does all this for the devices of its rank, because it alone calls MPI. It never waits. */
#include "vertices.h"

#include "formats/base/arith.h"
#include "formats/mpi/flow.h"

/* ---- sending ---- */

/* Returns the tag of a message, which tells the sending and the receiving device. */
static int tag_of(const struct vertices *v, uint32_t from, uint32_t to)
{
    return (int)(from * v->rank->device_count + to);
}

/* Appends the chunks of send buffer number `number` of a device to v->chunk, and adds their number to *count. */
static enum status list_chunks(struct vertices *v, uint32_t device, size_t number, size_t *count, struct error *e)
{
    const struct vertex_span *buffer = send_buffer_of(v, device, 0, 0) + number;
    const uint32_t G = v->rank->device_count;
    const uint64_t bytes = buffer->count * sizeof *buffer->ids;
    for (uint64_t at = 0; at < bytes; at += v->chunk_bytes) {
        struct transfer *grown = memory_grow(v->chunk, *count, sizeof *grown);
        if (grown == NULL)
            return fail_memory(e, "chunks of messages", (*count + 1) * sizeof *grown);
        v->chunk = grown;
        v->chunk[(*count)++] = (struct transfer){.rank = (uint32_t)(number / G),
                                                 .tag = tag_of(v, device, (uint32_t)number % G),
                                                 .bytes = (unsigned char *)buffer->ids + at,
                                                 .size = smaller(bytes - at, v->chunk_bytes)};
    }
    return ST_OK;
}

/* Begins to copy a device's next chunk to its send buffer: all ids that begin in the chunk. With option L buffers are
 * filled already, so nothing is copied. Returns 1 if a chunk was begun; 0 if none is left, or after a failure. */
static int begin_chunk(struct vertices *v, uint32_t device, struct error *e)
{
    const struct rank *rank = v->rank;
    struct device_messages *own = &v->of[device];
    if (own->copied == own->end)
        return 0;
    if (!v->gathers) {
        const struct transfer *chunk = &v->chunk[own->copied];
        const uint32_t to = (uint32_t)chunk->tag % rank->device_count;
        const struct vertex_span *buffer = send_buffer_of(v, device, chunk->rank, to);
        struct vertex_span span = group_outgoing(v->group, device)[shard_of_device(chunk->rank, to, rank->comm->ranks)];
        uint64_t at = (uint64_t)((unsigned char *)chunk->bytes - (unsigned char *)buffer->ids);
        uint64_t first = divide_up(at, sizeof *buffer->ids), end = divide_up(at + chunk->size, sizeof *buffer->ids);
        span.ids += first;
        span.begin += first;
        span.count = end - first;
        if (rank->backend->copy_vertices(rank->devices[device], &span, buffer->ids + first, 0, own->event, e) != ST_OK)
            return 0;
    }
    own->event = (own->event + 1) % COPY_EVENTS;
    own->copied++;
    return 1;
}

/* Sends the oldest chunk of a device that is being copied, if the copy is over. Returns 1 if a chunk was sent. */
static int send_chunk(struct vertices *v, uint32_t device, struct error *e)
{
    struct device_messages *own = &v->of[device];
    uint32_t copying = (uint32_t)(own->copied - own->sent), oldest = (own->event + COPY_EVENTS - copying) % COPY_EVENTS;
    int over = copying > 0;
    if (over && !v->gathers)
        v->rank->backend->is_over(v->rank->devices[device], oldest, &over, e);
    if (!over || e->status != ST_OK)
        return 0;
    comm_flow_send(v->flow, &v->chunk[own->sent++]);
    return 1;
}

/* ---- receiving ---- */

/* Lists the messages that device `to` will receive in v->receives, and makes space for them. */
static enum status list_receives(struct vertices *v, uint32_t to, struct error *e)
{
    uint32_t G = v->rank->device_count, devices = v->rank->comm->ranks * G;
    uint64_t total = 0;
    for (uint32_t i = 0; i < devices; i++)
        total += incoming_span(v, i / G, i % G, to).count;
    if (message_memory_grow(v, to, &v->of[to].receive, total, e) != ST_OK)
        return e->status;
    uint32_t *at = v->of[to].receive.ids;
    for (uint32_t i = 0; i < devices; i++) {
        uint64_t count = incoming_span(v, i / G, i % G, to).count;
        if (count > 0)
            v->receives[v->receive_count++] =
                (struct transfer){i / G, tag_of(v, i % G, to), at, count * sizeof *at};
        at += count;
    }
    return ST_OK;
}

/* Gives a chunk that has arrived to the receiving device. An id across the boundary of two chunks belongs to the later
 * one. */
static enum status take_chunk(struct vertices *v, const struct flow_chunk *chunk, struct error *e)
{
    const struct transfer *t = &v->receives[chunk->message];
    uint32_t G = v->rank->device_count, to = (uint32_t)t->tag % G, *ids = t->bytes;
    struct vertex_span part = incoming_span(v, t->rank, (uint32_t)t->tag / G, to);
    part.begin = chunk->at / sizeof *ids;
    part.count = (chunk->at + chunk->size) / sizeof *ids - part.begin;
    part.ids = ids + part.begin;
    return part.count > 0 ? v->rank->backend->receive(v->rank->devices[to], &part, e) : e->status;
}

/* ---- both ---- */

/* Counts the vertices and bytes of the send buffers, in all and for each receiving rank. */
static void count_buffers(const struct vertices *v, struct exchange_counts *counts)
{
    const uint32_t G = v->rank->device_count;
    for (size_t i = 0; i < G * buffers_of_device(v); i++) {
        const struct vertex_span *buffer = &v->buffer[i];
        const uint64_t bytes = buffer->count * sizeof *buffer->ids;
        const int is_list = buffer->form == OUTGOING_LIST;
        uint64_t *to = v->to[i % buffers_of_device(v) / G].of; /* the counts for the receiving rank */
        to[PAIR_SENT] += is_list ? buffer->count : 0;
        to[PAIR_BYTES] += bytes;
        counts->of[is_list ? COUNT_LIST_BYTES : COUNT_BITS_BYTES] += bytes;
    }
    for (uint32_t r = 0; r < v->rank->comm->ranks; r++) {
        counts->of[COUNT_FOUND_VERTICES] += v->to[r].of[PAIR_FOUND];
        counts->of[COUNT_SENT_VERTICES] += v->to[r].of[PAIR_SENT];
    }
}

/* Prepares the messages of a level, which vertices_move then sends: counts and lists what will be sent and received, and
 * opens the flow. After an earlier failure in *e only counts. */
enum status vertices_begin(struct vertices *v, struct exchange_counts *counts, struct error *e)
{
    size_t chunks = 0;
    v->receive_count = 0;
    count_buffers(v, counts);
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++) {
        struct device_messages *own = &v->of[g];
        own->sent = own->copied = chunks;
        own->event = 0;
        for (size_t i = 0; i < buffers_of_device(v) && e->status == ST_OK; i++)
            list_chunks(v, g, i, &chunks, e);
        own->end = chunks;
        if (e->status == ST_OK)
            list_receives(v, g, e);
    }
    counts->of[COUNT_MESSAGES] += chunks;
    if (e->status != ST_OK)
        return e->status;
    return comm_flow_open(&v->flow, v->receives, v->receive_count, chunks, v->chunk_bytes, e);
}

int vertices_are_here(const struct vertices *v)
{
    int over = comm_flow_has_arrived(v->flow);
    for (uint32_t g = 0; g < v->rank->device_count; g++)
        over = over && v->of[g].sent == v->of[g].end;
    return over;
}

/* Continues the messages without waiting: begins copies, sends chunks that are copied, and takes in one that has arrived. */
enum status vertices_move(struct vertices *v, struct error *e)
{
    struct flow_chunk chunk;
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++) {
        do {
            while (v->of[g].copied - v->of[g].sent < COPY_EVENTS && begin_chunk(v, g, e))
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

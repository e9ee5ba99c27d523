/* send_buffers.c: puts the vertices that leave this rank into send buffers (vertices.h)
 *
 * There is a send buffer from each device of this rank to each device of other groups. The buffers of a sending device
 * stand one after the other in its message memory, so vertices are counted before they are copied. */
#include "vertices.h"

#include <string.h>

/* Returns the send buffer for vertices that device `from` found in shard s of another rank. It is a buffer of `from` or,
 * with option L, of the device of this rank that has the same number as the receiving device. */
static struct vertex_span *leaving_buffer(const struct vertices *v, uint32_t from, uint32_t s)
{
    uint32_t ranks = v->rank->comm->ranks, to = device_of_shard(s, ranks);
    return send_buffer_of(v, v->gathers ? to : from, rank_of_shard(s, ranks), to);
}

/* Returns the vertices that device `from` found in shard s; nothing if the shard is in this group. */
static struct vertex_span leaving_span(const struct vertices *v, uint32_t from, uint32_t s)
{
    return group_has_shard(v->group, s) ? (struct vertex_span){0} : group_outgoing(v->group, from)[s];
}

void vertices_count_found(const struct vertices *v)
{
    const uint32_t ranks = v->rank->comm->ranks;
    memset(v->to, 0, ranks * sizeof *v->to);
    for (uint32_t from = 0; from < v->rank->device_count; from++) {
        for (uint32_t s = 0; s < buffers_of_device(v); s++) {
            struct vertex_span span = leaving_span(v, from, s);
            if (span.form == OUTGOING_LIST)
                v->to[rank_of_shard(s, ranks)].of[PAIR_FOUND] += span.count;
        }
    }
}

/* Makes space for the send buffers of a device, and sets where each of them begins. */
static enum status place_buffers(const struct vertices *v, uint32_t device, struct error *e)
{
    struct vertex_span *buffer = send_buffer_of(v, device, 0, 0);
    uint64_t total = 0;
    for (size_t i = 0; i < buffers_of_device(v); i++)
        total += buffer[i].count;
    if (message_memory_grow(v, device, &v->of[device].send, total, e) != ST_OK)
        return e->status;
    uint32_t *at = v->of[device].send.ids;
    for (size_t i = 0; i < buffers_of_device(v); i++) {
        buffer[i].ids = at;
        at += buffer[i].count;
    }
    return ST_OK;
}

/* Waits until all copies of this rank's devices are over. The copies must have recorded event 0. */
static enum status wait_for_copies(const struct rank *rank, struct error *e)
{
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++) {
        int over = 0;
        while (!over && e->status == ST_OK)
            rank->backend->is_over(rank->devices[g], 0, &over, e);
    }
    return e->status;
}

/* For option L: fills the send buffers with the vertices of all devices of this rank, and waits for the copies. Each
 * buffer's count begins at 0 and grows, because it says where the next vertices go. */
static enum status fill_buffers(const struct vertices *v, struct error *e)
{
    const struct rank *rank = v->rank;
    const uint32_t shards = (uint32_t)buffers_of_device(v);
    for (size_t i = 0; i < (size_t)rank->device_count * shards; i++)
        v->buffer[i].count = 0;
    for (uint32_t from = 0; from < rank->device_count; from++) {
        for (uint32_t s = 0; s < shards && e->status == ST_OK; s++) {
            const struct vertex_span span = leaving_span(v, from, s);
            struct vertex_span *buffer = leaving_buffer(v, from, s);
            const int adds = span.form == OUTGOING_MASK && buffer->count > 0;
            /* two bitmaps must not be ORed into one buffer at the same time */
            if (span.count == 0 || (adds && wait_for_copies(rank, e) != ST_OK))
                continue;
            rank->backend->copy_vertices(rank->devices[from], &span, buffer->ids + (adds ? 0 : buffer->count), adds, 0, e);
            buffer->count += adds ? 0 : span.count;
        }
    }
    return e->status == ST_OK ? wait_for_copies(rank, e) : e->status;
}

enum status vertices_collect(struct vertices *v, struct error *e)
{
    const uint32_t devices = v->rank->device_count, shards = (uint32_t)buffers_of_device(v);
    v->leaving = 0;
    memset(v->buffer, 0, (size_t)devices * shards * sizeof *v->buffer);
    for (uint32_t from = 0; from < devices; from++) {
        for (uint32_t s = 0; s < shards; s++) {
            struct vertex_span span = leaving_span(v, from, s);
            struct vertex_span *buffer = leaving_buffer(v, from, s);
            if (span.count == 0)
                continue;
            buffer->form = span.form;
            /* With option L bitmaps of several devices become one, so their sizes are not added. All devices use the
             * same form. */
            buffer->count = span.form == OUTGOING_MASK ? span.count : buffer->count + span.count;
            v->leaving = 1;
        }
    }
    for (uint32_t g = 0; v->leaving && g < devices && e->status == ST_OK; g++)
        place_buffers(v, g, e);
    if (!v->leaving || !v->gathers || e->status != ST_OK) /* without option L vertex_flow.c copies the chunks */
        return e->status;
    return fill_buffers(v, e);
}

/* outboxes.c: puts the vertices that leave this rank into boxes; see vertices.h
 *
 * There is a box for each pair of a sending device and a receiving device of another rank. The boxes of a
 * device lie one after the other in its exchange memory, so vertices are counted, then copied.
 */
#include "unique.h"
#include "vertices.h"

#include <string.h>

/* ---- counting ---- */

/* The box for vertices that device `from` found for shard s of another rank. With option L the device with
 * the receiver's number sends it. */
static struct send_buffer *send_buffer_for(const struct vertices *v, uint32_t from, uint32_t s)
{
    uint32_t ranks = v->rank->comm->ranks, to = device_of_shard(s, ranks);
    return send_buffer_of(v, v->gathers ? to : from, rank_of_shard(s, ranks), to);
}

/* The vertices that device `from` found for shard s of another group; otherwise none. */
static struct vertex_span leaving_span(const struct vertices *v, uint32_t from, uint32_t s)
{
    return group_has_shard(v->group, s) ? (struct vertex_span){0} : group_span_for(v->group, from, s);
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

/* Adds a span to its box. With option L masks of devices become one, as all use the same form. */
static void count_vertex_span(struct vertices *v, uint32_t from, uint32_t s)
{
    struct vertex_span span = leaving_span(v, from, s);
    struct send_buffer *box = send_buffer_for(v, from, s);
    if (span.count == 0)
        return;
    box->form = span.form;
    box->count = span.form == OUTGOING_MASK ? span.count : box->count + span.count;
    v->leaving = 1;
}

/* ---- collecting ---- */

/* Makes room for the messages that a device sends. */
static enum status place_boxes(const struct vertices *v, uint32_t device, struct error *e)
{
    struct send_buffer *box = send_buffer_of(v, device, 0, 0);
    uint64_t total = 0;
    for (size_t i = 0; i < buffers_of_device(v); i++)
        total += box[i].count;
    if (buffer_grow(v, device, &v->of[device].send, total, e) != ST_OK)
        return e->status;
    uint32_t *at = v->of[device].send.ids;
    for (size_t i = 0; i < buffers_of_device(v); i++) {
        box[i].ids = at;
        at += box[i].count;
        if (v->gathers)
            box[i].count = 0; /* fill_box adds it up again */
    }
    return ST_OK;
}

static enum status wait_for_copies(const struct rank *rank, struct error *e)
{
    const struct backend_messages *messages = rank->backend->messages;
    for (uint32_t g = 0; messages->record_copies != NULL && g < rank->device_count && e->status == ST_OK; g++) {
        int over = 0;
        messages->record_copies(rank->devices[g], 0, e);
        while (!over && e->status == ST_OK)
            messages->copies_are_over(rank->devices[g], 0, &over, e);
    }
    return e->status;
}

/* Option L: adds a device's vertices to a box that all devices of this rank share. */
static enum status fill_box(const struct vertices *v, uint32_t from, uint32_t s, struct error *e)
{
    const struct rank *rank = v->rank;
    const struct backend_messages *messages = rank->backend->messages;
    struct vertex_span span = leaving_span(v, from, s);
    struct send_buffer *box = send_buffer_for(v, from, s);
    if (span.count == 0)
        return ST_OK;
    if (span.form == OUTGOING_LIST || box->count == 0) {
        messages->take_outgoing(rank->devices[from], &span, box->ids + box->count, e);
        box->count += span.count;
    } else if (wait_for_copies(rank, e) == ST_OK) { /* one device after the other */
        messages->or_outgoing(rank->devices[from], &span, box->ids, e);
    }
    return e->status;
}

enum status vertices_collect(struct vertices *v, struct error *e)
{
    const uint32_t devices = v->rank->device_count, shards = (uint32_t)buffers_of_device(v);
    v->leaving = 0;
    memset(v->box, 0, (size_t)devices * shards * sizeof *v->box);
    for (uint32_t from = 0; from < devices; from++) {
        for (uint32_t s = 0; s < shards; s++)
            count_vertex_span(v, from, s);
    }
    for (uint32_t g = 0; v->leaving && g < devices && e->status == ST_OK; g++)
        place_boxes(v, g, e);
    if (!v->leaving || !v->gathers) /* without option L vertex_flow.c copies the chunks */
        return e->status;
    for (uint32_t from = 0; from < devices; from++) {
        for (uint32_t s = 0; s < shards && e->status == ST_OK; s++)
            fill_box(v, from, s, e);
    }
    return e->status == ST_OK ? wait_for_copies(v->rank, e) : e->status;
}

/* ---- dropping duplicates ---- */

enum status vertices_drop_repeated(const struct group *group, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = group->rank;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->messages->drop_repeated(rank->devices[g], e);
    return e->status;
}

static void drop_in_boxes(struct send_buffer *box, uint32_t boxes)
{
    for (uint32_t i = 0; i < boxes; i++) {
        if (box[i].form == OUTGOING_LIST)
            box[i].count = unique_ids(box[i].ids, box[i].count);
    }
}

enum status vertices_drop_duplicates(const struct vertices *v, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = v->rank;
    const struct backend_messages *messages = rank->backend->messages;
    const uint32_t boxes = (uint32_t)buffers_of_device(v);
    for (uint32_t g = m->first; v->leaving && g < m->end && e->status == ST_OK; g++) {
        struct send_buffer *box = send_buffer_of(v, g, 0, 0);
        if (messages->uniquify != NULL)
            messages->uniquify(rank->devices[g], box, boxes, e);
        else
            drop_in_boxes(box, boxes);
    }
    return e->status;
}

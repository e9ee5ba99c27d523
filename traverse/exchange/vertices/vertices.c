/* vertices.c: memory of boxes, buffers and messages; see vertices.h */
#include "vertices.h"

#include "formats/base/arith.h"

#include <stdlib.h>

/* ---- buffers ---- */

static void release(const struct rank *rank, uint32_t device, struct buffer *buffer)
{
    const struct backend_messages *messages = rank->backend->messages;
    if (rank->exchange_memory == EXCHANGE_DEVICE) {
        messages->exchange_release(rank->devices[device], buffer->ids);
    } else {
        messages->host_release(buffer->ids);
        memory_discharge(rank->budget, buffer->capacity * sizeof *buffer->ids);
    }
    *buffer = (struct buffer){0};
}

/* Twice the capacity of before, if so much may be needed. With option L nobody knows how much a device
 * may gather, so it takes its need; all devices then have no more than without. */
static uint64_t next_capacity(const struct vertices *v, uint32_t device, uint64_t capacity, uint64_t need)
{
    uint64_t twice = smaller(2 * capacity, v->rank->graph->shards[device].csr[NN].edges);
    return v->gathers ? need : larger(need, twice);
}

enum status buffer_grow(const struct vertices *v, uint32_t device, struct buffer *buffer, uint64_t need,
                        struct error *e)
{
    const struct rank *rank = v->rank;
    uint64_t capacity = next_capacity(v, device, buffer->capacity, need);
    if (need <= buffer->capacity)
        return ST_OK;
    release(rank, device, buffer);
    int on_host = rank->exchange_memory == EXCHANGE_HOST;
    const struct backend_messages *messages = rank->backend->messages;
    const char *what = "nn exchange buffers";
    size_t bytes = capacity * sizeof *buffer->ids;
    if (on_host && memory_charge(rank->budget, bytes, what, e) != ST_OK)
        return e->status;
    buffer->capacity = capacity;
    buffer->ids = on_host ? messages->host_take(bytes, what, e)
                          : messages->exchange_take(rank->devices[device], bytes, what, e);
    return e->status;
}

/* Makes room for the longest lists that are shorter than masks, if shards have edges for them. So no
 * search waits for more: memory that devices copy to fast takes milliseconds to get. */
static enum status grow_all(const struct vertices *v, struct error *e)
{
    const struct rank *rank = v->rank;
    uint64_t normals = 0;
    for (uint32_t s = 0; s < rank->graph->manifest.p; s++)
        normals += rank->graph->locals[s];
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++) {
        uint64_t capacity = smaller(normals / 32 + 1, rank->graph->shards[g].csr[NN].edges);
        if (buffer_grow(v, g, &v->of[g].send, capacity, e) == ST_OK)
            buffer_grow(v, g, &v->of[g].receive, capacity, e);
    }
    return e->status;
}

/* ---- opening ---- */

enum status vertices_open(struct vertices *v, struct group *group, uint64_t chunk_bytes, int gathers,
                          int frontiers, struct error *e)
{
    static const char what[] = "tables of messages";
    const struct rank *rank = group->rank;
    const uint64_t G = rank->device_count, R = rank->comm->ranks;
    *v = (struct vertices){
        .group = group, .rank = rank, .chunk_bytes = chunk_bytes, .gathers = gathers};
    v->box = zeroed(R * G * G, sizeof *v->box, what, e);
    v->of = zeroed(G, sizeof *v->of, what, e);
    v->control = zeroed(2 * R * control_width(rank), sizeof *v->control, what, e);
    v->notes = zeroed(R, sizeof *v->notes, what, e);
    v->to = zeroed(R, sizeof *v->to, what, e);
    v->sends = zeroed(R * G, sizeof *v->sends, what, e);
    v->receives = zeroed(R * G * G, sizeof *v->receives, what, e);
    if (e->status == ST_OK && rank->backend->has_device_memory)
        grow_all(v, e);
    return frontiers ? open_frontiers(v, group, e) : e->status;
}

void vertices_close(struct vertices *v, const struct rank *rank)
{
    for (uint32_t g = 0; v->of != NULL && g < rank->device_count; g++) {
        release(rank, g, &v->of[g].send);
        release(rank, g, &v->of[g].receive);
    }
    void *const tables[] = {v->box, v->of, v->control, v->notes, v->to, v->sends, v->receives};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
    free(v->chunk);
    rank->backend->messages->host_release(v->frontiers);
}

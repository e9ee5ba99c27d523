/* vertices.c: memory of send buffers and messages; see vertices.h */
#include "vertices.h"

#include "formats/base/arith.h"

#include <stdlib.h>

static void release(const struct rank *rank, uint32_t device, struct message_memory *memory)
{
    if (rank->exchange_memory == EXCHANGE_DEVICE) {
        rank->backend->exchange_release(rank->devices[device], memory->ids);
    } else {
        rank->backend->host_release(memory->ids);
        memory_discharge(rank->budget, memory->capacity * sizeof *memory->ids);
    }
    *memory = (struct message_memory){0};
}

enum status message_memory_grow(const struct vertices *v, uint32_t device, struct message_memory *memory, uint64_t need,
                                struct error *e)
{
    static const char what[] = "nn exchange buffers";
    const struct rank *rank = v->rank;
    /* Twice the capacity of before, if so much may be needed. With option L nobody knows how much a device may gather, so
     * the memory grows to what is needed; all devices then have no more than without. */
    const uint64_t twice = smaller(2 * memory->capacity, rank->graph->shards[device].csr[NN].edges);
    const uint64_t capacity = v->gathers ? need : larger(need, twice);
    const size_t bytes = capacity * sizeof *memory->ids;
    if (need <= memory->capacity)
        return ST_OK;
    release(rank, device, memory);
    if (rank->exchange_memory == EXCHANGE_HOST && memory_charge(rank->budget, bytes, what, e) != ST_OK)
        return e->status;
    memory->capacity = capacity;
    memory->ids = rank->exchange_memory == EXCHANGE_HOST
                      ? rank->backend->host_take(bytes, what, e)
                      : rank->backend->exchange_take(rank->devices[device], bytes, what, e);
    return e->status;
}

/* Takes memory for the longest lists that are shorter than bitmaps, if shards have edges for them. So no search waits for
 * more: memory that devices copy to fast takes milliseconds to get. */
static enum status grow_all(const struct vertices *v, struct error *e)
{
    const struct graph *graph = v->rank->graph;
    uint64_t normals = 0;
    for (uint32_t s = 0; s < graph->manifest.p; s++)
        normals += graph->locals[s];
    for (uint32_t g = 0; g < v->rank->device_count && e->status == ST_OK; g++) {
        uint64_t capacity = smaller(normals / 32 + 1, graph->shards[g].csr[NN].edges);
        if (message_memory_grow(v, g, &v->of[g].send, capacity, e) == ST_OK)
            message_memory_grow(v, g, &v->of[g].receive, capacity, e);
    }
    return e->status;
}

enum status vertices_open(struct vertices *v, struct group *group, uint64_t chunk_bytes, int gathers, int frontiers,
                          struct error *e)
{
    static const char what[] = "tables of messages";
    const struct rank *rank = group->rank;
    const uint64_t G = rank->device_count, R = rank->comm->ranks;
    *v = (struct vertices){.group = group, .rank = rank, .chunk_bytes = chunk_bytes, .gathers = gathers};
    v->buffer = zeroed(R * G * G, sizeof *v->buffer, what, e);
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
    void *const tables[] = {v->buffer, v->of, v->control, v->notes, v->to, v->sends, v->receives};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
    free(v->chunk);
    rank->backend->host_release(v->frontiers);
}

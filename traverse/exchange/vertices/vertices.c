/* vertices.c: allocates the memory of messages, and lets ranks tell each other about a level (vertices.h)
 *
 * What a rank tells is a note of what it found, and the sizes of its send buffers, each of which becomes a message
 * unless it is empty. So a rank knows the length of each message before it comes. */
#include "vertices.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

enum { NOTE_WORDS = sizeof(struct rank_note) / sizeof(uint64_t) };

#define BITMAP_BIT (UINT64_C(1) << 63) /* set in the number of words of a bitmap, not in the number of ids of a list */

/* Returns the number of 64-bit words that a rank tells another: a note, and a count for each pair of their devices. */
static size_t control_width(const struct rank *rank)
{
    return NOTE_WORDS + (size_t)rank->device_count * rank->device_count;
}

/* Frees memory for messages of a device. Only host memory has been charged to the budget. The memory may be empty. */
static void free_message_memory(const struct rank *rank, uint32_t device, struct message_memory *memory)
{
    rank->backend->release_buffer(rank->devices[device], rank->exchange_memory, memory->ids);
    if (rank->exchange_memory == EXCHANGE_HOST)
        memory_discharge(rank->budget, memory->capacity * sizeof *memory->ids);
    *memory = (struct message_memory){0};
}

/* Loses the old content, and charges host memory to the budget. After a failure memory->ids is NULL. */
enum status message_memory_grow(const struct vertices *v, uint32_t device, struct message_memory *memory, uint64_t need,
                                struct error *e)
{
    static const char what[] = "nn exchange buffers";
    const struct rank *rank = v->rank;
    /* The memory is doubled, up to one id for each nn edge of the shard. With option L a device also sends vertices that
     * other devices found, so its own edges are no limit, and it gets only what it needs. All devices together then need no
     * more memory than without option L. */
    const uint64_t twice = smaller(2 * memory->capacity, rank->graph->shards[device].csr[NN].edges);
    const uint64_t capacity = v->gathers ? need : larger(need, twice);
    const size_t bytes = capacity * sizeof *memory->ids;
    if (need <= memory->capacity)
        return ST_OK;
    free_message_memory(rank, device, memory);
    if (rank->exchange_memory == EXCHANGE_HOST && memory_charge(rank->budget, bytes, what, e) != ST_OK)
        return e->status;
    memory->capacity = capacity;
    memory->ids = rank->backend->take_buffer(rank->devices[device], rank->exchange_memory, bytes, what, e);
    return e->status;
}

/* Gives each device enough memory for the longest lists. A longer list would have more bytes than a bitmap, and no list
 * has more ids than the shard has nn edges. This is done before any search, because memory that devices copy to fast
 * takes milliseconds to allocate. */
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
        free_message_memory(rank, g, &v->of[g].send);
        free_message_memory(rank, g, &v->of[g].receive);
    }
    void *const tables[] = {v->buffer, v->of, v->control, v->notes, v->to, v->sends, v->receives};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
    free(v->chunk);
    free(v->frontier_words);
    group_free_memory(rank, &v->frontiers);
}

/* ---- notes ---- */

void vertices_share(struct vertices *v, const struct rank_note *own)
{
    const uint32_t G = v->rank->device_count, R = v->rank->comm->ranks;
    const size_t width = control_width(v->rank);
    uint64_t *const in = v->control + R * width;
    for (uint32_t r = 0; r < R; r++) {
        uint64_t *row = v->control + r * width;
        memcpy(row, own, sizeof *own);
        for (uint32_t i = 0; i < G * G; i++) {
            const struct vertex_span *buffer = send_buffer_of(v, i / G, r, i % G);
            row[NOTE_WORDS + i] = buffer->count | (buffer->form == OUTGOING_MASK ? BITMAP_BIT : 0);
        }
    }
    comm_alltoall_u64(v->rank->comm, v->control, in, (int)width);
    for (uint32_t r = 0; r < R; r++)
        memcpy(&v->notes[r], in + r * width, sizeof *v->notes);
}

struct vertex_span incoming_span(const struct vertices *v, uint32_t rank, uint32_t from, uint32_t to)
{
    const uint64_t *row = v->control + (v->rank->comm->ranks + rank) * control_width(v->rank);
    const uint64_t count = row[NOTE_WORDS + from * v->rank->device_count + to];
    return (struct vertex_span){.count = count & ~BITMAP_BIT,
                                .form = (count & BITMAP_BIT) != 0 ? OUTGOING_MASK : OUTGOING_LIST};
}

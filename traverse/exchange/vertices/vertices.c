/* vertices.c: memory of messages, and the notes in which ranks tell each other about a level; see vertices.h
 *
 * A note says how the level of the rank went, and how much comes from each of its devices to each device of the receiver.
 * There is one message for each send buffer that is not empty: receivers learn the length from the note.
 */
#include "vertices.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

enum { NOTE_WORDS = sizeof(struct rank_note) / sizeof(uint64_t) };

#define BITMAP_BIT (UINT64_C(1) << 63) /* in a count: of words of a bitmap, not of ids */

/* 64-bit words of a row of `control`: a note, and the counts for each pair of devices. */
static size_t control_width(const struct rank *rank)
{
    return NOTE_WORDS + (size_t)rank->device_count * rank->device_count;
}

/* Frees exchange memory of a device. */
static void release(const struct rank *rank, uint32_t device, struct message_memory *memory)
{
    rank->backend->release_buffer(rank->devices[device], rank->exchange_memory, memory->ids);
    if (rank->exchange_memory == EXCHANGE_HOST)
        memory_discharge(rank->budget, memory->capacity * sizeof *memory->ids);
    *memory = (struct message_memory){0};
}

/* Replaces a device's memory for messages if it has less than `need` ids, and charges host memory. */
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
    memory->ids = rank->backend->take_buffer(rank->devices[device], rank->exchange_memory, bytes, what, e);
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

/* Takes the tables of messages and, where memory is slow to get, the message memory of each device. */
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

/* Frees the message memory of devices, and the tables. */
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
    free(v->frontier_words);
    rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, v->frontiers);
}

/* ---- notes ---- */

/* Sends to each rank the note of this rank and the sizes of the send buffers for that rank's devices, in one all-to-all. */
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

/* Decodes the count that a rank sent for one of its devices and one of this rank. */
struct vertex_span incoming_span(const struct vertices *v, uint32_t rank, uint32_t from, uint32_t to)
{
    const uint64_t *row = v->control + (v->rank->comm->ranks + rank) * control_width(v->rank);
    const uint64_t count = row[NOTE_WORDS + from * v->rank->device_count + to];
    return (struct vertex_span){.count = count & ~BITMAP_BIT,
                                .form = (count & BITMAP_BIT) != 0 ? OUTGOING_MASK : OUTGOING_LIST};
}

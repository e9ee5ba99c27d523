/* control.c: notes of the ranks about a level, in one small all-to-all; see vertices.h
 *
 * A note says how the level of the rank went, and how much comes from each of its devices to each of the
 * receiver's. There is one message for each send buffer that is not empty: receivers learn the length here.
 */
#include "vertices.h"

#include <string.h>

enum { NOTE_WORDS = sizeof(struct rank_note) / sizeof(uint64_t) };

#define BITMAP_BIT (UINT64_C(1) << 63) /* in a count: of words of a bitmap, not of ids */

size_t control_width(const struct rank *rank)
{
    return NOTE_WORDS + (size_t)rank->device_count * rank->device_count;
}

void vertices_share(struct vertices *v, const struct rank_note *own)
{
    const uint32_t G = v->rank->device_count, R = v->rank->comm->ranks;
    const size_t width = control_width(v->rank);
    uint64_t *const in = v->control + R * width;
    for (uint32_t r = 0; r < R; r++) {
        uint64_t *row = v->control + r * width;
        memcpy(row, own, sizeof *own);
        for (uint32_t i = 0; i < G * G; i++) {
            const struct send_buffer *buffer = send_buffer_of(v, i / G, r, i % G);
            row[NOTE_WORDS + i] = buffer->count | (buffer->form == OUTGOING_MASK ? BITMAP_BIT : 0);
        }
    }
    comm_alltoall_u64(v->rank->comm, v->control, in, (int)width);
    for (uint32_t r = 0; r < R; r++)
        memcpy(&v->notes[r], in + r * width, sizeof *v->notes);
}

struct vertex_span control_incoming(const struct vertices *v, uint32_t rank, uint32_t from, uint32_t to)
{
    const uint64_t *row = v->control + (v->rank->comm->ranks + rank) * control_width(v->rank);
    const uint64_t count = row[NOTE_WORDS + from * v->rank->device_count + to];
    return (struct vertex_span){.count = count & ~BITMAP_BIT,
                                .form = (count & BITMAP_BIT) != 0 ? OUTGOING_MASK : OUTGOING_LIST};
}

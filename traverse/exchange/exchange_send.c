/* exchange_send.c: vertices on their way to the devices that own them (Pan et al., section V-B; exchange.h)
 *
 * Between ranks there is one message for each box that is not empty; receivers learn its length beforehand.
 * Between devices of one rank there are no messages: a device reads the vertices where the other one has
 * them.
 */
#include "exchange_internal.h"

/* ---- counts ---- */

/* A rank tells each other rank how its level went, and how many vertices come from each of its devices to
 * each of the receiver's. */
enum { CONTROL_UPDATED, CONTROL_FOUND, CONTROL_COUNTS };

size_t control_width(const struct exchange *x)
{
    return CONTROL_COUNTS + (size_t)x->G * x->G;
}

/* Collective. The state of the level becomes that of all ranks. */
void share_counts(struct exchange *x)
{
    size_t width = control_width(x);
    struct level_state *level = &x->level;
    level->found |= level->leaving > 0 || level->staying > 0;
    if (x->R == 1)
        return;
    for (uint32_t r = 0; r < x->R; r++) {
        uint64_t *row = x->control + r * width;
        row[CONTROL_UPDATED] = (uint64_t)level->updated;
        row[CONTROL_FOUND] = (uint64_t)level->found;
        for (uint32_t i = 0; i < x->G * x->G; i++)
            row[CONTROL_COUNTS + i] = outbox_of(x, i / x->G, r, i % x->G)->count;
    }
    comm_alltoall_u64(x->rank->comm, x->control, x->control_in, (int)width);
    for (uint32_t r = 0; r < x->R; r++) {
        level->updated |= x->control_in[r * width + CONTROL_UPDATED] != 0;
        level->found |= x->control_in[r * width + CONTROL_FOUND] != 0;
    }
}

/* How many vertices device `from` of a rank sends to device `to` of this one. */
static uint64_t incoming_count(const struct exchange *x, uint32_t rank, uint32_t from, uint32_t to)
{
    return x->control_in[rank * control_width(x) + CONTROL_COUNTS + from * x->G + to];
}

/* ---- messages ---- */

static int tag_of(const struct exchange *x, uint32_t from, uint32_t to)
{
    return (int)(from * x->G + to);
}

static struct transfer transfer_of(uint32_t rank, int tag, uint32_t *ids, uint64_t count)
{
    return (struct transfer){.rank = rank, .tag = tag, .bytes = ids, .size = count * sizeof *ids};
}

static size_t list_sends(struct exchange *x)
{
    size_t listed = 0;
    for (uint32_t r = 0; r < x->R; r++) {
        for (uint32_t i = 0; i < x->G * x->G; i++) {
            const struct outbox *box = outbox_of(x, i / x->G, r, i % x->G);
            if (box->count == 0)
                continue;
            x->sends[listed++] =
                transfer_of(r, tag_of(x, i / x->G, i % x->G), box->ids, box->count);
            x->level.sent += box->count;
        }
    }
    return listed;
}

/* Room for what a device receives, and a message from each device of each rank. */
static enum status list_receives(struct exchange *x, uint32_t to, struct error *e)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < x->R * x->G; i++)
        total += incoming_count(x, i / x->G, i % x->G, to);
    if (grow_buffer(x, to, &x->receive[to], total, e) != ST_OK)
        return e->status;
    uint32_t *at = x->receive[to].ids;
    for (uint32_t i = 0; i < x->R * x->G; i++) {
        uint32_t rank = i / x->G, from = i % x->G;
        uint64_t count = incoming_count(x, rank, from, to);
        if (count == 0)
            continue;
        x->receives[x->level.receives++] = transfer_of(rank, tag_of(x, from, to), at, count);
        at += count;
    }
    return ST_OK;
}

/* Sends the boxes, and receives what other ranks send. */
enum status send_vertices(struct exchange *x, struct error *e)
{
    if (x->R == 1)
        return ST_OK;
    size_t sends = list_sends(x);
    for (uint32_t to = 0; to < x->G && e->status == ST_OK; to++)
        list_receives(x, to, e);
    if (e->status != ST_OK)
        return e->status;
    return comm_transfer(x->rank->comm, x->sends, sends, x->receives, x->level.receives,
                         x->options.chunk_bytes, e);
}

/* ---- arrival ---- */

enum status receive_from_devices(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    if (x->level.staying == 0)
        return ST_OK;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->messages->receive_local(rank->devices[g], rank->devices, x->G, e);
    return e->status;
}

/* The device that a message is for stands in its tag. */
enum status receive_from_ranks(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    for (size_t i = 0; i < x->level.receives && e->status == ST_OK; i++) {
        const struct transfer *t = &x->receives[i];
        uint32_t to = (uint32_t)t->tag % x->G;
        if (to >= m->first && to < m->end)
            rank->backend->messages->receive(rank->devices[to], t->bytes,
                                             t->size / sizeof(uint32_t), e);
    }
    return e->status;
}

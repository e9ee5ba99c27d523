/* exchange_send.c: vertices on their way to the devices that own them (Pan et al., section V-B; exchange.h)
 *
 * Between groups there is one message for each box that is not empty; receivers learn its length beforehand.
 * Within a group there are no messages: a device reads the vertices where the other one has them.
 */
#include "exchange_internal.h"

/* ---- counts ---- */

/* A rank tells each other rank how its level went, and how much comes from each of its devices to each of the
 * receiver's. */
enum { CONTROL_UPDATED, CONTROL_FOUND, CONTROL_REACH, CONTROL_COUNTS };

#define MASK_BIT (UINT64_C(1) << 63) /* of a count */

static uint64_t encode_count(const struct outbox *box)
{
    return box->count | (box->form == OUTGOING_MASK ? MASK_BIT : 0);
}

size_t control_width(const struct exchange *x)
{
    return CONTROL_COUNTS + (size_t)x->G * x->G;
}

/* Collective. The state of the level becomes that of all ranks. */
void share_counts(struct exchange *x)
{
    size_t width = control_width(x);
    struct level_state *level = &x->level;
    level->found |= level->leaving;
    for (uint32_t r = 0; r < x->R; r++) {
        uint64_t *row = x->mail.control + r * width;
        row[CONTROL_UPDATED] = (uint64_t)level->updated;
        row[CONTROL_FOUND] = (uint64_t)level->found;
        row[CONTROL_REACH] = (uint64_t)x->nn.reach;
        for (uint32_t i = 0; i < x->G * x->G; i++)
            row[CONTROL_COUNTS + i] = encode_count(outbox_of(x, i / x->G, r, i % x->G));
    }
    comm_alltoall_u64(x->rank->comm, x->mail.control, x->mail.control_in, (int)width);
    double reach = 0;
    for (uint32_t r = 0; r < x->R; r++) {
        reach += (double)x->mail.control_in[r * width + CONTROL_REACH];
        level->updated |= x->mail.control_in[r * width + CONTROL_UPDATED] != 0;
        level->found |= x->mail.control_in[r * width + CONTROL_FOUND] != 0;
    }
    level->wide = x->options.form == EXCHANGE_FORM_BITS || 32 * reach > (double)x->normals;
}

/* What device `from` of a rank sends to device `to` of this one: ids, or words of a mask with MASK_BIT. */
static uint64_t incoming(const struct exchange *x, uint32_t rank, uint32_t from, uint32_t to)
{
    return x->mail.control_in[rank * control_width(x) + CONTROL_COUNTS + from * x->G + to];
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
            x->mail.sends[listed++] =
                transfer_of(r, tag_of(x, i / x->G, i % x->G), box->ids, box->count);
            count_box(x, box);
        }
    }
    return listed;
}

/* Room for what a device receives, and a message from each device of each rank. */
static enum status list_receives(struct exchange *x, uint32_t to, struct error *e)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < x->R * x->G; i++)
        total += incoming(x, i / x->G, i % x->G, to) & ~MASK_BIT;
    if (grow_buffer(x, to, &x->mail.receive[to], total, e) != ST_OK)
        return e->status;
    uint32_t *at = x->mail.receive[to].ids;
    for (uint32_t i = 0; i < x->R * x->G; i++) {
        uint32_t rank = i / x->G, from = i % x->G;
        uint64_t count = incoming(x, rank, from, to) & ~MASK_BIT;
        if (count == 0)
            continue;
        x->mail.receives[x->level.receives++] = transfer_of(rank, tag_of(x, from, to), at, count);
        at += count;
    }
    return ST_OK;
}

/* Sends the boxes, and receives what other ranks send. */
enum status send_vertices(struct exchange *x, struct error *e)
{
    size_t sends = list_sends(x);
    for (uint32_t to = 0; to < x->G && e->status == ST_OK; to++)
        list_receives(x, to, e);
    if (e->status != ST_OK)
        return e->status;
    return comm_transfer(x->rank->comm, x->mail.sends, sends, x->mail.receives, x->level.receives,
                         x->options.chunk_bytes, e);
}

/* ---- arrival ---- */

enum status receive_from_peers(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    const struct group *group = &x->group;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        const struct parcel *parcels = parcel_between(group, 0, group->first + g);
        uint64_t units = 0;
        for (uint32_t i = 0; i < group->count; i++)
            units += parcels[i].count;
        if (units > 0)
            rank->backend->messages->receive_peers(rank->devices[g], parcels, e);
    }
    return e->status;
}

/* The devices that a message is from and for stand in its tag. */
enum status receive_from_ranks(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    for (size_t i = 0; i < x->level.receives && e->status == ST_OK; i++) {
        const struct transfer *t = &x->mail.receives[i];
        uint32_t from = (uint32_t)t->tag / x->G, to = (uint32_t)t->tag % x->G;
        int mask = (incoming(x, t->rank, from, to) & MASK_BIT) != 0;
        if (to >= m->first && to < m->end)
            rank->backend->messages->receive(rank->devices[to], t->bytes,
                                             t->size / sizeof(uint32_t),
                                             mask ? OUTGOING_MASK : OUTGOING_LIST, e);
    }
    return e->status;
}

/* exchange_send.c: what ranks tell each other about a level, and vertices within a group (exchange.h)
 *
 * Between groups there is one message for each box that is not empty (exchange_flow.c); receivers learn its
 * length here. Within a group there are no messages: a device reads the vertices where the other one has
 * them.
 */
#include "exchange_internal.h"

#include <stdlib.h>

/* ---- counts ---- */

/* A rank tells each other rank how its level went, and how much comes from each of its devices to each of the
 * receiver's. */
enum { CONTROL_UPDATED, CONTROL_FOUND, CONTROL_REACH, CONTROL_CHANGED, CONTROL_COUNTS };

static uint64_t encode_count(const struct outbox *box)
{
    return box->count | (box->form == OUTGOING_MASK ? MASK_BIT : 0);
}

size_t control_width(const struct exchange *x)
{
    return CONTROL_COUNTS + (size_t)x->G * x->G;
}

int leads_group(const struct exchange *x, uint32_t rank)
{
    return x->mail.control_in[rank * control_width(x) + CONTROL_CHANGED] > 0;
}

/* Words of the mask of a rank's group that changed. Only the first rank of a group tells. */
uint64_t changed_of(const struct exchange *x, uint32_t rank)
{
    uint64_t told = x->mail.control_in[rank * control_width(x) + CONTROL_CHANGED];
    return told > 0 ? told - 1 : 0;
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
        row[CONTROL_CHANGED] = x->group.first == 0 ? level->changed + 1 : 0;
        for (uint32_t i = 0; i < x->G * x->G; i++)
            row[CONTROL_COUNTS + i] = encode_count(outbox_of(x, i / x->G, r, i % x->G));
    }
    comm_alltoall_u64(x->rank->comm, x->mail.control, x->mail.control_in, (int)width);
    double reach = 0;
    level->changed = 0;
    for (uint32_t r = 0; r < x->R; r++) {
        reach += (double)x->mail.control_in[r * width + CONTROL_REACH];
        level->changed += changed_of(x, r);
        level->updated |= x->mail.control_in[r * width + CONTROL_UPDATED] != 0;
        level->found |= x->mail.control_in[r * width + CONTROL_FOUND] != 0;
    }
    level->wide = x->options.form == EXCHANGE_FORM_BITS || 32 * reach > (double)x->nn.bits;
}

/* What device `from` of a rank sends to device `to` of this one: ids, or words of a mask with MASK_BIT. */
uint64_t incoming(const struct exchange *x, uint32_t rank, uint32_t from, uint32_t to)
{
    return x->mail.control_in[rank * control_width(x) + CONTROL_COUNTS + from * x->G + to];
}

/* ---- arrival ---- */

enum status receive_from_peers(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    const struct group *group = &x->group;
    struct parcel *parcels = malloc(group->count * sizeof *parcels);
    if (parcels == NULL)
        return fail_memory(e, "vertices of peers", group->count * sizeof *parcels);
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        uint64_t units = 0;
        for (uint32_t i = 0; i < group->count; i++) {
            parcels[i] = parcel_from_peer(x, i, group->first + g);
            units += parcels[i].count;
        }
        if (units > 0)
            rank->backend->messages->receive_peers(rank->devices[g], parcels, e);
    }
    free(parcels);
    return e->status;
}

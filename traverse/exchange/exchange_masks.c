/* exchange_masks.c: the reduction of delegate masks (Pan et al., section V-A; exchange.h)
 *
 * Without other ranks every device ORs the masks of all devices of the rank for itself. With other ranks
 * the first device does, MPI reduces the result in host memory, and every device takes it from there.
 */
#include "exchange_internal.h"

int exchange_overlaps(const struct exchange *x)
{
    return x->R > 1 && x->options.nonblocking;
}

int masks_updated(const struct exchange *x)
{
    int updated = 0;
    for (uint32_t g = 0; g < x->G; g++)
        updated |= x->rank->backend->messages->updated(x->rank->devices[g]);
    return updated;
}

/* What this rank's devices updated, into `mask` unless that is NULL. */
static enum status read_masks(struct exchange *x, uint32_t device, uint64_t *mask, struct error *e)
{
    const struct rank *rank = x->rank;
    return rank->backend->messages->read_masks(rank->devices[device], rank->devices, x->G, mask, e);
}

/* Collective. Begins a reduction over the ranks if any of them has updates. */
enum status begin_masks(struct exchange *x, struct error *e)
{
    uint64_t updating = (uint64_t)masks_updated(x); /* ranks that do */
    comm_sum_u64(x->rank->comm, &updating, 1);
    x->masks_begun = updating > 0;
    if (x->masks_begun && read_masks(x, 0, x->mask, e) == ST_OK)
        comm_begin_or_masks(x->rank->comm, x->mask, x->words);
    return e->status;
}

enum status reduce_masks(struct exchange *x, const struct member *m, struct error *e)
{
    for (uint32_t g = m->first; x->R == 1 && g < m->end && e->status == ST_OK; g++)
        read_masks(x, g, NULL, e);
    if (x->R > 1 && m->number == 0 && read_masks(x, 0, x->mask, e) == ST_OK)
        comm_or_masks(x->rank->comm, x->mask, x->words);
    return e->status;
}

/* Ends the reduction: every device takes the result. */
enum status take_masks(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    if (exchange_overlaps(x)) {
        if (m->number == 0)
            comm_wait_masks(rank->comm);
        if (team_meet(m, e) != ST_OK)
            return e->status;
    }
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->messages->take_mask(rank->devices[g], rank->devices, x->G,
                                           x->R > 1 ? x->mask : NULL, e);
    return e->status;
}

/* exchange_masks.c: the reduction of delegate masks (Pan et al., section V-A; exchange.h)
 *
 * Without other groups every device ORs the masks of its peers for itself. With other groups the first device
 * of the group does, MPI reduces the result in host memory, and every device takes it from there.
 */
#include "exchange_internal.h"

#include <stdlib.h>

int exchange_overlaps(const struct exchange *x)
{
    return !x->group.whole && !x->group.of_host && x->options.nonblocking;
}

int masks_updated(const struct exchange *x)
{
    int updated = 0;
    for (uint32_t i = 0; i < x->group.count; i++)
        updated |= x->group.notes[i].updated;
    return updated;
}

/* What peers updated, into `mask` unless that is NULL. */
static enum status read_masks(struct exchange *x, uint32_t device, uint64_t *mask, struct error *e)
{
    const struct rank *rank = x->rank;
    uint32_t count = x->group.count;
    int *updating = malloc(count * sizeof *updating);
    if (updating == NULL)
        return fail_memory(e, "masks", count * sizeof *updating);
    for (uint32_t i = 0; i < count; i++)
        updating[i] = x->group.notes[i].updated;
    rank->backend->messages->read_masks(rank->devices[device], updating, mask, e);
    free(updating);
    return e->status;
}

/* Where a group's mask waits for MPI: in memory that the ranks of the group share, if there are several. */
static uint64_t *group_mask(const struct exchange *x)
{
    return x->group.of_host ? x->group.mask : x->mask;
}

/* Collective. Begins a reduction over the ranks if any of them has updates. */
enum status begin_masks(struct exchange *x, struct error *e)
{
    uint64_t updating = (uint64_t)masks_updated(x); /* ranks that do */
    comm_sum_u64(x->rank->comm, &updating, 1);
    x->masks_begun = updating > 0;
    x->counts.of[COUNT_MASK_BYTES] += x->masks_begun ? x->words * sizeof *x->mask : 0;
    if (x->masks_begun && read_masks(x, 0, x->mask, e) == ST_OK)
        comm_begin_or_masks(x->rank->comm, x->mask, x->words);
    return e->status;
}

enum status read_group_masks(struct exchange *x, const struct member *m, struct error *e)
{
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        read_masks(x, g, NULL, e);
    return e->status;
}

/* One rank of each group does it for all. */
enum status reduce_masks(struct exchange *x, struct error *e)
{
    uint64_t *mask = group_mask(x);
    if (x->group.first > 0 || read_masks(x, 0, mask, e) != ST_OK)
        return e->status;
    x->counts.of[COUNT_MASK_BYTES] += x->words * sizeof *mask;
    if (x->group.of_host)
        comm_window_or_masks(x->group.window, mask, x->words);
    else
        comm_or_masks(x->rank->comm, mask, x->words);
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
        rank->backend->messages->take_mask(rank->devices[g], x->group.whole ? NULL : group_mask(x),
                                           e);
    return e->status;
}

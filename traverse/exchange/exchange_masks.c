/* exchange_masks.c: the reduction of delegate masks (Pan et al., section V-A; exchange.h)
 *
 * Without other groups every device ORs the masks of its peers for itself. With other groups the first device
 * of the group does, MPI reduces the result in host memory, and every device takes it from there.
 */
#include "exchange_internal.h"

#include <stdlib.h>
#include <string.h>

int exchange_overlaps(const struct exchange *x)
{
    return !x->group.whole && x->options.nonblocking;
}

/* Groups of several ranks have one that reduces for all. */
static int reduces_masks(const struct exchange *x)
{
    return x->group.first == 0;
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
    return x->group.of_host ? x->group.mask : x->masks.bits;
}

static void begin_reduction(struct exchange *x)
{
    if (x->group.of_host)
        comm_window_begin_or_masks(x->group.window, group_mask(x), x->masks.words);
    else
        comm_begin_or_masks(x->rank->comm, group_mask(x), x->masks.words);
}

/* A rank that does not reduce has none to wait for. */
int masks_are_here(const struct exchange *x)
{
    return x->group.of_host ? comm_window_masks_are_here(x->group.window)
                            : comm_masks_are_here(x->rank->comm);
}

/* Collective. Begins a reduction over the groups before anybody knows whether there are updates, if the last
 * level had some: a question would take as long. Some reductions are in vain, and some begin later. */
enum status begin_masks(struct exchange *x, struct error *e)
{
    x->masks.begun = x->masks.expected && x->masks.words > 0;
    if (!x->masks.begun || !reduces_masks(x) || read_masks(x, 0, group_mask(x), e) != ST_OK)
        return e->status;
    count_masks(x, x->masks.words * sizeof *x->masks.bits);
    begin_reduction(x);
    return e->status;
}

enum status read_group_masks(struct exchange *x, const struct member *m, struct error *e)
{
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        read_masks(x, g, NULL, e);
    return e->status;
}

/* ---- masks of which few words changed ---- */

/* Where most words are zero, words with their places are fewer bytes. All ranks know alike. */
static int masks_are_sparse(const struct exchange *x)
{
    return x->masks.sparse.most > 0 && x->level.changed <= x->masks.sparse.most;
}

int reduces_beside(const struct exchange *x)
{
    return x->options.nonblocking && (x->masks.begun || !masks_are_sparse(x));
}

/* Reads what this group updated, before ranks tell each other how many words that are. */
enum status find_changed(struct exchange *x, struct error *e)
{
    uint64_t *mask = group_mask(x), changed = 0;
    if (x->masks.begun || !reduces_masks(x) || !masks_updated(x) ||
        read_masks(x, 0, mask, e) != ST_OK)
        return e->status;
    for (uint64_t w = 0; w < x->masks.words; w++) {
        if (mask[w] == 0)
            continue;
        if (changed++ == x->masks.sparse.most) /* too many: how many does not matter */
            break;
        x->masks.sparse.own[changed - 1] = (struct mask_word){w, mask[w]};
    }
    x->level.changed = changed;
    return e->status;
}

int few_words_changed(const struct exchange *x)
{
    const uint64_t *mask = group_mask(x);
    uint64_t changed = x->level.changed;
    if (x->masks.begun) { /* nobody counted them */
        changed = 0;
        for (uint64_t w = 0; w < x->masks.words && changed <= x->masks.sparse.most; w++)
            changed += mask[w] != 0;
    }
    return x->masks.sparse.most > 0 && changed <= x->masks.sparse.most;
}

static void gather_words(struct exchange *x)
{
    struct sparse_masks *s = &x->masks.sparse;
    uint64_t *mask = group_mask(x), own = changed_of(x, x->rank->comm->rank), all = 0;
    int groups = 0;
    for (uint32_t r = 0; r < x->R; r++) {
        if (!leads_group(x, r))
            continue;
        s->begins[groups] = (int)(2 * all);
        s->counts[groups++] = (int)(2 * changed_of(x, r));
        all += changed_of(x, r);
    }
    count_masks(x, own * sizeof *s->own);
    comm_gather_mask_words(x->group.of_host ? x->group.window : NULL, s->own, (int)(2 * own),
                           s->all, s->counts, s->begins);
    if (own == 0) /* nothing was read */
        memset(mask, 0, x->masks.words * sizeof *mask);
    for (uint64_t i = 0; i < all; i++)
        mask[s->all[i].at] |= s->all[i].bits;
}

/* One rank of each group does it for all. The mask was read if this group has updates. It returns before a
 * non-blocking reduction is over. */
void reduce_masks(struct exchange *x)
{
    uint64_t *mask = group_mask(x);
    if (!reduces_masks(x))
        return;
    if (masks_are_sparse(x)) {
        gather_words(x);
        return;
    }
    if (!masks_updated(x))
        memset(mask, 0, x->masks.words * sizeof *mask);
    count_masks(x, x->masks.words * sizeof *mask);
    if (x->options.nonblocking)
        begin_reduction(x);
    else if (x->group.of_host)
        comm_window_or_masks(x->group.window, mask, x->masks.words);
    else
        comm_or_masks(x->rank->comm, mask, x->masks.words);
}

/* Every device takes the result. */
enum status take_masks(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->messages->take_mask(rank->devices[g], x->group.whole ? NULL : group_mask(x),
                                           e);
    return e->status;
}

/* exchange_masks.c: the reduction of delegate masks (Pan et al., section V-A; exchange.h)
 *
 * Without other groups every device ORs the masks of its peers for itself. With other groups the first device
 * of the group does, MPI reduces the result in host memory, and every device takes it from there.
 */
#include "exchange_internal.h"

#include "formats/mpi/watch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A root reaches few delegates, mostly, and to ask how many would take longer than to reduce them. All ranks know alike
 * whether the level before found something. */
int exchange_overlaps(const struct exchange *x)
{
    return !x->group.whole && x->options.nonblocking && (x->level.updated || x->level.found);
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

/* [count of peers]: those that found delegates; the caller frees it. NULL: *e says why. */
static int *updating_peers(const struct exchange *x, struct error *e)
{
    uint32_t count = x->group.count;
    int *updating = malloc(count * sizeof *updating);
    if (updating == NULL)
        fail_memory(e, "masks", count * sizeof *updating);
    for (uint32_t i = 0; updating != NULL && i < count; i++)
        updating[i] = x->group.notes[i].updated;
    return updating;
}

/* What peers updated, into `mask` unless that is NULL. */
static enum status read_masks(struct exchange *x, uint32_t device, uint64_t *mask, struct error *e)
{
    const struct rank *rank = x->rank;
    int *updating = updating_peers(x, e);
    if (updating != NULL)
        rank->backend->masks->read(rank->devices[device], updating, mask, e);
    free(updating);
    return e->status;
}

/* Where a group's mask waits for MPI: in memory that the ranks of the group share, if there are several. */
static uint64_t *group_mask(const struct exchange *x)
{
    return x->group.of_host ? x->group.mask : x->masks.bits;
}

/* A rank that does not reduce has none to wait for. */
int masks_are_here(const struct exchange *x)
{
    return x->masks.reduction == NULL || mask_reduction_is_over(x->masks.reduction);
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
    return x->options.nonblocking && !masks_are_sparse(x);
}

/* Whether devices list the words of masks, and take lists of them. */
static int devices_list_words(const struct exchange *x)
{
    return x->rank->backend->masks->read_words != NULL && x->masks.sparse.most > 0;
}

static enum status ask_for_words(struct exchange *x, uint64_t *changed, struct error *e)
{
    const struct rank *rank = x->rank;
    struct sparse_masks *s = &x->masks.sparse;
    int *updating = updating_peers(x, e);
    if (updating != NULL)
        rank->backend->masks->read_words(rank->devices[0], updating, s->own, s->most, changed, e);
    free(updating);
    return e->status;
}

/* Up to one more than are listed: how many does not matter then. */
static uint64_t list_words(struct sparse_masks *s, const uint64_t *mask, uint64_t words)
{
    uint64_t changed = 0;
    for (uint64_t w = 0; w < words && changed <= s->most; w++) {
        if (mask[w] != 0 && changed++ < s->most)
            s->own[changed - 1] = (struct mask_word){w, mask[w]};
    }
    return changed;
}

/* Reads what this group updated, once a level. The mask is read only if a device does not list its words, or there are
 * too many. */
static enum status read_changed(struct exchange *x, struct error *e)
{
    struct sparse_masks *s = &x->masks.sparse;
    uint64_t *mask = group_mask(x), changed = 0;
    if (!reduces_masks(x) || !masks_updated(x) ||
        (devices_list_words(x) && ask_for_words(x, &changed, e) != ST_OK))
        return e->status;
    if ((!devices_list_words(x) || changed > s->most) && read_masks(x, 0, mask, e) != ST_OK)
        return e->status;
    s->changed = devices_list_words(x) ? changed : list_words(s, mask, x->masks.words);
    return e->status;
}

enum status find_changed(struct exchange *x, struct error *e)
{
    struct sparse_masks *s = &x->masks.sparse;
    if (!s->counted)
        read_changed(x, e);
    x->level.changed = s->changed;
    s->changed = 0;
    s->counted = 0;
    return e->status;
}

/* Where whole masks are reduced, the mask as this group has it; it was not read where nothing was found, or devices
 * listed what was. */
static void complete_mask(struct exchange *x, uint64_t changed)
{
    const struct sparse_masks *s = &x->masks.sparse;
    uint64_t *mask = group_mask(x);
    int listed = devices_list_words(x) && changed <= s->most;
    if (masks_updated(x) && !listed)
        return;
    memset(mask, 0, x->masks.words * sizeof *mask);
    for (uint64_t i = 0; i < changed; i++)
        mask[s->own[i].at] = s->own[i].bits;
}

/* Collective, without waiting. First all ranks ask how many words changed. If they are too many to be listed, a
 * reduction of whole masks begins, while normals are still looked for. */
enum status begin_masks(struct exchange *x, struct error *e)
{
    struct sparse_masks *s = &x->masks.sparse;
    x->masks.begun = 0;
    if (x->masks.words == 0 || read_changed(x, e) != ST_OK)
        return e->status;
    s->counted = x->masks.asks = 1;
    x->masks.all_changed = s->changed;
    comm_begin_sum(x->rank->comm, &x->masks.all_changed);
    return ST_OK;
}

int move_masks(struct exchange *x)
{
    struct masks *masks = &x->masks;
    if (masks->asks && !comm_sum_is_here(x->rank->comm))
        return 0;
    if (masks->asks && masks->all_changed > masks->sparse.most) {
        masks->begun = 1;
        if (reduces_masks(x)) {
            complete_mask(x, masks->sparse.changed);
            count_masks(x, masks->words * sizeof *masks->bits);
            mask_reduction_begin(masks->reduction, group_mask(x));
        }
    }
    masks->asks = 0;
    return !masks->begun || masks_are_here(x);
}

void await_answer(struct exchange *x)
{
    watch_wait_begin();
    while (x->masks.asks) {
        move_masks(x);
        if (x->masks.asks)
            sched_yield(); /* the core may be that of a rank that is waited for */
    }
    watch_wait_end();
}

/* Devices take the words as they came, if all of them are of this rank. */
static int takes_words(const struct exchange *x)
{
    return devices_list_words(x) && !x->group.of_host && masks_are_sparse(x);
}

static void gather_words(struct exchange *x)
{
    struct sparse_masks *s = &x->masks.sparse;
    uint64_t *mask = group_mask(x), own = changed_of(x, x->rank->comm->rank);
    int groups = 0;
    s->gathered = 0;
    for (uint32_t r = 0; r < x->R; r++) {
        if (!leads_group(x, r))
            continue;
        s->begins[groups] = (int)(2 * s->gathered);
        s->counts[groups++] = (int)(2 * changed_of(x, r));
        s->gathered += changed_of(x, r);
    }
    count_masks(x, own * sizeof *s->own);
    comm_gather_mask_words(x->group.of_host ? x->group.window : NULL, s->own, (int)(2 * own),
                           s->all, s->counts, s->begins);
    if (takes_words(x))
        return;
    if (own == 0 || devices_list_words(x)) /* the mask was not read */
        memset(mask, 0, x->masks.words * sizeof *mask);
    for (uint64_t i = 0; i < s->gathered; i++)
        mask[s->all[i].at] |= s->all[i].bits;
}

/* One rank of each group does it for all. It returns before a non-blocking reduction is over. */
void reduce_masks(struct exchange *x)
{
    uint64_t *mask = group_mask(x);
    if (!reduces_masks(x))
        return;
    if (masks_are_sparse(x)) {
        gather_words(x);
        return;
    }
    complete_mask(x, changed_of(x, x->rank->comm->rank));
    count_masks(x, x->masks.words * sizeof *mask);
    if (x->options.nonblocking)
        mask_reduction_begin(x->masks.reduction, mask);
    else if (x->group.of_host)
        comm_window_or_masks(x->group.window, mask, x->masks.words);
    else
        comm_or_masks(x->rank->comm, mask, x->masks.words);
}

/* Every device takes the result. */
enum status take_masks(struct exchange *x, const struct member *m, struct error *e)
{
    const struct rank *rank = x->rank;
    const struct backend_masks *masks = rank->backend->masks;
    const struct sparse_masks *s = &x->masks.sparse;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        if (!x->group.whole && takes_words(x))
            masks->take_words(rank->devices[g], s->all, s->gathered, e);
        else
            masks->take(rank->devices[g], x->group.whole ? NULL : group_mask(x), e);
    }
    return e->status;
}

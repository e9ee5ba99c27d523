/* masks.c: reduces the masks of delegates, whole or as lists of the words that changed; see masks.h */
#include "masks.h"

#include "formats/mpi/watch.h"

#include <sched.h>
#include <string.h>

/* ---- opening ---- */

/* Masks of fewer than LEAST_WORDS words are never sent as lists: sending them whole takes as long as sending one word. */
enum { LEAST_WORDS = 64 };

/* Allocates the memory of lists for masks of `words` words, charged to the budget. Small masks get none, so that
 * list->most stays 0. masks_close frees the memory. */
static enum status open_list(struct mask_list *list, struct group *group, uint64_t words, struct error *e)
{
    static const char what[] = "words of masks";
    struct memory_budget *budget = group->rank->budget;
    const uint32_t ranks = group->rank->comm->ranks;
    if (words < LEAST_WORDS)
        return e->status;
    list->most = words / 4;
    list->own = group_take_memory(group, list->most * sizeof *list->own, what, e);
    if (e->status == ST_OK)
        list->all = group_take_memory(group, list->most * sizeof *list->all, what, e);
    if (e->status == ST_OK &&
        memory_take(budget, (void **)&list->counts, 2 * ranks, sizeof *list->counts, what, e) == ST_OK)
        list->begins = list->counts + ranks;
    return e->status;
}

/* Allocates the mask and the lists that MPI sends and receives; a group that holds all shards needs none. */
enum status masks_open(struct masks *m, struct group *group, int nonblocking, struct error *e)
{
    *m = (struct masks){.group = group, .words = mask_words(group->rank->graph->manifest.d)};
    if (group->holds_all_shards)
        return e->status;
    m->nonblocking = nonblocking;
    if (group->has_whole_host)
        m->bits = group->mask;
    else if (e->status == ST_OK)
        m->bits = group_take_memory(group, (m->words + 1) * sizeof *m->bits, "masks of delegates", e);
    return e->status == ST_OK ? open_list(&m->list, group, m->words, e) : e->status;
}

/* Frees the memory that masks_open allocated. The shared mask of a host belongs to the group. */
void masks_close(struct masks *m, const struct rank *rank)
{
    rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, m->list.own);
    rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, m->list.all);
    memory_release(rank->budget, m->list.counts);
    if (m->group != NULL && !m->group->has_whole_host)
        rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, m->bits);
}

/* ---- updates of the group ---- */

/* Returns whether this rank takes part in reductions. The first rank of each group does so for its group. */
static int rank_reduces(const struct masks *m)
{
    return m->group->first_peer == 0;
}

/* Reads which delegates the group found, with the first device of the rank: as a list of changed words in list.own or,
 * if the list is too short, as a mask in `bits`. Sets `changed` to the number of words and is_whole to whether `bits`
 * was written. Both stay 0 on ranks that do not reduce masks, and if no delegate was found. */
static enum status read_updates(struct masks *m, struct error *e)
{
    const struct rank *rank = m->group->rank;
    struct mask_update update = {.mask = m->bits, .words = m->list.own, .most = m->list.most};
    m->changed = 0;
    m->is_whole = 0;
    if (!rank_reduces(m) || !group_updated(m->group) ||
        rank->backend->read_masks(rank->devices[0], m->group->updated, &update, e) != ST_OK)
        return e->status;
    m->changed = update.count;
    m->is_whole = update.has_mask;
    return e->status;
}

/* Sets *changed_plus_1, for this rank's note: to the number of words that the group changed, plus 1, or to 0 if another rank
 * of the group sends the number. First reads the group's delegates, unless masks_begin has read them. The stage becomes
 * MASKS_UNREAD for the next level, unless a reduction has begun: masks_reduce, which is not called in each level, sets it then. */
enum status masks_count_changed(struct masks *m, uint64_t *changed_plus_1, struct error *e)
{
    if (m->stage == MASKS_UNREAD)
        read_updates(m, e);
    if (m->stage == MASKS_SUMMED)
        m->stage = MASKS_UNREAD;
    *changed_plus_1 = rank_reduces(m) ? m->changed + 1 : 0;
    return e->status;
}

/* ---- reductions ---- */

/* ORs the words of a list into the mask `bits`, which is zeroed before, unless it has the group's changes (is_whole). */
static void or_words(struct masks *m, const struct mask_word *words, uint64_t count)
{
    if (!m->is_whole)
        memset(m->bits, 0, m->words * sizeof *m->bits);
    for (uint64_t i = 0; i < count; i++)
        m->bits[words[i].at] |= words[i].bits;
}

/* Counts the bytes that this rank sends to reduce masks, and what whole masks would need. */
static void count_sent(const struct masks *m, uint64_t bytes, struct exchange_counts *counts)
{
    counts->of[COUNT_MASK_BYTES] += bytes;
    counts->of[COUNT_WHOLE_MASK_BYTES] += m->words * sizeof *m->bits;
}

/* Reduces whole masks over all groups, in place in `bits`. Changes that are in a list are put into `bits` first. A
 * non-blocking reduction may still be under way when the function returns. */
static void reduce_whole(struct masks *m, struct exchange_counts *counts)
{
    or_words(m, m->list.own, m->is_whole ? 0 : m->changed);
    count_sent(m, m->words * sizeof *m->bits, counts);
    if (m->nonblocking)
        comm_window_begin_or_masks(m->group->leaders, m->bits, m->words);
    else
        comm_window_or_masks(m->group->leaders, m->bits, m->words);
}

/* Returns how many words the group of a rank changed, by that rank's note. The note of a group's first rank has the number; those of
 * other ranks have 0. */
static uint64_t changed_words(const struct rank_note *note)
{
    return note->changed_plus_1 > 0 ? note->changed_plus_1 - 1 : 0;
}

/* Returns whether devices take the result of a reduction as a list, list.all, and not as a mask. They do if groups sent
 * lists and this group is one rank alone. */
static int takes_list(const struct masks *m)
{
    return m->is_sparse && !m->group->has_whole_host;
}

/* Gathers the lists of all groups in list.all, by MPI between their first ranks. If devices of this group need a mask,
 * ORs the lists into `bits`. */
static void reduce_lists(struct masks *m, const struct rank_note *notes, struct exchange_counts *counts)
{
    struct mask_list *list = &m->list;
    const struct comm *comm = m->group->rank->comm;
    int groups = 0;
    list->gathered = 0;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        if (notes[r].changed_plus_1 == 0) /* rank r is not the first rank of its group */
            continue;
        list->begins[groups] = (int)(2 * list->gathered);
        list->counts[groups++] = (int)(2 * changed_words(&notes[r]));
        list->gathered += changed_words(&notes[r]);
    }
    count_sent(m, m->changed * sizeof *list->own, counts);
    comm_gather_mask_words(m->group->leaders, list->own, (int)(2 * m->changed), list->all, list->counts, list->begins);
    if (!takes_list(m))
        or_words(m, list->all, list->gathered);
}

/* Reduces the masks of all groups: as lists if the changed words of all groups fit, otherwise as whole masks. All ranks
 * choose alike, as all read the same notes; m->is_sparse keeps this choice. Only ranks for which rank_reduces is true send
 * anything. If masks_move has begun to reduce whole masks, which it does only if the same sum is too large for lists, no second
 * reduction is begun. Adds the bytes to *counts. Returns whether the reduction may still be under way. In this case
 * masks_are_here says when it is over. */
int masks_reduce(struct masks *m, const struct rank_note *notes, struct exchange_counts *counts)
{
    uint64_t words = 0;
    for (uint32_t r = 0; r < m->group->rank->comm->ranks; r++)
        words += changed_words(&notes[r]);
    m->is_sparse = m->list.most > 0 && words <= m->list.most;
    if (rank_reduces(m) && m->is_sparse)
        reduce_lists(m, notes, counts);
    else if (rank_reduces(m) && m->stage != MASKS_BEGUN)
        reduce_whole(m, counts);
    m->stage = MASKS_UNREAD;
    return m->nonblocking && !m->is_sparse;
}

/* Lets MPI continue a reduction of whole masks. Returns whether it is over. */
int masks_are_here(const struct masks *m)
{
    return !m->nonblocking || comm_masks_are_here();
}

/* ---- between the parts of a visit ---- */

/* Reads which delegates the group found in the first part of a pull of dd, reduces whole masks over all groups into
 * `bits`, and waits. Does nothing on ranks that do not reduce masks. */
enum status masks_join(struct masks *m, struct exchange_counts *counts, struct error *e)
{
    const struct rank *rank = m->group->rank;
    struct mask_update update = {.mask = m->bits};
    if (!rank_reduces(m) || rank->backend->read_masks(rank->devices[0], m->group->updated, &update, e) != ST_OK)
        return e->status;
    m->is_whole = 1;
    reduce_whole(m, counts);
    watch_wait_begin();
    while (!masks_are_here(m))
        sched_yield(); /* another rank may need this core before it can take part */
    watch_wait_end();
    return e->status;
}

/* Tells this thread's devices which delegates masks_join found, so that VISIT_REST does not look for parents of them. */
enum status masks_know(const struct masks *m, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = m->group->rank;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++)
        rank->backend->know_mask(rank->devices[g], m->bits, e);
    return e->status;
}

/* ---- while normals are looked for ---- */

/* Reads the delegates that the group found, and begins to add up over all ranks how many words changed (all_changed). Does
 * not wait; masks_move continues the sum. Called by thread 0 while devices look for normals. Does nothing if the graph has
 * no delegates. */
enum status masks_begin(struct masks *m, struct error *e)
{
    if (m->words == 0 || read_updates(m, e) != ST_OK)
        return e->status;
    m->stage = MASKS_SUMMING;
    m->all_changed = m->changed;
    comm_begin_sum(m->group->rank->comm, &m->all_changed);
    return ST_OK;
}

/* Continues the work that masks_begin began. When the sum is complete, and too large for lists, begins the reduction of
 * whole masks. Later calls let MPI continue the reduction. Returns 1 if nothing is under way, and 0 otherwise. */
int masks_move(struct masks *m, struct exchange_counts *counts)
{
    if (m->stage == MASKS_SUMMING) {
        if (!comm_sum_is_here(m->group->rank->comm))
            return 0;
        m->stage = m->all_changed > m->list.most ? MASKS_BEGUN : MASKS_SUMMED;
        if (m->stage == MASKS_BEGUN && rank_reduces(m))
            reduce_whole(m, counts);
    }
    return m->stage != MASKS_BEGUN || masks_are_here(m);
}

/* Waits until the sum of masks_begin is complete, and begins to reduce whole masks if it is too large for lists. */
void masks_await_sum(struct masks *m, struct exchange_counts *counts)
{
    watch_wait_begin();
    while (m->stage == MASKS_SUMMING && !comm_sum_is_here(m->group->rank->comm))
        sched_yield(); /* another rank may need this core before it can take part */
    watch_wait_end();
    masks_move(m, counts);
}

/* ---- devices ---- */

/* Lets each device of this thread OR the masks of all its peers, for masks_take. */
enum status masks_read_peers(const struct masks *m, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = m->group->rank;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++)
        rank->backend->read_masks(rank->devices[g], m->group->updated, NULL, e);
    return e->status;
}

/* Gives the reduced delegates to this thread's devices, as a list or as the mask `bits`. In a group that holds all
 * shards `bits` is NULL, because each device has kept the result of masks_read_peers. */
enum status masks_take(const struct masks *m, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = m->group->rank;
    const struct mask_update result = takes_list(m)
                                          ? (struct mask_update){.words = m->list.all, .count = m->list.gathered}
                                          : (struct mask_update){.mask = m->bits};
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++)
        rank->backend->take_mask(rank->devices[g], &result, e);
    return e->status;
}

/* Counts the bytes of masks that this rank's devices read in the memory of peers. */
void masks_count_peers(const struct masks *m, struct exchange_counts *counts)
{
    for (uint32_t i = 0; i < m->group->count; i++) {
        if (m->group->updated[i])
            counts->of[COUNT_PEER_BYTES] += group_readers(m->group, i) * m->words * sizeof *m->bits;
    }
}

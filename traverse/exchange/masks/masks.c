/* masks.c: see masks.h */
#include "masks.h"

#include "formats/mpi/watch.h"

#include <sched.h>
#include <string.h>

/* ---- opening ---- */

/* A mask of fewer words is never listed, as sending it takes as long as sending one word. */
enum { LEAST_WORDS = 64 };

/* Takes memory for lists of up to a quarter of a mask's `words`; none for short masks. */
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

/* Takes memory for the mask and the lists on their way to and from MPI; none if the group holds all shards. */
enum status masks_open(struct masks *m, struct group *group, int nonblocking, struct error *e)
{
    *m = (struct masks){.group = group, .words = mask_words(group->rank->graph->manifest.d)};
    if (group->holds_all_shards)
        return e->status;
    m->nonblocking = nonblocking;
    if (group->of_host)
        m->bits = group->mask;
    else if (e->status == ST_OK)
        m->bits = group_take_memory(group, (m->words + 1) * sizeof *m->bits, "masks of delegates", e);
    return e->status == ST_OK ? open_list(&m->list, group, m->words, e) : e->status;
}

/* Frees the memory of masks_open. */
void masks_close(struct masks *m, const struct rank *rank)
{
    rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, m->list.own);
    rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, m->list.all);
    memory_release(rank->budget, m->list.counts);
    if (m->group != NULL && !m->group->of_host)
        rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, m->bits);
}

/* ---- updates of the group ---- */

/* Whether this rank reduces: in a group of several ranks the first rank does, for all. */
static int reduces(const struct masks *m)
{
    return m->group->first == 0;
}

/* Reads the delegates that the group found: into list.own, or into `bits` if their words are many. Sets `changed` to the
 * number of words, and is_whole. */
static enum status read_updates(struct masks *m, struct error *e)
{
    const struct rank *rank = m->group->rank;
    struct mask_update update = {.mask = m->bits, .words = m->list.own, .most = m->list.most};
    m->changed = 0;
    m->is_whole = 0;
    if (!reduces(m) || !group_updated(m->group) ||
        rank->backend->read_masks(rank->devices[0], m->group->updated, &update, e) != ST_OK)
        return e->status;
    m->changed = update.count;
    m->is_whole = update.has_mask;
    return e->status;
}

/* Reads the group's updates, unless masks_begin has. *changed: this rank's rank_note.changed. */
enum status masks_count_changed(struct masks *m, uint64_t *changed, struct error *e)
{
    if (!m->is_read)
        read_updates(m, e);
    m->is_read = 0;
    *changed = reduces(m) ? m->changed + 1 : 0;
    return e->status;
}

/* ---- reductions ---- */

/* ORs words into `bits`, which is cleared first unless it has the changes of the group. */
static void or_words(struct masks *m, const struct mask_word *words, uint64_t count)
{
    if (!m->is_whole)
        memset(m->bits, 0, m->words * sizeof *m->bits);
    for (uint64_t i = 0; i < count; i++)
        m->bits[words[i].at] |= words[i].bits;
}

/* Counts the bytes that this rank sends to reduce masks, and the bytes of the whole mask. */
static void count_sent(const struct masks *m, uint64_t bytes, struct exchange_counts *counts)
{
    counts->of[COUNT_MASK_BYTES] += bytes;
    counts->of[COUNT_WHOLE_MASK_BYTES] += m->words * sizeof *m->bits;
}

/* Reduces whole masks. Returns before a non-blocking reduction is over. */
static void reduce_whole(struct masks *m, struct exchange_counts *counts)
{
    or_words(m, m->list.own, m->is_whole ? 0 : m->changed);
    count_sent(m, m->words * sizeof *m->bits, counts);
    if (m->nonblocking)
        comm_window_begin_or_masks(m->group->leaders, m->bits, m->words);
    else
        comm_window_or_masks(m->group->leaders, m->bits, m->words);
}

/* Words that the group of a rank changed, by the note of its first rank; 0 by the notes of the group's other ranks. */
static uint64_t changed_words(const struct rank_note *note)
{
    return note->changed > 0 ? note->changed - 1 : 0;
}

/* Whether devices take list.all as it was gathered, not a mask: only if the group is of this rank alone. */
static int takes_list(const struct masks *m)
{
    return m->is_sparse && !m->group->of_host;
}

/* Gathers the lists of all groups, by their first ranks, and ORs them into `bits` where devices take a mask. */
static void reduce_lists(struct masks *m, const struct rank_note *notes, struct exchange_counts *counts)
{
    struct mask_list *list = &m->list;
    const struct comm *comm = m->group->rank->comm;
    int groups = 0;
    list->gathered = 0;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        if (notes[r].changed == 0) /* not the first rank of its group */
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

/* Reduces lists if they have room for the words of all groups, which all ranks know alike; otherwise whole masks, unless
 * their reduction has begun. */
int masks_reduce(struct masks *m, const struct rank_note *notes, struct exchange_counts *counts)
{
    uint64_t words = 0;
    for (uint32_t r = 0; r < m->group->rank->comm->ranks; r++)
        words += changed_words(&notes[r]);
    m->is_sparse = m->list.most > 0 && words <= m->list.most;
    if (reduces(m) && m->is_sparse)
        reduce_lists(m, notes, counts);
    else if (reduces(m) && !m->begun)
        reduce_whole(m, counts);
    m->begun = 0;
    return m->nonblocking && !m->is_sparse;
}

/* Progresses a reduction of whole masks, and tells whether it is over. */
int masks_are_here(const struct masks *m)
{
    return !m->nonblocking || comm_masks_are_here();
}

/* ---- between the parts of a visit ---- */

/* Reads the group's delegates, reduces the whole mask over all groups, and waits. */
enum status masks_join(struct masks *m, struct exchange_counts *counts, struct error *e)
{
    const struct rank *rank = m->group->rank;
    struct mask_update update = {.mask = m->bits};
    if (!reduces(m) || rank->backend->read_masks(rank->devices[0], m->group->updated, &update, e) != ST_OK)
        return e->status;
    m->is_whole = 1;
    reduce_whole(m, counts);
    watch_wait_begin();
    while (!masks_are_here(m))
        sched_yield(); /* a rank that is waited for may need this core */
    watch_wait_end();
    return e->status;
}

/* Tells this thread's devices the delegates of the reduced mask, between the parts of a visit. */
enum status masks_know(const struct masks *m, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = m->group->rank;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++)
        rank->backend->know_mask(rank->devices[g], m->bits, e);
    return e->status;
}

/* ---- while normals are looked for ---- */

/* Reads the group's updates, and begins to add up over all ranks how many words changed. */
enum status masks_begin(struct masks *m, struct error *e)
{
    if (m->words == 0 || read_updates(m, e) != ST_OK)
        return e->status;
    m->is_read = m->is_summing = 1;
    m->all_changed = m->changed;
    comm_begin_sum(m->group->rank->comm, &m->all_changed);
    return ST_OK;
}

/* Begins the reduction of whole masks once the sum has come and is too large for lists, or drives it. */
int masks_move(struct masks *m, struct exchange_counts *counts)
{
    if (m->is_summing && !comm_sum_is_here(m->group->rank->comm))
        return 0;
    m->begun |= m->is_summing && m->all_changed > m->list.most;
    if (m->is_summing && m->begun && reduces(m))
        reduce_whole(m, counts);
    m->is_summing = 0;
    return !m->begun || masks_are_here(m);
}

/* Waits until all ranks have added up how many words changed, and acts on the sum. */
void masks_await_sum(struct masks *m, struct exchange_counts *counts)
{
    watch_wait_begin();
    while (m->is_summing && !comm_sum_is_here(m->group->rank->comm))
        sched_yield(); /* a rank that is waited for may need this core */
    watch_wait_end();
    masks_move(m, counts);
}

/* ---- devices ---- */

/* Lets each of this thread's devices OR the masks of its peers for itself. */
enum status masks_read_peers(const struct masks *m, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = m->group->rank;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++)
        rank->backend->read_masks(rank->devices[g], m->group->updated, NULL, e);
    return e->status;
}

/* Gives the result of a reduction to this thread's devices, as the list that was gathered or as a mask. */
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

/* Counts the bytes of masks that devices of this rank read of their peers. */
void masks_count_peers(const struct masks *m, struct exchange_counts *counts)
{
    for (uint32_t i = 0; i < m->group->count; i++) {
        if (m->group->updated[i])
            counts->of[COUNT_PEER_BYTES] += group_readers(m->group, i) * m->words * sizeof *m->bits;
    }
}

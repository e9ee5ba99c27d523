/* masks.c: see masks.h */
#include "masks.h"

#include "formats/mpi/watch.h"

#include <sched.h>
#include <string.h>

/* ---- lists of words, for masks with few words that are not zero ---- */

/* A mask of fewer words is never listed, as sending it takes as long as sending one word. */
enum { LEAST_WORDS = 64 };

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

static void close_list(struct mask_list *list, const struct rank *rank)
{
    rank->backend->messages->host_release(list->own);
    rank->backend->messages->host_release(list->all);
    memory_release(rank->budget, list->counts);
}

/* Lists the words of a mask that are not zero. Returns how many there are, or `most` + 1 for any number above: the
 * list is of no use then. */
static uint64_t fill_list(struct mask_list *list, const uint64_t *mask, uint64_t words)
{
    uint64_t count = 0;
    for (uint64_t w = 0; w < words && count <= list->most; w++) {
        if (mask[w] != 0 && count++ < list->most)
            list->own[count - 1] = (struct mask_word){w, mask[w]};
    }
    return count;
}

/* Words that the group of a rank changed, by the rank's note. */
static uint64_t words_of(const struct rank_note *note)
{
    return note->changed > 0 ? note->changed - 1 : 0;
}

/* Whether lists have room for the words of all groups. All ranks know alike. */
static int list_suffices(const struct mask_list *list, const struct rank_note *notes, uint32_t ranks)
{
    uint64_t words = 0;
    for (uint32_t r = 0; r < ranks; r++)
        words += words_of(&notes[r]);
    return list->most > 0 && words <= list->most;
}

/* Gathers the lists of all groups, whose lengths are in their notes. Their first ranks call it. */
static void gather_lists(struct mask_list *list, const struct group *group, const struct rank_note *notes)
{
    const struct comm *comm = group->rank->comm;
    int groups = 0;
    list->gathered = 0;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        if (notes[r].changed == 0)
            continue;
        list->begins[groups] = (int)(2 * list->gathered);
        list->counts[groups++] = (int)(2 * words_of(&notes[r]));
        list->gathered += words_of(&notes[r]);
    }
    comm_gather_mask_words(group->leaders, list->own, (int)(2 * words_of(&notes[comm->rank])), list->all,
                           list->counts, list->begins);
}

/* ---- opening ---- */

enum status masks_open(struct masks *m, struct group *group, int nonblocking, struct error *e)
{
    const struct rank *rank = group->rank;
    *m = (struct masks){.group = group, .words = mask_words(rank->graph->manifest.d)};
    if (group->holds_all_shards)
        return e->status;
    m->nonblocking = nonblocking;
    if (e->status == ST_OK && group->of_host)
        m->bits = group->mask;
    else if (e->status == ST_OK)
        m->bits = group_take_memory(group, (m->words + 1) * sizeof *m->bits, "masks of delegates", e);
    if (e->status == ST_OK)
        open_list(&m->list, group, m->words, e);
    m->devices_list = rank->backend->masks->read_words != NULL && m->list.most > 0;
    return e->status;
}

void masks_close(struct masks *m, const struct rank *rank)
{
    close_list(&m->list, rank);
    if (m->group != NULL && !m->group->of_host)
        rank->backend->messages->host_release(m->bits);
}

/* ---- updates of the group ---- */

/* Whether this rank reduces: in a group of several ranks the first one does, for all. */
static int reduces(const struct masks *m)
{
    return m->group->first == 0;
}

/* Reads the mask of the group: whole, unless a device lists its words and they are few. */
static enum status read_updates(struct masks *m, struct error *e)
{
    const struct backend_masks *masks = m->group->rank->backend->masks;
    struct device *first = m->group->rank->devices[0];
    m->changed = 0;
    m->is_whole = 0;
    if (!reduces(m) || !group_updated(m->group) ||
        (m->devices_list && masks->read_words(first, m->group->updated, m->list.own, m->list.most,
                                              &m->changed, e) != ST_OK))
        return e->status;
    m->is_whole = !m->devices_list || m->changed > m->list.most;
    if (m->is_whole && masks->read(first, m->group->updated, m->bits, e) == ST_OK && !m->devices_list)
        m->changed = fill_list(&m->list, m->bits, m->words);
    return e->status;
}

enum status masks_count_changed(struct masks *m, uint64_t *changed, struct error *e)
{
    if (!m->is_read)
        read_updates(m, e);
    m->is_read = 0;
    *changed = reduces(m) ? m->changed + 1 : 0;
    return e->status;
}

/* Adds words to `bits`, which is cleared first unless it has the mask of the group. */
static void add_words(struct masks *m, const struct mask_word *words, uint64_t count)
{
    if (!m->is_whole)
        memset(m->bits, 0, m->words * sizeof *m->bits);
    for (uint64_t i = 0; i < count; i++)
        m->bits[words[i].at] |= words[i].bits;
}

/* ---- reductions ---- */

static void count_sent(const struct masks *m, uint64_t bytes, struct exchange_counts *counts)
{
    counts->of[COUNT_MASK_BYTES] += bytes;
    counts->of[COUNT_WHOLE_MASK_BYTES] += m->words * sizeof *m->bits;
}

/* Reduces whole masks. Returns before a non-blocking reduction is over. */
static void reduce_whole(struct masks *m, struct exchange_counts *counts)
{
    add_words(m, m->list.own, m->is_whole ? 0 : m->changed);
    count_sent(m, m->words * sizeof *m->bits, counts);
    if (m->nonblocking)
        comm_window_begin_or_masks(m->group->leaders, m->bits, m->words);
    else
        comm_window_or_masks(m->group->leaders, m->bits, m->words);
}

/* Whether devices take lists of words as they came: only if the group is of this rank alone. */
static int takes_list(const struct masks *m)
{
    return m->devices_list && m->is_sparse && !m->group->of_host;
}

static void reduce_lists(struct masks *m, const struct rank_note *notes, struct exchange_counts *counts)
{
    count_sent(m, m->changed * sizeof *m->list.own, counts);
    gather_lists(&m->list, m->group, notes);
    if (!takes_list(m))
        add_words(m, m->list.all, m->list.gathered);
}

int masks_reduce(struct masks *m, const struct rank_note *notes, struct exchange_counts *counts)
{
    m->is_sparse = list_suffices(&m->list, notes, m->group->rank->comm->ranks);
    if (reduces(m) && m->is_sparse)
        reduce_lists(m, notes, counts);
    else if (reduces(m) && !m->begun)
        reduce_whole(m, counts);
    m->begun = 0;
    return m->nonblocking && !m->is_sparse;
}

int masks_are_here(const struct masks *m)
{
    return !m->nonblocking || comm_masks_are_here();
}

/* ---- between the parts of a visit ---- */

enum status masks_join(struct masks *m, struct exchange_counts *counts, struct error *e)
{
    const struct rank *rank = m->group->rank;
    if (!reduces(m) ||
        rank->backend->masks->read(rank->devices[0], m->group->updated, m->bits, e) != ST_OK)
        return e->status;
    m->is_whole = 1;
    reduce_whole(m, counts);
    watch_wait_begin();
    while (!masks_are_here(m))
        sched_yield(); /* a rank that is waited for may need this core */
    watch_wait_end();
    return e->status;
}

enum status masks_know(const struct masks *m, const struct host_thread *member, struct error *e)
{
    const struct rank *rank = m->group->rank;
    for (uint32_t g = member->first; g < member->end && e->status == ST_OK; g++)
        rank->backend->masks->know(rank->devices[g], m->bits, e);
    return e->status;
}

/* ---- while normals are looked for ---- */

enum status masks_begin(struct masks *m, struct error *e)
{
    if (m->words == 0 || read_updates(m, e) != ST_OK)
        return e->status;
    m->is_read = m->asks = 1;
    m->all_changed = m->changed;
    comm_begin_sum(m->group->rank->comm, &m->all_changed);
    return ST_OK;
}

int masks_move(struct masks *m, struct exchange_counts *counts)
{
    if (m->asks && !comm_sum_is_here(m->group->rank->comm))
        return 0;
    m->begun |= m->asks && m->all_changed > m->list.most;
    if (m->asks && m->begun && reduces(m))
        reduce_whole(m, counts);
    m->asks = 0;
    return !m->begun || masks_are_here(m);
}

void masks_await_answer(struct masks *m, struct exchange_counts *counts)
{
    watch_wait_begin();
    while (m->asks && !comm_sum_is_here(m->group->rank->comm))
        sched_yield(); /* a rank that is waited for may need this core */
    watch_wait_end();
    masks_move(m, counts);
}

/* ---- devices ---- */

enum status masks_read_peers(const struct masks *m, const struct host_thread *member, struct error *e)
{
    const struct rank *rank = m->group->rank;
    for (uint32_t g = member->first; g < member->end && e->status == ST_OK; g++)
        rank->backend->masks->read(rank->devices[g], m->group->updated, NULL, e);
    return e->status;
}

enum status masks_take(const struct masks *m, const struct host_thread *member, struct error *e)
{
    const struct rank *rank = m->group->rank;
    for (uint32_t g = member->first; g < member->end && e->status == ST_OK; g++) {
        if (takes_list(m))
            rank->backend->masks->take_words(rank->devices[g], m->list.all, m->list.gathered, e);
        else
            rank->backend->masks->take(rank->devices[g], m->bits, e);
    }
    return e->status;
}

void masks_count_peers(const struct masks *m, struct exchange_counts *counts)
{
    for (uint32_t i = 0; i < m->group->count; i++) {
        if (m->group->updated[i])
            counts->of[COUNT_PEER_BYTES] += group_readers(m->group, i) * m->words * sizeof *m->bits;
    }
}

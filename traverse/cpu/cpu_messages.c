/* cpu_messages.c: vertices and delegate masks between devices of the CPU, and to and from MPI; see engine.h
 *
 * Devices of the CPU share the memory of the host: vertices and masks of peers are read where they are.
 */
#include "cpu_rows.h"
#include "unique.h"

#include <stdlib.h>
#include <string.h>

/* Takes memory of the host, whatever the kind. */
void *cpu_take_buffer(struct device *dev, enum exchange_memory kind, size_t bytes, const char *what, struct error *e)
{
    (void)dev, (void)kind;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        fail_memory(e, what, bytes);
    return memory;
}

/* Frees memory of cpu_take_buffer. */
void cpu_release_buffer(struct device *dev, enum exchange_memory kind, void *memory)
{
    (void)dev, (void)kind;
    free(memory);
}

/* ---- vertices that leave ---- */

/* Gives peers the remaining ids where the list began, as they may know that place already. */
enum status cpu_uniquify(struct device *dev, struct vertex_span *spans, uint32_t count, struct error *e)
{
    (void)dev;
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].form == OUTGOING_LIST)
            spans[i].count = unique_ids(spans[i].ids, spans[i].count);
    }
    return e->status;
}

/* Copies at once, so there is no event to record. */
enum status cpu_copy_vertices(struct device *dev, const struct vertex_span *span, uint32_t *to, int adds, uint32_t event,
                              struct error *e)
{
    (void)dev, (void)event;
    if (!adds && span->count > 0)
        memcpy(to, span->ids, span->count * sizeof *to);
    for (uint64_t w = 0; adds && w < span->count; w++)
        to[w] |= span->ids[w];
    return e->status;
}

/* Says yes, as nothing goes on after a function has returned. */
enum status cpu_is_over(struct device *dev, uint32_t event, int *over, struct error *e)
{
    (void)dev, (void)event;
    *over = 1;
    return e->status;
}

/* ---- vertices that arrive ---- */

/* Fails as another shard sent an id that is no vertex here. */
static enum status fail_id(const struct device *dev, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                container_path(dev->shard->file));
}

/* Has no branch on whether a vertex is new, which is a coin toss. */
void append_new_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents)
{
    struct cpu_normals *n = &dev->normals;
    uint64_t first = n->next_sparse_count, at = first;
    uint32_t dummy;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = n->visited[ids[i] / 64], is_new = ~word >> (ids[i] % 64) & 1;
        n->next_sparse[at] = ids[i];
        n->visited[ids[i] / 64] = word | is_new << (ids[i] % 64);
        if (parents != NULL && dev->parents)
            *(is_new != 0 ? &n->parent[ids[i]] : &dummy) = parents[i];
        at += is_new;
    }
    n->next_sparse_count = at;
    set_depths(n->next_sparse + first, at - first, n->depth, dev->depth + 1);
    if (parents == NULL && dev->parents)
        set_depths(n->next_sparse + first, at - first, (int32_t *)n->parent, (int32_t)PARENT_REMOTE);
}

/* Sets a bit. Returns nonzero if this call was the first to set it. */
static int claim_bit(uint64_t *mask, uint64_t i)
{
    uint64_t bit = UINT64_C(1) << (i % 64);
    if ((__atomic_load_n(&mask[i / 64], __ATOMIC_RELAXED) & bit) != 0)
        return 0;
    return (__atomic_fetch_or(&mask[i / 64], bit, __ATOMIC_RELAXED) & bit) == 0;
}

/* Claims vertices by atomic operations, and appends those that this thread claims together. */
void append_new_normals_shared(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *parents)
{
    struct cpu_normals *n = &dev->normals;
    uint32_t claimed[MOST_APPENDED];
    uint64_t new = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!claim_bit(n->visited, ids[i]))
            continue;
        if (dev->parents)
            n->parent[ids[i]] = parents != NULL ? parents[i] : PARENT_REMOTE;
        claimed[new++] = ids[i];
    }
    set_depths(claimed, new, n->depth, dev->depth + 1);
    uint64_t at = __atomic_fetch_add(&n->next_sparse_count, new, __ATOMIC_RELAXED);
    memcpy(n->next_sparse + at, claimed, new * sizeof *n->next_sparse);
}

struct arrived_ids {
    struct device *dev;
    const uint32_t *ids;
};

/* Appends the new ones of ids begin..end that arrived, beside other threads. */
static void append_arrived(void *context, uint64_t begin, uint64_t end)
{
    const struct arrived_ids *a = context;
    append_new_normals_shared(a->dev, a->ids + begin, end - begin, NULL);
}

/* Appends the new ones of ids that arrived, if all of them are vertices of this shard. */
static enum status receive_ids(struct device *dev, const uint32_t *ids, uint64_t count, struct error *e)
{
    struct arrived_ids arrived = {dev, ids};
    uint64_t strange = 0;
    int threads = threads_for(dev, count);
    for (uint64_t i = 0; i < count; i++)
        strange += ids[i] >= dev->shard->locals;
    if (strange > 0)
        return fail_id(dev, e);
    if (threads > 1)
        pool_for(dev->means.pool, threads, count, MOST_APPENDED, append_arrived, &arrived);
    else
        append_new_normals(dev, ids, count, NULL);
    return ST_OK;
}

/* Takes in a list of ids, or the ids of a bitmap word by word. */
enum status cpu_receive(struct device *dev, const struct vertex_span *span, struct error *e)
{
    if (span->form == OUTGOING_LIST)
        return receive_ids(dev, span->ids, span->count, e);
    for (uint64_t w = 0; w < span->count && e->status == ST_OK; w++) { /* words of 32 bits */
        uint32_t ids[32];
        uint64_t count = 0;
        for (uint32_t bits = span->ids[w]; bits != 0; bits &= bits - 1)
            ids[count++] = (uint32_t)(32 * (span->begin + w)) + (uint32_t)__builtin_ctz(bits);
        if (count > 0)
            receive_ids(dev, ids, count, e);
    }
    return e->status;
}

/* Bitmaps of this device's vertices that peers found: of peer i masks[i], NULL if it found none or shows a list. */
struct arrived_masks {
    struct device *dev;
    const struct vertex_span *spans;
    int keeps; /* this level's visits have written next_dense */
    _Atomic uint64_t found;
};

/* The bitmap of this device's vertices that peer i found, or NULL. */
static const uint64_t *arrived_mask(const struct arrived_masks *a, uint32_t i)
{
    const struct cpu_peer *peer = &a->dev->peers.all[i];
    const struct vertex_span *span = &a->spans[i];
    int is_mask = span->form == OUTGOING_MASK && span->count > 0 && peer->shard != a->dev->shard->index;
    return is_mask ? (const uint64_t *)(peer->mask + span->begin) : NULL;
}

/* ORs words begin..end of all peers' bitmaps, and makes the unvisited vertices among them part of the next frontier. */
static void receive_mask_words(void *context, uint64_t begin, uint64_t end)
{
    struct arrived_masks *a = context;
    const struct device *dev = a->dev;
    uint64_t sum[CLEAR_WORDS] = {0}, found = 0;
    for (uint32_t i = 0; i < dev->peers.count; i++) {
        const uint64_t *mask = arrived_mask(a, i);
        for (uint64_t w = begin; mask != NULL && w < end; w++)
            sum[w - begin] |= mask[w];
    }
    for (uint64_t w = begin; w < end; w++) {
        uint64_t fresh = sum[w - begin] & ~dev->normals.visited[w];
        found += visit_normals_word(dev, w, fresh, a->keeps);
        if (dev->parents && fresh != 0)
            dev->means.probes->mark((int32_t *)dev->normals.parent, dev->shard->locals, w, fresh, (int32_t)PARENT_REMOTE);
    }
    a->found += found;
}

/* Takes in all bitmaps, unless the last word of one has bits behind the last vertex. */
static enum status receive_masks(struct device *dev, const struct vertex_span *spans, struct error *e)
{
    struct arrived_masks arrived = {.dev = dev, .spans = spans, .keeps = dev->normals.any_next_dense};
    uint64_t locals = dev->shard->locals, words = mask_words(locals), behind = 0;
    int any = 0;
    for (uint32_t i = 0; i < dev->peers.count; i++) {
        const uint64_t *mask = arrived_mask(&arrived, i);
        any |= mask != NULL;
        if (mask != NULL && locals % 64 != 0)
            behind |= mask[locals / 64] >> locals % 64;
    }
    if (behind != 0)
        return fail_id(dev, e);
    if (!any)
        return e->status;
    pool_for(dev->means.pool, threads_for(dev, 4 * words), words, CLEAR_WORDS, receive_mask_words, &arrived);
    dev->normals.any_next_dense = 1;
    dev->normals.next_dense_count += arrived.found;
    return e->status;
}

/* Takes in the bitmaps of all peers at once, then their lists one after the other. */
enum status cpu_receive_peers(struct device *dev, const struct vertex_span *spans, struct error *e)
{
    receive_masks(dev, spans, e);
    for (uint32_t i = 0; i < dev->peers.count && e->status == ST_OK; i++) {
        const struct cpu_peer *peer = &dev->peers.all[i];
        if (spans[i].form == OUTGOING_LIST && peer->shard != dev->shard->index)
            receive_ids(dev, peer->ids + spans[i].begin, spans[i].count, e);
    }
    return e->status;
}

/* ---- delegate masks ---- */

/* The OR of the delegates that peers updated, without those that all devices know (cpu_know_mask). */
struct mask_sum {
    const struct cpu_peers *peers;
    const int *updating;   /* [peers] */
    const uint64_t *known; /* may be `sum` */
    uint64_t *sum;
};

/* ORs words begin..end of the updating peers' masks, without known delegates. */
static void sum_words(void *context, uint64_t begin, uint64_t end)
{
    const struct mask_sum *s = context;
    memset(s->sum + begin, 0, (end - begin) * sizeof *s->sum);
    for (uint32_t i = 0; i < s->peers->count; i++) {
        const uint64_t *updated = s->peers->all[i].updated;
        for (uint64_t w = begin; s->updating[i] && w < end; w++)
            s->sum[w] |= updated[w] & ~s->known[w];
    }
}

/* Always writes the whole mask, and lists its words if a list is wanted. */
enum status cpu_read_masks(struct device *dev, const int *updating, struct mask_update *to, struct error *e)
{
    uint64_t words = mask_words(dev->shard->d), *incoming = dev->delegates.incoming;
    struct mask_sum sum = {&dev->peers, updating, incoming, to != NULL ? to->mask : incoming};
    int threads = threads_for(dev, sum.peers->count * words);
    pool_for(dev->means.pool, threads, words, CLEAR_WORDS, sum_words, &sum);
    if (to == NULL)
        return e->status;
    to->has_mask = 1;
    to->count = to->most == 0;
    for (uint64_t w = 0; to->most > 0 && w < words && to->count <= to->most; w++) {
        if (to->mask[w] != 0 && to->count++ < to->most)
            to->words[to->count - 1] = (struct mask_word){w, to->mask[w]};
    }
    return e->status;
}

/* ORs the result into `incoming`, which has the delegates of cpu_know_mask already, and all if nothing came. */
enum status cpu_take_mask(struct device *dev, const struct mask_update *from, struct error *e)
{
    struct cpu_delegates *d = &dev->delegates;
    for (uint64_t i = 0; from->words != NULL && i < from->count; i++)
        d->incoming[from->words[i].at] |= from->words[i].bits;
    for (uint64_t w = 0; from->words == NULL && from->mask != NULL && w < mask_words(dev->shard->d); w++)
        d->incoming[w] |= from->mask[w];
    d->any_incoming = 1;
    return e->status;
}

/* Makes the delegates of the mask part of what comes in at the end of the level. The second part of the visit takes them
 * for delegates that it has found, and does not look for them. */
enum status cpu_know_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct cpu_delegates *d = &dev->delegates;
    for (uint64_t w = 0; w < mask_words(dev->shard->d); w++) {
        d->incoming[w] = mask[w];
        d->updated[w] |= mask[w];
    }
    return e->status;
}

/* cpu_messages.c: moves vertices and delegate masks between devices of the CPU, and to and from the buffers of MPI
 * (engine.h)
 *
 * Devices of the CPU share the host's memory, so a device reads the vertices and masks of its peers in place. */
#include "cpu_rows.h"
#include "unique.h"

#include <stdlib.h>
#include <string.h>

/* Allocates host memory for messages, whatever the `kind`, and does not zero it. cpu_release_buffer frees it. Returns
 * NULL after a failure, and *e names the memory by `what`. */
void *cpu_take_buffer(struct device *dev, enum exchange_memory kind, size_t bytes, const char *what, struct error *e)
{
    (void)dev, (void)kind;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        fail_memory(e, what, bytes);
    return memory;
}

/* Frees memory that cpu_take_buffer allocated. `memory` may be NULL. */
void cpu_release_buffer(struct device *dev, enum exchange_memory kind, void *memory)
{
    (void)dev, (void)kind;
    free(memory);
}

/* Does nothing: a CPU reads all memory alike. */
enum status cpu_pin(struct device *dev, void *memory, uint64_t bytes, struct error *e)
{
    (void)dev, (void)memory, (void)bytes;
    return e->status;
}

/* Does nothing, as cpu_pin. */
void cpu_unpin(struct device *dev, void *memory)
{
    (void)dev, (void)memory;
}

/* ---- vertices that leave ---- */

/* Drops duplicates in each span that is a list. The ids that stay begin at the old address, which peers may know. */
enum status cpu_uniquify(struct device *dev, struct vertex_span *spans, uint32_t count, struct error *e)
{
    (void)dev;
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].form == OUTGOING_LIST)
            spans[i].count = unique_ids(spans[i].ids, spans[i].count);
    }
    return e->status;
}

/* Copies the ids or words of a span to `to` or, with `adds`, ORs the words into those at `to`. The copy is complete at the
 * return, so no event is recorded. */
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

/* Sets *over to 1, because work of this backend is over when the function that began it returns. */
enum status cpu_is_over(struct device *dev, uint32_t event, int *over, struct error *e)
{
    (void)dev, (void)event;
    *over = 1;
    return e->status;
}

/* ---- vertices that arrive ---- */

/* Fails with ST_BAD_DATA because another shard sent an id that no vertex of this shard has. */
static enum status fail_id(const struct device *dev, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                container_path(dev->shard->file));
}

/* Appends each unvisited normal of a list once to next_sparse. Whether a vertex is new cannot be predicted, so instead of a
 * branch every id is written behind the end of next_sparse, and only a new one moves the end. For one thread at a time. */
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

/* Sets bit i of a bitmap atomically. Returns 1 if this call has set it, 0 if it was set before. */
static int claim_bit(uint64_t *mask, uint64_t i)
{
    uint64_t bit = UINT64_C(1) << (i % 64);
    if ((__atomic_load_n(&mask[i / 64], __ATOMIC_RELAXED) & bit) != 0)
        return 0;
    return (__atomic_fetch_or(&mask[i / 64], bit, __ATOMIC_RELAXED) & bit) == 0;
}

/* Does the same as append_new_normals for several threads at a time: the thread that sets the visited bit of a vertex
 * appends the vertex. A thread makes space for all its vertices with one atomic addition. */
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

/* The list of local ids that receive_ids takes in. */
struct arrived_ids {
    struct device *dev;
    const uint32_t *ids;
};

/* Appends unvisited normals of ids begin..end. Threads of the pool run this for receive_ids; `context` is a struct
 * arrived_ids. */
static void append_arrived(void *context, uint64_t begin, uint64_t end)
{
    const struct arrived_ids *a = context;
    append_new_normals_shared(a->dev, a->ids + begin, end - begin, NULL);
}

/* Appends unvisited normals of a list to next_sparse, with PARENT_REMOTE as parents, by several threads if there are
 * many. If an id is no vertex of this shard, returns ST_BAD_DATA and appends nothing. */
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

/* Takes in vertices that another rank sent, as a list or as words of a bitmap: unvisited vertices go into next_sparse.
 * Returns ST_BAD_DATA if a vertex is not in this shard. */
enum status cpu_receive(struct device *dev, const struct vertex_span *span, struct error *e)
{
    if (span->form == OUTGOING_LIST)
        return receive_ids(dev, span->ids, span->count, e);
    for (uint64_t w = 0; w < span->count && e->status == ST_OK; w++) { /* `w` counts words of 32 bits */
        uint32_t ids[32];
        uint64_t count = 0;
        for (uint32_t bits = span->ids[w]; bits != 0; bits &= bits - 1)
            ids[count++] = (uint32_t)(32 * (span->begin + w)) + (uint32_t)__builtin_ctz(bits);
        if (count > 0)
            receive_ids(dev, ids, count, e);
    }
    return e->status;
}

/* What the threads of receive_masks share. spans[i] may be a span of peer i's bitmap: vertices of this shard that it found. */
struct arrived_masks {
    struct device *dev;
    const struct vertex_span *spans;
    int next_dense_is_valid; /* visits of this level have already written next_dense */
    _Atomic uint64_t found; /* number of new normals */
};

/* Returns the bitmap of this shard's vertices that peer i found; NULL if it found none, has a list, or is this device. */
static const uint64_t *arrived_mask(const struct arrived_masks *a, uint32_t i)
{
    const struct cpu_peer *peer = &a->dev->peers.all[i];
    const struct vertex_span *span = &a->spans[i];
    int is_mask = span->form == OUTGOING_MASK && span->count > 0 && peer->shard != a->dev->shard->index;
    return is_mask ? (const uint64_t *)(peer->mask + span->begin) : NULL;
}

/* Takes in words begin..end of the bitmaps of all peers. The unvisited vertices among them go into next_dense, and get
 * visited bits, depths, and PARENT_REMOTE as parents. Threads of the pool run this for receive_masks; `context` is a struct
 * arrived_masks. */
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
        found += visit_normals_word(dev, w, fresh, a->next_dense_is_valid);
        if (dev->parents && fresh != 0)
            dev->means.probes->mark((int32_t *)dev->normals.parent, dev->shard->locals, w, fresh, (int32_t)PARENT_REMOTE);
    }
    a->found += found;
}

/* Takes in the bitmaps of all peers: unvisited vertices go into next_dense. If a bitmap has a bit behind the last
 * vertex of this shard, returns ST_BAD_DATA and takes in nothing. */
static enum status receive_masks(struct device *dev, const struct vertex_span *spans, struct error *e)
{
    struct arrived_masks arrived = {.dev = dev, .spans = spans, .next_dense_is_valid = dev->normals.any_next_dense};
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

/* Takes in the vertices of this shard that peers found: first all bitmaps together, into next_dense, and then each
 * list, into next_sparse. Returns ST_BAD_DATA if a vertex is not in this shard. */
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

/* What the threads of cpu_read_masks share: which masks of peers are ORed, and which delegates are left out. */
struct mask_sum {
    const struct cpu_peers *peers;
    const int *updating;   /* [peers] 1: the peer has found delegates */
    const uint64_t *known; /* bitmap of delegates that all devices know (cpu_know_mask); may be the same array as `sum` */
    uint64_t *sum;         /* bitmap of the result */
};

/* ORs words begin..end of the masks of all updating peers into `sum`, without known delegates. Threads of the pool run
 * this for cpu_read_masks; `context` is a struct mask_sum. */
static void sum_words(void *context, uint64_t begin, uint64_t end)
{
    const struct mask_sum *s = context;
    memset(s->sum + begin, 0, (end - begin) * sizeof *s->sum);
    for (uint32_t i = 0; i < s->peers->count; i++) {
        const uint64_t *found_here = s->peers->all[i].found_here;
        for (uint64_t w = begin; s->updating[i] && w < end; w++)
            s->sum[w] |= found_here[w] & ~s->known[w];
    }
}

/* ORs the masks of delegates that peers found. Reads the mask of peer i only if updating[i] is set, and leaves out the
 * delegates of cpu_know_mask. If `to` is NULL, the result goes to `found_anywhere`. Otherwise it goes to to->mask, and its
 * non-zero words also go to to->words, as far as they fit. */
enum status cpu_read_masks(struct device *dev, const int *updating, struct mask_update *to, struct error *e)
{
    uint64_t words = mask_words(dev->shard->d), *found_anywhere = dev->delegates.found_anywhere;
    struct mask_sum sum = {&dev->peers, updating, found_anywhere, to != NULL ? to->mask : found_anywhere};
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

/* Adds the delegates of the reduction's result, `from`, to `found_anywhere`, for the next previsit. If `from` has neither
 * mask nor words, cpu_read_masks has already written the result to `found_anywhere`. */
enum status cpu_take_mask(struct device *dev, const struct mask_update *from, struct error *e)
{
    struct cpu_delegates *d = &dev->delegates;
    for (uint64_t i = 0; from->words != NULL && i < from->count; i++)
        d->found_anywhere[from->words[i].at] |= from->words[i].bits;
    for (uint64_t w = 0; from->words == NULL && from->mask != NULL && w < mask_words(dev->shard->d); w++)
        d->found_anywhere[w] |= from->mask[w];
    d->any_found_anywhere = 1;
    return e->status;
}

/* Takes note of the delegates in `mask`, which all devices know as found. They go into `found_anywhere`, from which the next
 * frontier is made, and into `found_here`, so that VISIT_REST does not look for parents of them. */
enum status cpu_know_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct cpu_delegates *d = &dev->delegates;
    for (uint64_t w = 0; w < mask_words(dev->shard->d); w++) {
        d->found_anywhere[w] = mask[w];
        d->found_here[w] |= mask[w];
    }
    return e->status;
}

/* cpu_messages.c: vertices and masks between devices of the CPU, and to and from MPI; see backend.h
 *
 * Devices of the CPU share the memory of the host, so peers' vertices and masks are read where they are.
 */
#include "cpu_rows.h"
#include "unique.h"

#include <stdlib.h>
#include <string.h>

void *cpu_host_take(size_t bytes, const char *what, struct error *e)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        fail_memory(e, what, bytes);
    return memory;
}

void cpu_host_release(void *memory)
{
    free(memory);
}

void *cpu_exchange_take(struct device *dev, size_t bytes, const char *what, struct error *e)
{
    (void)dev;
    return cpu_host_take(bytes, what, e);
}

void cpu_exchange_release(struct device *dev, void *memory)
{
    (void)dev;
    free(memory);
}

/* ---- vertices ---- */

/* A mask is given away only if nn was pushed and found something. */
struct vertex_span cpu_outgoing(const struct device *dev, uint32_t shard)
{
    const struct cpu_shown *s = &dev->traffic.shown;
    uint64_t begin = s->begin[shard], count = s->count[shard];
    uint64_t shard_words = (UINT64_C(1) << dev->shard->local_bits) / 32;
    if (s->form == OUTGOING_LIST || count == 0)
        return (struct vertex_span){begin, count, OUTGOING_LIST};
    return (struct vertex_span){shard * shard_words, shard_words, OUTGOING_MASK};
}

/* The ids left for a shard begin where they began, as peers may know that place already. */
enum status cpu_drop_repeated(struct device *dev, struct error *e)
{
    struct cpu_shown *s = &dev->traffic.shown;
    for (uint32_t i = 0; s->form == OUTGOING_LIST && i < dev->shard->p; i++)
        s->count[i] = unique_ids(s->ids + s->begin[i], s->count[i]);
    return e->status;
}

static const uint32_t *span_at(const struct device *dev, const struct vertex_span *span)
{
    const uint32_t *mask = (const uint32_t *)dev->traffic.shown.mask;
    return (span->form == OUTGOING_LIST ? dev->traffic.shown.ids : mask) + span->begin;
}

enum status cpu_take_outgoing(struct device *dev, const struct vertex_span *span, uint32_t *to, struct error *e)
{
    if (span->count > 0)
        memcpy(to, span_at(dev, span), span->count * sizeof *to);
    return e->status;
}

enum status cpu_or_outgoing(struct device *dev, const struct vertex_span *span, uint32_t *to, struct error *e)
{
    const uint32_t *from = span_at(dev, span);
    for (uint64_t w = 0; w < span->count; w++)
        to[w] |= from[w];
    return e->status;
}

/* Copies are over at once. */
enum status cpu_record_copies(struct device *dev, uint32_t event, struct error *e)
{
    (void)dev, (void)event;
    return e->status;
}

enum status cpu_copies_are_over(struct device *dev, uint32_t event, int *over, struct error *e)
{
    (void)dev, (void)event;
    *over = 1;
    return e->status;
}

enum status cpu_uniquify(struct device *dev, struct send_buffer *buffers, uint32_t count, struct error *e)
{
    (void)dev;
    for (uint32_t i = 0; i < count; i++) {
        if (buffers[i].form == OUTGOING_LIST)
            buffers[i].count = unique_ids(buffers[i].ids, buffers[i].count);
    }
    return e->status;
}

static enum status fail_id(const struct device *dev, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: nn: another shard sent a vertex this one does not have",
                container_path(dev->shard->file));
}

/* Sets the bit. Nonzero: this call was the first to set it. */
static int claim_mask_bit(uint64_t *mask, uint64_t i)
{
    uint64_t bit = UINT64_C(1) << (i % 64);
    if ((__atomic_load_n(&mask[i / 64], __ATOMIC_RELAXED) & bit) != 0)
        return 0;
    return (__atomic_fetch_or(&mask[i / 64], bit, __ATOMIC_RELAXED) & bit) == 0;
}

/* Whether a vertex is new is a coin toss, so there is no branch. */
static void append_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *from)
{
    struct cpu_normals *n = &dev->normals;
    uint64_t first = n->next_count, at = first;
    uint32_t nowhere;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = n->visited[ids[i] / 64], is_new = ~word >> (ids[i] % 64) & 1;
        n->next[at] = ids[i];
        n->visited[ids[i] / 64] = word | is_new << (ids[i] % 64);
        if (from != NULL && dev->parents)
            *(is_new != 0 ? &n->parent[ids[i]] : &nowhere) = from[i];
        at += is_new;
    }
    n->next_count = at;
    mark_depths(n->next + first, at - first, n->depth, dev->depth + 1);
    if (from == NULL && dev->parents)
        mark_depths(n->next + first, at - first, (int32_t *)n->parent, (int32_t)PARENT_REMOTE);
}

/* Those that this thread marks go behind the next queue together. */
static void claim_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *from)
{
    struct cpu_normals *n = &dev->normals;
    uint32_t claimed[REACHED_AT_ONCE];
    uint64_t new = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!claim_mask_bit(n->visited, ids[i]))
            continue;
        if (dev->parents)
            n->parent[ids[i]] = from != NULL ? from[i] : PARENT_REMOTE;
        claimed[new++] = ids[i];
    }
    mark_depths(claimed, new, n->depth, dev->depth + 1);
    uint64_t at = __atomic_fetch_add(&n->next_count, new, __ATOMIC_RELAXED);
    memcpy(n->next + at, claimed, new * sizeof *n->next);
}

void reach_normals(struct device *dev, const uint32_t *ids, uint64_t count, const uint32_t *from, int alone)
{
    if (alone)
        append_normals(dev, ids, count, from);
    else
        claim_normals(dev, ids, count, from);
}

/* A list of many vertices, which threads share. */
struct arrivals {
    struct device *dev;
    const uint32_t *ids;
};

static void receive_some(void *context, uint64_t begin, uint64_t end)
{
    const struct arrivals *a = context;
    reach_normals(a->dev, a->ids + begin, end - begin, NULL, 0);
}

static enum status receive_ids(struct device *dev, const uint32_t *ids, uint64_t count, struct error *e)
{
    struct arrivals arrivals = {dev, ids};
    uint64_t strange = 0;
    int threads = threads_for(dev, count);
    for (uint64_t i = 0; i < count; i++)
        strange += ids[i] >= dev->shard->locals;
    if (strange > 0)
        return fail_id(dev, e);
    if (threads > 1)
        pool_for(dev->means.pool, threads, count, REACHED_AT_ONCE, receive_some, &arrivals);
    else
        reach_normals(dev, ids, count, NULL, 1);
    return ST_OK;
}

/* Receives words of a mask, from word `first` on. */
static enum status receive_mask(struct device *dev, const uint32_t *words, uint64_t first, uint64_t count,
                                struct error *e)
{
    for (uint64_t w = 0; w < count && e->status == ST_OK; w++) {
        uint32_t ids[32];
        uint64_t listed = 0;
        for (uint32_t bits = words[w]; bits != 0; bits &= bits - 1)
            ids[listed++] = (uint32_t)(32 * (first + w)) + (uint32_t)__builtin_ctz(bits);
        if (listed > 0)
            receive_ids(dev, ids, listed, e);
    }
    return e->status;
}

enum status cpu_receive(struct device *dev, const uint32_t *from, const struct vertex_span *part, struct error *e)
{
    return part->form == OUTGOING_LIST ? receive_ids(dev, from, part->count, e)
                                       : receive_mask(dev, from, part->begin, part->count, e);
}

/* Masks of this device's vertices that peers found. */
struct arrival {
    struct device *dev;
    const struct vertex_span *spans;
    int keeps; /* adds to vertices that the level found before */
    _Atomic uint64_t found;
};

static int brings_mask(const struct arrival *a, uint32_t peer)
{
    return a->spans[peer].form == OUTGOING_MASK && a->spans[peer].count > 0 &&
           a->dev->traffic.peers.all[peer].shard != a->dev->shard->index;
}

static void receive_words(void *context, uint64_t begin, uint64_t end)
{
    struct arrival *a = context;
    const struct device *dev = a->dev;
    uint64_t sum[CLEAR_WORDS] = {0}, found = 0;
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++) {
        const uint64_t *mask = (const uint64_t *)(dev->traffic.peers.all[i].mask + a->spans[i].begin);
        for (uint64_t w = begin; brings_mask(a, i) && w < end; w++)
            sum[w - begin] |= mask[w];
    }
    for (uint64_t w = begin; w < end; w++) {
        uint64_t fresh = sum[w - begin] & ~dev->normals.visited[w];
        found += visit_word(dev, w, fresh, a->keeps);
        if (dev->parents && fresh != 0)
            dev->means.probes->mark((int32_t *)dev->normals.parent, dev->shard->locals, w, fresh,
                                    (int32_t)PARENT_REMOTE);
    }
    a->found += found;
}

/* Fails if the last word of a mask has bits behind those of vertices. */
static enum status check_masks(const struct arrival *a, struct error *e)
{
    const struct device *dev = a->dev;
    uint64_t locals = dev->shard->locals, behind = 0;
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++) {
        const uint64_t *mask = (const uint64_t *)(dev->traffic.peers.all[i].mask + a->spans[i].begin);
        if (locals % 64 != 0 && brings_mask(a, i))
            behind |= mask[locals / 64] >> locals % 64;
    }
    return behind != 0 ? fail_id(dev, e) : e->status;
}

static enum status receive_masks(struct device *dev, const struct vertex_span *spans, struct error *e)
{
    struct cpu_normals *n = &dev->normals;
    struct arrival arrival = {.dev = dev, .spans = spans, .keeps = n->any_pulled_next};
    uint64_t words = mask_words(dev->shard->locals);
    int any = 0;
    for (uint32_t i = 0; i < dev->traffic.peers.count; i++)
        any |= brings_mask(&arrival, i);
    if (!any || check_masks(&arrival, e) != ST_OK)
        return e->status;
    pool_for(dev->means.pool, threads_for(dev, 4 * words), words, CLEAR_WORDS, receive_words, &arrival);
    n->any_pulled_next = 1;
    n->pulled_next_count += arrival.found;
    return e->status;
}

enum status cpu_receive_peers(struct device *dev, const struct vertex_span *spans, struct error *e)
{
    receive_masks(dev, spans, e);
    for (uint32_t i = 0; i < dev->traffic.peers.count && e->status == ST_OK; i++) {
        const struct cpu_peer *peer = &dev->traffic.peers.all[i];
        if (spans[i].form == OUTGOING_LIST && peer->shard != dev->shard->index)
            receive_ids(dev, peer->ids + spans[i].begin, spans[i].count, e);
    }
    return e->status;
}

/* ---- masks ---- */

/* The sum of the masks of delegates that peers updated, without those that all devices know (cpu_know_mask). */
struct mask_sum {
    const struct cpu_peers *peers;
    const int *updating;
    const uint64_t *known;
    uint64_t *sum;
};

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

enum status cpu_read_masks(struct device *dev, const int *updating, uint64_t *mask, struct error *e)
{
    uint64_t words = mask_words(dev->shard->d);
    uint64_t *incoming = dev->delegates.incoming;
    struct mask_sum sum = {&dev->traffic.peers, updating, incoming, mask != NULL ? mask : incoming};
    int threads = threads_for(dev, sum.peers->count * words);
    pool_for(dev->means.pool, threads, words, CLEAR_WORDS, sum_words, &sum);
    return e->status;
}

enum status cpu_read_mask_words(struct device *dev, const int *updating, struct mask_words_list *list, struct error *e)
{
    const uint64_t words = mask_words(dev->shard->d);
    cpu_read_masks(dev, updating, list->mask, e);
    list->has_mask = 1;
    list->count = 0;
    for (uint64_t w = 0; w < words && list->count <= list->most; w++) {
        if (list->mask[w] != 0 && list->count++ < list->most)
            list->words[list->count - 1] = (struct mask_word){w, list->mask[w]};
    }
    return e->status;
}

/* The incoming mask is empty after a previsit. */
enum status cpu_take_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct cpu_delegates *d = &dev->delegates;
    for (uint64_t w = 0; mask != NULL && w < mask_words(dev->shard->d); w++)
        d->incoming[w] |= mask[w];
    d->any_incoming = 1;
    return e->status;
}

enum status cpu_take_mask_words(struct device *dev, const struct mask_word *words, uint64_t count, struct error *e)
{
    for (uint64_t i = 0; i < count; i++)
        dev->delegates.incoming[words[i].at] |= words[i].bits;
    dev->delegates.any_incoming = 1;
    return e->status;
}

/* Delegates that all know come in with those that the second part finds, and visits take them for its own finds. */
enum status cpu_know_mask(struct device *dev, const uint64_t *mask, struct error *e)
{
    struct cpu_delegates *d = &dev->delegates;
    for (uint64_t w = 0; w < mask_words(dev->shard->d); w++) {
        d->incoming[w] = mask[w];
        d->updated[w] |= mask[w];
    }
    return e->status;
}

/* cpu_push.c: a push of nn by one of several shards: it marks and lists vertices of its own, and puts the
 * vertices of other shards into bins, for their owners
 *
 * Bytes that must move for each edge: 4 of the column, and 4 of a bin. The marks are probed at random. Large
 * pushes set marks instead (cpu_marks.c).
 */
#include "cpu_rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_ROOM = 512 }; /* vertices of this shard that wait in their bin, which is emptied when full */

/* Empties the bin of this shard, whose vertices other threads may mark. Those that this thread marks go
 * behind the next queue together. */
static void claim_own(struct shard_push *t)
{
    struct cpu_normals *n = &t->dev->normals;
    uint32_t claimed[OWN_ROOM];
    uint64_t count = 0;
    for (uint64_t i = 0; i < t->own->count; i++) {
        uint32_t id = t->own->ids[i];
        if (!claim_mask_bit(n->visited, id))
            continue;
        n->depth[id] = t->dev->depth + 1;
        if (t->dev->parents)
            n->parent[id] = t->from[i];
        claimed[count++] = id;
    }
    uint64_t at = __atomic_fetch_add(&n->next_count, count, __ATOMIC_RELAXED);
    memcpy(n->next + at, claimed, count * sizeof *n->next);
}

static void mark_own(struct shard_push *t)
{
    struct cpu_normals *n = &t->dev->normals;
    uint64_t first = n->next_count, count = first;
    uint32_t nowhere;
    for (uint64_t i = 0; i < t->own->count; i++) {
        uint64_t next = reach_normal(n, count, t->own->ids[i]);
        if (t->dev->parents)
            *(next > count ? &n->parent[t->own->ids[i]] : &nowhere) = t->from[i];
        count = next;
    }
    mark_depths(n->next + first, count - first, n->depth, t->dev->depth + 1);
    n->next_count = count;
}

static void empty_own(struct shard_push *t)
{
    if (t->alone)
        mark_own(t);
    else
        claim_own(t);
    t->own->count = 0;
}

/* Grows a bin. One thread at a time does, for the budget. */
static void grow_bin(struct device *dev, struct bin *bin)
{
    static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
    struct error *e = &dev->traffic.bins.error;
    uint64_t capacity = bin->capacity == 0 ? 64 : 2 * bin->capacity;
    uint64_t more = (capacity - bin->capacity) * sizeof *bin->ids;
    pthread_mutex_lock(&growing);
    if (e->status == ST_OK &&
        memory_charge(dev->means.budget, more, "bins of vertices for other shards", e) == ST_OK) {
        uint32_t *grown = realloc(bin->ids, capacity * sizeof *grown);
        if (grown != NULL) {
            bin->ids = grown;
            bin->capacity = capacity;
        } else {
            memory_discharge(dev->means.budget, more);
            fail_memory(e, "bins of vertices for other shards", more);
        }
    }
    pthread_mutex_unlock(&growing);
}

/* Makes room in a full bin. Nonzero: it has room. */
int make_bin_room(struct shard_push *t, struct bin *bin)
{
    if (bin == t->own && bin->capacity >= OWN_ROOM)
        empty_own(t);
    else
        grow_bin(t->dev, bin);
    return bin->count < bin->capacity;
}

static void push_piece_to_shards(void *context, int thread, struct row_push *p)
{
    const int *threads = context;
    struct device *dev = p->dev;
    uint32_t from[OWN_ROOM + 1];
    struct bin *bins = dev->traffic.bins.of + (size_t)thread * dev->shard->p;
    struct shard_push t = {dev, bins, &bins[dev->shard->index], *threads == 1, from};
    p->marks = MARK_SHARDS;
    p->shards = &t;
    push_rows_of(p, 0);
    empty_own(&t);
}

void push_nn(struct device *dev)
{
    int threads = threads_for(dev, dev->forward[NN]);
    push_by_threads(dev, NN, threads, push_piece_to_shards, &threads);
}

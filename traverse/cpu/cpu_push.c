/* cpu_push.c: a push of nn by one of several shards: it marks and lists vertices of its own, and puts the
 * vertices of other shards into bins, for their owners
 *
 * Bytes that must move for each edge: 4 of the column, and 4 of a bin. The marks are probed at random. Large
 * pushes set marks instead (cpu_marks.c).
 */
#include "cpu_rows.h"

#include <pthread.h>
#include <stdlib.h>

enum { OWN_ROOM = REACHED_AT_ONCE }; /* vertices of this shard that wait in their bin, which is emptied when full */

static void empty_own(struct shard_push *t)
{
    reach_normals(t->dev, t->own->ids, t->own->count, t->from, t->alone);
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
static int make_room(struct shard_push *t, struct bin *bin)
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
    struct shard_push t = {dev, bins, &bins[dev->shard->index], *threads == 1, from, make_room};
    p->to.marks = MARK_SHARDS;
    p->to.shards = &t;
    push_rows_of(p, 0);
    empty_own(&t);
}

void push_nn(struct device *dev)
{
    int threads = threads_for(dev, dev->forward[NN]);
    push_by_threads(dev, NN, threads, push_piece_to_shards, &threads);
}

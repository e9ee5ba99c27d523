/* cpu_push.c: a push of nn by one of several shards: vertices of other shards go into bins, those of this shard into the
 * next frontier
 *
 * Bytes that must move for each edge: 4 of the column, and 4 of a bin. Visited bits are read at random. Large pushes go into
 * bitmaps instead (cpu_push_bitmaps.c).
 */
#include "cpu_rows.h"

#include <pthread.h>
#include <stdlib.h>

enum { OWN_CAPACITY = MOST_APPENDED }; /* vertices of this shard that wait in their bin, which is emptied when full */

/* Empties the bin of this shard: its new vertices go into the next frontier. */
static void visit_own_vertices(struct shard_push *s)
{
    if (s->is_single_thread)
        append_new_normals(s->dev, s->own->ids, s->own->count, s->own_parents);
    else
        append_new_normals_shared(s->dev, s->own->ids, s->own->count, s->own_parents);
    s->own->count = 0;
}

/* Doubles a bin, or sets dev->shard_bins_error. One thread at a time, for the budget. */
static void grow_bin(struct device *dev, struct shard_bin *bin)
{
    static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
    struct error *e = &dev->shard_bins_error;
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

/* Makes space in a full bin: empties the bin of this shard, and grows another. Returns 0 if there is no memory for it. */
static int make_space(struct shard_push *s, struct shard_bin *bin)
{
    if (bin == s->own && bin->capacity >= OWN_CAPACITY)
        visit_own_vertices(s);
    else
        grow_bin(s->dev, bin);
    return bin->count < bin->capacity;
}

static void push_piece_to_shards(void *context, int thread, struct row_push *p)
{
    const int *threads = context;
    struct device *dev = p->dev;
    uint32_t own_parents[OWN_CAPACITY + 1];
    struct shard_bin *bins = dev->shard_bins + (size_t)thread * dev->shard->p;
    struct shard_push s = {.dev = dev,
                           .bins = bins,
                           .own = &bins[dev->shard->index],
                           .own_parents = own_parents,
                           .is_single_thread = *threads == 1,
                           .make_space = make_space};
    p->to.kind = PUSH_SHARDS;
    p->to.shards = &s;
    push_rows(p, 0);
    visit_own_vertices(&s);
}

/* Vertices of this shard are visited by the time it returns; those of others wait in shard_bins for the exchange. */
void push_nn(struct device *dev)
{
    int threads = threads_for(dev, dev->forward[NN]);
    push_by_threads(dev, NN, threads, push_piece_to_shards, &threads);
}

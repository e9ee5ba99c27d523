/* bucket.c: see bucket.h. Each thread keeps its part of a bucket in a list of chunks, which it cuts from slabs of its own. A chunk is
 * aligned to its size: a cursor has reached the end of its chunk when its address is a multiple of the size, so no pointer to the end is
 * needed. */
#include "bucket_chunk.h"

#include "formats/base/huge.h"
#include "formats/base/text.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_CHUNK_BYTES = 512,
    MIN_SLAB_BYTES = 1 << 18 /* for small graphs */
};

/* ---- memory ---- */

/* Adds a slab to the store's list and charges it to the budget. */
static enum status note_slab(struct bucket_store *store, void *slab, struct error *e)
{
    if (store->slab_count == store->slab_capacity) {
        size_t capacity = 2 * store->slab_capacity + 64;
        void **grown = realloc(store->slabs, capacity * sizeof *grown);
        if (grown == NULL)
            return fail_memory(e, "edge buckets", capacity * sizeof *grown);
        store->slabs = grown;
        store->slab_capacity = capacity;
    }
    store->slabs[store->slab_count++] = slab;
    memory_charge_planned(store->budget, store->slab_bytes);
    return ST_OK;
}

/* Nonzero if this thread may have one more slab, which is then counted as taken. Call it under the budget's lock. */
static int may_grow(struct bucket_writer *w)
{
    struct bucket_store *store = w->store;
    if (w->slab_count >= store->own_slabs) {
        if (store->common_slabs == 0)
            return 0;
        store->common_slabs--;
    }
    w->slab_count++;
    return 1;
}

/* Cuts a slab of memory for about one slab of each thread, so that short slabs, too, lie in huge pages. NULL if memory is short. */
static void *cut_slab(struct bucket_store *store)
{
    if (store->fresh == store->fresh_end) {
        size_t bytes = store->slab_bytes;
        while (bytes < BUCKET_MOST_SLAB_BYTES && bytes * 2 <= store->slab_bytes * (size_t)store->threads)
            bytes *= 2;
        store->fresh = huge_alloc(bytes);
        store->fresh_end = store->fresh != NULL ? store->fresh + bytes : NULL;
        if (store->fresh == NULL)
            return NULL;
    }
    store->fresh += store->slab_bytes;
    return store->fresh - store->slab_bytes;
}

/* Allocates a slab for this thread. Returns 0 if the thread may have no more; that is no error. */
static int new_slab(struct bucket_writer *w)
{
    struct bucket_store *store = w->store;
    void *slab = NULL;
#pragma omp critical(memory_budget)
    if (may_grow(w)) {
        slab = cut_slab(store);
        if (slab == NULL)
            fail_memory(&w->error, "edges", store->slab_bytes);
        else if (note_slab(store, slab, &w->error) != ST_OK) {
            huge_free(slab, store->slab_bytes);
            slab = NULL;
        }
    }
    w->slab = slab;
    w->slab_end = slab != NULL ? w->slab + store->slab_bytes : NULL;
    return slab != NULL;
}

/* Takes the chunks that readers have given back as the list of free ones, which is empty. Returns 0 if there are none. */
static int take_returned(struct bucket_writer *w)
{
    if (__atomic_load_n(&w->returned, __ATOMIC_RELAXED) == NULL)
        return 0;
    pthread_mutex_lock(&w->lock);
    w->free = w->returned;
    w->returned = NULL;
    pthread_mutex_unlock(&w->lock);
    return 1;
}

/* Frees chunks when there is no memory for new ones: spills the full chunks or, without a spill file, waits for chunks that are
 * being read. */
static void free_chunks(struct bucket_writer *w)
{
    struct bucket_store *store = w->store;
    if (store->spill != NULL)
        bucket_spill(w, &w->error);
    while (w->error.status == ST_OK && w->free == NULL) {
        int reading = __atomic_load_n(&store->reading, __ATOMIC_ACQUIRE);
        if (!take_returned(w) && reading == 0)
            fail(&w->error, ST_RESOURCE, "edges: their %zu MiB so far fill the memory budget (-S)",
                 (store->slab_count * store->slab_bytes) >> 20);
        else if (w->free == NULL)
            sched_yield();
    }
}

/* Takes a chunk to fill: a free or returned one, else one of a slab, else one that free_chunks frees. NULL after a failure. */
static struct bucket_chunk *take_chunk(struct bucket_writer *w)
{
    if (w->error.status == ST_OK && w->free == NULL && !take_returned(w) &&
        w->slab == w->slab_end && !new_slab(w) && w->error.status == ST_OK)
        free_chunks(w);
    struct bucket_chunk *chunk = w->free;
    if (w->error.status != ST_OK)
        return NULL;
    if (chunk != NULL) {
        w->free = chunk->next;
        return chunk;
    }
    chunk = (struct bucket_chunk *)(void *)w->slab;
    w->slab += w->store->chunk_bytes;
    return chunk;
}

/* ---- opening ---- */

/* The memory and files of a store with these options. */
struct layout {
    size_t chunk_bytes, slab_bytes;
    size_t own_slabs;        /* of each thread: two chunks for every bucket, one for lost records */
    uint64_t fixed_bytes;    /* of all writers */
    uint64_t index_bytes;    /* the tables of the runs, at most */
};

/* The size of chunks, of which all cells together fill a quarter of `bytes` at most. */
static size_t choose_chunk_bytes(uint64_t bytes, uint64_t cells)
{
    size_t chunk = MIN_CHUNK_BYTES;
    while (chunk < BUCKET_MOST_CHUNK_BYTES && chunk * 2 <= bytes / 4 / (cells + 1))
        chunk *= 2;
    return chunk;
}

/* Chooses the sizes of chunks and slabs, so that those not filled waste less than an eighth of the memory. */
static struct layout lay_out(const struct bucket_options *o, uint64_t room)
{
    struct layout l = {.slab_bytes = BUCKET_MOST_SLAB_BYTES};
    uint64_t threads = (uint64_t)o->threads, cells = o->buckets * threads;
    size_t by_records = choose_chunk_bytes(o->expected_bytes, cells);
    l.fixed_bytes = cells * (sizeof(unsigned char *) + sizeof(struct bucket_chunk *)); /* arrays of the writers */
    room = room > l.fixed_bytes ? room - l.fixed_bytes : 0;
    size_t by_room = choose_chunk_bytes(room, cells);
    l.chunk_bytes = by_records < by_room ? by_records : by_room;
    if (o->like != NULL) {
        l.chunk_bytes = o->like->chunk_bytes;
        l.slab_bytes = o->like->slab_bytes;
    }
    while (o->like == NULL && l.slab_bytes > MIN_SLAB_BYTES &&
           (l.slab_bytes * threads > o->expected_bytes / 8 || l.slab_bytes * threads > room / 8))
        l.slab_bytes /= 2;
    l.own_slabs = 2 * (size_t)o->buckets * l.chunk_bytes / l.slab_bytes + 1;
    if (o->most_bytes > room) {
        uint64_t runs = o->most_bytes / (l.own_slabs * l.slab_bytes / 2) + threads;
        l.index_bytes = runs * (o->buckets + 1) * sizeof(uint32_t);
    }
    return l;
}

/* Returns the least memory that a store of this layout works in. */
static uint64_t least_bytes(const struct layout *l, int threads)
{
    return l->fixed_bytes + l->index_bytes + (uint64_t)threads * l->own_slabs * l->slab_bytes;
}

/* The least room_bytes that these buckets and threads can work in. */
uint64_t bucket_store_least(const struct bucket_options *o)
{
    struct layout l = lay_out(o, 0);
    return least_bytes(&l, o->threads);
}

/* A store that has nothing but the sizes of chunks and slabs, to be `like` in the options of others. */
struct bucket_store bucket_store_sizes(const struct bucket_options *o)
{
    struct layout l = lay_out(o, o->room_bytes);
    return (struct bucket_store){.chunk_bytes = l.chunk_bytes, .slab_bytes = l.slab_bytes};
}

/* Nonzero if there was memory for the writer. */
static int open_writer(struct bucket_writer *w, struct bucket_store *store)
{
    uint32_t buckets = store->buckets;
    w->store = store;
    w->cursor = calloc(buckets, sizeof *w->cursor);
    w->last = calloc(buckets, sizeof *w->last);
    w->chunk_mask = store->chunk_bytes - 1;
    pthread_mutex_init(&w->lock, NULL);
    return w->cursor != NULL && w->last != NULL;
}

/* Takes a chunk for the records that come after a failure and are lost. With it, appending need not check for a failure until a
 * chunk is full. */
static int take_chunk_for_lost(struct bucket_writer *w)
{
    struct bucket_chunk *chunk = take_chunk(w);
    w->lost_records = chunk != NULL ? chunk->records : NULL;
    return chunk != NULL;
}

/* Opens an empty store with a writer for each thread. Fails if its least memory exceeds the room. */
enum status bucket_store_open(struct bucket_store *store, const struct bucket_options *o,
                              struct memory_budget *budget, struct error *e)
{
    char need[16], room[16];
    struct layout l = lay_out(o, o->room_bytes);
    memset(store, 0, sizeof *store);
    if (least_bytes(&l, o->threads) > o->room_bytes)
        return fail(e, ST_RESOURCE, "edges: %u buckets of %d threads need %s, and the memory "
                    "budget (-S) has %s for them", o->buckets, o->threads,
                    format_size(least_bytes(&l, o->threads), need, sizeof need),
                    format_size(o->room_bytes, room, sizeof room));
    store->writer = calloc((size_t)o->threads, sizeof *store->writer);
    if (store->writer == NULL)
        return fail_memory(e, "edge buckets", l.fixed_bytes);
    store->buckets = o->buckets;
    store->threads = o->threads;
    store->budget = budget;
    store->spill = o->spill;
    store->chunk_bytes = l.chunk_bytes;
    store->slab_bytes = l.slab_bytes;
    store->own_slabs = l.own_slabs;
    store->common_slabs = (o->room_bytes - least_bytes(&l, o->threads)) / l.slab_bytes;
    store->fixed_bytes = l.fixed_bytes;
    memory_charge_planned(budget, l.fixed_bytes);
    for (int i = 0; i < o->threads; i++) {
        if (!open_writer(&store->writer[i], store) || !take_chunk_for_lost(&store->writer[i])) {
            bucket_store_close(store);
            return fail_memory(e, "edge buckets", l.fixed_bytes);
        }
    }
    return ST_OK;
}

static void close_writer(struct bucket_writer *w)
{
    for (struct bucket_run *next; w->oldest_run != NULL; w->oldest_run = next) {
        next = w->oldest_run->next;
        free(w->oldest_run);
    }
    free(w->cursor);
    free(w->last);
    pthread_mutex_destroy(&w->lock);
}

void bucket_store_close(struct bucket_store *store)
{
    for (int i = 0; store->writer != NULL && i < store->threads; i++)
        close_writer(&store->writer[i]);
    for (size_t i = 0; i < store->slab_count; i++)
        huge_free(store->slabs[i], store->slab_bytes);
    huge_free(store->fresh, (size_t)(store->fresh_end - store->fresh));
    if (store->budget != NULL)
        memory_discharge(store->budget,
                         store->fixed_bytes + store->slab_count * store->slab_bytes +
                             store->run_count * ((uint64_t)store->buckets + 1) * sizeof(uint32_t));
    free(store->slabs);
    free(store->writer);
    memset(store, 0, sizeof *store);
}

/* ---- filling ---- */

/* Begins a chunk of the bucket; returns the place of its first record, which after a failure is of no chunk of the bucket. */
unsigned char *bucket_new_chunk(struct bucket_writer *w, uint32_t bucket, unsigned bytes)
{
    struct bucket_chunk *chunk = take_chunk(w);
    size_t lead = bucket_lead_bytes(w->store->chunk_bytes, bytes);
    if (chunk == NULL)
        return w->lost_records + lead;
    chunk->next = w->last[bucket];
    chunk->bytes = w->store->chunk_bytes - sizeof *chunk;
    w->last[bucket] = chunk;
    return chunk->records + lead;
}

/* Stores how many bytes of a bucket's last chunk are used, when nothing more is appended to the bucket. */
static void close_last_chunk(struct bucket_writer *w, uint32_t bucket)
{
    struct bucket_chunk *last = w->last[bucket];
    if (last != NULL)
        last->bytes = (uint64_t)(w->cursor[bucket] - last->records);
}

/* Ends the filling of all buckets, and returns the first failure of any thread. */
enum status bucket_store_seal(struct bucket_store *store, struct error *e)
{
    for (int i = 0; i < store->threads; i++) {
        struct bucket_writer *w = &store->writer[i];
        if (w->error.status != ST_OK) {
            *e = w->error;
            return e->status;
        }
        for (uint32_t b = 0; b < store->buckets; b++)
            close_last_chunk(w, b);
    }
    return ST_OK;
}

/* Moves all chunks of a list to the beginning of another one. */
static void give_back(struct bucket_chunk *chunk, struct bucket_chunk **list)
{
    while (chunk != NULL) {
        struct bucket_chunk *next = chunk->next;
        chunk->next = *list;
        *list = chunk;
        chunk = next;
    }
}

/* Ends the filling of one bucket, whose chunks then go from the oldest to the newest, while threads fill others. */
void bucket_seal(struct bucket_store *store, uint32_t bucket)
{
    __atomic_add_fetch(&store->reading, 1, __ATOMIC_ACQUIRE);
    for (int i = 0; i < store->threads; i++) {
        struct bucket_writer *w = &store->writer[i];
        pthread_mutex_lock(&w->lock);
        close_last_chunk(w, bucket);
        w->last[bucket] = bucket_reverse(w->last[bucket]);
        w->cursor[bucket] = NULL; /* keeps it from being spilled again */
        pthread_mutex_unlock(&w->lock);
    }
}

/* Gives the chunks of a sealed bucket, which nobody reads any more, back to the threads that filled them. */
void bucket_return(struct bucket_store *store, uint32_t bucket)
{
    for (int i = 0; i < store->threads; i++) {
        struct bucket_writer *w = &store->writer[i];
        struct bucket_chunk *chunk = w->last[bucket];
        w->last[bucket] = NULL;
        if (chunk == NULL)
            continue;
        pthread_mutex_lock(&w->lock);
        give_back(chunk, &w->returned);
        pthread_mutex_unlock(&w->lock);
    }
    __atomic_sub_fetch(&store->reading, 1, __ATOMIC_RELEASE);
}

/* ---- from one store to the next ---- */

/* Moves the slabs of `from` to `heir`, which frees them; records stay where they are. */
enum status bucket_store_inherit(struct bucket_store *heir, struct bucket_store *from, struct error *e)
{
    size_t moved = 0;
    while (moved < from->slab_count && note_slab(heir, from->slabs[moved], e) == ST_OK)
        moved++;
    /* charged already, as the other store's */
    memory_discharge(heir->budget, moved * from->slab_bytes);
    memmove(from->slabs, from->slabs + moved, (from->slab_count - moved) * sizeof *from->slabs);
    from->slab_count -= moved;
    return e->status;
}

/* Empties what thread `writer` put into a bucket: its chunks become free ones of the writer `to`. */
void bucket_hand_over(struct bucket_store *from, uint32_t bucket, int writer, struct bucket_writer *to)
{
    give_back(from->writer[writer].last[bucket], &to->free);
    from->writer[writer].last[bucket] = NULL;
    from->writer[writer].cursor[bucket] = NULL;
}

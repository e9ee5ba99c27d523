/* bucket.c: see bucket.h
 *
 * Each thread's part of a bucket is a list of chunks, cut from slabs of its own, and the line that it
 * was filling at the end. A chunk is aligned to its size, so a cursor at such an address is at the
 * end of a chunk and needs no second pointer to compare with.
 */
#include "bucket.h"

#include "formats/huge.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    MIN_CHUNK_BYTES = 512,
    MAX_CHUNK_BYTES = 1 << 16,
    SLAB_BYTES = 2 * HUGE_PAGE_BYTES,
    MIN_SLAB_BYTES = 1 << 18 /* for small graphs */
};

struct bucket_chunk {
    struct bucket_chunk *next; /* older */
    uint64_t bytes;            /* of records */
    uint64_t unused[6];        /* records start at a cache line */
    unsigned char records[];
};

/* ---- opening ---- */

static size_t choose_chunk_bytes(uint64_t expected_bytes, uint32_t buckets, int threads)
{
    /* half-filled last chunks shall waste less than an eighth of all */
    uint64_t bytes = expected_bytes / 4 / ((uint64_t)buckets * (uint64_t)threads + 1);
    size_t chunk = MIN_CHUNK_BYTES;
    while (chunk < MAX_CHUNK_BYTES && chunk * 2 <= bytes)
        chunk *= 2;
    return chunk;
}

static uint64_t writer_bytes(uint32_t buckets)
{
    return (uint64_t)buckets *
           (sizeof(union bucket_line) + sizeof(uint16_t) + sizeof(unsigned char *) +
            sizeof(struct bucket_chunk *));
}

static int open_writer(struct bucket_writer *w, struct bucket_store *store)
{
    uint32_t buckets = store->buckets;
    w->store = store;
    w->line = aligned_alloc(64, buckets * sizeof *w->line);
    w->fill = calloc(buckets, sizeof *w->fill);
    w->cursor = calloc(buckets, sizeof *w->cursor);
    w->last = calloc(buckets, sizeof *w->last);
    return w->line != NULL && w->fill != NULL && w->cursor != NULL && w->last != NULL;
}

enum status bucket_store_open(struct bucket_store *store, uint32_t buckets, int threads,
                              uint64_t expected_bytes, struct memory_budget *budget,
                              struct error *e)
{
    uint64_t fixed = writer_bytes(buckets) * (uint64_t)threads;
    memset(store, 0, sizeof *store);
    if (fixed > budget->limit_bytes - budget->taken_bytes)
        return fail(e, ST_RESOURCE, "edge buckets: the memory budget (-S) has no room for %u "
                    "buckets of %d threads", buckets, threads);
    store->writer = calloc((size_t)threads, sizeof *store->writer);
    if (store->writer == NULL)
        return fail_memory(e, "edge buckets", fixed);
    budget->taken_bytes += fixed;
    store->buckets = buckets;
    store->threads = threads;
    store->budget = budget;
    store->fixed_bytes = fixed;
    store->chunk_bytes = choose_chunk_bytes(expected_bytes, buckets, threads);
    store->slab_bytes = SLAB_BYTES;
    while (store->slab_bytes > MIN_SLAB_BYTES &&
           store->slab_bytes * (uint64_t)threads > expected_bytes / 8)
        store->slab_bytes /= 2;
    for (int i = 0; i < threads; i++) {
        if (!open_writer(&store->writer[i], store)) {
            bucket_store_close(store);
            return fail_memory(e, "edge buckets", fixed);
        }
    }
    return ST_OK;
}

void bucket_store_close(struct bucket_store *store)
{
    for (int i = 0; store->writer != NULL && i < store->threads; i++) {
        free(store->writer[i].line);
        free(store->writer[i].fill);
        free(store->writer[i].cursor);
        free(store->writer[i].last);
    }
    for (size_t i = 0; i < store->slab_count; i++)
        free(store->slabs[i]);
    if (store->budget != NULL)
        store->budget->taken_bytes -= store->fixed_bytes + store->slab_count * store->slab_bytes;
    free(store->slabs);
    free(store->writer);
    memset(store, 0, sizeof *store);
}

/* ---- filling ---- */

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
    store->budget->taken_bytes += store->slab_bytes;
    return ST_OK;
}

static enum status new_slab(struct bucket_writer *w)
{
    struct bucket_store *store = w->store;
    struct memory_budget *b = store->budget;
    void *slab = NULL;
#pragma omp critical(memory_budget)
    {
        if (store->slab_bytes > b->limit_bytes - b->taken_bytes) {
            fail(&w->error, ST_RESOURCE, "edges: their %zu MiB so far and the vertices fill the "
                 "memory budget (-S)", (store->slab_count * store->slab_bytes) >> 20);
        } else {
            slab = aligned_alloc(store->slab_bytes, store->slab_bytes);
            if (slab == NULL)
                fail_memory(&w->error, "edges", store->slab_bytes);
            else if (note_slab(store, slab, &w->error) != ST_OK)
                free(slab);
        }
    }
    if (w->error.status != ST_OK)
        return w->error.status;
    huge_advise(slab, store->slab_bytes);
    w->slab = slab;
    w->slab_end = w->slab + store->slab_bytes;
    return ST_OK;
}

/* Gives the bucket a new chunk; its cursor is NULL when there is none to give. */
static void new_chunk(struct bucket_writer *w, uint32_t bucket)
{
    size_t bytes = w->store->chunk_bytes;
    w->cursor[bucket] = NULL;
    if (w->error.status != ST_OK || (w->slab == w->slab_end && new_slab(w) != ST_OK))
        return;
    struct bucket_chunk *chunk = (struct bucket_chunk *)(void *)w->slab;
    w->slab += bytes;
    chunk->next = w->last[bucket];
    chunk->bytes = bytes - sizeof *chunk;
    w->last[bucket] = chunk;
    w->cursor[bucket] = chunk->records;
}

/* Copies a line past the caches where the machine can: it is not read again for a long time. */
static void stream_line(unsigned char *to, const union bucket_line *line)
{
#ifdef __SSE2__
    const __m128i *from = (const __m128i *)(const void *)line;
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)(void *)to + i, _mm_load_si128(from + i));
#else
    memcpy(to, line, BUCKET_LINE_BYTES);
#endif
}

void bucket_flush_line(struct bucket_writer *w, uint32_t bucket)
{
    w->fill[bucket] = 0;
    if (((uintptr_t)w->cursor[bucket] & (w->store->chunk_bytes - 1)) == 0)
        new_chunk(w, bucket);
    if (w->cursor[bucket] == NULL)
        return;
    stream_line(w->cursor[bucket], &w->line[bucket]);
    w->cursor[bucket] += BUCKET_LINE_BYTES;
}

enum status bucket_store_seal(struct bucket_store *store, struct error *e)
{
    for (int i = 0; i < store->threads; i++) {
        struct bucket_writer *w = &store->writer[i];
        if (w->error.status != ST_OK) {
            *e = w->error;
            return e->status;
        }
        for (uint32_t b = 0; b < store->buckets; b++) {
            if (w->last[b] != NULL)
                w->last[b]->bytes = (uint64_t)(w->cursor[b] - w->last[b]->records);
        }
    }
    return ST_OK;
}

/* ---- reading ---- */

static void start_thread(struct bucket_reader *r)
{
    const struct bucket_writer *w = &r->store->writer[r->thread];
    r->chunk = w->last[r->bucket];
    r->rest = &w->line[r->bucket];
    r->rest_count = w->fill[r->bucket];
}

struct bucket_reader bucket_read(const struct bucket_store *store, uint32_t bucket,
                                 unsigned width)
{
    struct bucket_reader r = {.store = store, .bucket = bucket, .width = width};
    start_thread(&r);
    return r;
}

size_t bucket_reader_next(struct bucket_reader *r, const void **records)
{
    for (;;) {
        if (r->chunk != NULL) {
            size_t count = r->chunk->bytes / r->width;
            *records = r->chunk->records;
            r->chunk = r->chunk->next;
            if (count > 0)
                return count;
        } else if (r->rest_count > 0) {
            size_t count = r->rest_count;
            *records = r->rest;
            r->rest_count = 0;
            return count;
        } else if (++r->thread < r->store->threads) {
            start_thread(r);
        } else {
            return 0;
        }
    }
}

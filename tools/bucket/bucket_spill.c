/* bucket_spill.c: writes chunks of a bucket store to disk. A thread that has used up its memory writes all its full chunks as
 * one run, bucket after bucket. So the write is long and sequential, and each bucket of the run is read as one piece. Chunks
 * that are not full stay in memory, because cursors point into them. */
#include "bucket_chunk.h"

#include "formats/base/crc.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PIECES = 512 /* chunks handed to the system at once: at most 8 MiB */ };

/* The CRC of a chunk as it is in a spill file. */
uint32_t bucket_chunk_crc(const struct bucket_chunk *chunk, size_t chunk_bytes)
{
    struct bucket_chunk header = *chunk;
    header.next = NULL;
    header.crc = 0;
    uint32_t crc = (uint32_t)crc32_z(0, (const void *)&header, sizeof header);
    return crc32_bytes(crc, chunk->records, chunk_bytes - sizeof header);
}

/* Returns the chunk of a bucket that is being filled, behind which all others are full; NULL if the filling of the bucket has ended. */
static struct bucket_chunk *newest_chunk(const struct bucket_writer *w, uint32_t bucket)
{
    return w->cursor[bucket] != NULL ? w->last[bucket] : NULL;
}

/* Sets first[b] to the full chunks before bucket b, and first[buckets] to all. */
static void count_full(const struct bucket_writer *w, uint32_t *first)
{
    uint32_t buckets = w->store->buckets, count = 0;
    for (uint32_t b = 0; b < buckets; b++) {
        first[b] = count;
        const struct bucket_chunk *newest = newest_chunk(w, b);
        for (const struct bucket_chunk *c = newest != NULL ? newest->next : NULL; c != NULL;
             c = c->next)
            count++;
    }
    first[buckets] = count;
}

/* The chunks on their way to the disk. */
struct batch {
    struct bucket_writer *writer;
    const struct spill_extent *extent;
    uint64_t written; /* bytes of the extent */
    int count;
    struct iovec vector[PIECES];
    struct bucket_chunk *chunk[PIECES];
};

/* Writes the chunks of the batch, which become free ones of the writer. */
static enum status write_batch(struct batch *batch, struct error *e)
{
    struct bucket_writer *w = batch->writer;
    if (spill_write_vector(w->store->spill, batch->extent, batch->written, batch->vector,
                           batch->count, e) != ST_OK)
        return e->status;
    batch->written += (uint64_t)batch->count * w->store->chunk_bytes;
    for (int i = 0; i < batch->count; i++) {
        batch->chunk[i]->next = w->free;
        w->free = batch->chunk[i];
    }
    batch->count = 0;
    return ST_OK;
}

/* Takes the full chunks of a bucket out of its list, oldest first, into the batch, which is written whenever it is full. */
static enum status spill_bucket(struct batch *batch, uint32_t bucket, struct error *e)
{
    struct bucket_writer *w = batch->writer;
    size_t bytes = w->store->chunk_bytes;
    struct bucket_chunk *newest = newest_chunk(w, bucket), *left;
    if (newest == NULL)
        return ST_OK;
    left = bucket_reverse(newest->next);
    newest->next = NULL;
    while (left != NULL) {
        struct bucket_chunk *chunk = left;
        left = chunk->next;
        chunk->next = NULL;
        chunk->bucket = bucket;
        chunk->crc = bucket_chunk_crc(chunk, bytes);
        batch->chunk[batch->count] = chunk;
        batch->vector[batch->count++] = (struct iovec){.iov_base = chunk, .iov_len = bytes};
        if (batch->count == PIECES && write_batch(batch, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

/* Charges the run to the budget and makes it the newest one of the writer, which owns it then. */
static enum status note_run(struct bucket_writer *w, struct bucket_run *run, struct error *e)
{
    struct bucket_store *store = w->store;
    uint64_t bytes = ((uint64_t)store->buckets + 1) * sizeof *run->first;
#pragma omp critical(memory_budget)
    {
        if (memory_charge(store->budget, bytes, "index of spilled edges", e) == ST_OK)
            store->run_count++;
    }
    if (e->status != ST_OK)
        return e->status;
    if (w->newest_run != NULL)
        w->newest_run->next = run;
    else
        w->oldest_run = run;
    w->newest_run = run;
    return ST_OK;
}

/* Writes all full chunks as one run, which the writer owns then; frees `run` on failure. Call it under the writer's lock. */
static enum status spill_full(struct bucket_writer *w, struct bucket_run *run, struct error *e)
{
    struct bucket_store *store = w->store;
    count_full(w, run->first);
    uint64_t bytes = (uint64_t)run->first[store->buckets] * store->chunk_bytes;
    if (spill_reserve(store->spill, bytes, &run->extent, e) != ST_OK ||
        note_run(w, run, e) != ST_OK) {
        free(run);
        return e->status;
    }
    struct batch batch = {.writer = w, .extent = &run->extent};
    for (uint32_t b = 0; b < store->buckets && e->status == ST_OK; b++)
        spill_bucket(&batch, b, e);
    return e->status == ST_OK ? write_batch(&batch, e) : e->status;
}

/* Writes the full chunks of a thread to the spill file; they become its free ones. */
enum status bucket_spill(struct bucket_writer *w, struct error *e)
{
    size_t bytes = sizeof(struct bucket_run) + ((size_t)w->store->buckets + 1) * sizeof(uint32_t);
    struct bucket_run *run = calloc(1, bytes);
    if (run == NULL)
        return fail_memory(e, "spilled edges", bytes);
    pthread_mutex_lock(&w->lock);
    spill_full(w, run, e);
    pthread_mutex_unlock(&w->lock);
    return e->status;
}

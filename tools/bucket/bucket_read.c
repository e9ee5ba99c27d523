/* bucket_read.c: reads a bucket of a sealed store: its spilled runs, then its chunks in memory */
#include "bucket_chunk.h"

#include <string.h>

enum { AHEAD_LINES = 8 };

/* Moves the reader to its bucket's first chunk in `run` or, if that has none, in a newer run. `run` may be NULL. */
static void enter_run(struct bucket_reader *r, const struct bucket_run *run)
{
    while (run != NULL && run->first[r->bucket] == run->first[r->bucket + 1])
        run = run->next;
    r->run = run;
    r->run_chunk = run != NULL ? run->first[r->bucket] : 0;
    r->buffer_at = r->buffered = 0;
}

/* Moves the reader to what thread r->thread has in the bucket: its first spilled run, and its first chunk in memory. */
static void enter_thread(struct bucket_reader *r)
{
    const struct bucket_writer *w = &r->store->writer[r->thread];
    r->chunk = w->last[r->bucket];
    enter_run(r, w->oldest_run);
}

/* Opens a reader of what threads `first` to end - 1 have appended to the bucket. */
struct bucket_reader bucket_read_share(const struct bucket_store *store, uint32_t bucket, int first,
                                      int end, unsigned width)
{
    struct bucket_reader r = {
        .store = store, .bucket = bucket, .width = width, .thread = first, .threads = end};
    enter_thread(&r);
    return r;
}

/* Gives the reader its buffer for spilled chunks, and the place of its failure. */
void bucket_reader_buffer(struct bucket_reader *r, void *buffer, size_t bytes, struct error *e)
{
    r->buffer = buffer;
    r->buffer_bytes = bytes;
    r->error = e;
}

/* Opens a reader of a bucket; `width` is the bytes of a record. */
struct bucket_reader bucket_read(const struct bucket_store *store, uint32_t bucket,
                                 unsigned width, void *buffer, struct error *e)
{
    struct bucket_reader r = bucket_read_share(store, bucket, 0, store->threads, width);
    bucket_reader_buffer(&r, buffer, BUCKET_READ_BYTES, e);
    return r;
}

/* The bytes of records that one thread has in memory in a bucket. */
uint64_t bucket_share_bytes(const struct bucket_store *store, uint32_t bucket, int writer)
{
    uint64_t bytes = 0;
    for (const struct bucket_chunk *c = store->writer[writer].last[bucket]; c != NULL; c = c->next)
        bytes += c->bytes;
    return bytes;
}

/* Points *records at the records of a chunk, and returns their number. */
static size_t chunk_records(const struct bucket_reader *r, const struct bucket_chunk *chunk, const void **records)
{
    size_t lead = bucket_lead_bytes(r->store->chunk_bytes, r->width);
    *records = chunk->records + lead;
    return (chunk->bytes - lead) / r->width;
}

/* Reads as many spilled chunks of the bucket, from r->run_chunk on, as the buffer holds. */
static enum status fill_buffer(struct bucket_reader *r)
{
    size_t bytes = r->store->chunk_bytes;
    uint32_t left = r->run->first[r->bucket + 1] - r->run_chunk;
    uint32_t most = (uint32_t)(r->buffer_bytes / bytes);
    r->buffered = left < most ? left : most;
    r->buffer_at = 0;
    return spill_read(r->store->spill, &r->run->extent, (uint64_t)r->run_chunk * bytes, r->buffer,
                      r->buffered * bytes, r->error);
}

/* The next spilled chunk of the run, from the buffer, checked; NULL after a failure. */
static const struct bucket_chunk *next_spilled(struct bucket_reader *r)
{
    const struct bucket_store *store = r->store;
    if (r->buffer_at == r->buffered && fill_buffer(r) != ST_OK)
        return NULL;
    const struct bucket_chunk *chunk =
        (const void *)((const unsigned char *)r->buffer + r->buffer_at * store->chunk_bytes);
    if (chunk->bucket != r->bucket || chunk->crc != bucket_chunk_crc(chunk, store->chunk_bytes)) {
        spill_corrupt(store->spill, &r->run->extent, (uint64_t)r->run_chunk * store->chunk_bytes,
                      r->error);
        return NULL;
    }
    r->buffer_at++;
    r->run_chunk++;
    return chunk;
}

/* Prefetches the beginning of a chunk while the one before it is in use. */
static void prefetch_chunk(const struct bucket_chunk *chunk)
{
    for (int line = 0; chunk != NULL && line < AHEAD_LINES; line++)
        __builtin_prefetch((const char *)chunk + line * BUCKET_LINE_BYTES);
}

/* Points *records at the next records and returns their number; 0 at the end, or after a failure. */
size_t bucket_reader_next(struct bucket_reader *r, const void **records)
{
    while (r->thread < r->threads) {
        if (r->run != NULL && r->run_chunk == r->run->first[r->bucket + 1])
            enter_run(r, r->run->next);
        if (r->run != NULL) {
            const struct bucket_chunk *chunk = next_spilled(r);
            if (chunk == NULL)
                r->thread = r->threads;
            return chunk != NULL ? chunk_records(r, chunk, records) : 0;
        }
        if (r->chunk != NULL) {
            size_t count = chunk_records(r, r->chunk, records);
            r->chunk = r->chunk->next;
            prefetch_chunk(r->chunk);
            if (count > 0)
                return count;
        } else if (++r->thread < r->threads) {
            enter_thread(r);
        }
    }
    return 0;
}

/* Returns the bytes of the buffer that a reader needs for spilled chunks; 0 if nothing of the store is spilled. */
uint64_t bucket_read_bytes(const struct bucket_store *store)
{
    return store->run_count > 0 ? BUCKET_READ_BYTES : 0;
}

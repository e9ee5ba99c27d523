/* bucket.h: a store of 64-bit records in buckets, filled by many threads and read bucket by bucket.
 *
 * The order of records within a bucket is not defined. Each thread gathers a cache line per bucket
 * before it touches the store, so that filling thousands of buckets streams to memory. What a
 * reader sees is runs of records: where they lie is the store's business.
 */
#ifndef DBFS_BUCKET_H
#define DBFS_BUCKET_H

#include "formats/memory.h"
#include "formats/status.h"

#include <stddef.h>
#include <stdint.h>

enum { BUCKET_LINE = 8 /* records gathered per bucket and thread */ };

struct bucket_line {
    _Alignas(64) uint64_t record[BUCKET_LINE];
};

struct bucket_chunk;

/* One thread's side of the store. */
struct bucket_writer {
    struct bucket_store *store;
    struct bucket_line *line;   /* [buckets] */
    uint8_t *fill;              /* [buckets] records in the line */
    uint64_t **cursor;          /* [buckets] where the next line goes; a chunk's end: nowhere yet */
    struct bucket_chunk **last; /* [buckets] the newest chunk */
    unsigned char *slab, *slab_end;
    struct error error; /* the first failure; appending goes on without effect */
};

struct bucket_store {
    uint32_t buckets;
    int threads;
    size_t chunk_bytes; /* a power of two; chunks are aligned to it */
    struct bucket_writer *writer; /* [threads] */
    struct memory_budget *budget;
    void **slabs; /* for freeing */
    size_t slab_count, slab_capacity, slab_bytes;
    uint64_t fixed_bytes;
};

/* `expected_records` over all buckets sizes the chunks. */
enum status bucket_store_open(struct bucket_store *store, uint32_t buckets, int threads,
                              uint64_t expected_records, struct memory_budget *budget,
                              struct error *e);
void bucket_store_close(struct bucket_store *store); /* a zeroed store is allowed */

/* Moves a full line into the store. */
void bucket_flush_line(struct bucket_writer *writer, uint32_t bucket);

static inline void bucket_append(struct bucket_writer *writer, uint32_t bucket, uint64_t record)
{
    unsigned at = writer->fill[bucket];
    writer->line[bucket].record[at] = record;
    writer->fill[bucket] = (uint8_t)(at + 1);
    if (at + 1 == BUCKET_LINE)
        bucket_flush_line(writer, bucket);
}

/* Ends the filling, once, after all threads have finished; reports what appending could not. */
enum status bucket_store_seal(struct bucket_store *store, struct error *e);

/* Reads a bucket of a sealed store: any thread, any number of times.
 *     struct bucket_reader r = bucket_read(store, bucket);
 *     while ((count = bucket_reader_next(&r, &records)) > 0) ... */
struct bucket_reader {
    const struct bucket_store *store;
    uint32_t bucket;
    int thread;
    const struct bucket_chunk *chunk;
    const uint64_t *rest; /* the line that never filled up */
    size_t rest_count;
};

struct bucket_reader bucket_read(const struct bucket_store *store, uint32_t bucket);
size_t bucket_reader_next(struct bucket_reader *reader, const uint64_t **records);

#endif

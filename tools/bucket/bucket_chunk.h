/* bucket_chunk.h: how a bucket store lays out its memory and its spill files; only for bucket*.c */
#ifndef DBFS_BUCKET_CHUNK_H
#define DBFS_BUCKET_CHUNK_H

#include "bucket.h"

#include <stddef.h>
#include <stdint.h>

/* A chunk in memory. In a spill file it has the same layout, with `next` NULL. */
struct bucket_chunk {
    struct bucket_chunk *next; /* the next older or free one; after bucket_seal, newer */
    uint64_t bytes;            /* of records */
    uint32_t bucket;           /* in a spill file */
    uint32_t crc;              /* in a spill file: CRC of the chunk with this field 0 */
    uint64_t unused[5];        /* so that records start at a cache line */
    unsigned char records[];
};

/* Returns the bytes left unused at the start of a chunk, so that records of `bytes` bytes end exactly where the chunk ends. */
static inline size_t bucket_lead_bytes(size_t chunk_bytes, unsigned bytes)
{
    return (chunk_bytes - sizeof(struct bucket_chunk)) % bytes;
}

/* A run: the full chunks that one thread spilled at once, bucket after bucket, each bucket's oldest chunk first. */
struct bucket_run {
    struct bucket_run *next; /* newer */
    struct spill_extent extent;
    uint32_t first[]; /* [buckets + 1]: chunks before each bucket */
};

/* Reverses a bucket's list of chunks, which goes from the newest to the oldest. Returns the new head. */
static inline struct bucket_chunk *bucket_reverse(struct bucket_chunk *newest)
{
    struct bucket_chunk *done = NULL;
    while (newest != NULL) {
        struct bucket_chunk *older = newest->next;
        newest->next = done;
        done = newest;
        newest = older;
    }
    return done;
}

/* Writes the full chunks of a thread to a spill file, as a run, and moves them to its list of free chunks. */
enum status bucket_spill(struct bucket_writer *writer, struct error *e);

/* Computes the CRC of a chunk of `chunk_bytes` for its field `crc`. */
uint32_t bucket_chunk_crc(const struct bucket_chunk *chunk, size_t chunk_bytes);

#endif

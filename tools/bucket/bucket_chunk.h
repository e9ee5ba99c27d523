/* bucket_chunk.h: what the files of the bucket store share; for bucket*.c alone */
#ifndef DBFS_BUCKET_CHUNK_H
#define DBFS_BUCKET_CHUNK_H

#include "bucket.h"

#include <stddef.h>
#include <stdint.h>

/* As it lies in memory and, with `next` NULL, in a spill file. */
struct bucket_chunk {
    struct bucket_chunk *next; /* older, or free; newer after bucket_seal */
    uint64_t bytes;            /* of records */
    uint32_t bucket;           /* in a spill file */
    uint32_t crc;              /* in a spill file: of the chunk with 0 here */
    uint64_t unused[5];        /* records start at a cache line */
    unsigned char records[];
};

/* The full chunks that one thread spilled at once, bucket after bucket, the oldest of a bucket first. */
struct bucket_run {
    struct bucket_run *next; /* newer */
    struct spill_extent extent;
    uint32_t first[]; /* [buckets + 1]: chunks before each bucket */
};

/* The oldest of some chunks, whose newest is given, becomes the first. */
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

/* Writes the thread's full chunks to a spill file and puts them into its list of free ones. */
enum status bucket_spill(struct bucket_writer *writer, struct error *e);

/* The CRC that belongs into a chunk of `chunk_bytes`. */
uint32_t bucket_chunk_crc(const struct bucket_chunk *chunk, size_t chunk_bytes);

#endif

/* record_read.h: reads the records of a bucket as numbers of 4 or 8 bytes, the widths that sorts are compiled for. Records of 4
 * and 8 bytes are given as they lie in memory. Those of 5 and 6 bytes are widened to 8, with the row's bits that were cut
 * (record_width.h), some hundreds at a time, in a piece of memory that stays in the cache. */
#ifndef DBFS_RECORD_READ_H
#define DBFS_RECORD_READ_H

#include "tools/bucket/bucket.h"

#include <stddef.h>
#include <stdint.h>

enum { RECORD_PIECE = 512 };

struct record_reader {
    struct bucket_reader bucket;
    unsigned width;  /* of the records that are given: 4 or 8 bytes */
    uint64_t least;  /* the least record of the range, uncut */
    const void *odd; /* records of 5 or 6 bytes of which some were given, and */
    size_t given, count;
    uint64_t piece[RECORD_PIECE];
};

/* The width that records of `bytes` bytes are given in. */
static inline unsigned record_given_bytes(unsigned bytes)
{
    return bytes == 4 ? 4 : 8;
}

/* Begins to read the bucket of a range of rows. `least` is the smallest possible record: the first row of the range << column_bits. */
static inline void record_reader_start(struct record_reader *r, struct bucket_reader bucket, uint64_t least)
{
    r->least = least;
    r->bucket = bucket;
    r->width = record_given_bytes(bucket.width);
    r->given = r->count = 0;
}

/* The next records, until none are left: 0. They stay until the next call. */
size_t record_reader_next(struct record_reader *reader, const void **records);

#endif

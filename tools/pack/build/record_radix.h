/* record_radix.h: sorts the records of a bucket by column, digit after digit, in the cache.
 *
 * A record is row << column_bits | column, in 4 or 8 bytes. Each pass moves all records from one buffer to the other by one digit of the
 * column, the lowest digit first, and keeps the order of equal digits. The first pass reads the records from the runs of a bucket, which
 * were read once before to count that digit; each pass counts the next digit. A pass moves 2 * width bytes a record in the second-level
 * cache. Both buffers lie in one huge page, so that they do not evict each other and one address translation serves all digits.
 */
#ifndef DBFS_RECORD_RADIX_H
#define DBFS_RECORD_RADIX_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { RECORD_RADIX_BYTES = 1 << 20 /* of a buffer, and of the records at most */ };

struct record_radix {
    unsigned width; /* of a record: 4 or 8 bytes, since the last start */
    unsigned column_bits, passes, digit_bits;
    uint32_t *place, *next; /* [2^digit_bits]: where records go; counts for the next pass */
    unsigned char *buffers;
    unsigned pass;
};

/* The bits of a digit, for columns of column_bits. */
unsigned record_radix_digit_bits(unsigned column_bits);

uint64_t record_radix_bytes(unsigned column_bits);
enum status record_radix_open(struct record_radix *radix, unsigned column_bits, struct error *e);
void record_radix_close(struct record_radix *radix); /* a zeroed one is allowed */

/* Sorts records that come in runs (pieces of a bucket in memory) by column; equal columns keep their order. Each run is given
 * twice:
 *     record_radix_start(radix, width of a record);
 *     for each run: record_radix_count(radix, run, count);
 *     record_radix_counted(radix);
 *     for each run: record_radix_spread(radix, run, count);
 *     sorted = record_radix_finish(radix, count of all);    which points into a buffer of the radix */
void record_radix_start(struct record_radix *radix, unsigned width);
void record_radix_count(struct record_radix *radix, const void *records, size_t count);
void record_radix_counted(struct record_radix *radix);
void record_radix_spread(struct record_radix *radix, const void *records, size_t count);
void *record_radix_finish(struct record_radix *radix, size_t count);

/* Returns the buffer without the sorted records: RECORD_RADIX_BYTES of free memory, until the next record_radix_spread. */
void *record_radix_spare(const struct record_radix *radix);

#endif

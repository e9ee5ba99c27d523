/* record_radix.h: sorts the records of a bucket by column, digit after digit, in the cache.
 *
 * A record is row << column_bits | column, of 4 or 8 bytes. Each pass moves the records from one
 * buffer to the other by a digit of the column, the lowest first; records of equal digits keep their
 * order. The first pass takes them in runs, as a bucket has them, which are read once before to count
 * its digits; each pass counts the digits of the next. A pass reads and writes every record once:
 * 2 * width bytes, in the second-level cache. The two buffers are a huge page, so that their lines do
 * not compete for places there and one translation serves all digits.
 */
#ifndef DBFS_RECORD_RADIX_H
#define DBFS_RECORD_RADIX_H

#include "formats/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { RECORD_RADIX_BYTES = 1 << 20 /* of the records at most: a buffer */ };

struct record_radix {
    unsigned width; /* of a record: 4 or 8 bytes, since the last start */
    unsigned column_bits, passes, digit_bits;
    uint32_t *place, *next; /* [2^digit_bits]: where records go, and the counts of the next pass */
    unsigned char *buffers;
    unsigned pass;
};

/* The bits of a digit of columns of so many bits. */
unsigned record_radix_digit_bits(unsigned column_bits);

uint64_t record_radix_bytes(unsigned column_bits);
enum status record_radix_open(struct record_radix *radix, unsigned column_bits, struct error *e);
void record_radix_close(struct record_radix *radix); /* a zeroed one is allowed */

/* Sorts records that come in runs, the same ones twice:
 *     record_radix_start(radix, width of a record);
 *     for each run: record_radix_count(radix, run, count);
 *     record_radix_counted(radix);
 *     for each run: record_radix_spread(radix, run, count);
 *     sorted = record_radix_finish(radix, count of all);
 * The sorted records are in a buffer of the radix, those of equal columns in the order in which they
 * came. */
void record_radix_start(struct record_radix *radix, unsigned width);
void record_radix_count(struct record_radix *radix, const void *records, size_t count);
void record_radix_counted(struct record_radix *radix);
void record_radix_spread(struct record_radix *radix, const void *records, size_t count);
void *record_radix_finish(struct record_radix *radix, size_t count);

/* RECORD_RADIX_BYTES that no sorted records are in, until the next spread. */
void *record_radix_spare(const struct record_radix *radix);

#endif

/* record_read.c: see record_read.h */
#include "record_read.h"

/* Restores the high bits that were cut from the next `count` records of 5 or 6 bytes. A range spans fewer values than the low
 * bits have, so from r->least on only one fits. */
static inline void widen(struct record_reader *r, size_t count, unsigned bytes)
{
    const uint64_t least = r->least, mask = (UINT64_C(1) << 8 * bytes) - 1;
    const unsigned char *from = (const unsigned char *)r->odd + r->given * bytes;
    for (size_t i = 0; i < count; i++)
        r->piece[i] = ((bucket_odd_record(from, bytes, i) - least) & mask) + least;
}

/* Points *records at the next records, of r->width bytes, and returns their number; 0 if none are left. */
size_t record_reader_next(struct record_reader *r, const void **records)
{
    if (r->bucket.width == r->width)
        return bucket_reader_next(&r->bucket, records);
    if (r->given == r->count) {
        r->given = 0;
        r->count = bucket_reader_next(&r->bucket, &r->odd);
    }
    size_t left = r->count - r->given, count = left < RECORD_PIECE ? left : RECORD_PIECE;
    if (r->bucket.width == 5)
        widen(r, count, 5);
    else
        widen(r, count, 6);
    r->given += count;
    *records = r->piece;
    return count;
}

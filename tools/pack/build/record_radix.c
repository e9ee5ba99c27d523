/* record_radix.c: see record_radix.h */
#include "record_radix.h"

#include "formats/base/huge.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUFFERS_BYTES = 2 * RECORD_RADIX_BYTES,
    MOST_DIGIT_BITS = 12 /* 4096 places, each of them with a line that is being filled */
};

/* The passes that columns of so many bits take. */
static unsigned passes_of(unsigned column_bits)
{
    return column_bits == 0 ? 1 : (column_bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
}

/* The bits of a digit, for columns of column_bits. */
unsigned record_radix_digit_bits(unsigned column_bits)
{
    unsigned passes = passes_of(column_bits);
    return column_bits == 0 ? 1 : (column_bits + passes - 1) / passes;
}

uint64_t record_radix_bytes(unsigned column_bits)
{
    return BUFFERS_BYTES + (2 * sizeof(uint32_t) << record_radix_digit_bits(column_bits));
}

enum status record_radix_open(struct record_radix *x, unsigned column_bits, struct error *e)
{
    size_t digits = (size_t)1 << record_radix_digit_bits(column_bits);
    *x = (struct record_radix){.column_bits = column_bits,
                               .passes = passes_of(column_bits),
                               .digit_bits = record_radix_digit_bits(column_bits),
                               .place = malloc(digits * sizeof *x->place),
                               .next = malloc(digits * sizeof *x->next),
                               .buffers = huge_alloc(BUFFERS_BYTES)};
    if (x->place != NULL && x->next != NULL && x->buffers != NULL)
        return ST_OK;
    record_radix_close(x);
    return fail_memory(e, "sorting edges", record_radix_bytes(column_bits));
}

void record_radix_close(struct record_radix *x)
{
    free(x->place);
    free(x->next);
    huge_free(x->buffers, BUFFERS_BYTES);
    memset(x, 0, sizeof *x);
}

/* ---- loops ---- */

#define DEFINE_LOOPS(type, suffix)                                                                 \
    static void count_##suffix(const type *from, size_t count, type mask, uint32_t *restrict next) \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            next[from[i] & mask]++;                                                                \
    }                                                                                              \
                                                                                                   \
    static void spread_##suffix(const type *from, size_t count, type *restrict to, unsigned shift, \
                                type mask, unsigned next_shift, type next_mask,                    \
                                uint32_t *restrict place, uint32_t *restrict next)                 \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            type record = from[i];                                                                 \
            to[place[record >> shift & mask]++] = record;                                          \
            next[record >> next_shift & next_mask]++;                                              \
        }                                                                                          \
    }

DEFINE_LOOPS(uint32_t, u32)
DEFINE_LOOPS(uint64_t, u64)

/* ---- passes ---- */

/* Begins a sort of records of `width` bytes. */
void record_radix_start(struct record_radix *x, unsigned width)
{
    x->width = width;
    x->pass = 0;
    memset(x->next, 0, sizeof *x->next << x->digit_bits);
}

/* The mask of the digit of a pass; the last digit may be shorter. */
static uint32_t digit_mask(const struct record_radix *x, unsigned pass)
{
    unsigned left = x->column_bits - pass * x->digit_bits;
    return (UINT32_C(1) << (left < x->digit_bits ? left : x->digit_bits)) - 1;
}

/* Counts the lowest digit of a run; call it for all runs first. */
void record_radix_count(struct record_radix *x, const void *records, size_t count)
{
    uint32_t mask = digit_mask(x, 0);
    if (x->width == 4)
        count_u32(records, count, mask, x->next);
    else
        count_u64(records, count, mask, x->next);
}

/* Turns the counts of a digit into places, and begins to count the next digit. */
void record_radix_counted(struct record_radix *x)
{
    size_t digits = (size_t)1 << x->digit_bits;
    uint32_t *counts = x->next, at = 0;
    for (size_t d = 0; d < digits; d++) {
        uint32_t own = counts[d];
        counts[d] = at;
        at += own;
    }
    x->next = x->place;
    x->place = counts;
    memset(x->next, 0, digits * sizeof *x->next);
}

/* The buffer that this pass writes. */
static void *destination(const struct record_radix *x)
{
    return x->buffers + x->pass % 2 * RECORD_RADIX_BYTES;
}

/* Moves records to their places by the digit of this pass, and counts the next digit. */
void record_radix_spread(struct record_radix *x, const void *records, size_t count)
{
    unsigned next = x->pass + 1 < x->passes ? x->pass + 1 : x->pass;
    unsigned shift = x->pass * x->digit_bits, next_shift = next * x->digit_bits;
    uint32_t mask = digit_mask(x, x->pass), next_mask = digit_mask(x, next);
    if (x->width == 4)
        spread_u32(records, count, destination(x), shift, mask, next_shift, next_mask, x->place,
                   x->next);
    else
        spread_u64(records, count, destination(x), shift, mask, next_shift, next_mask, x->place,
                   x->next);
}

/* Makes the passes after the first, and returns the sorted records. */
void *record_radix_finish(struct record_radix *x, size_t count)
{
    while (x->pass + 1 < x->passes) {
        const void *from = destination(x);
        x->pass++;
        record_radix_counted(x);
        record_radix_spread(x, from, count);
    }
    return destination(x);
}

/* The buffer without the sorted records, free until the next record_radix_spread. */
void *record_radix_spare(const struct record_radix *x)
{
    return x->buffers + (x->pass + 1) % 2 * RECORD_RADIX_BYTES;
}

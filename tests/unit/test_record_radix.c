/* test_record_radix.c: sorting records by column agrees with qsort, in any number of passes; equal columns keep
 * their order */
#include "unit.h"

#include "formats/base/hash.h"
#include "tools/pack/build/record_radix.h"

#include <stdlib.h>

enum { MOST = 4000 };

static unsigned column_bits;

static uint64_t column_of(uint64_t record)
{
    return record & ((UINT64_C(1) << column_bits) - 1);
}

/* Orders by column, then by row. */
static int by_column(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    uint64_t cx = column_of(x), cy = column_of(y);
    return cx != cy ? (cx > cy) - (cx < cy) : (x > y) - (x < y);
}

/* Records come as runs of uneven lengths. */
static const void *sort_in_runs(struct record_radix *x, unsigned width,
                                const unsigned char *records, size_t count)
{
    record_radix_start(x, width);
    for (size_t at = 0, run; at < count; at += run) {
        run = 1 + at % 777 < count - at ? 1 + at % 777 : count - at;
        record_radix_count(x, records + at * width, run);
    }
    record_radix_counted(x);
    for (size_t at = 0, run; at < count; at += run) {
        run = 1 + at % 555 < count - at ? 1 + at % 555 : count - at;
        record_radix_spread(x, records + at * width, run);
    }
    return record_radix_finish(x, count);
}

static uint64_t record_of(const void *records, unsigned width, size_t i)
{
    return width == 4 ? ((const uint32_t *)records)[i] : ((const uint64_t *)records)[i];
}

/* Records come row by row, so those of equal columns keep this order. */
static int sorts(struct record_radix *x, unsigned width, unsigned bits, size_t count, uint64_t seed)
{
    static uint64_t expected[MOST], wide[MOST];
    static uint32_t narrow[MOST];
    uint64_t rows = 8 * width - bits > 3 ? 7 : 2, mask = (UINT64_C(1) << bits) - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t crowd = i % 2 == 0 ? mask : mask & 15; /* makes columns occur in many rows */
        wide[i] = i * rows / count << bits | (random64(seed, i) & crowd);
        narrow[i] = (uint32_t)wide[i];
        expected[i] = wide[i];
    }
    column_bits = bits;
    qsort(expected, count, sizeof *expected, by_column);
    const void *records = width == 4 ? (const void *)narrow : (const void *)wide;
    const void *sorted = sort_in_runs(x, width, records, count);
    for (size_t i = 0; i < count; i++) {
        if (record_of(sorted, width, i) != expected[i])
            return 0;
    }
    return 1;
}

int main(void)
{
    static const unsigned bits[] = {1, 5, 11, 12, 13, 20, 24, 25, 31, 36, 37, 48, 60, 63};
    static const size_t counts[] = {0, 1, 2, 100, 1000, MOST};
    for (unsigned width = 4; width <= 8; width += 4) {
        for (size_t b = 0; b < sizeof bits / sizeof *bits && bits[b] < 8 * width; b++) {
            char name[64];
            struct record_radix x;
            struct error e = {0};
            int ok = record_radix_open(&x, bits[b], &e) == ST_OK;
            for (size_t c = 0; c < sizeof counts / sizeof *counts && ok; c++)
                ok &= sorts(&x, width, bits[b], counts[c], 10 * c + b);
            record_radix_close(&x);
            snprintf(name, sizeof name, "records of %u bytes, columns of %u bits", width, bits[b]);
            report(ok, name);
        }
    }
    return unit_result();
}

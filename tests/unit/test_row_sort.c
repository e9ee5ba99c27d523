/* test_row_sort.c: sorting a row agrees with qsort, for each length and width at which the code differs */
#include "unit.h"

#include "formats/base/hash.h"
#include "tools/sort/row_sort.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the same columns plainly, each once. Returns how many. */
static size_t plain_sort(uint64_t *columns, size_t count)
{
    size_t kept = 0;
    qsort(columns, count, sizeof *columns, by_value);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || columns[i] != columns[kept - 1])
            columns[kept++] = columns[i];
    }
    return kept;
}

static int sorts(unsigned bits, size_t count, uint64_t seed)
{
    static uint64_t expected[MOST], wide[MOST];
    static uint32_t narrow[MOST];
    struct row_sorter s;
    struct error e = {0};
    /* half of the rows crowd into few columns, which makes duplicates */
    uint64_t mask = (UINT64_C(1) << (seed % 2 == 0 ? bits : (bits + 1) / 2)) - 1;
    if (row_sorter_open(&s, bits, &e) != ST_OK)
        return 0;
    int ok = 1;
    for (int again = 0; again < 2; again++) { /* the second row finds the remains of the first */
        for (size_t i = 0; i < count; i++) {
            wide[i] = random64(seed + (uint64_t)again, i) & mask;
            narrow[i] = (uint32_t)wide[i];
            expected[i] = wide[i];
        }
        size_t kept = plain_sort(expected, count);
        if (bits <= 32) {
            ok &= row_sort_u32(&s, narrow, count) == kept;
            for (size_t i = 0; i < kept && ok; i++)
                ok &= narrow[i] == expected[i];
        }
        ok &= row_sort_u64(&s, wide, count) == kept;
        ok &= memcmp(wide, expected, kept * sizeof *wide) == 0;
    }
    row_sorter_close(&s);
    return ok;
}

/* Without a sorter: all columns in order, then each once. */
static int orders(unsigned bits, size_t count, uint64_t seed)
{
    static uint64_t expected[MOST];
    static uint32_t columns[MOST], spare[MOST];
    for (size_t i = 0; i < count; i++) {
        columns[i] = (uint32_t)(random64(seed, i) & ((UINT64_C(1) << bits) - 1));
        expected[i] = columns[i];
    }
    row_order_with_u32(columns, spare, count, bits);
    int ok = 1;
    for (size_t i = 1; i < count; i++)
        ok &= columns[i - 1] <= columns[i];
    size_t kept = plain_sort(expected, count);
    ok &= row_unique_u32(columns, count, columns) == kept;
    for (size_t i = 0; i < kept && ok; i++)
        ok &= columns[i] == expected[i];
    return ok;
}

int main(void)
{
    static const unsigned bits[] = {1, 5, 6, 12, 13, 20, 26, 27, 31, 32, 33, 43, 63};
    static const size_t counts[] = {0, 1, 2, 3, 23, 24, 25, 26, 64, 100, 300, 1000, MOST};
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
        char name[64];
        int ok = 1;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (uint64_t seed = 0; seed < 4; seed++)
                ok &= sorts(bits[b], counts[c], 10 * seed + b) &&
                      (bits[b] > 32 || orders(bits[b], counts[c], 10 * seed + b));
        }
        snprintf(name, sizeof name, "columns of %u bits", bits[b]);
        report(ok, name);
    }
    return unit_result();
}

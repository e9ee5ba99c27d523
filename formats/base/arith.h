/* arith.h: small functions on integers: minimum, maximum, comparison for qsort, quotient rounded up, equal shares, number of
 * bits */
#ifndef DBFS_ARITH_H
#define DBFS_ARITH_H

#include <stdint.h>

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The order of two numbers, for qsort. */
static inline int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Returns where share i begins if 0..total is divided into `count` nearly equal shares. Returns total if i is `count`. */
static inline uint64_t share_begin(uint64_t total, int count, int i)
{
    uint64_t n = (uint64_t)count, at = (uint64_t)i;
    return total / n * at + total % n * at / n;
}

/* Returns the fewest bits that hold every number from 0 to count - 1, but at least 1 and at most 63. */
static inline unsigned bits_for(uint64_t count)
{
    unsigned bits = 1;
    while (bits < 63 && count > UINT64_C(1) << bits)
        bits++;
    return bits;
}

#endif

/* bytes.h: reads and writes little-endian fields of fixed width, at any alignment. The headers and tables of every dbfs format
 * go through these functions. Large arrays in files are little-endian, too, but are used in place, so the #error below refuses
 * machines that are not little-endian. */
#ifndef DBFS_BYTES_H
#define DBFS_BYTES_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "dbfs maps its files in place and needs a little-endian machine"
#endif

static inline uint32_t get_u32(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline uint64_t get_u64(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static inline void put_u32(void *p, uint32_t x)
{
    memcpy(p, &x, sizeof x);
}

static inline void put_u64(void *p, uint64_t x)
{
    memcpy(p, &x, sizeof x);
}

/* Checked arithmetic on sizes that come from files. Nonzero on overflow. */
static inline int size_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_mul_overflow(a, b, out);
}

/* The same for a sum. */
static inline int size_add(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_add_overflow(a, b, out);
}

#endif

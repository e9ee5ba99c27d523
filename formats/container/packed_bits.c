/* packed_bits.c: see packed_bits.h */
#include "packed_bits.h"

#include "formats/base/bytes.h"

#include <string.h>

/* ---- codes ---- */

/* Decodes the codes of a block; `bits` is a constant of each inlined copy. */
static inline void unpack_bits(const unsigned char *p, uint32_t bits, uint32_t base, uint32_t *out)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (uint32_t i = 0; i < PACKED_BLOCK; i += 8, p += bits, out += 8) {
        for (uint32_t k = 0; k < 8; k++) /* 8 codes are `bits` whole bytes */
            out[k] = (uint32_t)(get_u64(p + k * bits / 8) >> k * bits % 8 & mask) + base;
    }
}

/* Sets out[i] to base + code i. Each number of bits has a case with constant shifts: twice as fast as shifts by a variable. */
void decode_codes_u32(const unsigned char *p, uint32_t bits, uint32_t base, uint32_t *out)
{
#define CASE(b) case b: unpack_bits(p, b, base, out); break;
#define CASES_4(b) CASE(b) CASE(b + 1) CASE(b + 2) CASE(b + 3)
#define CASES_16(b) CASES_4(b) CASES_4(b + 4) CASES_4(b + 8) CASES_4(b + 12)
    switch (bits) {
        CASES_16(0)
        CASES_16(16)
        CASE(32)
    default: break;
    }
#undef CASES_16
#undef CASES_4
#undef CASE
}

/* The same for 8-byte elements. */
void decode_codes_u64(const unsigned char *p, uint32_t bits, uint64_t base, uint64_t *out)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (uint32_t i = 0; i < PACKED_BLOCK; i++) {
        const unsigned char *at = p + i * bits / 8;
        uint32_t shift = i * bits % 8;
        uint64_t code = get_u64(at) >> shift;
        if (shift + bits > 64)
            code |= (uint64_t)at[8] << (64 - shift);
        out[i] = (code & mask) + base;
    }
}

/* ---- the bit vector ---- */

/* ZEROS(x) packs 8 bytes into a word: byte j is the number of zero bits of x below its j-th one bit. The word is built from the
 * top bit of x down: a one bit shifts the bytes of the word up by a byte, and a zero bit adds 1 to each byte. */
#define EACH_BYTE UINT64_C(0x0101010101010101)
#define BIT(x, i) ((x) >> (i) & 1)
#define ADD_BIT(x, i, above) (((above) << 8 * BIT(x, i)) + EACH_BYTE * !BIT(x, i))
#define ZEROS_ABOVE_3(x) ADD_BIT(x, 4, ADD_BIT(x, 5, ADD_BIT(x, 6, ADD_BIT(x, 7, UINT64_C(0)))))
#define ZEROS(x) ADD_BIT(x, 0, ADD_BIT(x, 1, ADD_BIT(x, 2, ADD_BIT(x, 3, ZEROS_ABOVE_3(x)))))
#define ONES_OF_4(x) (BIT(x, 0) + BIT(x, 1) + BIT(x, 2) + BIT(x, 3))
#define ONES(x) (ONES_OF_4(x) + ONES_OF_4((x) >> 4))
#define OF_4(f, x) f(x), f((x) + 1), f((x) + 2), f((x) + 3)
#define OF_16(f, x) OF_4(f, x), OF_4(f, (x) + 4), OF_4(f, (x) + 8), OF_4(f, (x) + 12)
#define OF_64(f, x) OF_16(f, x), OF_16(f, (x) + 16), OF_16(f, (x) + 32), OF_16(f, (x) + 48)
#define OF_256(f) OF_64(f, 0), OF_64(f, 64), OF_64(f, 128), OF_64(f, 192)

static const uint64_t zeros_before[256] = {OF_256(ZEROS)};
static const unsigned char ones[256] = {OF_256(ONES)};

/* Sets high[i] to the zero bits before set bit i of the vector. Nonzero if the vector has not exactly PACKED_BLOCK ones. */
int decode_unary(const unsigned char *vector, uint32_t bytes, unsigned char high[UNARY_ROOM])
{
    uint64_t found = 0;
    if (bytes == 0) {
        memset(high, 0, PACKED_BLOCK);
        return 0;
    }
    /* Each step writes 8 entries; the next one overwrites those too many. Earlier bytes of the vector have 8 * k - found zeros,
     * at most 255 as long as a one bit follows: added to all 8 entries at once, they carry into none that is used. */
    for (uint32_t i = 0; i < bytes; i += 4) {
        for (uint32_t k = i; k < i + 4; k++) {
            unsigned char x = vector[k];
            put_u64(high + found, zeros_before[x] + (8 * k - found) * EACH_BYTE);
            found += ones[x];
        }
    }
    return found != PACKED_BLOCK;
}

/* The same for high[0..count-1] alone, of a vector that has been checked. */
void decode_unary_part(const unsigned char *vector, uint32_t count, unsigned char high[UNARY_ROOM])
{
    uint64_t found = 0;
    for (uint32_t k = 0; found < count && k < 4 * UNARY_MOST_WORDS; k++) {
        unsigned char x = vector[k];
        put_u64(high + found, zeros_before[x] + (8 * k - found) * EACH_BYTE);
        found += ones[x];
    }
}

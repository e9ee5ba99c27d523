/* bit_codes.h: reads a file as a stream of bits, the highest bit of a byte first, and the instantaneous codes of WebGraph.
 *
 *   unary x     x zeros, then a one
 *   gamma x     unary of b, then the b lowest bits of x + 1, which has b + 1 bits
 *   delta x     gamma of b, then these b bits
 *   zeta_k x    unary of h, then x + 1 - 2^(hk) in minimal binary of the interval to 2^((h+1)k)
 *   nibble x    groups of three bits, the highest first, each behind a bit that is one in the last group alone
 *
 * The common codes are decoded from one word: a refill of 8 bytes gives at least 56 bits, and a count of leading zeros gives
 * the length. Longer codes are read in parts.
 *
 * Behind the end of the file a reader gives zeros, in which no code ends, so that reading on sets `failed`. A code beyond 64
 * bits sets it, too. Values are then of no use; the caller looks at bits_ok now and then.
 */
#ifndef DBFS_BIT_CODES_H
#define DBFS_BIT_CODES_H

#include "tools/convert/input/input.h"

#include <stdint.h>
#include <string.h>

enum code { CODE_UNARY, CODE_GAMMA, CODE_DELTA, CODE_ZETA, CODE_NIBBLE, CODES };

/* Reads `count` bytes of a file at an offset; *got is fewer only at the end. */
struct bit_source {
    enum status (*read_at)(const void *file, uint64_t offset, void *bytes, size_t count, size_t *got, struct error *e);
    const void *file;
    uint64_t bytes; /* of the file */
};

struct bit_reader {
    uint64_t bits; /* the next bits, from the highest on */
    unsigned have; /* as many of them count */
    int failed;    /* nonzero: a read went past the end, a code is too long, or *error holds a failure of the file */
    const unsigned char *next, *end; /* the bytes of the buffer that are not yet in `bits` */
    unsigned char *buffer;
    uint64_t buffer_at; /* the byte of the file at buffer[0] */
    struct bit_source source;
    struct error *error; /* for a read that fails */
};

/* Opens a reader at the first bit. The caller keeps the source and *r->error, in which a failure is stored. */
enum status bits_open(struct bit_reader *r, struct bit_source source, const char *name, struct error *e);
void bits_close(struct bit_reader *r); /* zeroed ones are allowed */

/* Drops the buffered bytes, so that the next bytes read begin at byte `byte` of the file. */
void bits_drop(struct bit_reader *r, uint64_t byte);

/* Reads the next bytes of the file into the buffer, and zeros at the end of the file. */
void bits_load(struct bit_reader *r);

/* The slow ways: codes that do not fit into one word. */
uint64_t bits_long_unary(struct bit_reader *r);
uint64_t bits_long_gamma(struct bit_reader *r);
uint64_t bits_long_zeta(struct bit_reader *r, unsigned k);
uint64_t bits_delta(struct bit_reader *r);
uint64_t bits_nibble(struct bit_reader *r);

/* Nonzero if nothing is left of the file but padding to whole words: fewer than 16 bytes, all zeros. */
int bits_padding_follows(struct bit_reader *r);

/* The bit that is read next, and the bits of the whole file. */
static inline uint64_t bits_position(const struct bit_reader *r)
{
    return 8 * (r->buffer_at + (uint64_t)(r->next - r->buffer)) - r->have;
}

static inline uint64_t bits_in_file(const struct bit_reader *r)
{
    return 8 * r->source.bytes;
}

/* Zero after a read past the end, or of a code beyond 64 bits. */
static inline int bits_ok(const struct bit_reader *r)
{
    return !r->failed && bits_position(r) <= bits_in_file(r);
}

/* The bits that are left; 0 past the end. */
static inline uint64_t bits_left(const struct bit_reader *r)
{
    return bits_ok(r) ? bits_in_file(r) - bits_position(r) : 0;
}

/* Refills r->bits from the buffer, so that at least its upper 56 bits count. The bits below may be filled, too, but do not
 * count, and the next refill reads them again. */
static inline void bits_refill(struct bit_reader *r)
{
    uint64_t word;
    if (__builtin_expect(r->end - r->next < 8, 0))
        bits_load(r);
    memcpy(&word, r->next, sizeof word);
    r->bits |= __builtin_bswap64(word) >> r->have;
    r->next += (63 - r->have) >> 3;
    r->have |= 56;
}

/* Consumes bits that a refill has given: 56 at most between two refills. */
static inline void bits_skip(struct bit_reader *r, unsigned count)
{
    r->bits <<= count;
    r->have -= count;
}

/* Goes to a bit of the file. A place within the buffer costs no read. */
static inline void bits_seek(struct bit_reader *r, uint64_t bit)
{
    uint64_t byte = bit / 8 - r->buffer_at; /* before the buffer it wraps */
    if (byte < (uint64_t)(r->end - r->buffer))
        r->next = r->buffer + byte;
    else
        bits_drop(r, bit / 8);
    r->bits = 0;
    r->have = 0;
    bits_refill(r);
    bits_skip(r, (unsigned)(bit % 8));
}

/* Reads up to 56 bits. */
static inline uint64_t bits_read(struct bit_reader *r, unsigned count)
{
    bits_refill(r);
    uint64_t value = count > 0 ? r->bits >> (64 - count) : 0;
    bits_skip(r, count);
    return value;
}

/* Reads a number in unary code. */
static inline uint64_t bits_unary(struct bit_reader *r)
{
    bits_refill(r);
    unsigned zeros = (unsigned)__builtin_clzll(r->bits | 1);
    if (__builtin_expect(zeros >= 56, 0))
        return bits_long_unary(r);
    bits_skip(r, zeros + 1);
    return zeros;
}

/* Reads a number in gamma code. */
static inline uint64_t bits_gamma(struct bit_reader *r)
{
    bits_refill(r);
    unsigned zeros = (unsigned)__builtin_clzll(r->bits | 1);
    if (__builtin_expect(zeros > 27, 0))
        return bits_long_gamma(r);
    uint64_t value = (r->bits >> (63 - 2 * zeros)) - 1;
    bits_skip(r, 2 * zeros + 1);
    return value;
}

/* Reads a number in zeta_k code. */
static inline uint64_t bits_zeta(struct bit_reader *r, unsigned k)
{
    bits_refill(r);
    unsigned h = (unsigned)__builtin_clzll(r->bits | 1), short_bits = h * k + k - 1;
    if (__builtin_expect(h + 2 + short_bits > 56, 0))
        return bits_long_zeta(r, k);
    uint64_t rest = r->bits << (h + 1), least = UINT64_C(1) << h * k;
    uint64_t value = rest >> 1 >> (63 - short_bits); /* in two steps: a shift by 64 is undefined */
    int is_short = value < least;
    bits_skip(r, h + 1 + short_bits + !is_short);
    return is_short ? value + least - 1 : (rest >> (63 - short_bits)) - 1;
}

/* Reads a value in a code; k is that of zeta. */
static inline uint64_t bits_value(struct bit_reader *r, enum code code, unsigned k)
{
    switch (code) {
    case CODE_UNARY: return bits_unary(r);
    case CODE_GAMMA: return bits_gamma(r);
    case CODE_DELTA: return bits_delta(r);
    case CODE_ZETA: return bits_zeta(r, k);
    case CODE_NIBBLE:
    case CODES: break;
    }
    return bits_nibble(r);
}

/* Returns the integer that WebGraph codes as this natural number: 0, -1, 1, -2, ... for 0, 1, 2, 3, ... */
static inline uint64_t bits_signed(uint64_t natural)
{
    return (natural >> 1) ^ (0 - (natural & 1));
}

#endif

/* crc_fold.c: see crc_fold.h
 *
 * A CRC is a remainder modulo a polynomial P over GF(2). 128 bits that stand n bits before the end of
 * the message may be replaced by their product with x^n mod P, added to the last 128 bits, without
 * changing the remainder: "folding". Four such strands run side by side, 64 bytes a step; what is
 * left at the end are 16 bytes with the remainder of the whole, which zlib finishes.
 */
#include "crc_fold.h"

#include <zlib.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

enum { STEP_BYTES = 64, WORTHWHILE_BYTES = 4 * STEP_BYTES };

#define FOLDING __attribute__((target("pclmul,sse4.1")))

/* For 128 bits that move n bits: x^(n + 32) mod P for their low half and x^(n - 32) mod P for the
 * high one, with the bits in reverse, as the CRC has them, and shifted left by one. */
#define FOLD_512 _mm_set_epi64x(0x1c6e41596, 0x154442bd4)
#define FOLD_128 _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)

/* `strand` moved over the bits that `constants` are for, and added to `next`. */
FOLDING static inline __m128i fold(__m128i strand, __m128i constants, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(strand, constants, 0x00);
    __m128i high = _mm_clmulepi64_si128(strand, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* At least STEP_BYTES; returns how many bytes were taken, a multiple of STEP_BYTES. */
FOLDING static size_t fold_steps(uint32_t *crc, const unsigned char *p, size_t count)
{
    const __m128i *in = (const __m128i *)(const void *)p;
    size_t steps = count / STEP_BYTES;
    __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1);
    __m128i c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
    unsigned char rest[16];
    /* what came before is added to the first bits; zlib's value is its complement */
    a = _mm_xor_si128(a, _mm_cvtsi32_si128((int)~*crc));
    for (size_t i = 1; i < steps; i++) {
        in += 4;
        a = fold(a, FOLD_512, _mm_loadu_si128(in));
        b = fold(b, FOLD_512, _mm_loadu_si128(in + 1));
        c = fold(c, FOLD_512, _mm_loadu_si128(in + 2));
        d = fold(d, FOLD_512, _mm_loadu_si128(in + 3));
    }
    _mm_storeu_si128((__m128i *)(void *)rest,
                     fold(fold(fold(a, FOLD_128, b), FOLD_128, c), FOLD_128, d));
    *crc = (uint32_t)crc32_z(UINT32_MAX, rest, sizeof rest); /* UINT32_MAX: nothing came before */
    return steps * STEP_BYTES;
}

uint32_t crc32_fold(uint32_t crc, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    size_t done = 0;
    if (count >= WORTHWHILE_BYTES && __builtin_cpu_supports("pclmul") &&
        __builtin_cpu_supports("sse4.1"))
        done = fold_steps(&crc, p, count);
    return (uint32_t)crc32_z(crc, p + done, count - done);
}

#else

uint32_t crc32_fold(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}

#endif

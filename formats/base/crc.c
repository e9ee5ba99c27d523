/* crc.c: see crc.h
 *
 * Most bytes are folded by carry-less products: 64 bytes are replaced by what they add to the next 64 bytes,
 * which keeps the remainder modulo the polynomial 0xEDB88320. The last 64 bytes are folded into 16, and zlib
 * computes the CRC of these and of the rest. The method, and the powers of x that serve as constants, are
 * from Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction (2009).
 */
#include "crc.h"
#include "arith.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK_BYTES = 1 << 20 };

/* The largest of the 32-bit numbers; up to 3 bytes at the end are left out. */
static uint32_t largest(const unsigned char *p, size_t count)
{
    uint32_t most = 0, x;
    for (; count >= sizeof x; p += sizeof x, count -= sizeof x) {
        memcpy(&x, p, sizeof x);
        most = x > most ? x : most;
    }
    return most;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { LANES = 4, LANE_BYTES = 16, FOLDED_BYTES = LANES * LANE_BYTES, WORTH_FOLDING_BYTES = 256 };

/* Replaces the 16 bytes of `x` by what they add to `next`; `by` has the powers of x for the distance of the two. */
__attribute__((target("pclmul,sse4.1")))
static inline __m128i fold(__m128i x, __m128i by, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(x, by, 0x00), high = _mm_clmulepi64_si128(x, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* The CRC that goes on from `crc`, by folding, and in *most the largest number. `count` is at least FOLDED_BYTES. */
__attribute__((target("pclmul,sse4.1")))
static uint32_t crc32_folded(uint32_t crc, const unsigned char *p, size_t count, uint32_t *most)
{
    const __m128i by_64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
    const __m128i by_16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    __m128i lane[LANES], most_of[LANES];
    unsigned char left[LANE_BYTES];
    for (int i = 0; i < LANES; i++)
        most_of[i] = lane[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + i * LANE_BYTES));
    /* the register goes into the first bytes */
    lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128((int)~crc));
    for (p += FOLDED_BYTES, count -= FOLDED_BYTES; count >= FOLDED_BYTES; count -= FOLDED_BYTES) {
        for (int i = 0; i < LANES; i++, p += LANE_BYTES) {
            __m128i next = _mm_loadu_si128((const __m128i *)(const void *)p);
            most_of[i] = _mm_max_epu32(most_of[i], next);
            lane[i] = fold(lane[i], by_64, next);
        }
    }
    *most = (uint32_t)larger(largest((const unsigned char *)most_of, sizeof most_of), largest(p, count));
    for (int i = 1; i < LANES; i++)
        lane[i] = fold(lane[i - 1], by_16, lane[i]);
    _mm_storeu_si128((__m128i *)(void *)left, lane[LANES - 1]);
    crc = (uint32_t)crc32_z(UINT32_MAX, left, sizeof left); /* zlib inverts it: an empty register */
    return (uint32_t)crc32_z(crc, p, count);
}

/* The same, by folding only where that is worth it. */
static uint32_t crc_of_chunk(uint32_t crc, const unsigned char *p, size_t count, uint32_t *most)
{
    if (count >= WORTH_FOLDING_BYTES && __builtin_cpu_supports("pclmul") &&
        __builtin_cpu_supports("sse4.1"))
        return crc32_folded(crc, p, count, most);
    *most = largest(p, count);
    return (uint32_t)crc32_z(crc, p, count);
}
#else
/* The same for any processor. */
static uint32_t crc_of_chunk(uint32_t crc, const unsigned char *p, size_t count, uint32_t *most)
{
    *most = largest(p, count);
    return (uint32_t)crc32_z(crc, p, count);
}
#endif

/* Goes on from `crc` as zlib's crc32 does; 0 begins. */
uint32_t crc32_bytes(uint32_t crc, const void *bytes, size_t count)
{
    uint32_t most;
    return crc_of_chunk(crc, bytes, count, &most);
}

/* The CRC-32 of an array, and in *most its largest 32-bit number. If memory for the parts is short, one thread does it. */
uint32_t crc32_and_most(const void *bytes, uint64_t count, int threads, uint32_t *most)
{
    const unsigned char *p = bytes;
    uint64_t chunks = (count + CHUNK_BYTES - 1) / CHUNK_BYTES;
    uint32_t *crc = threads > 1 && chunks > 1 ? malloc(chunks * sizeof *crc) : NULL;
    if (crc == NULL)
        return crc_of_chunk(0, p, count, most);
    uint32_t found = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(max : found)
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t at = i * CHUNK_BYTES;
        uint32_t most_of_chunk;
        crc[i] = crc_of_chunk(0, p + at, count - at < CHUNK_BYTES ? count - at : CHUNK_BYTES,
                              &most_of_chunk);
        found = (uint32_t)larger(found, most_of_chunk);
    }
    *most = found;
    uLong whole = crc[0];
    for (uint64_t i = 1; i < chunks; i++) {
        uint64_t left = count - i * CHUNK_BYTES;
        whole = crc32_combine(whole, crc[i], (z_off_t)(left < CHUNK_BYTES ? left : CHUNK_BYTES));
    }
    free(crc);
    return (uint32_t)whole;
}

uint32_t crc32_parallel(const void *bytes, uint64_t count, int threads)
{
    uint32_t most;
    return crc32_and_most(bytes, count, threads, &most);
}

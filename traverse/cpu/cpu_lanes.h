/* cpu_lanes.h: helpers for vectors of eight 32-bit lanes (AVX2), if the compiler knows them (HAS_AVX2)
 *
 * A file that uses vectors also has a plain version of each loop, for machines without AVX2. */
#ifndef DBFS_CPU_LANES_H
#define DBFS_CPU_LANES_H

#include <stdint.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAS_AVX2 1
#include <immintrin.h>

/* Marks a function that uses AVX2. It may be called only if has_avx2() returns nonzero. */
#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

/* Returns nonzero if this machine has the instructions that functions marked AVX2 use. */
static inline int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

/* Looks up eight vertices in the bitmap `mask`. Returns an integer whose bit i says whether the vertex in lane i of
 * `ids` is in it. Lanes whose top bit in `lanes` is 0 are not looked up, and give 0. */
AVX2 static inline uint32_t probe_lanes(const uint64_t *mask, __m256i ids, __m256i lanes)
{
    const __m256i none = _mm256_setzero_si256();
    __m256i words = _mm256_mask_i32gather_epi32(none, (const int *)mask, _mm256_srli_epi32(ids, 5), lanes, 4);
    __m256i bits = _mm256_sllv_epi32(words, _mm256_andnot_si256(ids, _mm256_set1_epi32(31)));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(bits));
}

/* Returns a vector whose lane i has all bits set if bit i of `bits` is set, and is 0 otherwise. */
AVX2 static inline __m256i lanes_of(uint32_t bits)
{
    const __m256i own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), own), own);
}

#else
#define HAS_AVX2 0
#endif

#endif

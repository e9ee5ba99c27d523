/* cuda_bits.cuh: moves chosen bits of a word together, and back */
#ifndef DBFS_CUDA_BITS_CUH
#define DBFS_CUDA_BITS_CUH

#include <stdint.h>

/* Returns the number of 32-bit words that hold `bits` bits. */
__device__ static inline unsigned words_of_bits(unsigned bits)
{
    return (bits + 31) / 32;
}

/* Returns the chosen bits of `bits`, those that are set in `chosen`, moved together: bit i of the result is the i-th chosen
 * bit, counted from the lowest. */
__device__ static inline uint32_t gather_bits(uint32_t bits, uint32_t chosen)
{
    uint32_t gathered = 0;
    if (chosen == ~0u)
        return bits;
    for (int at = 0; chosen != 0; chosen &= chosen - 1)
        gathered |= (bits >> (__ffs(chosen) - 1) & 1) << at++;
    return gathered;
}

/* The inverse of gather_bits: moves bit i of `bits` to the i-th bit that is set in `chosen`. Other bits of the result are 0. */
__device__ static inline uint32_t scatter_bits(uint32_t bits, uint32_t chosen)
{
    uint32_t scattered = 0;
    if (chosen == ~0u)
        return bits;
    for (; chosen != 0 && bits != 0; chosen &= chosen - 1, bits >>= 1)
        scattered |= (bits & 1) << (__ffs(chosen) - 1);
    return scattered;
}

#endif

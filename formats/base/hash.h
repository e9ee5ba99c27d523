/* hash.h: the hash functions behind checksums of edges and distances, and behind counter-based random numbers. Checksums and
 * sampled roots are compared between runs and machines, so these functions never change within a version of a format. */
#ifndef DBFS_HASH_H
#define DBFS_HASH_H

#include <stdint.h>

/* A bijection of 64-bit words with full avalanche: two multiply-xorshift rounds. */
static inline uint64_t mix64(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

/* Random number `counter` of the sequence that `key` selects. */
static inline uint64_t random64(uint64_t key, uint64_t counter)
{
    return mix64(mix64(key + UINT64_C(0x9e3779b97f4a7c15)) +
                 counter * UINT64_C(0x9e3779b97f4a7c15));
}

/* Hash of the ordered pair (a, b). The sum of the hashes of several pairs does not depend on their order. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
    return mix64(a * UINT64_C(0x9fb21c651e98df25) + mix64(b + UINT64_C(0xa0761d6478bd642f)));
}

#endif

/* bijection.h: a deterministic, invertible permutation of the vertex ids 0..n-1.
 *
 * It spreads the edges of any graph evenly over the shards, because a vertex belongs to shard v mod p (Pan et al., section
 * VI-A3). Rounds of multiply-add and xorshift permute the ids below the smallest power of two that is at least n. An id that
 * lands outside 0..n-1 is permuted again until it lands inside ("cycle walking"), which takes fewer than two steps on average.
 */
#ifndef DBFS_BIJECTION_H
#define DBFS_BIJECTION_H

#include <stdint.h>

/* Kernels permute ids, too. */
#ifdef __CUDACC__
#define PERMUTING __host__ __device__ static inline
#else
#define PERMUTING static inline
#endif

enum { BIJECTION_ROUNDS = 4 };

struct bijection {
    uint64_t n;
    uint64_t mask; /* 2^k - 1 */
    int shift;     /* at least half of k, so that x ^= x >> shift undoes itself */
    uint64_t multiplier[BIJECTION_ROUNDS]; /* odd */
    uint64_t inverse[BIJECTION_ROUNDS];    /* of the multipliers, modulo 2^64 */
    uint64_t addend[BIJECTION_ROUNDS];
};

/* n is 1 to 2^48. Equal n and seed give the same permutation in every program of one format version. */
void bijection_init(struct bijection *b, uint64_t n, uint64_t seed);

/* Permutes the ids from 0 to the mask once; the result may be n or more. */
PERMUTING uint64_t bijection_step(const struct bijection *b, uint64_t x)
{
    for (int r = 0; r < BIJECTION_ROUNDS; r++) {
        x = (x * b->multiplier[r] + b->addend[r]) & b->mask;
        x ^= x >> b->shift;
    }
    return x;
}

/* Undoes bijection_step. */
PERMUTING uint64_t bijection_step_back(const struct bijection *b, uint64_t x)
{
    for (int r = BIJECTION_ROUNDS - 1; r >= 0; r--) {
        x ^= x >> b->shift;
        x = ((x - b->addend[r]) * b->inverse[r]) & b->mask;
    }
    return x;
}

/* original id -> stored id; id < n */
PERMUTING uint64_t bijection_forward(const struct bijection *b, uint64_t id)
{
    do {
        id = bijection_step(b, id);
    } while (id >= b->n);
    return id;
}

/* stored id -> original id; id < n */
PERMUTING uint64_t bijection_backward(const struct bijection *b, uint64_t id)
{
    do {
        id = bijection_step_back(b, id);
    } while (id >= b->n);
    return id;
}

/* Permutes the ids first..first+count-1 into stored[0..count-1]. Ids of n or more stay as they are. */
void bijection_forward_range(const struct bijection *b, uint64_t first, uint64_t count, uint64_t *stored);

#endif

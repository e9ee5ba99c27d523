/* bit_sums.h: counts how often each of up to 256 bits is set in a sequence of words.
 *
 * The counts are stored bit by bit: bit i of plane k is bit k of the count of bit i. So a few operations on whole words add
 * 1 to the counts of all bits that are set in a word. */
#ifndef DBFS_BIT_SUMS_H
#define DBFS_BIT_SUMS_H

#include <stddef.h>
#include <stdint.h>

enum { BATCH_MOST_WORDS = 4, BATCH_MOST = 64 * BATCH_MOST_WORDS, SUM_PLANES = 32, SUM_ROOM = 8 };

/* Up to SUM_PLANES bits per count; `words` of the functions below is the number of words of an entry, at most
 * BATCH_MOST_WORDS. */
struct bit_sums {
    int waiting; /* used entries of `capacity`; SUM_ROOM of them are added together, with a third of the operations */
    uint64_t capacity[SUM_ROOM][BATCH_MOST_WORDS];
    uint64_t plane[BATCH_MOST_WORDS][SUM_PLANES];
};

/* Adds 2^k to the counts of the bits that are set in `bits`. plane: [SUM_PLANES]. */
static inline void bit_sums_carry(uint64_t *plane, uint64_t bits, int k)
{
    for (; bits != 0 && k < SUM_PLANES; k++) {
        uint64_t carry = plane[k] & bits;
        plane[k] ^= bits;
        bits = carry;
    }
}

/* A full adder for each bit of a word: adds *sum, a and b, leaves the low bit of the result in *sum, and returns the
 * carry, which has twice the weight. */
static inline uint64_t bit_sums_full(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t either = *sum ^ a, carry = (*sum & a) | (either & b);
    *sum = either ^ b;
    return carry;
}

/* Adds the waiting entries to the planes. Called when SUM_ROOM of them wait, and before the counts are read. */
static inline void bit_sums_flush(struct bit_sums *s, int words)
{
    for (int j = 0; j < words && s->waiting < SUM_ROOM; j++) {
        for (int i = 0; i < s->waiting; i++)
            bit_sums_carry(s->plane[j], s->capacity[i][j], 0);
    }
    for (int j = 0; j < words && s->waiting == SUM_ROOM; j++) {
        uint64_t *plane = s->plane[j], two[4], four[2];
        for (int i = 0; i < 4; i++)
            two[i] = bit_sums_full(&plane[0], s->capacity[2 * i][j], s->capacity[2 * i + 1][j]);
        for (int i = 0; i < 2; i++)
            four[i] = bit_sums_full(&plane[1], two[2 * i], two[2 * i + 1]);
        bit_sums_carry(plane, bit_sums_full(&plane[2], four[0], four[1]), 3);
    }
    s->waiting = 0;
}

/* Counts the bits of one entry, bits[0..words). */
static inline void bit_sums_add(struct bit_sums *s, const uint64_t *bits, int words)
{
    for (int j = 0; j < words; j++)
        s->capacity[s->waiting][j] = bits[j];
    if (++s->waiting == SUM_ROOM)
        bit_sums_flush(s, words);
}

/* Adds the counts to count[64 * words] and, unless `weight` is NULL, 2^shift times the counts to weight[64 * words].
 * Zeroes the counts. */
static inline void bit_sums_take(struct bit_sums *s, int words, uint64_t *count, uint64_t *weight, int shift)
{
    bit_sums_flush(s, words);
    for (int word = 0; word < words; word++) {
        for (int k = 0; k < SUM_PLANES; k++) {
            for (uint64_t bits = s->plane[word][k]; bits != 0; bits &= bits - 1) {
                int i = 64 * word + __builtin_ctzll(bits);
                count[i] += UINT64_C(1) << k;
                if (weight != NULL)
                    weight[i] += UINT64_C(1) << (k + shift);
            }
            s->plane[word][k] = 0;
        }
    }
}

#endif

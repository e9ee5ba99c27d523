/* bit_sums.h: counts how often each of up to 256 bits is set in a sequence of entries. An entry has `words` words, 1 to 4.
 *
 * The counts of the 64 bits of a word are stored in planes, each of which is a word: bit i of plane k is binary digit k of
 * the count of bit i. So a few operations on whole words add 1 to the counts of all bits that are set in a word. */
#ifndef DBFS_BIT_SUMS_H
#define DBFS_BIT_SUMS_H

#include <stddef.h>
#include <stdint.h>

enum { BATCH_MOST_WORDS = 4, BATCH_MOST = 64 * BATCH_MOST_WORDS, SUM_PLANES = 32, SUM_ENTRIES = 8 };

/* The counts of all bits of an entry, each with SUM_PLANES binary digits. Entries wait in `entry` until there are SUM_ENTRIES
 * of them, because counting them all at once takes a third of the operations. */
struct bit_sums {
    int waiting; /* number of entries kept in `entry`, which are not yet counted */
    uint64_t entry[SUM_ENTRIES][BATCH_MOST_WORDS];
    uint64_t plane[BATCH_MOST_WORDS][SUM_PLANES];
};

/* Adds 2^k to the count of each bit that is set in `bits`. `plane` is [SUM_PLANES], the planes of the word. */
static inline void bit_sums_carry(uint64_t *plane, uint64_t bits, int k)
{
    for (; bits != 0 && k < SUM_PLANES; k++) {
        uint64_t carry = plane[k] & bits;
        plane[k] ^= bits;
        bits = carry;
    }
}

/* Adds *sum, a and b for each bit of a word (a full adder). Stores the low digits in *sum, and returns the carries. */
static inline uint64_t bit_sums_full(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t either = *sum ^ a, carry = (*sum & a) | (either & b);
    *sum = either ^ b;
    return carry;
}

/* Adds the entries that are kept in s->entry to the counts, and empties s->entry. Called when it is full, and before the
 * counts are read. */
static inline void bit_sums_flush(struct bit_sums *s, int words)
{
    for (int j = 0; j < words && s->waiting < SUM_ENTRIES; j++) {
        for (int i = 0; i < s->waiting; i++)
            bit_sums_carry(s->plane[j], s->entry[i][j], 0);
    }
    /* full adders make eight words into four carries, which count twice, and these into two carries, which count four times */
    for (int j = 0; j < words && s->waiting == SUM_ENTRIES; j++) {
        uint64_t *plane = s->plane[j], two[4], four[2];
        for (int i = 0; i < 4; i++)
            two[i] = bit_sums_full(&plane[0], s->entry[2 * i][j], s->entry[2 * i + 1][j]);
        for (int i = 0; i < 2; i++)
            four[i] = bit_sums_full(&plane[1], two[2 * i], two[2 * i + 1]);
        bit_sums_carry(plane, bit_sums_full(&plane[2], four[0], four[1]), 3);
    }
    s->waiting = 0;
}

/* Counts the set bits of one entry, bits[0] to bits[words - 1]. The entry waits in s->entry, and is counted when SUM_ENTRIES
 * entries are there. */
static inline void bit_sums_add(struct bit_sums *s, const uint64_t *bits, int words)
{
    for (int j = 0; j < words; j++)
        s->entry[s->waiting][j] = bits[j];
    if (++s->waiting == SUM_ENTRIES)
        bit_sums_flush(s, words);
}

/* Adds the count of each bit to count[64 * words], and zeroes the counts. Unless `weight` is NULL, also adds the count, times
 * 2^shift, to weight[64 * words]. */
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

/* bit_sums.h: counts how often each of up to 256 bits is set in a sequence of words, by bits of the counts.
 *
 * Plane k has bit k of all counts. To add a word is to add 1 to the counts of its bits: a few operations on words, and
 * not one for each bit. A word may be added to plane k at once, which adds 2^k.
 */
#ifndef DBFS_BIT_SUMS_H
#define DBFS_BIT_SUMS_H

#include <stdint.h>

enum { BATCH_MOST_WORDS = 4, BATCH_MOST = 64 * BATCH_MOST_WORDS, SUM_PLANES = 48 };

struct bit_sums {
    int used; /* planes that may have a bit */
    uint64_t plane[BATCH_MOST_WORDS][SUM_PLANES];
};

static inline void bit_sums_add(struct bit_sums *s, int word, uint64_t bits, int k)
{
    uint64_t *plane = s->plane[word];
    for (; bits != 0 && k < SUM_PLANES; k++) {
        uint64_t carry = plane[k] & bits;
        plane[k] ^= bits;
        bits = carry;
    }
    if (k > s->used)
        s->used = k;
}

/* Adds the counts of the first `words` words to `count`, and begins anew. */
static inline void bit_sums_take(struct bit_sums *s, int words, uint64_t *count)
{
    for (int word = 0; word < words; word++) {
        for (int k = 0; k < s->used; k++) {
            for (uint64_t bits = s->plane[word][k]; bits != 0; bits &= bits - 1)
                count[64 * word + __builtin_ctzll(bits)] += UINT64_C(1) << k;
            s->plane[word][k] = 0;
        }
    }
    s->used = 0;
}

#endif

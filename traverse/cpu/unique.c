/* unique.c: drops duplicates from a list of vertices, by a bitmap or by sorting */
#include "unique.h"

#include "formats/base/arith.h"

#include <stdlib.h>

/* Drops duplicates by a bitmap of largest + 1 bits, where `largest` is the largest id. Sorts the ids that are left, and
 * returns their number. If memory is missing, returns 0 and changes nothing. */
static uint64_t unique_by_bitmap(uint32_t *ids, uint64_t count, uint32_t largest)
{
    uint64_t words = (uint64_t)largest / 64 + 1, kept = 0;
    uint64_t *bitmap = calloc(words, sizeof *bitmap);
    for (uint64_t i = 0; bitmap != NULL && i < count; i++)
        bitmap[ids[i] / 64] |= UINT64_C(1) << (ids[i] % 64);
    for (uint64_t w = 0; bitmap != NULL && w < words; w++) {
        for (uint64_t bits = bitmap[w]; bits != 0; bits &= bits - 1)
            ids[kept++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
    }
    free(bitmap);
    return kept;
}

/* Drops duplicates by a bitmap, which is usually faster than sorting. Sorts if most words of the bitmap would stay
 * zero, or if memory for it is missing. */
uint64_t unique_ids(uint32_t *ids, uint64_t count)
{
    if (count == 0)
        return 0;
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; i++)
        largest = ids[i] > largest ? ids[i] : largest;
    uint64_t left = largest / 64 < 4 * count ? unique_by_bitmap(ids, count, largest) : 0;
    if (left > 0)
        return left;
    qsort(ids, count, sizeof *ids, compare_u32);
    uint64_t kept = 1;
    for (uint64_t i = 1; i < count; i++) {
        if (ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    }
    return kept;
}

/* answer_ids.h: the bytes of an id and of a depth in an answer, and the number of ids for which an answer may have an array */
#ifndef DBFS_ANSWER_IDS_H
#define DBFS_ANSWER_IDS_H

#include <stdint.h>
#include <string.h>

/* Returns the bytes of a parent in an answer, for a graph of n vertices. */
static inline uint32_t answer_id_bytes(uint64_t n)
{
    return n <= UINT64_C(1) << 31 ? 4 : 8;
}

/* the bounds of ids_are_dense */
enum { SPARSE_IDS = 64, SMALL_IDS = 1 << 24 };

/* Returns whether a graph with n ids, of which `vertices` have an edge, has few enough ids that an array over all of
 * them is affordable in each search. A large graph has too many if fewer than one in SPARSE_IDS has an edge: the array
 * would be much larger than the graph. */
static inline int ids_are_dense(uint64_t n, uint64_t vertices)
{
    return n <= SMALL_IDS || n / SPARSE_IDS <= vertices;
}

/* Returns the largest depth that an array of integers of `width` bytes holds. In such an array a deeper vertex has this depth, and
 * -1 is a vertex that was not reached. */
static inline int64_t deepest_of_width(uint32_t width)
{
    return width < 4 ? (INT64_C(1) << (8 * width - 1)) - 1 : INT32_MAX;
}

/* Copies `count` depths from int32 to integers of `width` bytes, 1 or 2, with deepest_of_width for those that are deeper. `to` may be
 * `from`. */
static inline void narrow_depths(void *to, const void *from, uint64_t count, uint32_t width)
{
    const int32_t deepest = (int32_t)deepest_of_width(width);
    for (uint64_t i = 0; i < count; i++) {
        int32_t depth;
        memcpy(&depth, (const char *)from + 4 * i, 4);
        depth = depth < deepest ? depth : deepest;
        const int16_t both_bytes = (int16_t)depth;
        if (width == 1)
            ((int8_t *)to)[i] = (int8_t)depth;
        else
            memcpy((char *)to + 2 * i, &both_bytes, 2);
    }
}

/* ANSWER_WINDOW: the largest number of ids in a window of an answer (windows.h). LIST_BLOCK: the ids in a block of a window (struct
 * value_list), so that the number of an id in its block fits a byte. */
enum { ANSWER_WINDOW = 1 << 18, LIST_BLOCK = 256 };

#endif

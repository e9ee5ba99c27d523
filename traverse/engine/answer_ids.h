/* answer_ids.h: the bytes of an id in an answer, and the number of ids for which an answer may have an array */
#ifndef DBFS_ANSWER_IDS_H
#define DBFS_ANSWER_IDS_H

#include <stdint.h>

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

/* The largest number of ids in a window of an answer (windows.h). */
enum { ANSWER_WINDOW = 1 << 18 };

#endif

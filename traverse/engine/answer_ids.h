/* answer_ids.h: sizes of answers: the bytes of an id, the ids of a window, and whether an array over all ids is worth its
 * memory */
#ifndef DBFS_ANSWER_IDS_H
#define DBFS_ANSWER_IDS_H

#include <stdint.h>

/* Returns the number of bytes of a parent in an answer: 4 or 8. `n`: the number of vertices of the graph. */
static inline uint32_t answer_id_bytes(uint64_t n)
{
    return n <= UINT64_C(1) << 31 ? 4 : 8;
}

/* An array over all ids is too large for its graph if two conditions hold. The graph has more than SMALL_IDS ids. Fewer
 * than one in SPARSE_IDS ids has an edge. */
enum { SPARSE_IDS = 64, SMALL_IDS = 1 << 24 };

/* Returns whether an array over all n ids is not much larger than the graph. `vertices`: the number of ids that have
 * edges. */
static inline int ids_are_dense(uint64_t n, uint64_t vertices)
{
    return n <= SMALL_IDS || n / SPARSE_IDS <= vertices;
}

/* The largest number of ids in a window of an answer (windows.h). */
enum { ANSWER_WINDOW = 1 << 18 };

#endif

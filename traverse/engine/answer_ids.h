/* answer_ids.h: sizes of answers: bytes of an id, whether an array over all ids is worth its memory, ids of a window */
#ifndef DBFS_ANSWER_IDS_H
#define DBFS_ANSWER_IDS_H

#include <stdint.h>

/* Returns the bytes of a parent in an answer of a graph of n vertices: 4 or 8. */
static inline uint32_t answer_id_bytes(uint64_t n)
{
    return n <= UINT64_C(1) << 31 ? 4 : 8;
}

/* An array over all ids is large for its graph if the graph has more than SMALL_IDS ids, and fewer than one of SPARSE_IDS
 * ids has an edge. */
enum { SPARSE_IDS = 64, SMALL_IDS = 1 << 24 };

/* Returns whether an array over all n ids is not much larger than the graph. `vertices`: ids that have edges. */
static inline int ids_are_dense(uint64_t n, uint64_t vertices)
{
    return n <= SMALL_IDS || n / SPARSE_IDS <= vertices;
}

/* The largest number of ids in a window of an answer (windows.h). */
enum { ANSWER_WINDOW = 1 << 18 };

#endif

/* answer_ids.h: sizes of answers: bytes of an id, whether an array over all ids is worth its memory, ids of a window */
#ifndef DBFS_ANSWER_IDS_H
#define DBFS_ANSWER_IDS_H

#include <stdint.h>

/* Bytes of a parent in a graph of n vertices. */
static inline uint32_t answer_id_bytes(uint64_t n)
{
    return n <= UINT64_C(1) << 31 ? 4 : 8;
}

/* Ids of which fewer than one in SPARSE_IDS has an edge, in graphs of more than SMALL_IDS. */
enum { SPARSE_IDS = 64, SMALL_IDS = 1 << 24 };

/* Whether an array over all ids is not much larger than the graph, of so many vertices with edges. */
static inline int ids_are_dense(uint64_t n, uint64_t vertices)
{
    return n <= SMALL_IDS || n / SPARSE_IDS <= vertices;
}

/* The most ids of a window of an answer (windows.h). */
enum { ANSWER_WINDOW = 1 << 18 };

#endif

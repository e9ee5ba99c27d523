/* answer_blocks.h: which device holds the answer for which input ids.
 *
 * The ids are cut into p blocks of equal length, in order. Device g of rank r holds block r * G + g, so a rank
 * holds consecutive ids too. A block begins at a multiple of p: ids that are not permuted then go round the
 * shards from shard 0 on.
 */
#ifndef DBFS_ANSWER_BLOCKS_H
#define DBFS_ANSWER_BLOCKS_H

#include <stdint.h>

/* The first id of a block; that of block p is n. */
static inline uint64_t block_first(uint64_t n, uint32_t p, uint32_t block)
{
    uint64_t rounds = n / p + (n % p > 0); /* of ids over the shards */
    uint64_t length = (rounds / p + (rounds % p > 0)) * p, first = block * length;
    return first < n ? first : n;
}

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

static inline uint32_t block_of_device(uint32_t rank, uint32_t device, uint32_t devices)
{
    return rank * devices + device;
}

#endif

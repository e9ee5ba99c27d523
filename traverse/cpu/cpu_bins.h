/* cpu_bins.h: the bins of a thread: vertices that it found wait there for the thread that visits them
 *
 * The vertices of a kind are divided into parts, in blocks of consecutive ids that are dealt out in turn. A thread has a bin
 * for each part: a chain of chunks, which come from one pool in the order in which they are needed. So no bin can run out of
 * memory while others have some.
 */
#ifndef DBFS_CPU_BINS_H
#define DBFS_CPU_BINS_H

#include "cpu_device.h"

#include <string.h>

enum {
    CHUNK_BYTES = 4096, /* aligned to its size */
    CHUNK_HEAD = 16,    /* bytes in front: the address of the next chunk of the bin */
    MOST_BINS = VERTEX_KINDS * MOST_REGION_THREADS
};

/* The state of the bins, which lies in front of their chunks. */
struct bins {
    uint8_t *pool;            /* unused chunks */
    uint32_t *end[MOST_BINS]; /* where the next vertex of each bin goes; at the end of a chunk: into a new one */
};

_Static_assert(sizeof(struct bins) <= CHUNK_BYTES, "a chunk holds it");

/* Returns the bins of a thread, which lie in the first whole chunk of its memory. */
static inline struct bins *bins_of_thread(const struct device *dev, int thread)
{
    uint8_t *memory = dev->per_thread.bins + (uint64_t)thread * dev->per_thread.bin_bytes;
    return (struct bins *)(memory + -(uintptr_t)memory % CHUNK_BYTES);
}

/* Returns where bin i begins. Bins begin at different places of their chunks: they fill alike, and their ends would be in
 * one set of the first cache. */
static inline uint32_t *bin_begin(const struct bins *bins, int i)
{
    enum { LINE = 64, LINES = 61 }; /* prime, as parts are a power of two */
    return (uint32_t *)((uintptr_t)bins + (size_t)(i + 1) * CHUNK_BYTES + CHUNK_HEAD + (size_t)(i % LINES * LINE));
}

/* Empties bins 0..count. */
static inline void empty_bins(struct bins *bins, int count)
{
    bins->pool = (uint8_t *)bins + (size_t)(count + 1) * CHUNK_BYTES;
    for (int i = 0; i < count; i++)
        bins->end[i] = bin_begin(bins, i);
}

/* Returns log2 of the vertices in a block of a part, 10 to 14. Blocks are large, as neighbours have ids near each other. The
 * vertices of a frontier do, too: so a part has at least 8 blocks, unless there are too few vertices. */
static inline uint32_t choose_block_bits(uint64_t vertices, uint64_t parts)
{
    enum { LEAST_BLOCK_BITS = 10, MOST_BLOCK_BITS = 14, BLOCKS_OF_PART = 8 };
    uint32_t bits = LEAST_BLOCK_BITS;
    while (bits < MOST_BLOCK_BITS && parts * BLOCKS_OF_PART << (bits + 1) <= vertices)
        bits++;
    return bits;
}

/* Returns where the next vertex of a bin goes: `end`, or in a new chunk of the pool if `end` is the end of a chunk. */
static inline uint32_t *extend_bin(uint8_t **pool, uint32_t *end)
{
    if (__builtin_expect((uintptr_t)end % CHUNK_BYTES != 0, 1))
        return end;
    uint32_t *next = (uint32_t *)(*pool + CHUNK_HEAD);
    *pool += CHUNK_BYTES;
    memcpy((uint8_t *)end - CHUNK_BYTES, &next, sizeof next);
    return next;
}

/* Returns the end of the vertices in a chunk of a bin that ends at bin_end; they begin at `chunk`. Sets *next to those of
 * the next chunk, NULL after the last. */
static inline const uint32_t *end_of_chunk(const uint32_t *chunk, const uint32_t *bin_end, const uint32_t **next)
{
    const uint8_t *base = (const uint8_t *)chunk - (uintptr_t)chunk % CHUNK_BYTES;
    *next = NULL;
    if ((const uint8_t *)bin_end >= base && (const uint8_t *)bin_end < base + CHUNK_BYTES)
        return bin_end;
    memcpy(next, base, sizeof *next);
    return (const uint32_t *)(base + CHUNK_BYTES);
}

#endif

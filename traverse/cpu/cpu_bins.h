/* cpu_bins.h: the bins of a thread: vertices that it found wait there for the thread that visits them
 *
 * The vertices of a kind are divided into parts, called owners, in blocks by id; each has a bin. A bin is a
 * chain of chunks, which come from one pool in the order in which they are needed. So no bin can run out of
 * room while others have some.
 */
#ifndef DBFS_CPU_BINS_H
#define DBFS_CPU_BINS_H

#include "cpu_device.h"

#include <string.h>

enum {
    CHUNK_BYTES = 4096, /* aligned to its size */
    CHUNK_HEAD = 16,    /* bytes: the next chunk of the bin */
    MOST_BINS = VERTEX_KINDS * MOST_REGION_THREADS
};

/* The state of the bins of a thread, in the first chunk of its memory for them. */
struct bins {
    uint8_t *pool;           /* chunks that are not used yet */
    uint32_t *at[MOST_BINS]; /* where the next vertex of each bin goes */
};

_Static_assert(sizeof(struct bins) <= CHUNK_BYTES, "a chunk holds it");

static inline struct bins *bins_of(const struct device *dev, int thread)
{
    uint8_t *memory = dev->region.bins + (uint64_t)thread * dev->region.bin_bytes;
    return (struct bins *)(memory + -(uintptr_t)memory % CHUNK_BYTES);
}

/* The begin of bin i. Bins begin at different places of their chunks: they fill alike, and their ends would be
 * in one set of the first cache. */
static inline uint32_t *bin_begin(const struct bins *bins, int i)
{
    enum { LINE = 64, LINES = 61 }; /* prime, as owners are a power of two */
    return (uint32_t *)((uintptr_t)bins + (size_t)(i + 1) * CHUNK_BYTES + CHUNK_HEAD + (size_t)(i % LINES * LINE));
}

static inline void open_bins(struct bins *bins, int count)
{
    bins->pool = (uint8_t *)bins + (size_t)(count + 1) * CHUNK_BYTES;
    for (int i = 0; i < count; i++)
        bins->at[i] = bin_begin(bins, i);
}

/* log2 of the vertices in a block of an owner's: 2^10 to 2^14, as neighbours are near each other. Frontiers are, too,
 * so an owner has at least 8 blocks, if it can. */
static inline uint32_t owned_bits_of(uint64_t vertices, uint64_t owners)
{
    enum { LEAST_OWNED_BITS = 10, MOST_OWNED_BITS = 14, BLOCKS_OF_OWNER = 8 };
    uint32_t bits = LEAST_OWNED_BITS;
    while (bits < MOST_OWNED_BITS && owners * BLOCKS_OF_OWNER << (bits + 1) <= vertices)
        bits++;
    return bits;
}

/* The place of the next vertex of a bin: at `at`, or in a new chunk if this one ends there. */
static inline uint32_t *next_place(uint8_t **pool, uint32_t *at)
{
    if (__builtin_expect((uintptr_t)at % CHUNK_BYTES != 0, 1))
        return at;
    uint32_t *next = (uint32_t *)(*pool + CHUNK_HEAD);
    *pool += CHUNK_BYTES;
    memcpy((uint8_t *)at - CHUNK_BYTES, &next, sizeof next);
    return next;
}

/* The end of the vertices in a chunk of a bin, which begin at `chunk`. `at`: where the next vertex of the
 * bin would go. *next: the next chunk; NULL: there is none. */
static inline const uint32_t *end_of_chunk(const uint32_t *chunk, const uint32_t *at,
                                           const uint32_t **next)
{
    const uint8_t *base = (const uint8_t *)chunk - (uintptr_t)chunk % CHUNK_BYTES;
    *next = NULL;
    if ((const uint8_t *)at >= base && (const uint8_t *)at < base + CHUNK_BYTES)
        return at;
    memcpy(next, base, sizeof *next);
    return (const uint32_t *)(base + CHUNK_BYTES);
}

#endif

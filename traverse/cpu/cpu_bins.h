/* cpu_bins.h: the bins of a thread: vertices that it found wait there for the thread that visits them
 *
 * A bin is a chain of chunks, which come from one pool in the order in which they are needed. So no bin can
 * run out of room while others have some.
 */
#ifndef DBFS_CPU_BINS_H
#define DBFS_CPU_BINS_H

#include <stdint.h>
#include <string.h>

enum {
    CHUNK_BYTES = 4096, /* aligned to its size */
    CHUNK_HEAD = 16     /* bytes: the next chunk of the bin */
};

/* The first chunk of the memory of thread `number`, which takes `bytes` in `bins`. */
static inline uint8_t *chunks_of(uint8_t *bins, uint64_t bytes, int number)
{
    uint8_t *pool = bins + (uint64_t)number * bytes;
    return pool + -(uintptr_t)pool % CHUNK_BYTES;
}

/* Takes a chunk of the pool. Returns where its first vertex goes. */
static inline uint32_t *new_chunk(uint8_t **pool)
{
    uint8_t *chunk = *pool;
    *pool += CHUNK_BYTES;
    return (uint32_t *)(chunk + CHUNK_HEAD);
}

/* The place of the next vertex of a bin: at `at`, or in a new chunk if this one ends there. */
static inline uint32_t *next_place(uint8_t **pool, uint32_t *at)
{
    if (__builtin_expect((uintptr_t)at % CHUNK_BYTES != 0, 1))
        return at;
    uint32_t *next = new_chunk(pool);
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

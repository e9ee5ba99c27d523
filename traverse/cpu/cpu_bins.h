/* cpu_bins.h: the bins into which a thread puts the vertices that it found, for the threads that visit them
 *
 * First several threads push. Then several threads visit the vertices that were found. The vertices of a kind (normals or
 * delegates) are divided into parts. Only one thread at a time visits a part. Blocks of consecutive ids belong to the
 * parts in turn: block 0 to part 0, block 1 to part 1, and so on.
 *
 * A thread that pushes has one bin for each part. The thread puts each vertex that it finds into the bin of the vertex's
 * part. A bin is a chain of chunks. All bins of a thread get their chunks from one pool, in the order in which they need
 * chunks. So a bin can grow as long as the thread has any memory left. */
#ifndef DBFS_CPU_BINS_H
#define DBFS_CPU_BINS_H

#include "cpu_device.h"

#include <string.h>

enum {
    CHUNK_BYTES = 4096, /* a chunk is aligned to its size */
    CHUNK_HEAD = 16,    /* bytes at the front of a chunk; they hold the address of the next chunk of the bin */
    MOST_BINS = VERTEX_KINDS * MOST_REGION_THREADS
};

/* The state of the bins of one thread. The state is in the first chunk. The chunks of the bins follow. */
struct bins {
    uint8_t *pool;            /* the first unused chunk; all later chunks are unused, too */
    uint32_t *end[MOST_BINS]; /* for each bin: the address for its next vertex (extend_bin) */
};

_Static_assert(sizeof(struct bins) <= CHUNK_BYTES, "a chunk holds it");

/* Returns the state of the bins of a thread. The state is in the first whole chunk of the thread's memory. The caller
 * must call empty_bins before it puts anything into a bin. */
static inline struct bins *bins_of_thread(const struct device *dev, int thread)
{
    uint8_t *memory = dev->per_thread.bins + (uint64_t)thread * dev->per_thread.bin_bytes;
    return (struct bins *)(memory + -(uintptr_t)memory % CHUNK_BYTES);
}

/* Returns the address of the first vertex of bin i, in the first chunk of the bin. Each bin begins at a different cache
 * line of its chunk. The reason: all bins grow at about the same speed. If they began at the same line, the ends of all
 * bins would be in one set of the first-level cache. */
static inline uint32_t *bin_begin(const struct bins *bins, int i)
{
    enum { LINE = 64, LINES = 61 }; /* LINES is a prime number because the number of parts is a power of two */
    return (uint32_t *)((uintptr_t)bins + (size_t)(i + 1) * CHUNK_BYTES + CHUNK_HEAD + (size_t)(i % LINES * LINE));
}

/* Empties the bins 0 to count - 1 of a thread, and gives each bin its first chunk. All later chunks become unused. */
static inline void empty_bins(struct bins *bins, int count)
{
    bins->pool = (uint8_t *)bins + (size_t)(count + 1) * CHUNK_BYTES;
    for (int i = 0; i < count; i++)
        bins->end[i] = bin_begin(bins, i);
}

/* Returns log2 of the number of vertices in a block, 10 to 14. The `vertices` vertices are divided into `parts` parts.
 * Large blocks are better, because neighbours often have nearby ids, and nearby ids then go into one bin. But the
 * vertices of a frontier often have nearby ids, too, and every part should get some of these vertices. So a part has at
 * least BLOCKS_OF_PART blocks, unless there are too few vertices. */
static inline uint32_t choose_block_bits(uint64_t vertices, uint64_t parts)
{
    enum { LEAST_BLOCK_BITS = 10, MOST_BLOCK_BITS = 14, BLOCKS_OF_PART = 8 };
    uint32_t bits = LEAST_BLOCK_BITS;
    while (bits < MOST_BLOCK_BITS && parts * BLOCKS_OF_PART << (bits + 1) <= vertices)
        bits++;
    return bits;
}

/* Returns the address for the next vertex of a bin. The address is `end`, unless `end` is the end of a chunk. Then the
 * bin gets a new chunk of the pool: moves *pool to the end of the new chunk, and links the full chunk to the new chunk. */
static inline uint32_t *extend_bin(uint8_t **pool, uint32_t *end)
{
    if (__builtin_expect((uintptr_t)end % CHUNK_BYTES != 0, 1))
        return end;
    uint32_t *next = (uint32_t *)(*pool + CHUNK_HEAD);
    *pool += CHUNK_BYTES;
    memcpy((uint8_t *)end - CHUNK_BYTES, &next, sizeof next);
    return next;
}

/* Returns the end of the vertices in one chunk of a bin. `chunk` is the address of the first vertex in the chunk.
 * `bin_end` is the end of the bin. Sets *next to the address of the first vertex in the next chunk, or to NULL if this
 * chunk is the last. */
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

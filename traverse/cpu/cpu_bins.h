/* cpu_bins.h: the bins in which threads leave the vertices that they found for the threads that will visit them
 *
 * Vertices of a kind (normals or delegates) are divided into parts, and only one thread at a time visits a part, so
 * that visits need no atomic operations. Blocks of consecutive ids go to the parts in turn: block 0 to part 0, block 1
 * to part 1, and so on.
 *
 * A thread that pushes has a bin for each part, and puts each vertex into the bin of the vertex's part. A bin is a
 * chain of chunks, which come from one pool of the thread's memory, so a bin can grow as long as the thread has any
 * memory left. */
#ifndef DBFS_CPU_BINS_H
#define DBFS_CPU_BINS_H

#include "cpu_device.h"

#include <string.h>

enum {
    CHUNK_BYTES = 4096, /* a chunk is aligned to its size */
    CHUNK_HEAD = 16,    /* bytes at the front of a chunk, which hold the address of the bin's next chunk */
    MOST_BINS = VERTEX_KINDS * MOST_REGION_THREADS,
    BIN_SETS = 2 /* sets of bins of a thread in a parallel region (cpu_region.c); only the first has space for any push */
};

/* The state of a set of bins of one thread, in a chunk of its memory. The chunks of the bins follow. */
struct bins {
    uint8_t *pool;            /* the first unused chunk; all later chunks are unused, too */
    uint32_t *end[MOST_BINS]; /* of each bin: where its next vertex goes (extend_bin) */
};

_Static_assert(sizeof(struct bins) <= CHUNK_BYTES, "a chunk holds it");

enum {
    PAIR_BYTES = 8, /* a vertex and its parent */
    MOST_EDGES = 6, /* a level has at most so many times the edges that were counted: counts of edges are estimates (count_sparse) */
    /* Chunks of the second set: two for its state and a spare, one for each bin, and as many as the pushes of a level ahead fill. */
    SECOND_SET_CHUNKS = 2 + MOST_BINS + PUSHED_AHEAD * MOST_EDGES * PAIR_BYTES / (CHUNK_BYTES - CHUNK_HEAD)
};

/* Returns 1 if `threads` threads of a parallel region mark parents in bins as visited (cpu_region.c). This pays in graphs of few edges a
 * vertex, where many lead back to visited vertices, and with more than two threads, as each of two knows half of the vertices anyway. Needs
 * a graph without delegates. */
static inline int learns_parents(const struct device *dev, int threads)
{
    enum { MOST_EDGES_OF_VERTEX = 8 };
    return threads > 2 && dev->shard->d == 0 && shard_edges(dev->shard) <= MOST_EDGES_OF_VERTEX * dev->shard->locals;
}

/* Returns the state of a set of a thread's bins, in a whole chunk of its memory: the second set (`set` 1) comes first.
 * empty_bins must be called first. */
static inline struct bins *bins_of_thread(const struct device *dev, int thread, int set)
{
    uint8_t *memory = dev->per_thread.bins + (uint64_t)thread * dev->per_thread.bin_bytes;
    return (struct bins *)(memory + -(uintptr_t)memory % CHUNK_BYTES + (set == 0 ? SECOND_SET_CHUNKS * CHUNK_BYTES : 0));
}

/* Returns the address of the first vertex of bin i. Each bin begins at a different cache line of its first chunk,
 * because all bins grow about equally fast: if they began at the same line, their ends would all compete for one set of
 * the first-level cache. */
static inline uint32_t *bin_begin(const struct bins *bins, int i)
{
    enum { LINE = 64, LINES = 61 }; /* LINES is prime because the number of parts is a power of two */
    return (uint32_t *)((uintptr_t)bins + (size_t)(i + 1) * CHUNK_BYTES + CHUNK_HEAD + (size_t)((1 + i % LINES) * LINE));
}

/* What another thread reads of a bin of a parallel region before its vertices, on the same cache line. */
struct bin_head {
    const uint32_t *end; /* where the vertices end */
    uint32_t level;      /* the level of the region for which the bin was filled; 0: none */
};

_Static_assert(sizeof(struct bin_head) <= CHUNK_HEAD, "so much is free before the first vertex");

/* Returns the address of the head of bin i. */
static inline struct bin_head *bin_head(const struct bins *bins, int i)
{
    return (struct bin_head *)((uintptr_t)bin_begin(bins, i) - CHUNK_HEAD);
}

/* Empties a thread's bins 0 to count - 1. Each keeps its first chunk, and all others become unused. */
static inline void empty_bins(struct bins *bins, int count)
{
    bins->pool = (uint8_t *)bins + (size_t)(count + 1) * CHUNK_BYTES;
    for (int i = 0; i < count; i++)
        bins->end[i] = bin_begin(bins, i);
}

/* Returns log2 of the number of vertices in a block, 10 to 14, if `vertices` are divided into `parts`. Large blocks are
 * good, because neighbours often have nearby ids, which then go into one bin. But the vertices of a frontier often have
 * nearby ids, too, and each part should get some. So a part has at least BLOCKS_OF_PART blocks if there are enough
 * vertices. */
static inline uint32_t choose_block_bits(uint64_t vertices, uint64_t parts)
{
    enum { LEAST_BLOCK_BITS = 10, MOST_BLOCK_BITS = 14, BLOCKS_OF_PART = 8 };
    uint32_t bits = LEAST_BLOCK_BITS;
    while (bits < MOST_BLOCK_BITS && parts * BLOCKS_OF_PART << (bits + 1) <= vertices)
        bits++;
    return bits;
}

/* Returns the address for the next vertex of a bin that ends at `end`. This is `end` itself, unless a chunk ends there. In
 * that case the bin gets a new chunk from the pool, and the full chunk gets its address. */
static inline uint32_t *extend_bin(uint8_t **pool, uint32_t *end)
{
    if (__builtin_expect((uintptr_t)end % CHUNK_BYTES != 0, 1))
        return end;
    uint32_t *next = (uint32_t *)(*pool + CHUNK_HEAD);
    *pool += CHUNK_BYTES;
    memcpy((uint8_t *)end - CHUNK_BYTES, &next, sizeof next);
    return next;
}

/* Returns where the vertices in one chunk of a bin end. `chunk` is the address of its first vertex, and `bin_end` the
 * end of the bin. Sets *next to the first vertex in the next chunk; NULL if there is none. */
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

/* pack_memory.h: divides the memory of dbfs-pack once the vertices have their order.
 *
 * First edges are placed into buckets, in memory or on disk; then shards are built one after the other, while placed edges stay in memory.
 * So memory for building is set aside before: for the rows of the largest subgraph, for sorting ranges of rows, and for the buckets of a
 * transpose (build/transpose.h).
 *
 * With less memory there are fewer buckets, because each needs a chunk for every thread. Fewer buckets are larger, and must still fit into
 * the memory for sorting. So M bytes, with buckets written to disk a few KiB at a time, are enough for M^2 / (4096 * threads) bytes of
 * edges.
 */
#ifndef DBFS_PACK_MEMORY_H
#define DBFS_PACK_MEMORY_H

#include "placement.h"

#include <stdint.h>

/* The memory that edge tiles must leave free for later steps: PACK_VERTEX_BYTES for each vertex, and what pack_memory_buckets returns. */
enum { PACK_VERTEX_BYTES = 48 };
uint64_t pack_memory_buckets(uint64_t edges, uint32_t p, int threads);

/* Returns the memory that holds placed edges until the first shard is built, if nearly all have a delegate. It includes the
 * memory of tiles. */
uint64_t pack_memory_edges(uint64_t n, uint64_t edges, uint32_t p);

/* The memory that edge tiles have taken already. It becomes memory for placed edges. */
struct tile_memory {
    uint64_t bytes;
    size_t chunk_bytes, slab_bytes; /* of their store; 0: there are no tiles */
};

/* The sizes on which the memory of a packing depends. */
struct pack_size {
    uint32_t p, ranks;
    const struct vertex_order *order; /* ranges are counted by it; NULL: they are estimated */
    uint64_t d, locals; /* delegates; normal vertices of the largest shard */
    uint64_t longest;   /* records of the longest row in a shard */
    uint64_t directed_edges;
    uint64_t held_edges;  /* the directed edges that this process holds at a time */
    uint64_t held_nn;     /* a bound of those of nn */
    struct tile_memory tiles;
    enum placed_rows rows;
    uint32_t nn_column_bytes;
    unsigned column_bits; /* of the widest column */
    int heads[SUBGRAPHS]; /* as in csr_build */
    int threads;
    uint64_t limit_bytes; /* of the memory budget (-S), for a message */
};

struct pack_memory {
    uint64_t rows_bytes;    /* of the largest subgraph, without its columns */
    uint64_t sort_bytes;    /* for ranges of rows that are being sorted */
    uint64_t store_bytes;   /* for placed edges, and: */
    uint64_t gather_bytes;  /* for the edges of a shard that come from all ranks, if there are several */
    /* for the records of transposes, which also use the memory of placed edges that have been read */
    uint64_t transpose_bytes;
    struct placement_limits limits;
    struct placement_ranges ranges;
};

/* Nonzero if `bytes` are enough to keep all edges in memory, while they are placed and while shards are built. */
int pack_memory_ample(const struct pack_size *size, uint64_t bytes);

/* Bounds for a division: the bytes of the smallest store with room for its buckets, and the most that sorting can use. */
uint64_t pack_memory_store_least(const struct pack_size *size, const struct pack_memory *memory);
uint64_t pack_memory_sorting(const struct pack_size *size, const struct pack_memory *memory);

/* Divides the memory: placing_bytes are left while edges are placed, building_bytes while shards are built. ST_RESOURCE if that
 * is too little; the message says which -S would do. */
enum status pack_memory_divide(struct pack_memory *memory, const struct pack_size *size,
                               uint64_t placing_bytes, uint64_t building_bytes, struct error *e);

#endif

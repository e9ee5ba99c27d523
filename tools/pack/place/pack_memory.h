/* pack_memory.h: divides the memory of dbfs-pack once the vertices have their order.
 *
 * First edges are placed into buckets, in memory or spilled; then shards are built one after the other.
 * Placed edges that are in memory stay there while shards are built. So memory for building is set aside
 * before placing: for the rows of the largest subgraph, for sorting ranges of rows, and for the buckets of a
 * transpose (build/transpose.h).
 *
 * With less memory there are fewer buckets, as each needs a chunk to fill for every thread. Fewer
 * buckets are larger, and must still fit into the memory for sorting. With M bytes for the edges,
 * and buckets written to disk a few KiB at a time, M^2 / (4 KiB * threads) bytes of edges can be
 * packed.
 */
#ifndef DBFS_PACK_MEMORY_H
#define DBFS_PACK_MEMORY_H

#include "placement.h"

#include <stdint.h>

/* The memory that edge tiles must leave: bytes for each vertex, and bytes for buckets. */
enum { PACK_VERTEX_BYTES = 48 };
uint64_t pack_memory_buckets(uint64_t edges, uint32_t p, int threads);

/* The memory of placed edges if nearly all have a delegate as an end: while edges are placed, with
 * the memory of tiles, and while the first shard is built. */
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
    /* for transposed edges, besides the memory of placed edges that have been read */
    uint64_t transpose_bytes;
    struct placement_limits limits;
    struct placement_ranges ranges;
};

/* Nonzero if `bytes` are enough to keep everything in memory while edges are placed and shards are
 * built. */
int pack_memory_ample(const struct pack_size *size, uint64_t bytes);

/* For a division: the smallest store that can have its buckets, and the most memory that sorting can use. */
uint64_t pack_memory_store_least(const struct pack_size *size, const struct pack_memory *memory);
uint64_t pack_memory_sorting(const struct pack_size *size, const struct pack_memory *memory);

/* Divides placing_bytes, which are left while edges are placed, and building_bytes, which are left while
 * shards are built. ST_RESOURCE: too little is left; the message says which -S would do. */
enum status pack_memory_divide(struct pack_memory *memory, const struct pack_size *size,
                               uint64_t placing_bytes, uint64_t building_bytes, struct error *e);

#endif

/* pack_memory.h: how dbfs-pack divides its memory once the vertices have their order.
 *
 * Edges are placed into buckets, in memory or spilled, and then shards are built one after the
 * other. What is in memory after placing stays there while shards are built, so room for building
 * is put aside first: for the rows of the largest subgraph, and for sorting ranges of rows. The less
 * memory there is, the fewer and larger the buckets: each needs a chunk that is being filled for
 * every thread, and must fit into the memory for sorting. With M bytes for the edges, buckets of a
 * few KiB at a time hold M^2 / (4 KiB * threads) bytes on disk.
 */
#ifndef DBFS_PACK_MEMORY_H
#define DBFS_PACK_MEMORY_H

#include "formats/shard.h"
#include "formats/base/status.h"

#include <stdint.h>

/* Beyond what is surely enough for pack_memory_ample, for each directed edge and each vertex. */
enum { PACK_EDGE_BYTES = 9, PACK_VERTEX_BYTES = 48 };

/* What the memory of a packing depends on. */
struct pack_size {
    uint32_t p;
    uint64_t d, locals; /* delegates; normal vertices of the largest shard */
    uint64_t longest;   /* records of the longest row in a shard */
    uint64_t directed_edges;
    uint64_t held_edges;  /* of these, that this process holds at a time */
    uint64_t tiles_bytes; /* of memory that is taken already and becomes that of placed edges */
    uint32_t nn_column_bytes;
    unsigned column_bits; /* the most that a column has */
    int heads[SUBGRAPHS]; /* as csr_build takes them */
    int threads;
};

struct pack_memory {
    uint64_t rows_bytes;    /* of the subgraph with the most, its columns not counted */
    uint64_t sort_bytes;    /* for ranges of rows that are being sorted */
    uint64_t store_bytes;     /* for edges */
    uint64_t transpose_bytes; /* for those that are passed on within a shard, beside what they take over */
    uint64_t range_records; /* what a range should hold */
    uint64_t max_ranges;    /* of all shards, per kind of rows */
};

/* Whether everything stays in memory where `bytes` are left, while edges are placed and after. */
int pack_memory_ample(const struct pack_size *size, uint64_t bytes);

/* Of a division: the least store that has its buckets, and the most that sorting can use. */
uint64_t pack_memory_store_least(const struct pack_size *size, const struct pack_memory *memory);
uint64_t pack_memory_sorting(const struct pack_size *size, const struct pack_memory *memory);

/* `placing_bytes` are left while edges are placed, `building_bytes` while shards are built. Where that
 * is too little, ST_RESOURCE names what is needed. */
enum status pack_memory_divide(struct pack_memory *memory, const struct pack_size *size,
                               uint64_t placing_bytes, uint64_t building_bytes, struct error *e);

#endif

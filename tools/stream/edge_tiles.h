/* edge_tiles.h: a rank's share of an edge stream in memory, for the passes after the first.
 *
 * Ids are cut into ranges of 2^range_bits, and a tile holds the edges between two of them: while a
 * tile is read, what is looked up for both ends of its edges comes from two short pieces of an array
 * over the vertices, which stay in the cache, where the stream would reach for memory twice an edge.
 * Within a tile an edge is two indices within ranges, 4 bytes where both have 16 bits, else 8. An
 * undirected edge stands in the tile (row, column) with row <= column, a directed one in that of its
 * ends. Self-loops are left out.
 */
#ifndef DBFS_EDGE_TILES_H
#define DBFS_EDGE_TILES_H

#include "tools/bucket/bucket.h"
#include "formats/edges_scan.h"

#include <stdint.h>

struct edge_tiles {
    uint32_t ranges;
    unsigned range_bits;
    int undirected;
    unsigned record_bytes; /* 4 or 8 */
    struct bucket_store store; /* a bucket for every two ranges */
    struct bucket_store *heir; /* NULL until edge_tiles_leave */
};

/* Memory that tiles take for so many edges; UINT64_MAX where n is too large for them. */
uint64_t edge_tiles_bytes(uint64_t n, uint64_t edges, int threads);

/* Tiles for n vertices, charged to the budget as they grow. `edges` is what to expect; more is
 * allowed. */
enum status edge_tiles_open(struct edge_tiles *tiles, uint64_t n, uint64_t edges, int undirected,
                            int threads, struct memory_budget *budget, struct error *e);
void edge_tiles_close(struct edge_tiles *tiles); /* zeroed tiles are allowed */

/* By `thread` of the threads; ids below n. */
enum status edge_tiles_add(struct edge_tiles *tiles, int thread, const struct edge *edges,
                           size_t count, struct error *e);

/* Ends the adding. */
enum status edge_tiles_seal(struct edge_tiles *tiles, struct error *e);

/* Adds the ends of all edges to degree[n]: both where they are undirected, else the first. Each range
 * is one thread's, and needs no atomic operations. */
void edge_tiles_degrees(const struct edge_tiles *tiles, int threads, uint32_t *degree);

/* Records of a tile as they lie there, of 4 or 8 bytes: tile_row and tile_column of each are counted from
 * the first ids of the tile's ranges. */
struct tile_run {
    uint64_t row, column; /* first ids */
    const void *records;
    size_t count;
};

enum { TILE_NARROW_BITS = 16, TILE_WIDE_BITS = 32 }; /* of an index, in records of 4 and of 8 bytes */

static inline uint32_t tile_row_u32(uint32_t record)
{
    return record >> TILE_NARROW_BITS;
}

static inline uint32_t tile_column_u32(uint32_t record)
{
    return record & ((UINT32_C(1) << TILE_NARROW_BITS) - 1);
}

static inline uint64_t tile_row_u64(uint64_t record)
{
    return record >> TILE_WIDE_BITS;
}

static inline uint64_t tile_column_u64(uint64_t record)
{
    return record & UINT32_MAX;
}

/* An edge of a run whose records have so many bytes. */
static inline struct edge tile_edge(const struct tile_run *run, unsigned record_bytes, size_t i)
{
    const uint32_t *narrow = run->records;
    const uint64_t *wide = run->records;
    if (record_bytes == 4)
        return (struct edge){run->row + tile_row_u32(narrow[i]),
                             run->column + tile_column_u32(narrow[i])};
    return (struct edge){run->row + tile_row_u64(wide[i]), run->column + tile_column_u64(wide[i])};
}

/* Gives every edge to `visit` once, tile after tile; what `visit` returns other than ST_OK ends that. */
typedef enum status (*tile_visitor)(void *context, int thread, const struct tile_run *run,
                                    struct error *e);
enum status edge_tiles_visit(struct edge_tiles *tiles, int threads, tile_visitor visit,
                             void *context, struct error *e);

/* The next visit is the last: what it has read becomes memory of `heir`, an open store of the same
 * budget, threads and chunk size. */
enum status edge_tiles_leave(struct edge_tiles *tiles, struct bucket_store *heir, struct error *e);

#endif

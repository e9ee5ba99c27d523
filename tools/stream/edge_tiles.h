/* edge_tiles.h: a rank's share of an edge stream, kept in memory for the passes after the first.
 *
 * The ids are divided into ranges of 2^range_bits ids. A tile holds the edges between two ranges. A pass
 * looks up a value for both ends of each edge, in an array over the vertices. While it reads one tile, all
 * its look-ups fall into two short pieces of that array, which stay in the cache. In the order of the stream,
 * each edge would need two accesses to memory.
 *
 * An edge in a tile is two indices within the ranges, as a record of 4, 5, 6 or 8 bytes: each index
 * has half of its bits, which are enough for 2^23, 2^26, 2^30 and 2^38 vertices. An edge of an
 * undirected-once stream is in the tile (row, column) with row <= column. An edge of any other
 * stream is in the tile (range of u, range of v). Self-loops are left out.
 */
#ifndef DBFS_EDGE_TILES_H
#define DBFS_EDGE_TILES_H

#include "tools/bucket/bucket.h"
#include "formats/edges/edges_scan.h"

#include <stdint.h>
#include <string.h>

struct edge_tiles {
    uint32_t ranges;
    unsigned range_bits;
    enum edges_direction direction; /* of the stream */
    unsigned record_bytes; /* 4, 5, 6 or 8 */
    struct bucket_store store; /* one bucket for each tile */
    struct bucket_store *heir; /* NULL until edge_tiles_leave */
};

/* The memory that tiles take for this many edges. UINT64_MAX if n is too large for tiles. */
uint64_t edge_tiles_bytes(uint64_t n, uint64_t edges, int threads);

/* Opens tiles for n vertices. They are charged to the budget as they grow. `edges` is the expected number;
 * more are allowed. */
enum status edge_tiles_open(struct edge_tiles *tiles, uint64_t n, uint64_t edges,
                            enum edges_direction direction, int threads, struct memory_budget *budget, struct error *e);
void edge_tiles_close(struct edge_tiles *tiles); /* zeroed tiles are allowed */

/* Adds edges; `thread` is the number of the calling thread. Ids are below n. */
enum status edge_tiles_add(struct edge_tiles *tiles, int thread, const struct edge *edges,
                           size_t count, struct error *e);

/* Ends the adding. */
enum status edge_tiles_seal(struct edge_tiles *tiles, struct error *e);

/* Adds all edges to degree[n]: both ends of each edge, or, of a symmetric stream, only the first end. One
 * thread counts all degrees of a range, so no atomic operations are needed. */
void edge_tiles_degrees(const struct edge_tiles *tiles, int threads, uint32_t *degree);

/* Some records of a tile as they lie in memory. Indices count from the first ids of the tile's ranges. */
struct tile_run {
    uint64_t row, column; /* first ids */
    const void *records;
    size_t count;
};

/* Record i of a run; fastest if `bytes` is known when this is compiled. */
static inline uint64_t tile_record(const void *records, unsigned bytes, size_t i)
{
    if (bytes == 4)
        return ((const uint32_t *)records)[i];
    if (bytes == 8)
        return ((const uint64_t *)records)[i];
    return bucket_odd_record(records, bytes, i);
}

static inline uint64_t tile_row(uint64_t record, unsigned bytes)
{
    return record >> 4 * bytes;
}

static inline uint64_t tile_column(uint64_t record, unsigned bytes)
{
    return record & ((UINT64_C(1) << 4 * bytes) - 1);
}

/* Edge i of a run whose records have `record_bytes` bytes. */
static inline struct edge tile_edge(const struct tile_run *run, unsigned record_bytes, size_t i)
{
    uint64_t record = tile_record(run->records, record_bytes, i);
    return (struct edge){run->row + tile_row(record, record_bytes),
                         run->column + tile_column(record, record_bytes)};
}

/* Gives every edge to `visit` once, tile after tile. If `visit` returns a status other than ST_OK, the
 * visiting ends. */
typedef enum status (*tile_visitor)(void *context, int thread, const struct tile_run *run,
                                    struct error *e);
enum status edge_tiles_visit(struct edge_tiles *tiles, int threads, tile_visitor visit,
                             void *context, struct error *e);

/* Makes the next visit the last one. Memory that it has read becomes memory of `heir`, an open store with the
 * same budget, threads and chunk size. */
enum status edge_tiles_leave(struct edge_tiles *tiles, struct bucket_store *heir, struct error *e);

#endif

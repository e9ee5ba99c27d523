/* edge_tiles.h: keeps a rank's share of an edge stream in memory, for the passes after the first.
 *
 * The ids are divided into ranges of 2^range_bits ids, and a tile holds the edges between two ranges. A pass looks up a value
 * for both ends of each edge, in an array over the vertices. In one tile all look-ups fall into two short pieces of that array,
 * which stay in the cache; in the order of the stream, each edge would need two accesses to memory.
 *
 * An edge in a tile is a record of 4, 5, 6 or 8 bytes: two indices within the ranges, with half of its bits each, enough for
 * 2^23, 2^26, 2^30 and 2^38 vertices. An edge of an undirected-once stream is in the tile (row, column) with row <= column, of
 * any other stream in (range of u, range of v). Self-loops are left out.
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

/* Does a statement in which BYTES is the width of records, as a constant. */
#define WITH_RECORD_BYTES(width, statement)                                                        \
    switch (width) {                                                                               \
    case 4: { enum { BYTES = 4 }; statement; break; }                                              \
    case 5: { enum { BYTES = 5 }; statement; break; }                                              \
    case 6: { enum { BYTES = 6 }; statement; break; }                                              \
    default: { enum { BYTES = 8 }; statement; }                                                    \
    }

/* Returns the memory that tiles take for so many edges; UINT64_MAX if n is too large for tiles. */
uint64_t edge_tiles_bytes(uint64_t n, uint64_t edges, int threads);

/* Opens tiles for n vertices, which are charged to the budget as they grow. `edges` is the number of edges expected; more are allowed. */
enum status edge_tiles_open(struct edge_tiles *tiles, uint64_t n, uint64_t edges,
                            enum edges_direction direction, int threads, struct memory_budget *budget, struct error *e);
/* The same where neither is known: n is the most, and of the ids those below `likely` are likely, for which chunks have their size.
 * ST_RESOURCE if the memory is too small for so many tiles. */
enum status edge_tiles_open_likely(struct edge_tiles *tiles, uint64_t n, uint64_t likely, enum edges_direction direction, int threads,
                                   struct memory_budget *budget, struct error *e);
void edge_tiles_close(struct edge_tiles *tiles); /* zeroed tiles are allowed */

/* Adds edges; `thread` is the number of the calling thread. Ids are below n. */
enum status edge_tiles_add(struct edge_tiles *tiles, int thread, const struct edge *edges,
                           size_t count, struct error *e);

/* Ends the adding. */
enum status edge_tiles_seal(struct edge_tiles *tiles, struct error *e);

/* Adds all edges to degree[n]: both ends of each edge, or of a symmetric stream only the first. One thread counts all degrees
 * of a range, so no atomic operations are needed. */
void edge_tiles_degrees(const struct edge_tiles *tiles, int threads, uint32_t *degree);

/* Returns how many edges join two ids that differ by `near` at most, which is less than the ids of a range. */
uint64_t edge_tiles_near(const struct edge_tiles *tiles, int threads, uint64_t near);

/* Some records of a tile, as they lie in memory. The indices in a record count from the first ids of the tile's two ranges. */
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

/* Gives every edge to `visit` once, tile after tile. It ends early if `visit` returns a status other than ST_OK. */
typedef enum status (*tile_visitor)(void *context, int thread, const struct tile_run *run,
                                    struct error *e);
enum status edge_tiles_visit(struct edge_tiles *tiles, int threads, tile_visitor visit,
                             void *context, struct error *e);

/* Makes the next visit the last: memory that was read goes to `heir`, an open store of equal budget, threads and chunk size. */
enum status edge_tiles_leave(struct edge_tiles *tiles, struct bucket_store *heir, struct error *e);

#endif

/* degree.h: counts the degree of every vertex of a graph.
 *
 * This takes one pass over the stream or, if memory is short, one for every two windows of vertices. A degree is the number of
 * edge ends at a vertex, with duplicates and without self-loops, which are counted separately. A directed edge counts at both
 * its ends, too. A stream that claims to be symmetric is checked.
 */
#ifndef DBFS_DEGREE_H
#define DBFS_DEGREE_H

#include "tools/stream/edge_source.h"
#include "formats/edges/edges.h"
#include "formats/base/memory.h"
#include "loops.h"
#include "vertex_values.h"

#include <stdint.h>

/* The options of a separation. */
struct separation_options {
    int threads;
    uint32_t p; /* the size of a window of vertices is a multiple of this */
    struct spill *spill; /* NULL: everything in memory, or ST_RESOURCE */
    /* Edges stay in memory, as tiles for later passes, if the memory left can hold `beside` bytes and the larger of edges_bytes
     * and the tiles with beside_vertex bytes for each vertex. If beside_vertex is 0, edges never stay in memory. */
    uint64_t beside, beside_vertex, edges_bytes;
};

/* Returns the bytes of the tiles (edge_tiles.h) of one rank's edges, of which there are about `share` at most; 0 if edges do
 * not stay in memory under these options. `left_bytes` is what the budget has left once the degrees are in memory. */
uint64_t degrees_tiles_bytes(const struct edges_totals *totals, uint64_t share,
                             const struct separation_options *options, uint64_t left_bytes);

struct vertex_degrees {
    struct vertex_values values;
};

struct degrees {
    struct vertex_degrees of; /* [ids] */
    uint64_t ids;             /* ids in passes: n, or fewer dense ones (sparse_ids.h) */
    struct edge_tiles tiles;  /* this rank's edges if they stay in memory, else zeroed */
    struct edges_info info;
    struct edges_totals totals; /* .n vertices */
    uint64_t directed_edges;    /* doubled, without self-loops: the sum of all degrees */
    uint64_t own_edges;         /* edges of the streams in this rank's share */
    uint64_t near_edges;        /* edges of the stream, no self-loops, whose ids differ by 4 sqrt(n) at most */
    struct loops loops;         /* sorted by vertex */
    int again; /* nothing was counted: the source had an open end, which is too far for tiles, and is like any other now */
};

/* Counts the degrees, each rank in its share of the blocks; at the end every rank has all of them. A pipe with an open end is read into
 * tiles, whatever the options say, unless that sets `again`: it has more edges or ids than source->totals. ST_BAD_DATA if the stream is
 * damaged, or claims to be symmetric and is not. ST_RESOURCE if n is too large for the budget, or a degree reaches 2^32. */
enum status degrees_count(struct degrees *degrees, struct edge_source *source,
                          const struct separation_options *options, struct memory_budget *budget,
                          struct error *e);
/* Returns the edges that were counted, for further passes. `degrees` and `source` keep them. */
struct edge_supply degrees_edges(struct degrees *degrees, const struct edge_source *source);
void degrees_free(struct degrees *degrees, struct memory_budget *budget);

#endif

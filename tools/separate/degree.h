/* degree.h: counts the degree of every vertex of a graph.
 *
 * It takes one pass over the stream, or, where memory is short, one pass for every two windows of vertices. A
 * degree is the number of endpoints in the doubled input, with duplicates and without self-loops. Self-loops
 * are counted separately. A directed stream is refused, because the traversal needs both directions of each
 * edge (section II-A of Pan et al.). A stream that claims to be symmetric is checked.
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
    /* Edges stay in memory, as tiles, for later passes if the memory that is left has room for two things: for `beside`
     * bytes; and for the tiles with beside_vertex bytes for each vertex, or for edges_bytes if these are more.
     * beside_vertex 0: edges never stay in memory. */
    uint64_t beside, beside_vertex, edges_bytes;
};

/* Returns the bytes of the tiles of a rank's edges (edge_tiles.h), or 0 if the edges do not stay in memory, as of struct
 * separation_options. `share`: about how many edges a rank has, at most. `left_bytes`: the memory that the budget has
 * left once the degrees are in memory. */
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
};

/* Counts the degrees. Each rank counts its share of the blocks; at the end every rank has all degrees.
 * ST_BAD_DATA: the stream is damaged, is directed, or is not symmetric although it claims to be. ST_RESOURCE:
 * n is too large for the budget, or a degree reaches 2^32. */
enum status degrees_count(struct degrees *degrees, struct edge_source *source,
                          const struct separation_options *options, struct memory_budget *budget,
                          struct error *e);
/* The edges that were counted, for further passes. They still belong to the degrees and the source. */
struct edge_supply degrees_edges(struct degrees *degrees, const struct edge_source *source);
void degrees_free(struct degrees *degrees, struct memory_budget *budget);

#endif

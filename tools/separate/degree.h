/* degree.h: the degree of every vertex, from one pass over an edge stream, or one for every two windows
 * of vertices where memory is short.
 *
 * A degree is the number of endpoints in the doubled input, duplicates counted and self-loops not;
 * self-loops are counted apart. Directed streams are refused, because the traversal needs both
 * directions of each edge (section II-A of Pan et al.), and a stream that claims to be symmetric is
 * checked.
 */
#ifndef DBFS_DEGREE_H
#define DBFS_DEGREE_H

#include "tools/stream/edge_source.h"
#include "formats/edges.h"
#include "formats/base/memory.h"
#include "loops.h"
#include "vertex_values.h"

#include <stdint.h>

/* How a stream is separated. */
struct separation_options {
    int threads;
    uint32_t p; /* windows of vertices are multiples of this */
    struct spill *spill; /* NULL: everything in memory, or ST_RESOURCE */
    /* Edges stay in memory, as tiles, for the passes to come where the budget has so many bytes for each
     * directed edge of a rank, and for each vertex, beside them; both 0: never */
    uint64_t beside_edge, beside_vertex;
};

/* Memory for the tiles of a stream's edges; 0: they do not stay. `left_bytes` are left of the budget
 * with degrees in memory. */
uint64_t degrees_tiles_bytes(const struct edges_totals *totals, enum edges_direction direction,
                             uint32_t ranks, const struct separation_options *options,
                             uint64_t left_bytes);

struct vertex_degrees {
    struct vertex_values values;
};

struct degrees {
    struct vertex_degrees of; /* [n] */
    struct edge_tiles tiles;  /* the edges of this rank's share, where they stay in memory; else zeroed */
    struct edges_info info;
    struct edges_totals totals; /* .n vertices */
    uint64_t directed_edges;    /* doubled, without self-loops: the sum of all degrees */
    uint64_t own_edges;         /* of the stream's, in this rank's share */
    struct loops loops;         /* by vertex */
};

/* Each rank counts its share of the blocks, and has all degrees in the end.
 * ST_BAD_DATA: damaged or directed, or symmetric in name only. ST_RESOURCE: n is too large for the
 * budget, or a degree reaches 2^32. */
enum status degrees_count(struct degrees *degrees, const struct edge_source *source,
                          const struct separation_options *options, struct memory_budget *budget,
                          struct error *e);
/* The edges that were counted, for further passes; they stay the degrees' and the source's. */
struct edge_supply degrees_edges(struct degrees *degrees, const struct edge_source *source);
void degrees_free(struct degrees *degrees, struct memory_budget *budget);

#endif

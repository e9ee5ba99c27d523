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

#include "tools/edge_source.h"
#include "formats/edges.h"
#include "formats/memory.h"
#include "loops.h"
#include "vertex_values.h"

#include <stdint.h>

/* How a stream is separated. */
struct separation_options {
    int threads;
    uint32_t p; /* windows of vertices are multiples of this */
    struct spill *spill; /* NULL: everything in memory, or ST_RESOURCE */
};

struct degrees {
    struct vertex_values values; /* [n] */
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
void degrees_free(struct degrees *degrees, struct memory_budget *budget);

#endif

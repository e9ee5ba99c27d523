/* check.h: proves that depths, and parents, are those of a breadth-first search of a graph, without a second search.
 *
 * These conditions are tested, in this order; together they hold for true results only:
 * - A root, and no other vertex, has depth 0 and is its own parent; every value is a depth or a vertex (claims.h).
 * - Parents lead from every reached vertex to a root. If no depths are given, the lengths of these ways are the depths.
 * - No edge joins a reached vertex with an unreached one, or spans more than one level (edge_rules.h); no directed edge leads
 *   from a reached vertex to an unreached one, or more than one level down. So no depth is too large, and no vertex is missing.
 *   If the search was ended at a depth, no vertex is deeper, and edges from that depth may lead to unreached vertices.
 * - Every reached vertex except roots has a neighbour one level up, and its parent is such a neighbour (in a directed graph,
 *   the tail of an edge to it). So no depth is too small, and every tree edge is in the graph. If nearest roots are given, this
 *   neighbour has the same as the vertex. So a path of this length leads from that root to the vertex.
 *
 * With parents, the last two are the five rules of the Graph500 specification. Of all failures, that of the smallest vertex or
 * edge is reported, whatever the number of threads and ranks.
 */
#ifndef DBFS_CHECK_H
#define DBFS_CHECK_H

#include "claims.h"
#include "graph_edges.h"

/* Tests all conditions. ST_INVALID describes the first offence. All ranks call it together and get the same result. */
enum status check_claims(struct graph_edges *edges, struct claims *claims, int threads,
                          struct memory_budget *budget, struct claim_sums *sums, struct error *e);

#endif

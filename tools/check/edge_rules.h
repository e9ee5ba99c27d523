/* edge_rules.h: passes over all edges, which look for an edge that contradicts the results, and settle vertices.
 *
 * Of an undirected edge, both ends must be unreached, or both reached with levels that differ by at most one. The edge settles its deeper
 * end if the other end is one level up and, if there are parents, is the parent; if there are nearest roots, both ends must have the same.
 * If the tail of a directed edge was reached, its head must be, too, at most one level deeper; the edge can settle only its head. If the
 * search was ended at a depth, edges from there may lead to vertices that were not reached.
 */
#ifndef DBFS_EDGE_RULES_H
#define DBFS_EDGE_RULES_H

#include "claim_windows.h"
#include "graph_edges.h"

/* An edge that contradicts the results, with u <= v, or a directed edge from u to v. If u is UINT64_MAX there is none. */
struct offence {
    uint64_t u, v;
};

/* Makes all passes and completes the mask of settled vertices. *first is set to the smallest offence, by u and then by v. If
 * all vertices are in one window, it must be loaded before. All ranks call it together and get the same result. */
enum status edge_rules_check(struct graph_edges *edges, struct claim_windows *windows,
                             struct offence *first, struct error *e);

#endif

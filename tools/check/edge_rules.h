/* edge_rules.h: passes over all edges, which find those that contradict the results, and settle vertices.
 *
 * Of an edge, either both ends were reached or none, and their levels differ by at most one. The search may have ended
 * at a depth: then the other end of an edge from there may be one that was not reached. An edge settles
 * its deeper end if the other end is one level up and, where there are parents, is the parent. Of a directed edge
 * whose tail was reached, the head was, too, at most one level deeper; it settles its head.
 */
#ifndef DBFS_EDGE_RULES_H
#define DBFS_EDGE_RULES_H

#include "claim_windows.h"
#include "graph_edges.h"

/* An edge that contradicts the results: u <= v, or of a directed one u is the tail. u is UINT64_MAX if there is none. */
struct offence {
    uint64_t u, v;
};

/* Makes the passes. If there is one window, it is loaded already. *first receives the smallest offence: the
 * one with the smallest u, and of these the one with the smallest v. The mask of settled vertices is complete
 * afterwards. All ranks call this together and get the same. */
enum status edge_rules_check(struct graph_edges *edges, struct claim_windows *windows,
                             struct offence *first, struct error *e);

#endif

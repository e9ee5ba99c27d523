/* edge_rules.h: passes over all edges, which find those that contradict the results, and settle vertices.
 *
 * Both ends of an edge were reached or neither was, and their levels differ by at most one. If the
 * search ended at a depth, edges from there may lead to vertices that were not reached. An edge
 * settles its deeper end if the other end is one level up and, if there are parents, is the parent.
 * If the tail of a directed edge was reached, its head was reached too, at most one level deeper.
 * Such an edge settles its head.
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

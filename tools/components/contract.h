/* contract.h: joins the ends of all edges of a graph in a forest (forest.h), with threads and ranks, in memory and out of it.
 *
 * If all slots are in memory, this is one pass over the edges. If there are windows of vertices, the edges are contracted from
 * the last window to the first:
 *   1. The pass over the edges joins those with an end in the last window. All others go to temporary files, one for each
 *      window, by their larger end.
 *   2. A tree of the window that is connected to several vertices below it becomes a child of one of them. Between that vertex
 *      and each other one a new edge is left, in the file of the window of the larger one.
 *   3. The same is done with the file of the next window below.
 * So at most as many edges are left as there were, and each goes down by at least one window at a time.
 *
 * Every rank makes a forest of its share of the edges, and the forests are joined window by window, in pairs of ranks.
 */
#ifndef DBFS_CONTRACT_H
#define DBFS_CONTRACT_H

#include "forest.h"

#include "tools/spill/workspace.h"
#include "tools/stream/edge_source.h"

struct contraction {
    uint64_t left_edges;    /* of this rank: edges that went to temporary files */
    uint64_t spilled_bytes; /* of this rank, on disk */
};

/* The most memory that contracting takes beside the forest. */
uint64_t contract_bytes(const struct workspace *space, const struct comm *comm);

/* Makes the first pass over the edges. Afterwards the flattened windows of rank 0 hold the trees of all edges. Collective. */
enum status contract_edges(struct forest *forest, struct edge_source *source, struct workspace *space, struct contraction *done,
                           struct error *e);

#endif

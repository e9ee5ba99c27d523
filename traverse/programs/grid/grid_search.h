/* grid_search.h: a breadth-first search over a 2D partition (Yoo et al., algorithm 2), as one rank knows it.
 *
 * Rank i + R * j is the processor (i, j). It owns the vertices of shard i + R * j, and has the edges from sources
 * of grid column j to destinations of grid row i. A level:
 * - expand: each owner sends the vertices of its frontier to the processors of its column that have edges of them;
 * - look up: each processor goes over these edges, and keeps each destination for its owner, once in a search;
 * - fold: destinations go to their owners along the row. In a ring, each processor adds its own destinations to a set that
 *   passes, and drops those of the set that it has seen before (the union-fold of section 3.2.2). */
#ifndef DBFS_GRID_SEARCH_H
#define DBFS_GRID_SEARCH_H

#include "formats/graph/grid_part.h"
#include "formats/mpi/comm.h"
#include "traverse/session/graph.h"

#include <stdint.h>

enum grid_fold { GRID_FOLD_RING, GRID_FOLD_DIRECT };

/* `count` vertices of a shard, by local id. */
struct grid_list {
    uint32_t *ids;
    uint64_t count;
};

/* What a processor has for another processor (row, j) of its grid column, or for itself. The part has the rows of those
 * vertices of the other shard whose bits are set in `has`; row v is number before[v / 64] + set bits below v in its word. */
struct grid_column_peer {
    uint64_t *has;           /* bitmap of the other shard's vertices */
    uint32_t *before;        /* by words of `has` */
    uint64_t *asked;         /* bitmap of the own vertices of which the other processor has edges */
    struct grid_list expand; /* own vertices of the frontier for the other processor */
};

/* What a processor has for another processor (i, c) of its grid row, or for itself: destinations in the other shard. */
struct grid_row_peer {
    uint64_t *seen;       /* bitmap: found or passed in this search */
    struct grid_list bin; /* found or passed in this level */
};

/* Data that a level moved on this rank, in vertices of 4 bytes each. */
struct grid_counts {
    uint64_t expanded;   /* frontier vertices sent to other processors of the column */
    uint64_t looked_up;  /* edges that were read */
    uint64_t found;      /* destinations for other processors of the row, once each in a search */
    uint64_t folded;     /* destinations sent along the row, on each hop */
    uint64_t dropped;    /* duplicates that the ring dropped in transit */
    uint64_t messages;   /* swaps with another processor */
};

struct grid_search {
    const struct comm *comm;
    const struct graph *graph;
    struct memory_budget *budget;
    enum grid_fold fold;
    struct grid_part part;
    uint32_t i, j;             /* grid row and grid column of this processor */
    uint64_t most_locals;      /* of the largest shard */
    struct grid_column_peer *column; /* [R] by grid row */
    struct grid_row_peer *row; /* [C] by grid column */
    struct grid_list frontier, incoming; /* incoming: own vertices that this level reached */
    struct grid_list got;      /* the list received last */
};

/* Collective. Opens the grid part of this rank, which lies in the folder of its shard, and takes all arrays. *g must
 * be zeroed before, but for g->fold. After a failure, too, grid_search_close is to be called. */
enum status grid_search_open(struct grid_search *g, const struct comm *comm, const struct graph *graph,
                             struct memory_budget *budget, struct error *e);
void grid_search_close(struct grid_search *g); /* a zeroed one is allowed */

/* Prepares a search: forgets all seen destinations and empties the frontier, to which the caller then adds the root. */
void grid_search_begin(struct grid_search *g);

/* Collective. Does one level of a search: reads g->frontier, and fills g->incoming with this rank's own vertices that
 * have a neighbour in the frontier of any rank. Some of these may be visited already, and each may be there up to C
 * times; the caller makes the next frontier from them. Adds what was moved to *counts. */
void grid_level(struct grid_search *g, struct grid_counts *counts);

#endif

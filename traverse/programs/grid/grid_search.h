/* grid_search.h: a breadth-first search over a 2D partition (Yoo et al., algorithm 2), as one rank sees it.
 *
 * Ranks are the processors of a grid of R rows and C columns. Rank i + R * j is the processor (i, j), in grid row i and
 * grid column j. The processor owns the vertices of shard i + R * j. The processor has the edges that lead from vertices of
 * grid column j to vertices of grid row i. A level has three steps:
 * - expand: each owner sends the vertices of its frontier along its grid column, to the processors that have edges of them;
 * - look up: each processor reads these edges, and keeps each destination for the owner, once in a search;
 * - fold: each destination goes along the grid row to its owner, either straight or round a ring.
 *
 * In a ring a set of destinations passes the processors of the grid row. Each processor adds its own destinations to the
 * set, and drops the destinations that it has seen before (the union-fold of section 3.2.2). */
#ifndef DBFS_GRID_SEARCH_H
#define DBFS_GRID_SEARCH_H

#include "formats/graph/grid_part.h"
#include "formats/mpi/comm.h"
#include "traverse/session/graph.h"

#include <stdint.h>

/* How fold sends destinations to their owners: round a ring, or straight. */
enum grid_fold { GRID_FOLD_RING, GRID_FOLD_DIRECT };

/* A list of `count` vertices of one shard, by local id. */
struct grid_list {
    uint32_t *ids;
    uint64_t count;
};

/* What this processor has for the processor (row, j) of its grid column; `row` may be its own grid row. The part, which is
 * the edges of this processor, has a row for each vertex of shard (row, j) with a bit in `has`. Rows are numbered in the
 * order of these bits: the row of vertex v has the number before[v / 64] + the number of set bits below v in word v / 64 of
 * `has`. */
struct grid_column_peer {
    uint64_t *has;           /* bitmap of the vertices of shard (row, j): the part has edges of the vertex */
    uint32_t *before;        /* for each word of `has`: the number of the first row of its vertices */
    uint64_t *asked;         /* bitmap of this processor's vertices: the processor (row, j) has edges of the vertex */
    struct grid_list expand; /* vertices of this processor's frontier for the processor (row, j) */
};

/* What this processor has for the processor (i, c) of its grid row: destinations that (i, c) owns. c may be its own grid
 * column. */
struct grid_row_peer {
    uint64_t *seen;       /* bitmap of the vertices of shard (i, c): found here, or passed here in a ring, in this search */
    struct grid_list bin; /* vertices found here, or passed here in a ring, in this level */
};

/* The work of one level on this rank, in vertices of 4 bytes each, but for edges and messages. */
struct grid_counts {
    uint64_t expanded;   /* frontier vertices sent to other processors of the grid column */
    uint64_t looked_up;  /* edges that were read */
    /* destinations found here that other processors of the grid row own, each counted once in a search */
    uint64_t found;
    uint64_t folded;     /* destinations sent along the grid row; in a ring they count on each hop */
    uint64_t dropped;    /* destinations that arrived here in a ring, and were dropped as seen before */
    uint64_t messages;   /* messages sent, each in exchange for a message received */
};

/* The state of a search on one rank. */
struct grid_search {
    const struct comm *comm;
    const struct graph *graph;
    struct memory_budget *budget;
    enum grid_fold fold;
    struct grid_part part;
    uint32_t i, j;             /* grid row and grid column of this processor */
    uint64_t most_locals;      /* local vertices of the largest shard */
    struct grid_column_peer *column; /* [R] for the processors of this grid column, by grid row */
    struct grid_row_peer *row; /* [C] for the processors of this grid row, by grid column */
    /* frontier: vertices of this processor that the last level found; incoming: those that the present level has reached */
    struct grid_list frontier, incoming;
    struct grid_list got;      /* the list that this processor received last */
};

/* Collective. Opens *g: opens the grid part of this rank, which lies in the folder of the rank's shard, and allocates all
 * arrays within the budget. *g must be zeroed before, but for g->fold. Fails on all ranks if one rank fails. After a
 * failure, too, grid_search_close is to be called. */
enum status grid_search_open(struct grid_search *g, const struct comm *comm, const struct graph *graph,
                             struct memory_budget *budget, struct error *e);
void grid_search_close(struct grid_search *g); /* frees all arrays; *g may be all zeros */

/* Prepares a search: forgets all destinations that were seen, and empties g->frontier. The caller then adds the root to
 * g->frontier on the rank that owns the root. */
void grid_search_begin(struct grid_search *g);

/* Collective. Does one level of a search: reads g->frontier, and fills g->incoming with the vertices of this processor that
 * have a neighbour in the frontier of any rank. Vertices of g->incoming may have been visited before, and a vertex may be
 * there up to C times. The caller makes the next frontier of them. Adds the work to *counts. */
void grid_level(struct grid_search *g, struct grid_counts *counts);

#endif

/* grid_search.h: a breadth-first search over a 2D partition (Yoo et al., algorithm 2), as one rank runs it.
 *
 * Ranks are the processors of a grid of R rows and C columns. Rank i + R * j is the processor (i, j), in grid row i and
 * grid column j. It owns the vertices of shard i + R * j, and has the edges from vertices of grid column j to vertices of
 * grid row i. A level has three steps:
 * - expand: each owner sends its frontier vertices to those processors of its grid column that have edges of them.
 * - look up: each processor reads these edges, and collects each destination for its owner, once in a search.
 * - fold: each destination is sent along the grid row to its owner, either directly or round a ring. In a ring, a set of
 *   destinations passes the processors of the grid row, each of which adds its own destinations, and drops those that it
 *   has seen before (the union-fold of section 3.2.2). */
#ifndef DBFS_GRID_SEARCH_H
#define DBFS_GRID_SEARCH_H

#include "formats/graph/grid_part.h"
#include "formats/mpi/comm.h"
#include "traverse/session/graph.h"

#include <stdint.h>

/* How fold sends destinations to their owners: round a ring, or directly. */
enum grid_fold { GRID_FOLD_RING, GRID_FOLD_DIRECT };

/* A list of `count` vertices of one shard, by local id. */
struct grid_list {
    uint32_t *ids;
    uint64_t count;
};

/* What this processor stores for the processor (row, j) of its grid column, which may be itself. The part is the edges of
 * this processor. It has a row for each set bit of `rows_here`, in the order of the bits. So the row of vertex v has the number
 * first_row[v / 64] + the number of set bits below v in word v / 64 of `rows_here`. */
struct grid_column_peer {
    uint64_t *rows_here;     /* bitmap of the vertices of shard (row, j); 1: the part has edges of the vertex */
    uint32_t *first_row;     /* for each word of `rows_here`: number of the first row that belongs to a vertex of the word */
    uint64_t *rows_there; /* bitmap of the vertices of this processor; 1: the processor (row, j) has edges of the vertex */
    struct grid_list expand; /* frontier vertices of this processor that are sent to the processor (row, j) */
};

/* What this processor stores for the processor (i, c) of its grid row, which may be itself: destinations that (i, c)
 * owns. */
struct grid_row_peer {
    /* bitmap of the vertices of shard (i, c); 1: found here in this search, or has passed here in a ring */
    uint64_t *seen;
    struct grid_list bin; /* vertices that were found here, or have passed here in a ring, in this level */
};

/* The work of one level on this rank. Each vertex is sent as 4 bytes. */
struct grid_counts {
    uint64_t expanded;   /* number of frontier vertices sent to other processors of the grid column */
    uint64_t looked_up;  /* number of edges that were read */
    /* number of destinations found here that other processors of the grid row own, each once in a search */
    uint64_t found;
    uint64_t folded;     /* number of destinations sent along the grid row; in a ring, each counts on each hop */
    /* number of vertices that came here round the ring of ranks, and were dropped because this rank had
                       * seen them, in this level or an earlier one */
    uint64_t dropped;
    uint64_t messages;   /* number of messages sent; for each message sent, one is received */
};

/* The state of a search on one rank. */
struct grid_search {
    const struct comm *comm;
    const struct graph *graph;
    struct memory_budget *budget;
    enum grid_fold fold;
    struct grid_part part;
    uint32_t i, j;             /* grid row and grid column of this processor */
    uint64_t most_locals;      /* number of local vertices of the largest shard */
    struct grid_column_peer *column; /* [R] an entry for each processor of this grid column, by grid row */
    struct grid_row_peer *row; /* [C] an entry for each processor of this grid row, by grid column */
    /* vertices of this processor: those that the last level found, and those that the present level has reached */
    struct grid_list frontier, incoming;
    struct grid_list got;      /* the last list that this processor has received */
};

/* Collective. Opens *g: opens the grid part, which lies in the folder of this rank's shard, and allocates all arrays within
 * the budget. All members of *g but g->fold must be zero before. Fails on all ranks if one rank fails. The caller calls
 * grid_search_close even after a failure. */
enum status grid_search_open(struct grid_search *g, const struct comm *comm, const struct graph *graph,
                             struct memory_budget *budget, struct error *e);
void grid_search_close(struct grid_search *g); /* frees all arrays; *g may be all zeros */

/* Prepares a search: forgets all seen destinations, and empties g->frontier. The rank that owns the root then adds the root
 * to g->frontier. */
void grid_search_begin(struct grid_search *g);

/* Collective. Runs one level of a search. Fills g->incoming with the vertices of this processor that have a neighbour in the
 * g->frontier of any rank. A vertex may be there up to C times, and may have been visited before, so the caller takes only the
 * others into the next frontier. Adds the work to *counts. */
void grid_level(struct grid_search *g, struct grid_counts *counts);

#endif

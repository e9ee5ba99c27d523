/* taken_edges.h: gives back the edges that a pass has taken out of a live pipe, when the pipe proves to be too long for tiles. */
#ifndef DBFS_TAKEN_EDGES_H
#define DBFS_TAKEN_EDGES_H

#include "loops.h"
#include "tools/stream/edge_source.h"
#include "tools/stream/edge_tiles.h"

/* Edges that one thread has taken and that are in no tile. */
struct edges_beside {
    struct loops loops;
    struct edge *edges; /* [count] those that came when the pass was to end; owned */
    size_t count, capacity;
};

/* Appends edges to those that are in no tile. */
enum status edges_beside_add(struct edges_beside *beside, const struct edge *edges, size_t count, struct error *e);
void edges_beside_free(struct edges_beside *beside, struct memory_budget *budget);

/* Keeps the live pipe of a source whose first pass was stopped: its copy begins with the edges of the tiles and those beside them, in any
 * order. The tiles are sealed, and stay the caller's. */
enum status taken_edges_keep(struct edge_source *source, struct edge_tiles *tiles, const struct edges_beside *beside, int threads,
                             struct error *e);

#endif

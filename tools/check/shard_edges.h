/* shard_edges.h: gives all edges of a shard directory, as the ids of their ends. Every directed edge of every subgraph is given
 * once, so each undirected edge comes in both directions. Columns are decoded a piece at a time; only the tables that turn
 * local ids and delegate ids into ids are in memory for the whole graph. */
#ifndef DBFS_SHARD_EDGES_H
#define DBFS_SHARD_EDGES_H

#include "formats/base/memory.h"
#include "formats/edges/edges_scan.h"
#include "formats/graph/manifest.h"
#include "formats/mpi/comm.h"

struct shard_edges {
    struct manifest manifest;
    const char *folder;
    struct shard *shard;     /* [p], open */
    uint32_t **decoded_slots; /* [p]: the slots of local vertices; NULL where they are mapped */
    int checked;             /* the CRCs of this rank's shards were compared */
    int threads;
    struct memory_budget *budget;
};

/* Opens the shards. On failure they need not be closed. */
enum status shard_edges_open(struct shard_edges *edges, const char *folder, int threads,
                             struct memory_budget *budget, struct error *e);
void shard_edges_close(struct shard_edges *edges); /* a zeroed one is allowed */

/* Gives every edge to the visitor, as edges_scan does; each rank reads its share of the shards. The first pass compares the
 * CRCs of all sections. */
enum status shard_edges_scan(struct shard_edges *edges, const struct comm *comm,
                             edges_visitor visit, void *context, struct error *e);

#endif

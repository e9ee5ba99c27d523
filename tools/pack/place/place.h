/* place.h: moves the edges of a graph into the buckets of the shards (placement.h), where Algorithm 1 of Pan et al. puts them,
 * in one pass over the edge stream or its tiles */
#ifndef DBFS_PLACE_H
#define DBFS_PLACE_H

#include "placement.h"

#include <stdint.h>

/* How edges are placed. */
struct placing_options {
    const struct edge_supply *edges;
    uint64_t own_edges;   /* edges in this rank's share of the source */
    struct vertex_labels *labels; /* of the placement's order */
    int symmetric;        /* the stream holds both directions */
    int threads;
    struct spill *spill;  /* NULL: none; edges that do not fit are ST_RESOURCE */
    uint64_t store_bytes; /* memory for the store */
    const unsigned char *finished; /* [p] shards whose edges are not needed; NULL: none */
};

/* Opens the store of a planned placement and fills it with the edges of this rank's share. If the edges are in tiles, the
 * memory of the tiles becomes that of the store. All ranks return the same status. */
enum status place_edges(struct placement *placement, const struct placing_options *options,
                        struct memory_budget *budget, struct error *e);

#endif

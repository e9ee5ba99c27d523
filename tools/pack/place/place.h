/* place.h: moves the edges of a graph into the buckets of the shards (placement.h), each to where
 * Algorithm 1 of Pan et al. puts it, in one pass over the edge stream or its tiles. */
#ifndef DBFS_PLACE_H
#define DBFS_PLACE_H

#include "placement.h"

#include <stdint.h>

/* How edges are placed. */
struct placing_options {
    const struct edge_supply *edges;
    uint64_t own_edges;   /* of the source's, in this rank's share */
    struct vertex_labels *labels; /* of the placement's order */
    int symmetric;        /* the stream holds both directions */
    int threads;
    struct spill *spill;  /* NULL: none, what does not fit is ST_RESOURCE */
    uint64_t store_bytes; /* memory for the store */
    const unsigned char *finished; /* [p] shards whose edges are not needed; NULL: none */
};

/* Opens the store of a planned placement and fills it with the edges of this rank's share. Where the edges
 * are in tiles, these become its memory. The status is that of all ranks. */
enum status place_edges(struct placement *placement, const struct placing_options *options,
                        struct memory_budget *budget, struct error *e);

#endif

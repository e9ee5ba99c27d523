/* place_single.h: placing edges where there is one shard, the loop that packs a graph for one GPU.
 *
 * What an edge takes is arithmetic rather than memory: both subgraphs, both ranges of rows, both
 * records, and no branch on any of them, for none can be predicted. So a step gathers labels, computes
 * all of that with vectors, and then appends. place.c has the twin, for any number of shards. Bytes
 * moved for an edge: 16 to read it, 8 of labels, 64 between the loops, which stay in the first cache,
 * 8 of buckets, and 4 or 8 to write each record.
 */
#ifndef DBFS_PLACE_SINGLE_H
#define DBFS_PLACE_SINGLE_H

#include "place.h"

#include <stddef.h>
#include <stdint.h>

struct single_placing {
    const uint32_t *label;
    uint32_t delegate_mask;
    int both; /* directions: the stream has each edge once */
    /* Buckets by granule of the row: of normal rows to normal columns and to delegates, then the same of
     * delegates. */
    uint32_t *bucket_of;
    uint32_t granules[2]; /* of normal rows, of delegate rows */
    uint32_t shift[2];
    uint32_t column_bits[SUBGRAPHS];
};

/* For a placement of one shard, whose ranges and records are planned. */
enum status single_placing_make(struct single_placing *single, const struct placement *placement,
                                int both, struct error *e);
void single_placing_free(struct single_placing *single); /* zeroed is allowed */

void place_single(const struct single_placing *single, struct bucket_writer *writer,
                  const struct edge *edges, size_t count);

#endif

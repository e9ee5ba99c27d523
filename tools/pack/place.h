/* place.h: Algorithm 1 of Pan et al.: which shard and subgraph an edge belongs to.
 *
 * One pass over the stream turns each directed edge into a record in a bucket of the store: buckets
 * are numbered by shard, subgraph and range of rows; a record is row << column_bits | column, cut to
 * 32 or 64 bits. The cut bits of the row follow from its range, which is shorter than what is left.
 */
#ifndef DBFS_PLACE_H
#define DBFS_PLACE_H

#include "tools/bucket/bucket.h"
#include "tools/stream/edge_source.h"
#include "order.h"
#include "pack_memory.h"
#include "row_ranges.h"

#include <stdint.h>

/* How the edges of one subgraph become records. */
struct record_plan {
    uint32_t first_bucket; /* within a shard */
    unsigned column_bits;
    unsigned bytes; /* of a record: 4 or 8 */
};

struct placement {
    const struct vertex_order *order;
    struct row_ranges local_rows, delegate_rows; /* the same in every shard */
    const struct row_ranges *rows[SUBGRAPHS];    /* which of them */
    uint32_t shard_buckets;                      /* buckets of a shard */
    uint32_t first_shard;                        /* that the store has buckets of */
    struct record_plan plan[SUBGRAPHS];
    struct bucket_store store;
    /* NULL, or where the edges are: of dd the store has what is below the diagonal, in the ranges of this,
     * and of all subgraphs no more than has been swept (upper_sweep.h) */
    struct upper *upper;
};

/* How edges are placed. */
struct placing_options {
    int symmetric; /* the stream holds both directions */
    int threads;
    const struct pack_memory *memory;
    struct spill *spill; /* NULL: none, what does not fit is ST_RESOURCE */
    uint64_t own_edges;  /* of the stream's, in this rank's share */
    uint64_t store_bytes; /* memory for the store */
    const unsigned char *finished; /* [p] shards whose edges are not needed; NULL: none */
};

/* Plans the buckets and opens a store for so many records; `like` as in struct bucket_options. `upper`
 * may be NULL. */
enum status placement_open(struct placement *placement, const struct vertex_order *order,
                           struct upper *upper, uint64_t records, const struct bucket_store *like,
                           const struct placing_options *options, struct memory_budget *budget,
                           struct error *e);

/* Opens a placement and fills it with the edges of this rank's share. The status is that of
 * all ranks. */
enum status placement_make(struct placement *placement, const struct vertex_order *order,
                           const struct edge_source *source, const struct edges_totals *totals,
                           const struct placing_options *options, struct memory_budget *budget,
                           struct error *e);
void placement_free(struct placement *placement);

/* Bytes of a record whose column has column_bits, in a subgraph of so many rows and at most max_ranges
 * ranges of them: 4 where what they leave to the row does not make too many ranges, else 8. */
unsigned placement_record_bytes(unsigned column_bits, uint64_t rows, uint64_t max_ranges);

/* The most bits that a column takes in any subgraph. */
unsigned placement_column_bits(const struct vertex_order *order);

static inline uint32_t placement_bucket(const struct placement *placement, uint32_t shard,
                                        enum subgraph g, uint32_t range)
{
    return (shard - placement->first_shard) * placement->shard_buckets + placement->plan[g].first_bucket + range;
}

/* The row of a record, counted from the first of its range: the bits that were cut are known. */
static inline uint64_t record_row_u32(uint32_t record, unsigned column_bits, uint64_t begin)
{
    return ((record >> column_bits) - (uint32_t)begin) & (UINT32_MAX >> column_bits);
}

static inline uint64_t record_row_u64(uint64_t record, unsigned column_bits, uint64_t begin)
{
    return ((record >> column_bits) - begin) & (UINT64_MAX >> column_bits);
}

#endif

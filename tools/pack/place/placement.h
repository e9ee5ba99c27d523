/* placement.h: the buckets that hold the edges of all shards, until the shards are built.
 *
 * Algorithm 1 of Pan et al. puts an edge that has a delegate and its reverse into the same shard, so one record is enough for
 * both:
 * - an edge between two delegates is a record of dd, in the row of the smaller delegate id;
 * - an edge between a delegate and a normal vertex is a record of dn, and nd has no records;
 * - an edge between two normal vertices is two records of nn, each in the shard of its row.
 *
 * The other directions are made when a shard is built (build/transpose.h). A directed edge is one record, in its out-row, in
 * the shard where an undirected one would be. Its in-row is made when the shard is built, except in nn, where it is a second
 * record, in the shard of its head.
 *
 * There is a bucket for each shard, subgraph and range of rows. A record has the fewest bytes that tell the rows of its range
 * apart (record_width.h): in a large graph, ranges of hubs have few rows and short records.
 */
#ifndef DBFS_PLACEMENT_H
#define DBFS_PLACEMENT_H

#include "tools/bucket/bucket.h"
#include "tools/pack/order/order.h"
#include "record_width.h"
#include "row_ranges.h"

#include <stdint.h>

/* The layout of the records of one subgraph. */
struct record_plan {
    const struct row_ranges *rows;
    unsigned column_bits;
    uint32_t first_bucket; /* within a shard, if it has records */
};

/* The rows that an edge is put into. */
enum placed_rows { ROWS_UNDIRECTED, ROWS_OUT, ROWS_OUT_AND_IN };

struct placement {
    const struct vertex_order *order;
    struct row_ranges local_rows, delegate_rows; /* the same in every shard */
    enum placed_rows rows;
    struct record_plan plan[ROW_SETS];
    uint32_t shard_buckets; /* buckets of a shard */
    uint32_t first_shard;   /* the first one that has buckets in the store */
    int has_degrees; /* 1: a delegate has as many records as its degree in `order`, since both come from edges that stay in memory */
    struct bucket_store store;
};

/* How finely rows are cut into ranges. */
struct placement_limits {
    uint64_t range_records; /* about the records that a range has */
    uint64_t max_ranges;    /* about the most ranges over all shards, of the rows of normal vertices and likewise of those of delegates */
};

/* Ranges of rows in each shard, and the most rows of any. */
struct placement_ranges {
    uint64_t normals, delegates, most_rows;
};

/* Counts the ranges that placement_plan makes with these limits. */
struct placement_ranges placement_count(const struct vertex_order *order, struct placement_limits limits);

/* The buckets of a shard with this many ranges. */
uint64_t placement_shard_buckets(enum placed_rows rows, uint64_t normals, uint64_t delegates);

/* Plans ranges and buckets. place_edges or gather_shard opens the store. */
enum status placement_plan(struct placement *placement, const struct vertex_order *order, enum placed_rows rows,
                           struct placement_limits limits, struct error *e);
void placement_free(struct placement *placement); /* a zeroed one is allowed */

/* The most bits that a column takes in any subgraph. */
unsigned placement_column_bits(const struct vertex_order *order);

/* The bucket of a shard, subgraph and range in the store. */
static inline uint32_t placement_bucket(const struct placement *placement, uint32_t shard,
                                        enum subgraph g, uint32_t range)
{
    return (shard - placement->first_shard) * placement->shard_buckets +
           placement->plan[g].first_bucket + range;
}

/* Return the bits of a record of a range, which hold its row and its column, and the bytes that such a record takes. */
static inline unsigned record_width_of(const struct record_plan *plan, uint32_t range)
{
    return record_width(plan->column_bits, plan->rows->first[range + 1] - plan->rows->first[range]);
}

static inline unsigned record_bytes(const struct record_plan *plan, uint32_t range)
{
    return record_width_bytes(record_width_of(plan, range));
}

/* Bytes of a record in a bucket, numbered within its shard. */
unsigned placement_bucket_bytes(const struct placement *placement, uint32_t bucket);

/* The row of a record, counted from `begin`, the first row of its range. */
static inline uint64_t record_row_u32(uint32_t record, unsigned column_bits, uint64_t begin)
{
    return ((record >> column_bits) - (uint32_t)begin) & (UINT32_MAX >> column_bits);
}

static inline uint64_t record_row_u64(uint64_t record, unsigned column_bits, uint64_t begin)
{
    return ((record >> column_bits) - begin) & (UINT64_MAX >> column_bits);
}

/* ---- appending ---- */

/* What record_append needs to know of a subgraph, copied to one place because it is read for every edge. */
struct record_target {
    const uint16_t *range_of; /* by granule of the row; above it, the width of the records */
    struct row_granules granules;
    unsigned column_bits;
    const uint32_t *first; /* first row of each range */
    uint32_t first_bucket;
};

/* An entry of range_of has the number of the range in its low bits, and above it the number of the width (record_width.h) of
 * its records. */
enum { RECORD_RANGE_BITS = 14, RECORD_RANGE_MASK = ROW_RANGES_MOST - 1 };

/* The entries that range_of needs. record_target_make fills them. */
uint32_t record_target_granules(const struct record_plan *plan);
struct record_target record_target_make(const struct record_plan *plan, uint16_t *range_of);

/* Appends a record to its bucket; `shard_bucket` is the first bucket of the shard. */
static inline void record_append(const struct record_target *t, struct bucket_writer *w,
                                 uint32_t shard_bucket, uint32_t row, uint64_t column)
{
    uint32_t entry = t->range_of[row_ranges_granule(row, t->granules)];
    uint32_t bucket = shard_bucket + t->first_bucket + (entry & RECORD_RANGE_MASK);
    uint64_t record = (uint64_t)row << t->column_bits | column;
    if (entry <= RECORD_RANGE_MASK)
        bucket_append_u32(w, bucket, (uint32_t)record);
    else
        bucket_append_long(w, bucket, record, record_width_bytes(entry >> RECORD_RANGE_BITS));
}

#endif

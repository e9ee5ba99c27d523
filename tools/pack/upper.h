/* upper.h: the edges of a graph for one GPU, each once, on their way into one shard.
 *
 * The position of a vertex is its place by degree descending: the label in an order of one shard with
 * an infinite TH. An edge is a cell above the diagonal of the matrix over positions: its row is the
 * smaller position, its column the larger. It is placed once, into the bucket of a range of rows.
 * Delegates are the first d positions, so TH need not be known before the records of the rows have been
 * counted, and these counts are the class counts of every TH. Then a sweep (upper_sweep.h) sorts range
 * after range and transposes it.
 *
 * The way of place.c and range_sort.c, which places both directions, serves several shards, ranks and
 * disks, and gives the same bytes. Bytes moved for an edge: 4 of tile, 8 of labels, 4 to write the
 * record, and 4 to read it for each count.
 */
#ifndef DBFS_UPPER_H
#define DBFS_UPPER_H

#include "place.h"
#include "tools/separate/rank.h"

#include <stdint.h>

struct upper {
    const struct vertex_order *order;
    uint64_t rows; /* positions */
    unsigned column_bits;
    struct row_ranges ranges;
    struct bucket_store store; /* a bucket for each range */
    uint32_t *records;         /* [rows] of each row, duplicates counted; after upper_count */
    uint32_t dd_ranges;        /* those with rows below d; after upper_split */
    uint32_t *delegates;       /* [rows of these] records with a column below d, too */
};

/* 4 where the rows of a range and its columns fit into that, else 8: ranges of many rows with few
 * records. */
static inline unsigned upper_record_bytes(const struct row_ranges *ranges, uint32_t range,
                                          unsigned column_bits)
{
    uint64_t rows = ranges->first[range + 1] - ranges->first[range];
    return column_bits < 32 && rows <= UINT64_C(1) << (32 - column_bits) ? 4 : 8;
}

/* The range of each granule, with UPPER_WIDE where its records have 8 bytes, as above or all of them; to
 * free. */
enum { UPPER_WIDE = 1 << 15 };
uint16_t *upper_bucket_table(const struct row_ranges *ranges, unsigned column_bits, int all_wide,
                             struct error *e);

static inline struct bucket_reader upper_read(const struct upper *u, uint32_t range)
{
    /* nothing is spilled, so reading takes no buffer and cannot fail */
    return bucket_read(&u->store, range, upper_record_bytes(&u->ranges, range, u->column_bits), NULL,
                       NULL);
}

/* Whether a graph may be packed in this way, where its edges stay in memory. */
static inline int upper_serves(uint32_t p, const struct comm *comm)
{
    return p == 1 && comm->ranks == 1;
}

/* For each directed edge, beside its tile: an edge with a normal end becomes two records of 8 bytes at
 * most, and chunks are not full. */
enum { UPPER_EDGE_BYTES = 9 };

/* Memory that a graph packed in this way surely does with, beside the tiles that hold its edges. */
uint64_t upper_bytes(uint64_t n, uint64_t directed_edges, int threads);

/* Places the edges, so many, of the order's tiles, which become memory of the triangle. `symmetric`: the
 * tiles have each edge twice. */
enum status upper_place(struct upper *upper, const struct vertex_order *order, uint64_t edges,
                        int symmetric, struct memory_budget *budget, struct error *e);
void upper_free(struct upper *upper, struct memory_budget *budget); /* a zeroed one is allowed */

/* Counts the records of each row. by_larger[ranks->count] receives, for each rank, the edges whose end
 * of higher degree has that rank. */
enum status upper_count(struct upper *upper, const struct ranks *ranks, uint64_t *by_larger,
                        struct memory_budget *budget, struct error *e);

/* After order_cut: counts the columns that are delegates. */
enum status upper_split(struct upper *upper, struct memory_budget *budget, struct error *e);

#endif

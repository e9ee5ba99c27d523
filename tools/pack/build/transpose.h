/* transpose.h: carries edges from the rows of one subgraph of a shard to the rows of its reverse.
 *
 * Each sorted edge of a range is appended to the transpose the other way round, as a record of the reverse subgraph: dd to the
 * transpose of dd itself, dn to that of nd. When the rows of the reverse are made, a bucket of the transpose is collected: its
 * columns are moved to their rows.
 *
 * Collecting merges and need not sort. A thread takes its ranges in ascending order, and within a range its records come by
 * column and then by row, so the columns that one thread appends to a row ascend. Only one thread sorts a range, so no two
 * threads append the same column. So merging the records of all threads leaves every row sorted.
 *
 * The transpose uses the memory of placed buckets that have been read. Records that do not fit are spilled.
 */
#ifndef DBFS_TRANSPOSE_H
#define DBFS_TRANSPOSE_H

#include "tools/pack/place/placement.h"

#include <stdint.h>

struct transpose {
    const struct record_plan *plan; /* of the records that are appended */
    struct record_target target;
    struct bucket_store store; /* a bucket for each range of plan->rows */
    struct memory_budget room; /* of the store */
    struct memory_budget *budget; /* the room is charged to it */
    uint16_t *range_of;
};

/* The memory that a transpose may take. */
struct transpose_limits {
    int threads;
    uint64_t records;    /* of the shard, about */
    uint64_t room_bytes; /* besides memory of the placement; charged while open */
    uint64_t left_bytes; /* of the budget, left to others if there is enough for both */
};

/* Opens a transpose for the rows of `plan`. The placement must outlive it, because its memory and its folders for spilled
 * records are used. */
enum status transpose_open(struct transpose *transpose, const struct record_plan *plan,
                           const struct placement *placement, const struct transpose_limits *limits,
                           struct memory_budget *budget, struct error *e);
void transpose_close(struct transpose *transpose); /* a zeroed one is allowed */

/* Appends `count` sorted records of `width` bytes, with rows from `begin` on and columns of `column_bits` bits, the other way round. */
void transpose_records(struct transpose *transpose, struct bucket_writer *writer,
                       const void *records, size_t count, unsigned width, unsigned column_bits,
                       uint64_t begin);

/* Appends the edges of one row. */
void transpose_row(struct transpose *transpose, struct bucket_writer *writer, uint32_t row,
                   const uint32_t *columns, size_t count);

/* Ends the bucket of a range, adds the records of each row to length[], and returns the number of all its records. */
uint64_t transpose_count(struct transpose *transpose, uint32_t range, void *read_buffer,
                         uint32_t *length, struct error *e);

/* The memory with which one thread collects. */
struct transpose_lane;
struct transpose_collector {
    struct transpose_lane *lane; /* [threads of the store] */
    unsigned char *read_buffer;  /* of each lane */
    size_t lane_bytes;
};
uint64_t transpose_collector_bytes(const struct transpose *transpose);
enum status transpose_collector_open(struct transpose_collector *collector,
                                     const struct transpose *transpose, struct error *e);
void transpose_collector_close(struct transpose_collector *collector);

/* transpose_seal ends the bucket of a range without counting. transpose_collect moves columns of an ended bucket to their rows:
 * those of row i of the range, ascending, to to[next[i]] and the places behind, and leaves next[i] behind the last of them. */
void transpose_seal(struct transpose *transpose, uint32_t range);
enum status transpose_collect(struct transpose *transpose,
                              const struct transpose_collector *collector, uint32_t range,
                              uint64_t *next, uint32_t *to, struct error *e);

#endif

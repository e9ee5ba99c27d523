/* transpose.h: edges on their way from the rows of one subgraph of a shard to those of its reverse.
 *
 * While ranges of rows are sorted, in ascending order by any threads, their edges are appended here the other
 * way round: dd to itself, dn to nd. A thread takes its ranges in ascending order too, and within a range
 * sorts by column and then row. So what one thread has put into a bucket comes by ascending column within
 * each row, no two threads have the same column, and collecting a bucket brings its rows together sorted.
 *
 * Memory of the buckets that have been read becomes that of the transpose; what does not fit is spilled.
 */
#ifndef DBFS_TRANSPOSE_H
#define DBFS_TRANSPOSE_H

#include "tools/pack/place/placement.h"

#include <stdint.h>

struct transpose {
    const struct record_plan *plan; /* of what is appended */
    struct record_target target;
    struct bucket_store store; /* a bucket for each range of plan->rows */
    struct memory_budget room; /* of the store */
    struct memory_budget *budget; /* that the room is charged to */
    uint16_t *range_of;
};

/* What a transpose may take. */
struct transpose_limits {
    int threads;
    uint64_t records;    /* about, of the shard */
    uint64_t room_bytes; /* beside memory of the placement; charged while the transpose is open */
    uint64_t left_bytes; /* of the budget, that stay for others where there is enough for both */
};

/* For rows as `plan` has them. The placement, which outlives it, has the memory and the folders for what is
 * spilled. */
enum status transpose_open(struct transpose *transpose, const struct record_plan *plan,
                           const struct placement *placement, const struct transpose_limits *limits,
                           struct memory_budget *budget, struct error *e);
void transpose_close(struct transpose *transpose); /* a zeroed one is allowed */

/* Appends `count` sorted records of `width` bytes: of rows from `begin` on and columns of column_bits. */
void transpose_records(struct transpose *transpose, struct bucket_writer *writer,
                       const void *records, size_t count, unsigned width, unsigned column_bits,
                       uint64_t begin);

/* Appends one row. */
void transpose_row(struct transpose *transpose, struct bucket_writer *writer, uint32_t row,
                   const uint32_t *columns, size_t count);

/* Ends a bucket, and adds its records to the lengths of its rows; returns how many there are. */
uint64_t transpose_count(struct transpose *transpose, uint32_t range, void *read_buffer,
                         uint32_t *length, struct error *e);

/* One thread's means to collect. */
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

/* Moves the columns of a bucket that has been ended, by transpose_seal or transpose_count, to its rows:
 * of the i-th row of the range to to[next[i]] and on, ascending. next[] ends up behind them. */
void transpose_seal(struct transpose *transpose, uint32_t range);
enum status transpose_collect(struct transpose *transpose,
                              const struct transpose_collector *collector, uint32_t range,
                              uint64_t *next, uint32_t *to, struct error *e);

#endif

/* upper_take.c: the first step of a sweep (upper_sweep.h): sorts a range of rows and passes its edges on.
 *
 * Records are put to their rows and then sorted by column, digit after digit, so that they end up by
 * column and, within a column, by row. So the transpose goes to one bucket after the other, run by run,
 * and in a further pass columns go to their rows, sorted.
 */
#include "upper_parts.h"

#include <string.h>

/* ---- appending ---- */

/* Any edge to any subgraph. */
static inline void append(const struct sweep_target *t, struct bucket_writer *w, uint32_t row,
                          uint32_t column)
{
    uint32_t entry = t->bucket_of[row_ranges_granule(row, t->granules)];
    uint32_t bucket = t->first_bucket + (entry & (UPPER_WIDE - 1));
    if ((entry & UPPER_WIDE) == 0)
        bucket_append_u32(w, bucket, row << t->column_bits | column);
    else
        bucket_append_u64(w, bucket, (uint64_t)row << t->column_bits | column);
}

/* An edge of which one end is normal, in both directions. */
static inline void append_normal(struct upper_sweeper *s, uint32_t row, uint32_t column)
{
    const uint32_t d = (uint32_t)s->placement->order->d;
    if (row < d) {
        append(&s->target[DN], s->writer, row, column - d);
        append(&s->target[ND], s->writer, column - d, row);
    } else {
        append(&s->target[NN], s->writer, row - d, column - d);
        append(&s->target[NN], s->writer, column - d, row - d);
    }
}

/* A place in a bucket, for records of rows before `end` and as many as there is room for. */
struct bucket_run {
    uint32_t bucket, end;
    int wide;
    size_t room;
    unsigned char *at;
};

static inline struct bucket_run start_run(const struct sweep_target *t, struct bucket_writer *w,
                                          uint32_t row)
{
    uint32_t entry = t->bucket_of[row_ranges_granule(row, t->granules)];
    uint32_t range = entry & (UPPER_WIDE - 1);
    struct bucket_run run = {.bucket = t->first_bucket + range,
                             .end = t->first[range + 1],
                             .wide = (entry & UPPER_WIDE) != 0};
    run.at = bucket_room(w, run.bucket, &run.room);
    run.room /= run.wide ? 8 : 4;
    return run;
}

static inline unsigned char *put(unsigned char *at, int wide, uint64_t record)
{
    if (wide)
        *(uint64_t *)(void *)at = record;
    else
        *(uint32_t *)(void *)at = (uint32_t)record;
    return at + (wide ? 8 : 4);
}

/* ---- sorting above the diagonal ---- */

/* Where what a range keeps goes: to the end of its memory, row after row. */
static uint32_t *start_kept(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                            uint32_t *columns)
{
    uint64_t begin = range_begin(csr, r), rows = range_begin(csr, r + 1) - begin;
    size_t kept = start_rows(csr->placement->upper->delegates + begin, rows, s->next);
    return columns + csr->records[r] - kept;
}

/* The loops over records of 4 and of 8 bytes. */
#define DEFINE_LOOPS(type, suffix)                                                                 \
    /* Records to their rows. */                                                                   \
    static void group_##suffix(const type *from, size_t count, unsigned bits, uint64_t begin,      \
                               uint64_t *restrict next, type *restrict to)                         \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            to[next[record_row_##suffix(from[i], bits, begin)]++] = from[i];                       \
    }                                                                                              \
                                                                                                   \
    /* Their columns to their rows. */                                                             \
    static void spread_##suffix(const type *from, size_t count, unsigned bits, uint64_t begin,     \
                                uint64_t *restrict next, uint32_t *restrict to)                    \
    {                                                                                              \
        const type mask = ((type)1 << bits) - 1;                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            to[next[record_row_##suffix(from[i], bits, begin)]++] = (uint32_t)(from[i] & mask);    \
    }                                                                                              \
                                                                                                   \
    /* Of records by ascending column, how many are below `end`. */                                \
    static size_t count_below_##suffix(const type *from, size_t count, unsigned bits, uint32_t end)\
    {                                                                                              \
        const type mask = ((type)1 << bits) - 1;                                                   \
        size_t low = 0;                                                                            \
        while (low < count) {                                                                      \
            size_t middle = low + (count - low) / 2;                                               \
            if ((from[middle] & mask) < end)                                                       \
                low = middle + 1;                                                                  \
            else                                                                                   \
                count = middle;                                                                    \
        }                                                                                          \
        return low;                                                                                \
    }                                                                                              \
                                                                                                   \
    /* Keeps one of equal records, and takes the others off the lengths of their rows, both of what is\
     * kept and of all; returns how many there are. */                                             \
    static size_t unique_##suffix(type *records, size_t count, unsigned bits, uint64_t begin,      \
                                  uint32_t *kept_length, uint32_t *length)                         \
    {                                                                                              \
        size_t kept = count > 0;                                                                   \
        for (size_t i = 1; i < count; i++) {                                                       \
            if (records[i] != records[i - 1]) {                                                    \
                records[kept++] = records[i];                                                      \
            } else {                                                                               \
                kept_length[record_row_##suffix(records[i], bits, begin)]--;                       \
                length[record_row_##suffix(records[i], bits, begin)]--;                            \
            }                                                                                      \
        }                                                                                          \
        return kept;                                                                               \
    }                                                                                              \
                                                                                                   \
    /* Transposes records by ascending column, which go to one bucket after the other; rows of the \
     * transpose are counted from `origin`. */                                                     \
    static void transpose_##suffix(const struct sweep_target *target, struct bucket_writer *w,     \
                                   const type *from, size_t count, unsigned bits, uint64_t begin,  \
                                   uint32_t origin)                                                \
    {                                                                                              \
        const struct sweep_target t = *target;                                                     \
        const type mask = ((type)1 << bits) - 1;                                                   \
        for (size_t i = 0; i < count;) {                                                           \
            struct bucket_run run = start_run(&t, w, (uint32_t)(from[i] & mask) - origin);         \
            size_t most = count - i < run.room ? count : i + run.room;                             \
            for (; i < most && (from[i] & mask) - origin < run.end; i++) {                         \
                uint64_t column = begin + record_row_##suffix(from[i], bits, begin);               \
                uint64_t row = (from[i] & mask) - origin;                                          \
                run.at = put(run.at, run.wide, row << t.column_bits | column);                     \
            }                                                                                      \
            bucket_filled(w, run.bucket, run.at);                                                  \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Appends records as they are; their columns are counted from `origin`. */                    \
    static void append_##suffix(const struct sweep_target *target, struct bucket_writer *w,        \
                                const type *from, size_t count, unsigned bits, uint64_t begin,     \
                                uint32_t origin)                                                   \
    {                                                                                              \
        const struct sweep_target t = *target;                                                     \
        const type mask = ((type)1 << bits) - 1;                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            append(&t, w, (uint32_t)(begin + record_row_##suffix(from[i], bits, begin)),           \
                   (uint32_t)(from[i] & mask) - origin);                                           \
    }                                                                                              \
                                                                                                   \
    /* Records by column, those of equal columns by row, go where they belong; `columns` is the range's\
     * memory. */                                                                                  \
    static void pass_on_##suffix(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,  \
                                 type *records, size_t count, uint32_t *columns)                   \
    {                                                                                              \
        const struct upper *u = csr->placement->upper;                                             \
        const struct sweep_target *t = s->target;                                                  \
        const uint32_t d = (uint32_t)u->order->d;                                                  \
        const uint64_t begin = u->ranges.first[r];                                                 \
        const unsigned bits = u->column_bits;                                                      \
        const type mask = ((type)1 << bits) - 1;                                                   \
        size_t at = count_below_##suffix(records, count, bits, d);                                 \
        if (at > 0) {                                                                              \
            size_t kept = unique_##suffix(records, at, bits, begin, u->delegates + begin,          \
                                          csr->length + begin);                                    \
            transpose_##suffix(&t[DD], s->writer, records, kept, bits, begin, 0);                  \
            spread_##suffix(records, kept, bits, begin, s->next, start_kept(csr, s, r, columns));  \
        }                                                                                          \
        if (u->ranges.first[r + 1] <= d) {                                                         \
            transpose_##suffix(&t[ND], s->writer, records + at, count - at, bits, begin, d);       \
            append_##suffix(&t[DN], s->writer, records + at, count - at, bits, begin, d);          \
            return;                                                                                \
        }                                                                                          \
        for (; at < count; at++)                                                                   \
            append_normal(s, (uint32_t)(begin + record_row_##suffix(records[at], bits, begin)),    \
                          (uint32_t)(records[at] & mask));                                         \
    }

DEFINE_LOOPS(uint32_t, u32)
DEFINE_LOOPS(uint64_t, u64)

/* All records of a range, row after row. */
static void *group(const struct upper *u, struct upper_sweeper *s, uint32_t r)
{
    struct bucket_reader reader = upper_read(u, r);
    const uint64_t begin = u->ranges.first[r];
    void *to = record_radix_spare(&s->radix);
    const void *records;
    size_t run;
    while ((run = bucket_reader_next(&reader, &records)) > 0) {
        if (u->ranges.first[r + 1] - begin == 1) {
            memcpy((char *)to + s->next[0] * reader.width, records, run * reader.width);
            s->next[0] += run;
        } else if (reader.width == 4) {
            group_u32(records, run, u->column_bits, begin, s->next, to);
        } else {
            group_u64(records, run, u->column_bits, begin, s->next, to);
        }
    }
    return to;
}

static void hand_over(struct upper *u, struct upper_sweeper *s, uint32_t r)
{
    for (int i = 0; i < u->store.threads; i++)
        bucket_hand_over(&u->store, r, i, s->writer);
}

/* A range whose records fit into the radix's buffers. */
static void take_whole(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                       size_t count, uint32_t *columns)
{
    struct upper *u = csr->placement->upper;
    record_radix_start(&s->radix, upper_record_bytes(&u->ranges, r, u->column_bits));
    void *records = group(u, s, r);
    hand_over(u, s, r);
    record_radix_count(&s->radix, records, count);
    record_radix_counted(&s->radix);
    record_radix_spread(&s->radix, records, count);
    records = record_radix_finish(&s->radix, count);
    if (s->radix.width == 4)
        pass_on_u32(csr, s, r, records, count, columns);
    else
        pass_on_u64(csr, s, r, records, count, columns);
}

/* The ascending columns of one row go where they belong; returns how many are kept, at `kept`. */
static size_t pass_on_row(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t row,
                          const uint32_t *columns, uint32_t *kept)
{
    struct upper *u = csr->placement->upper;
    uint32_t own = row < u->order->d ? u->delegates[row] : 0;
    for (uint32_t i = own; i < u->records[row]; i++)
        append_normal(s, row, columns[i]);
    if (own == 0)
        return 0;
    uint32_t unique = (uint32_t)row_unique_u32(columns, own, kept);
    for (uint32_t i = 0; i < unique; i++)
        append(&s->target[DD], s->writer, kept[i], row);
    csr->length[row] -= own - unique;
    u->delegates[row] = unique;
    return unique;
}

/* Another range: its columns go to their rows, which are sorted one by one. */
static enum status take_rows(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                             size_t count, uint32_t *columns, struct error *e)
{
    struct upper *u = csr->placement->upper;
    struct bucket_reader reader = upper_read(u, r);
    uint32_t *from = columns_for(s, count), *kept = columns;
    const void *records;
    size_t run;
    while ((run = bucket_reader_next(&reader, &records)) > 0) {
        if (reader.width == 4)
            spread_u32(records, run, u->column_bits, u->ranges.first[r], s->next, from);
        else
            spread_u64(records, run, u->column_bits, u->ranges.first[r], s->next, from);
    }
    hand_over(u, s, r);
    for (uint32_t row = u->ranges.first[r]; row < u->ranges.first[r + 1]; row++) {
        if (!row_order_u32(&s->rows, from, u->records[row]))
            return fail_memory(e, "sorting edges", row_order_bytes(u->records[row]));
        kept += pass_on_row(csr, s, row, from, kept);
        from += u->records[row];
    }
    if (kept > columns)
        memmove(start_kept(csr, s, r, columns), columns, (size_t)(kept - columns) * sizeof *kept);
    return ST_OK;
}

enum status upper_sweep_take(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                             uint32_t *columns, struct error *e)
{
    const struct upper *u = csr->placement->upper;
    uint64_t begin = u->ranges.first[r];
    size_t count = start_rows(u->records + begin, u->ranges.first[r + 1] - begin, s->next);
    if (count * upper_record_bytes(&u->ranges, r, u->column_bits) <= RECORD_RADIX_BYTES)
        take_whole(csr, s, r, count, columns);
    else
        take_rows(csr, s, r, count, columns, e);
    if (s->writer->error.status != ST_OK)
        *e = s->writer->error;
    return e->status;
}

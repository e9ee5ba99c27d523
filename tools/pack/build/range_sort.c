/* range_sort.c: see range_sort.h */
#include "range_sort.h"

#include "tools/sort/count_turns.h"

#include <stdlib.h>
#include <string.h>

/* The first row of range r, or the end of the shard's rows. */
uint64_t range_begin(const struct csr_rows *csr, uint32_t r)
{
    uint64_t first = csr->plan->rows->first[r];
    return first < csr->rows ? first : csr->rows;
}

/* Begins to read the bucket of range r. */
static void read_range(struct record_reader *reader, const struct csr_rows *csr, uint32_t r,
                       void *buffer, struct error *e)
{
    uint32_t bucket = placement_bucket(csr->placement, csr->shard, csr->g, r);
    record_reader_start(reader, bucket_read(&csr->placement->store, bucket,
                                            record_bytes(csr->plan, r), buffer, e),
                        range_begin(csr, r) << csr->plan->column_bits);
}

/* ---- counting ---- */

/* Allocates the buffer for reading spilled records. */
static void *take_read_buffer(const struct csr_rows *csr, struct error *e)
{
    uint64_t bytes = bucket_read_bytes(&csr->placement->store);
    if (csr->from != NULL && bytes == 0)
        bytes = bucket_read_bytes(&csr->from->store);
    void *buffer = malloc(bytes > 0 ? bytes : 1);
    if (buffer == NULL)
        fail_memory(e, "reading spilled edges", bytes);
    return buffer;
}

enum status range_counter_open(struct range_counter *c, const struct csr_rows *csr, struct error *e)
{
    c->read_buffer = take_read_buffer(csr, e);
    return e->status;
}

void range_counter_close(struct range_counter *c)
{
    free(c->read_buffer);
}

/* The loops over a run of records of 4 or 8 bytes. */
#define ROW_U32(i) of_row[record_row_u32(records[i], bits, begin)]
#define ROW_U64(i) of_row[record_row_u64(records[i], bits, begin)]
#define COLUMN(i) of_column[records[i] & mask]

#define DEFINE_COUNTS(type, suffix, ROW)                                                           \
    static void count_rows_##suffix(const type *records, size_t count, unsigned bits,              \
                                    uint64_t begin, uint32_t *restrict of_row)                     \
    {                                                                                              \
        COUNT_BY_TURNS(count, ROW);                                                                \
    }                                                                                              \
                                                                                                   \
    static void count_columns_##suffix(const type *records, size_t count, unsigned bits,           \
                                       uint32_t *restrict of_column, int shared)                   \
    {                                                                                              \
        const type mask = ((type)1 << bits) - 1;                                                   \
        if (!shared)                                                                               \
            COUNT_BY_TURNS(count, COLUMN);                                                         \
        for (size_t i = 0; shared && i < count; i++)                                               \
            __atomic_fetch_add(&COLUMN(i), 1, __ATOMIC_RELAXED);                                   \
    }

DEFINE_COUNTS(uint32_t, u32, ROW_U32)
DEFINE_COUNTS(uint64_t, u64, ROW_U64)

/* Counts the records of a bucket by row, and by column if the counter has columns. */
static void count_placed(const struct csr_rows *csr, const struct range_counter *counter, uint32_t r, struct error *e)
{
    struct record_reader reader;
    uint64_t begin = range_begin(csr, r);
    uint32_t *own = csr->placed + begin;
    unsigned bits = csr->plan->column_bits;
    const void *records;
    size_t count;
    read_range(&reader, csr, r, counter->read_buffer, e);
    while ((count = record_reader_next(&reader, &records)) > 0) {
        if (range_begin(csr, r + 1) - begin == 1)
            own[0] += (uint32_t)count;
        else if (reader.width == 4)
            count_rows_u32(records, count, bits, begin, own);
        else
            count_rows_u64(records, count, bits, begin, own);
        if (counter->of_column != NULL && reader.width == 4)
            count_columns_u32(records, count, bits, counter->of_column, counter->shared);
        else if (counter->of_column != NULL)
            count_columns_u64(records, count, bits, counter->of_column, counter->shared);
    }
}

/* Counts the records of range r: those of its bucket or, without buckets, of the transpose. */
enum status range_count(const struct csr_rows *csr, const struct range_counter *counter, uint32_t r, struct error *e)
{
    if (csr->placed != NULL)
        count_placed(csr, counter, r, e);
    else
        transpose_count(csr->from, r, counter->read_buffer, csr->records_of + range_begin(csr, r),
                        e);
    return e->status;
}

/* Completes records_of[] and records_in[] of range r from the counters of all threads, once all ranges are counted. */
void range_counted(const struct csr_rows *csr, const struct range_counter *counters, int count, uint32_t r)
{
    const uint64_t begin = range_begin(csr, r), end = range_begin(csr, r + 1);
    for (int i = 0; i < count; i++) {
        const uint32_t *of_column = counters[i].of_column;
        if (of_column == NULL || of_column == csr->records_of)
            continue;
        for (uint64_t row = begin; row < end; row++)
            csr->records_of[row] += of_column[row];
    }
    for (uint64_t row = begin; row < end; row++) {
        if (csr->placed != NULL && csr->placed != csr->records_of)
            csr->records_of[row] += csr->placed[row];
        csr->records_in[r] += csr->records_of[row];
    }
}

/* ---- buffers ---- */

static uint64_t largest_range_rows(const struct csr_rows *csr)
{
    uint64_t largest = 0;
    for (uint32_t r = 0; r < csr->plan->rows->count; r++) {
        uint64_t rows = range_begin(csr, r + 1) - range_begin(csr, r);
        largest = rows > largest ? rows : largest;
    }
    return largest;
}

/* Bytes of a sorter without its read buffer. */
uint64_t range_sorter_bytes(const struct csr_rows *csr)
{
    uint64_t collector = csr->from != NULL ? transpose_collector_bytes(csr->from) : 0;
    return row_sorter_bytes(csr->plan->column_bits, csr->longest_row, csr->width) +
           record_radix_bytes(csr->plan->column_bits) + collector +
           (largest_range_rows(csr) + 1) * sizeof(uint64_t);
}

/* Opens the buffers of a thread: those that this source of records needs. */
enum status range_sorter_open(struct range_sorter *t, const struct csr_rows *csr, int thread, struct error *e)
{
    uint64_t rows = largest_range_rows(csr) + 1;
    unsigned bits = csr->plan->column_bits;
    *t = (struct range_sorter){.next = malloc(rows * sizeof *t->next)};
    if (t->next == NULL)
        return fail_memory(e, "sorting edges", rows * sizeof *t->next);
    t->read_buffer = take_read_buffer(csr, e);
    t->rows.column_bits = bits; /* transposed rows are sorted without marks */
    if (csr->to != NULL)
        t->writer = &csr->to->store.writer[thread];
    if (csr->from != NULL && e->status == ST_OK)
        transpose_collector_open(&t->collector, csr->from, e);
    if (csr->to == NULL && csr->placed != NULL && e->status == ST_OK)
        row_sorter_open(&t->rows, bits, e);
    return e->status == ST_OK && csr->placed != NULL ? record_radix_open(&t->radix, bits, e)
                                                     : e->status;
}

void range_sorter_close(struct range_sorter *t)
{
    free(t->next);
    free(t->read_buffer);
    record_radix_close(&t->radix);
    row_sorter_close(&t->rows);
    transpose_collector_close(&t->collector);
}

/* ---- loops over records ---- */

/* Sets start[] to the place of each row of a range, row after row, from the lengths of the rows. Returns the end of the last row. */
static size_t start_rows(const uint32_t *length, uint64_t rows, uint64_t *start)
{
    size_t at = 0;
    for (uint64_t i = 0; i < rows; i++) {
        start[i] = at;
        at += length[i];
    }
    return at;
}

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
    /* Drops duplicates of sorted records, and takes them off placed[] and length[] of their       \
     * rows. Returns the number of records left. */                                                \
    static size_t unique_##suffix(type *records, size_t count, unsigned bits, uint64_t begin,      \
                                  uint32_t *placed, uint32_t *length)                              \
    {                                                                                              \
        size_t kept = count > 0;                                                                   \
        for (size_t i = 1; i < count; i++) {                                                       \
            if (records[i] != records[i - 1]) {                                                    \
                records[kept++] = records[i];                                                      \
            } else {                                                                               \
                placed[record_row_##suffix(records[i], bits, begin)]--;                            \
                length[record_row_##suffix(records[i], bits, begin)]--;                            \
            }                                                                                      \
        }                                                                                          \
        return kept;                                                                               \
    }

DEFINE_LOOPS(uint32_t, u32)
DEFINE_LOOPS(uint64_t, u64)

/* Appends the column of each record to its row: next[] has the place of each row's next column and is moved on. */
static void spread(const struct csr_rows *csr, uint64_t begin, const void *records, size_t count,
                   unsigned record_width, uint64_t *restrict next, void *columns)
{
    const unsigned bits = csr->plan->column_bits;
    const uint64_t mask = (UINT64_C(1) << bits) - 1, *wide = records;
    uint64_t *to = columns;
    if (record_width == 4)
        spread_u32(records, count, bits, begin, next, columns);
    else if (csr->width == 4)
        spread_u64(records, count, bits, begin, next, columns);
    else
        for (size_t i = 0; i < count; i++)
            to[next[record_row_u64(wide[i], bits, begin)]++] = wide[i] & mask;
}

/* ---- sorting what is placed ---- */

/* Returns where the columns from buckets stand, row after row: at the end of the range's memory. Sets next[] to the place of
 * each row there. */
static void *start_placed(const struct csr_rows *csr, uint32_t r, void *columns, uint64_t *next)
{
    uint64_t begin = range_begin(csr, r), rows = range_begin(csr, r + 1) - begin;
    size_t count = start_rows(csr->placed + begin, rows, next);
    return (unsigned char *)columns + (csr->records_in[r] - count) * csr->width;
}

/* Gives the memory of the bucket of range r, which was read, to the transpose, which needs as much for the same edges. */
static void hand_over(const struct csr_rows *csr, const struct range_sorter *t, uint32_t r)
{
    uint32_t bucket = placement_bucket(csr->placement, csr->shard, csr->g, r);
    for (int i = 0; csr->to != NULL && i < csr->placement->store.threads; i++)
        bucket_hand_over(&csr->placement->store, bucket, i, t->writer);
}

/* Copies all records of range r into the spare buffer of the radix, grouped by row if they are to be passed on. Returns it. */
static void *group(const struct csr_rows *csr, struct range_sorter *t, uint32_t r, struct error *e)
{
    struct record_reader reader;
    const uint64_t begin = range_begin(csr, r);
    const unsigned bits = csr->plan->column_bits;
    const int one_row = csr->to == NULL || range_begin(csr, r + 1) - begin == 1;
    unsigned char *to = record_radix_spare(&t->radix), *at = to;
    const void *records;
    size_t count;
    read_range(&reader, csr, r, t->read_buffer, e);
    while ((count = record_reader_next(&reader, &records)) > 0) {
        if (one_row)
            at = (unsigned char *)memcpy(at, records, count * reader.width) + count * reader.width;
        else if (reader.width == 4)
            group_u32(records, count, bits, begin, t->next, (uint32_t *)(void *)to);
        else
            group_u64(records, count, bits, begin, t->next, (uint64_t *)(void *)to);
    }
    return to;
}

/* Appends the sorted records of range r to the transpose. In dd duplicates are dropped first. In dn they stay, because nd,
 * which is made from the transpose, must have as many records as if they had been placed. */
static size_t pass_on(const struct csr_rows *csr, struct range_sorter *t, uint32_t r, void *records, size_t count)
{
    const uint64_t begin = range_begin(csr, r);
    const unsigned bits = csr->plan->column_bits, width = t->radix.width;
    uint32_t *placed = csr->placed + begin, *length = csr->records_of + begin;
    if (csr->from != NULL)
        count = width == 4 ? unique_u32(records, count, bits, begin, placed, length)
                           : unique_u64(records, count, bits, begin, placed, length);
    transpose_records(csr->to, t->writer, records, count, width, bits, begin);
    return count;
}

/* Sorts all records of range r at once, by radix, and leaves their columns row after row. */
static enum status sort_whole(const struct csr_rows *csr, struct range_sorter *t, uint32_t r,
                              size_t count, void *columns, struct error *e)
{
    record_radix_start(&t->radix, record_given_bytes(record_bytes(csr->plan, r)));
    void *records = group(csr, t, r, e);
    hand_over(csr, t, r);
    if (e->status != ST_OK)
        return e->status;
    record_radix_count(&t->radix, records, count);
    record_radix_counted(&t->radix);
    record_radix_spread(&t->radix, records, count);
    records = record_radix_finish(&t->radix, count);
    if (csr->to != NULL)
        count = pass_on(csr, t, r, records, count);
    void *to = start_placed(csr, r, columns, t->next);
    spread(csr, range_begin(csr, r), records, count, t->radix.width, t->next, to);
    return ST_OK;
}

/* Sorts one row, appends it to the transpose if there is one, and returns the number of columns kept at `to`; SIZE_MAX when
 * memory is short. */
static size_t sort_row(const struct csr_rows *csr, struct range_sorter *t, uint64_t row,
                       void *columns, size_t count, void *to)
{
    size_t kept = count;
    if (csr->width == 8)
        kept = row_sort_u64(&t->rows, columns, count);
    else if (csr->to == NULL)
        kept = row_sort_u32(&t->rows, columns, count);
    else if (!row_order_u32(&t->rows, columns, count))
        return SIZE_MAX;
    else if (csr->from != NULL)
        kept = row_unique_u32(columns, count, columns);
    if (kept == SIZE_MAX)
        return kept;
    if (csr->to != NULL)
        transpose_row(csr->to, t->writer, (uint32_t)row, columns, kept);
    if (csr->placed != csr->records_of)
        csr->records_of[row] -= (uint32_t)(count - kept);
    csr->placed[row] = (uint32_t)kept;
    memmove(to, columns, kept * csr->width);
    return kept;
}

/* Sorts range r row by row, and leaves the columns kept at the end of its memory. */
static enum status sort_rows(const struct csr_rows *csr, struct range_sorter *t, uint32_t r,
                             void *columns, struct error *e)
{
    struct record_reader reader;
    const uint64_t begin = range_begin(csr, r), end = range_begin(csr, r + 1);
    unsigned char *from = start_placed(csr, r, columns, t->next), *first = from, *to = from;
    const void *records;
    size_t count;
    read_range(&reader, csr, r, t->read_buffer, e);
    while ((count = record_reader_next(&reader, &records)) > 0)
        spread(csr, begin, records, count, reader.width, t->next, from);
    hand_over(csr, t, r);
    for (uint64_t row = begin; row < end && e->status == ST_OK; row++) {
        size_t own = csr->placed[row], kept = sort_row(csr, t, row, from, own, to);
        if (kept == SIZE_MAX)
            return fail_memory(e, "sorting edges", own * csr->width);
        from += own * csr->width;
        to += kept * csr->width;
    }
    if (to < from)
        memmove(first + (from - to), first, (size_t)(to - first));
    return e->status;
}

/* Returns whether range r is sorted all at once, and not row by row. For that it must fit into the cache. In nn (csr->to is NULL)
 * it must also have enough records for a radix sort, and rows that have fewer than one in 64 columns on average, because marks
 * (row_sort.h) sort denser rows faster. */
static int sorts_whole(const struct csr_rows *csr, uint32_t r, uint64_t count)
{
    unsigned bits = csr->plan->column_bits;
    uint64_t rows = range_begin(csr, r + 1) - range_begin(csr, r);
    if (count * record_given_bytes(record_bytes(csr->plan, r)) > RECORD_RADIX_BYTES)
        return 0;
    if (csr->to != NULL)
        return 1;
    int dense = count >> (bits > 6 ? bits - 6 : 0) >= rows;
    return !dense && count >= (UINT64_C(1) << record_radix_digit_bits(bits)) / 4;
}

/* Sorts the placed records of range r, passes them on to the transpose, and leaves their columns at the end of `columns`. */
enum status range_sort(const struct csr_rows *csr, struct range_sorter *t, uint32_t r, void *columns, struct error *e)
{
    if (csr->placed == NULL)
        return ST_OK;
    uint64_t begin = range_begin(csr, r);
    size_t count = start_rows(csr->placed + begin, range_begin(csr, r + 1) - begin, t->next);
    if (count > 0 && sorts_whole(csr, r, count))
        sort_whole(csr, t, r, count, columns, e);
    else if (count > 0)
        sort_rows(csr, t, r, columns, e);
    if (csr->to != NULL && e->status == ST_OK && t->writer->error.status != ST_OK)
        *e = t->writer->error;
    return e->status;
}

/* ---- rows ---- */

/* Adds the columns from the transpose to each row: first makes room for them in front of the row's placed columns. */
static enum status collect(const struct csr_rows *csr, struct range_sorter *t, uint32_t r,
                           uint32_t *columns, struct error *e)
{
    const uint64_t begin = range_begin(csr, r), end = range_begin(csr, r + 1);
    const uint32_t *from = columns;
    uint64_t at = 0;
    if (csr->placed != NULL)
        from = start_placed(csr, r, columns, t->next);
    for (uint64_t row = begin; row < end; row++) {
        uint32_t placed = csr->placed != NULL ? csr->placed[row] : 0;
        t->next[row - begin] = at;
        at += csr->records_of[row];
        memmove(columns + at - placed, from, placed * sizeof *columns);
        from += placed;
    }
    if (csr->placed != NULL)
        transpose_seal(csr->from, r);
    return transpose_collect(csr->from, &t->collector, r, t->next, columns, e);
}

/* Drops duplicates of `count` ascending columns of a row, from columns[at] on. The first ones fill the row's heads, the others
 * go to columns[to]. Returns the number of the others. */
static size_t finish(const struct csr_rows *csr, uint64_t row, void *columns, uint64_t at,
                     size_t count, uint64_t to, uint32_t *heads)
{
    uint32_t *narrow = columns;
    uint64_t *wide = columns;
    size_t taken = 0;
    while (*heads < csr->k && taken < count) {
        uint32_t column = narrow[at + taken];
        csr->heads[(*heads)++ * csr->rows + row] = column;
        while (taken < count && narrow[at + taken] == column)
            taken++;
    }
    if (csr->to != NULL && csr->from != NULL) { /* dd, whose duplicates are gone */
        memmove(narrow + to, narrow + at + taken, (count - taken) * sizeof *narrow);
        return count - taken;
    }
    return csr->width == 4 ? row_unique_u32(narrow + at + taken, count - taken, narrow + to)
                           : row_unique_u64(wide + at, count, wide + to);
}

/* Makes the rows of range r: drops duplicates, fills heads and kept_of[], and leaves the other columns at the start. */
uint64_t range_finish(const struct csr_rows *csr, struct range_sorter *t, uint32_t r, void *columns,
                      uint64_t *edges, struct error *e)
{
    uint64_t begin = range_begin(csr, r), end = range_begin(csr, r + 1), at = 0, to = 0;
    if (csr->from != NULL && collect(csr, t, r, columns, e) != ST_OK)
        return 0;
    if (csr->from == NULL)
        at = csr->records_in[r] - start_rows(csr->placed + begin, end - begin, t->next);
    for (uint64_t row = begin; row < end; row++) {
        uint32_t heads = 0, placed = csr->placed != NULL ? csr->placed[row] : 0;
        uint64_t length = csr->records_of[row], kept = 0;
        if (csr->from != NULL)
            kept = finish(csr, row, columns, at, t->next[row - begin] - at, to, &heads);
        kept += finish(csr, row, columns, at + length - placed, placed, to + kept, &heads);
        at += length;
        to += kept;
        csr->kept_of[row] = (uint32_t)kept;
        *edges += kept + heads;
    }
    return to;
}

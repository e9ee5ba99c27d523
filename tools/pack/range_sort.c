/* range_sort.c: see range_sort.h */
#include "range_sort.h"

#include <stdlib.h>
#include <string.h>

uint64_t range_begin(const struct csr_rows *csr, uint32_t r)
{
    uint64_t first = csr->placement->rows[csr->g]->first[r];
    return first < csr->rows ? first : csr->rows;
}

static struct bucket_reader read_range(const struct csr_rows *csr, uint32_t r, void *buffer,
                                       struct error *e)
{
    uint32_t bucket = placement_bucket(csr->placement, csr->shard, csr->g, r);
    return bucket_read(&csr->placement->store, bucket, csr->record_bytes, buffer, e);
}

void *range_read_buffer(const struct csr_rows *csr, struct error *e)
{
    uint64_t bytes = bucket_read_bytes(&csr->placement->store);
    void *buffer = malloc(bytes > 0 ? bytes : 1);
    if (buffer == NULL)
        fail_memory(e, "reading spilled edges", bytes);
    return buffer;
}

/* ---- first round ---- */

enum status range_count(const struct csr_rows *csr, uint32_t r, void *read_buffer, struct error *e)
{
    struct bucket_reader reader = read_range(csr, r, read_buffer, e);
    uint64_t begin = range_begin(csr, r);
    uint32_t *length = csr->length + begin;
    unsigned bits = csr->column_bits;
    int one_row = range_begin(csr, r + 1) - begin == 1;
    const void *records;
    size_t count;
    while ((count = bucket_reader_next(&reader, &records)) > 0) {
        const uint32_t *narrow = records;
        const uint64_t *wide = records;
        csr->records[r] += count;
        if (one_row) {
            length[0] += (uint32_t)count;
        } else if (csr->record_bytes == 4) {
            for (size_t i = 0; i < count; i++)
                length[record_row_u32(narrow[i], bits, begin)]++;
        } else {
            for (size_t i = 0; i < count; i++)
                length[record_row_u64(wide[i], bits, begin)]++;
        }
    }
    return e->status;
}

/* ---- second round ---- */

static uint64_t largest_range_rows(const struct csr_rows *csr)
{
    uint64_t largest = 0;
    for (uint32_t r = 0; r < csr->ranges; r++) {
        uint64_t rows = range_begin(csr, r + 1) - range_begin(csr, r);
        largest = rows > largest ? rows : largest;
    }
    return largest;
}

/* Whether range r is sorted whole. Not where a row has a column in 64: marks are faster then. */
static int sorts_whole(const struct csr_rows *csr, uint32_t r)
{
    uint64_t records = csr->records[r], rows = range_begin(csr, r + 1) - range_begin(csr, r);
    int dense = records >> (csr->column_bits > 6 ? csr->column_bits - 6 : 0) >= rows;
    return records * csr->record_bytes <= RECORD_RADIX_BYTES && !dense &&
           records >= (UINT64_C(1) << record_radix_digit_bits(csr->column_bits)) / 4;
}

uint64_t range_sorter_bytes(const struct csr_rows *csr)
{
    return row_sorter_bytes(csr->column_bits, csr->longest_row, csr->width) +
           record_radix_bytes(csr->column_bits) +
           (largest_range_rows(csr) + 1) * sizeof(uint64_t);
}

enum status range_sorter_open(struct range_sorter *t, const struct csr_rows *csr, struct error *e)
{
    uint64_t rows = largest_range_rows(csr) + 1;
    *t = (struct range_sorter){.start = malloc(rows * sizeof *t->start)};
    if (t->start == NULL)
        return fail_memory(e, "sorting edges", rows * sizeof *t->start);
    t->read_buffer = range_read_buffer(csr, e);
    if (t->read_buffer == NULL ||
        record_radix_open(&t->radix, csr->column_bits, e) != ST_OK)
        return e->status;
    return row_sorter_open(&t->sorter, csr->column_bits, e);
}

void range_sorter_close(struct range_sorter *t)
{
    free(t->start);
    free(t->read_buffer);
    record_radix_close(&t->radix);
    row_sorter_close(&t->sorter);
}

/* ---- to rows ---- */

/* Moves the columns of some records to their rows, in this order; start[] ends up behind them. */
static void scatter(const struct csr_rows *csr, uint64_t begin, const void *records, size_t count,
                    uint64_t *restrict start, void *columns)
{
    uint64_t mask = (UINT64_C(1) << csr->column_bits) - 1;
    unsigned bits = csr->column_bits;
    const uint32_t *narrow = records;
    const uint64_t *wide = records;
    uint32_t *to_u32 = columns;
    uint64_t *to_u64 = columns;
    if (csr->record_bytes == 4 && csr->width == 4) {
        for (size_t i = 0; i < count; i++)
            to_u32[start[record_row_u32(narrow[i], bits, begin)]++] = narrow[i] & (uint32_t)mask;
    } else if (csr->width == 4) {
        for (size_t i = 0; i < count; i++)
            to_u32[start[record_row_u64(wide[i], bits, begin)]++] = (uint32_t)(wide[i] & mask);
    } else {
        for (size_t i = 0; i < count; i++)
            to_u64[start[record_row_u64(wide[i], bits, begin)]++] = wide[i] & mask;
    }
}

/* The records of range r by column. NULL after a failure. */
static const void *sort_by_column(const struct csr_rows *csr, struct range_sorter *t, uint32_t r,
                                  struct error *e)
{
    struct bucket_reader reader = read_range(csr, r, t->read_buffer, e);
    const void *records;
    size_t count;
    record_radix_start(&t->radix, csr->record_bytes);
    while ((count = bucket_reader_next(&reader, &records)) > 0)
        record_radix_count(&t->radix, records, count);
    record_radix_counted(&t->radix);
    if (e->status == ST_OK)
        reader = read_range(csr, r, t->read_buffer, e);
    while (e->status == ST_OK && (count = bucket_reader_next(&reader, &records)) > 0)
        record_radix_spread(&t->radix, records, count);
    return e->status == ST_OK ? record_radix_finish(&t->radix, csr->records[r]) : NULL;
}

/* Spreads the columns of range r to their rows, which are sorted then if the range was sorted whole. */
static enum status spread_rows(const struct csr_rows *csr, struct range_sorter *t, uint32_t r,
                               int whole, void *columns, struct error *e)
{
    uint64_t begin = range_begin(csr, r);
    const void *records;
    size_t count;
    start_rows(csr->length + begin, range_begin(csr, r + 1) - begin, t->start);
    if (whole) {
        records = sort_by_column(csr, t, r, e);
        if (records != NULL)
            scatter(csr, begin, records, csr->records[r], t->start, columns);
        return e->status;
    }
    struct bucket_reader reader = read_range(csr, r, t->read_buffer, e);
    while ((count = bucket_reader_next(&reader, &records)) > 0)
        scatter(csr, begin, records, count, t->start, columns);
    return e->status;
}

/* ---- rows ---- */

/* Takes the first k different ones of ascending columns into the heads of a row; returns how many
 * columns went there, duplicates of theirs included. */
static size_t take_heads(const struct csr_rows *csr, uint64_t row, const uint32_t *columns,
                         size_t count, uint64_t *edges)
{
    size_t taken = 0;
    for (uint32_t j = 0; j < csr->k && taken < count; j++) {
        uint32_t column = columns[taken];
        csr->heads[j * csr->rows + row] = column;
        ++*edges;
        while (taken < count && columns[taken] == column)
            taken++;
    }
    return taken;
}

/* Moves the different ones of a row's ascending columns at columns[at..at + count) that are not
 * heads to columns[to]; returns their number. */
static size_t finish_row(const struct csr_rows *csr, uint64_t row, void *columns, uint64_t at,
                         size_t count, uint64_t to, uint64_t *edges)
{
    uint32_t *narrow = columns;
    uint64_t *wide = columns;
    size_t heads = csr->k > 0 ? take_heads(csr, row, narrow + at, count, edges) : 0;
    size_t kept = csr->width == 4 ? row_unique_u32(narrow + at + heads, count - heads, narrow + to)
                                  : row_unique_u64(wide + at, count, wide + to);
    csr->length[row] = (uint32_t)kept;
    *edges += kept;
    return kept;
}

uint64_t range_sort(const struct csr_rows *csr, struct range_sorter *t, uint32_t r, void *columns,
                    uint64_t *edges, struct error *e)
{
    uint64_t begin = range_begin(csr, r), rows = range_begin(csr, r + 1) - begin, at = 0, to = 0;
    int whole = sorts_whole(csr, r);
    if (spread_rows(csr, t, r, whole, columns, e) != ST_OK)
        return 0;
    for (uint64_t i = 0; i < rows; i++) {
        size_t count = (size_t)(t->start[i] - at);
        if (!whole)
            count = csr->width == 4 ? row_sort_u32(&t->sorter, (uint32_t *)columns + at, count)
                                    : row_sort_u64(&t->sorter, (uint64_t *)columns + at, count);
        if (count == SIZE_MAX) {
            fail_memory(e, "sorting edges", (t->start[i] - at) * csr->width);
            return 0;
        }
        to += finish_row(csr, begin + i, columns, at, count, to, edges);
        at = t->start[i];
    }
    return to;
}

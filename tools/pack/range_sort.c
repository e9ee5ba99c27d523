/* range_sort.c: see range_sort.h */
#include "range_sort.h"

#include <stdlib.h>
#include <string.h>

uint64_t range_begin(const struct csr_rows *csr, uint32_t r)
{
    uint64_t first = placement_rows(csr->placement, csr->g)->first[r];
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

/* The row of a record, counted from the first of its range: the bits that were cut are known. */
static inline uint64_t row_of_u32(uint32_t record, unsigned column_bits, uint64_t begin)
{
    return ((record >> column_bits) - (uint32_t)begin) & (UINT32_MAX >> column_bits);
}

static inline uint64_t row_of_u64(uint64_t record, unsigned column_bits, uint64_t begin)
{
    return ((record >> column_bits) - begin) & (UINT64_MAX >> column_bits);
}

/* ---- first round ---- */

enum status range_count(const struct csr_rows *csr, uint32_t r, void *read_buffer, struct error *e)
{
    struct bucket_reader reader = read_range(csr, r, read_buffer, e);
    uint64_t begin = range_begin(csr, r);
    uint32_t *length = csr->length + begin;
    unsigned bits = csr->column_bits;
    const void *records;
    size_t count;
    while ((count = bucket_reader_next(&reader, &records)) > 0) {
        const uint32_t *narrow = records;
        const uint64_t *wide = records;
        csr->records[r] += count;
        if (csr->record_bytes == 4) {
            for (size_t i = 0; i < count; i++)
                length[row_of_u32(narrow[i], bits, begin)]++;
        } else {
            for (size_t i = 0; i < count; i++)
                length[row_of_u64(wide[i], bits, begin)]++;
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

uint64_t range_sorter_bytes(const struct csr_rows *csr)
{
    return row_sorter_bytes(csr->column_bits, csr->longest_row, csr->width) +
           (largest_range_rows(csr) + 1) * sizeof(uint64_t);
}

enum status range_sorter_open(struct range_sorter *t, const struct csr_rows *csr, struct error *e)
{
    uint64_t rows = largest_range_rows(csr) + 1;
    *t = (struct range_sorter){.start = malloc(rows * sizeof *t->start)};
    if (t->start == NULL)
        return fail_memory(e, "sorting edges", rows * sizeof *t->start);
    t->read_buffer = range_read_buffer(csr, e);
    return t->read_buffer != NULL ? row_sorter_open(&t->sorter, csr->column_bits, e) : e->status;
}

void range_sorter_close(struct range_sorter *t)
{
    free(t->start);
    free(t->read_buffer);
    row_sorter_close(&t->sorter);
}

/* Where each row of a range starts in its bucket. */
static void start_rows(const struct csr_rows *csr, uint64_t begin, uint64_t rows, uint64_t *start)
{
    uint64_t records = 0;
    for (uint64_t i = 0; i < rows; i++) {
        start[i] = records;
        records += csr->length[begin + i];
    }
}

/* Spreads the columns of a bucket to their rows; start[] ends up at the ends of the rows. */
static enum status scatter(const struct csr_rows *csr, const struct range_sorter *t, uint32_t r,
                           void *columns, struct error *e)
{
    struct bucket_reader reader = read_range(csr, r, t->read_buffer, e);
    uint64_t *start = t->start;
    uint64_t begin = range_begin(csr, r), mask = (UINT64_C(1) << csr->column_bits) - 1;
    unsigned bits = csr->column_bits;
    uint32_t *to_u32 = columns;
    uint64_t *to_u64 = columns;
    const void *records;
    size_t count;
    while ((count = bucket_reader_next(&reader, &records)) > 0) {
        const uint32_t *narrow = records;
        const uint64_t *wide = records;
        if (csr->record_bytes == 4 && csr->width == 4) {
            for (size_t i = 0; i < count; i++)
                to_u32[start[row_of_u32(narrow[i], bits, begin)]++] = narrow[i] & (uint32_t)mask;
        } else if (csr->width == 4) {
            for (size_t i = 0; i < count; i++)
                to_u32[start[row_of_u64(wide[i], bits, begin)]++] = (uint32_t)(wide[i] & mask);
        } else {
            for (size_t i = 0; i < count; i++)
                to_u64[start[row_of_u64(wide[i], bits, begin)]++] = wide[i] & mask;
        }
    }
    return e->status;
}

/* Sorts one row of 4-byte columns at columns[at..at + count) and moves what is not head to
 * columns[to]; returns the number of different columns. */
static size_t finish_row_u32(const struct csr_rows *csr, struct row_sorter *sorter, uint64_t row,
                             uint32_t *columns, uint64_t at, size_t count, uint64_t to)
{
    size_t kept = count > 1 ? row_sort_u32(sorter, columns + at, count) : count;
    if (kept == SIZE_MAX)
        return kept;
    uint32_t in_heads = kept < csr->k ? (uint32_t)kept : csr->k;
    for (uint32_t j = 0; j < csr->k; j++)
        csr->heads[j * csr->rows + row] = j < in_heads ? columns[at + j] : HEAD_NONE;
    memmove(columns + to, columns + at + in_heads, (kept - in_heads) * sizeof *columns);
    csr->length[row] = (uint32_t)(kept - in_heads);
    return kept;
}

static size_t finish_row_u64(const struct csr_rows *csr, struct row_sorter *sorter, uint64_t row,
                             uint64_t *columns, uint64_t at, size_t count, uint64_t to)
{
    size_t kept = count > 1 ? row_sort_u64(sorter, columns + at, count) : count;
    if (kept == SIZE_MAX)
        return kept;
    memmove(columns + to, columns + at, kept * sizeof *columns);
    csr->length[row] = (uint32_t)kept;
    return kept;
}

uint64_t range_sort(const struct csr_rows *csr, struct range_sorter *t, uint32_t r, void *columns,
                    uint64_t *edges, struct error *e)
{
    uint64_t begin = range_begin(csr, r), rows = range_begin(csr, r + 1) - begin, at = 0, to = 0;
    start_rows(csr, begin, rows, t->start);
    if (scatter(csr, t, r, columns, e) != ST_OK)
        return 0;
    for (uint64_t i = 0; i < rows; i++) {
        size_t count = (size_t)(t->start[i] - at);
        size_t kept = csr->width == 4
                          ? finish_row_u32(csr, &t->sorter, begin + i, columns, at, count, to)
                          : finish_row_u64(csr, &t->sorter, begin + i, columns, at, count, to);
        if (kept == SIZE_MAX) {
            fail_memory(e, "sorting edges", count * csr->width);
            return 0;
        }
        to += csr->length[begin + i];
        *edges += kept;
        at = t->start[i];
    }
    return to;
}

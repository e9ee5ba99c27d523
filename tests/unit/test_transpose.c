/* test_transpose.c: a transpose returns its edges the other way round, each row ascending, from memory and from
 * spill files, whichever threads appended them. */
#include "unit.h"

#include "formats/base/hash.h"
#include "tools/pack/build/transpose.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) report(condition, #condition)

enum { THREADS = 3, SOURCES = 6000 /* rows that are passed on */, BLOCK = 37 /* rows at a time */ };

/* Returns whether there is an edge from a source row to a row of the transpose; rows become sparse. */
static int is_edge(uint64_t source, uint64_t row)
{
    return random64(source, row) % (8 + row / 8) == 0;
}

/* Each thread takes ascending blocks of sources. Without `monotonic` clang's threads also take them backwards. */
static void append_all(struct transpose *t, uint64_t rows)
{
#pragma omp parallel num_threads(THREADS)
    {
        uint32_t *columns = calloc(rows, sizeof *columns);
#pragma omp for schedule(monotonic : dynamic, 1)
        for (uint64_t block = 0; block < SOURCES; block += BLOCK) {
            for (uint64_t source = block; source < block + BLOCK && source < SOURCES; source++) {
                size_t count = 0;
                for (uint64_t row = 0; row < rows; row++) {
                    if (is_edge(source, row))
                        columns[count++] = (uint32_t)row;
                }
                transpose_row(t, &t->store.writer[omp_get_thread_num()], (uint32_t)source, columns,
                              count);
            }
        }
        free(columns);
    }
}

/* Compares all rows with the expected ones. */
static int row_agrees(const uint32_t *columns, size_t count, uint64_t row)
{
    size_t at = 0;
    for (uint64_t source = 0; source < SOURCES; source++) {
        if (is_edge(source, row) && (at == count || columns[at++] != source))
            return 0;
    }
    return at == count;
}

static int range_agrees(struct transpose *t, const struct transpose_collector *c, uint32_t range,
                        struct error *e)
{
    uint64_t begin = t->plan->rows->first[range], rows = t->plan->rows->first[range + 1] - begin;
    uint32_t *length = calloc(rows, sizeof *length), *columns;
    uint64_t *next = calloc(rows + 1, sizeof *next), at = 0;
    void *buffer = malloc(BUCKET_READ_BYTES);
    uint64_t records = transpose_count(t, range, buffer, length, e);
    int ok = 1;
    columns = calloc(records + 1, sizeof *columns);
    for (uint64_t i = 0; i < rows; i++) {
        next[i] = at;
        at += length[i];
    }
    ok &= at == records && transpose_collect(t, c, range, next, columns, e) == ST_OK;
    at = 0;
    for (uint64_t i = 0; ok && i < rows; i++) {
        ok = next[i] == at + length[i] && row_agrees(columns + at, length[i], begin + i);
        at += length[i];
    }
    free(length);
    free(columns);
    free(next);
    free(buffer);
    return ok;
}

/* Opens a transpose to `rows` rows, beside a store that has given `room` bytes. */
static void test_capacity(const char *name, uint64_t rows, unsigned column_bits,
                      unsigned bytes, uint64_t room, int spills)
{
    static const char *const folders[] = {"/tmp"};
    struct memory_budget budget = {.limit_bytes = UINT64_C(1) << 30};
    struct spill spill;
    struct error e = {0};
    struct degree_run run = {.degree = 100, .vertices = rows};
    struct row_ranges_limits limits = {.target = 20000, .max_rows = rows, .wish_rows = rows};
    struct record_plan plan = {.column_bits = column_bits};
    struct row_ranges ranges;
    struct placement placement = {0};
    struct transpose transpose = {0};
    struct transpose_collector collector = {0};
    struct transpose_limits may = {.threads = THREADS, .records = 100 * rows, .room_bytes = room};
    spill_open(&spill, folders, 1);
    struct bucket_options o = {.buckets = 1, .threads = 1, .expected_bytes = 1 << 16,
                               .room_bytes = 1 << 20, .spill = &spill};
    CHECK(row_ranges_make(&ranges, &run, 1, &limits, &e) == ST_OK && ranges.count > 2);
    plan.rows = &ranges;
    CHECK(record_bytes(&plan, 1) == bytes);
    CHECK(bucket_store_open(&placement.store, &o, &budget, &e) == ST_OK);
    placement.store.common_slabs = 0;
    CHECK(transpose_open(&transpose, &plan, &placement, &may, &budget, &e) == ST_OK);
    append_all(&transpose, rows);
    CHECK(transpose_collector_open(&collector, &transpose, &e) == ST_OK);
    int ok = (spill_bytes(&spill) > 0) == spills;
    for (uint32_t r = 0; r < ranges.count; r++)
        ok &= range_agrees(&transpose, &collector, r, &e);
    report(ok && e.status == ST_OK && transpose.room.taken_bytes <= transpose.room.limit_bytes,
           name);
    transpose_collector_close(&collector);
    transpose_close(&transpose);
    bucket_store_close(&placement.store);
    row_ranges_free(&ranges);
    spill_close(&spill);
    CHECK(budget.taken_bytes == 0);
}

int main(void)
{
    test_capacity("in memory", 3000, 13, 4, UINT64_C(1) << 28, 0);
    test_capacity("through spill files", 3000, 13, 4, 0, 1);
    test_capacity("records of 5 bytes, in memory", 3000, 30, 5, UINT64_C(1) << 28, 0);
    test_capacity("records of 5 bytes, through spill files", 3000, 30, 5, 0, 1);
    test_capacity("records of 6 bytes, in memory", 3000, 38, 6, UINT64_C(1) << 28, 0);
    test_capacity("records of 6 bytes, through spill files", 3000, 38, 6, 0, 1);
    test_capacity("records of 8 bytes, through spill files", 3000, 48, 8, 0, 1);
    return unit_result();
}

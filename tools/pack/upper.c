/* upper.c: see upper.h */
#include "upper.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"
#include "formats/base/huge.h"
#include "record_radix.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEP = 128,
    AHEAD = 48,              /* edges whose labels are on their way */
    RANGE_TARGET = 1 << 17,  /* columns of a range, both halves: they sort in the cache */
    RANGE_ROWS = 1 << 11,    /* what 4 bytes have room for beside 2^21 delegates */
    RANGES_WISHED = 1 << 13, /* before ranges grow beyond the target */
    RANGES_MOST = UPPER_WIDE /* with those that were cut for their rows */
};

/* ---- ranges ---- */

/* By degree, since a row is whole in the end: what is left of the diagonal comes to it. */
static enum status plan_ranges(struct upper *u, struct error *e)
{
    const struct shard_vertices *sv = &u->order->shard[0];
    struct row_ranges_limits limits = {
        .target = RANGE_TARGET, .max_rows = UINT64_MAX, .wish_rows = RANGE_ROWS};
    double ends = 0;
    for (uint64_t i = 0; i < sv->run_count; i++)
        ends += (double)sv->runs[i].degree * (double)sv->runs[i].vertices;
    if (ends / RANGES_WISHED > limits.target)
        limits.target = ends / RANGES_WISHED;
    return row_ranges_make(&u->ranges, sv->runs, sv->run_count, &limits, e);
}

uint16_t *upper_bucket_table(const struct row_ranges *rows, unsigned column_bits, int all_wide,
                             struct error *e)
{
    uint32_t granules =
        rows->rows == 0 ? 0 : row_ranges_granule((uint32_t)(rows->rows - 1), rows->granules) + 1;
    uint16_t *table = calloc(granules + 1, sizeof *table);
    if (table == NULL)
        fail_memory(e, "row ranges", granules * sizeof *table);
    for (uint32_t g = 0; table != NULL && g < granules; g++) {
        uint32_t range = rows->of_granule[g];
        int wide = all_wide || upper_record_bytes(rows, range, column_bits) == 8;
        table[g] = (uint16_t)(range | (wide ? UPPER_WIDE : 0));
    }
    return table;
}

/* ---- a step of placing ---- */

struct placing {
    const struct upper *upper;
    const uint32_t *label;
    unsigned tile_bytes; /* of a record of the tiles */
    int symmetric;
    uint16_t *bucket_of; /* by granule of the row */
    struct bucket_store *store;
};

struct step {
    size_t count;
    uint32_t row[STEP], column[STEP], granule[STEP], record[STEP];
};

/* Positions of both ends, those of edges to come on their way to the first cache. Tiles have no loops. */
static void gather(const struct placing *c, const struct tile_run *run, size_t at,
                   struct step *restrict step)
{
    const uint32_t *restrict row = c->label + run->row, *restrict column = c->label + run->column;
    const uint32_t *narrow = (const uint32_t *)run->records + at;
    const uint64_t *wide = (const uint64_t *)run->records + at;
    const size_t ahead = run->count - at > step->count + AHEAD ? AHEAD : 0;
    for (size_t i = 0; c->tile_bytes == 4 && i < step->count; i++) {
        __builtin_prefetch(&row[tile_row_u32(narrow[i + ahead])]);
        __builtin_prefetch(&column[tile_column_u32(narrow[i + ahead])]);
        step->row[i] = row[tile_row_u32(narrow[i])];
        step->column[i] = column[tile_column_u32(narrow[i])];
    }
    for (size_t i = 0; c->tile_bytes == 8 && i < step->count; i++) {
        __builtin_prefetch(&row[tile_row_u64(wide[i + ahead])]);
        __builtin_prefetch(&column[tile_column_u64(wide[i + ahead])]);
        step->row[i] = row[tile_row_u64(wide[i])];
        step->column[i] = column[tile_column_u64(wide[i])];
    }
}

/* Leaves one of the two directions of an edge. */
static void drop_lower(struct step *step)
{
    size_t kept = 0;
    for (size_t i = 0; i < step->count; i++) {
        uint32_t row = step->row[i], column = step->column[i];
        step->row[kept] = row;
        step->column[kept] = column;
        kept += row < column;
    }
    step->count = kept;
}

WIDE_CLONES
static void compute(struct step *restrict step, unsigned column_bits, struct row_granules granules)
{
    for (size_t i = 0; i < STEP; i++) { /* those beyond the count are not used */
        uint32_t u = step->row[i], v = step->column[i];
        uint32_t row = u < v ? u : v, column = u < v ? v : u;
        step->row[i] = row;
        step->column[i] = column;
        step->granule[i] = row_ranges_granule(row, granules);
        step->record[i] = row << column_bits | column;
    }
}

static void append(const struct placing *c, struct bucket_writer *w, const struct step *step)
{
    const uint16_t *bucket_of = c->bucket_of;
    const unsigned bits = c->upper->column_bits;
    for (size_t i = 0; i < step->count; i++) {
        uint32_t bucket = bucket_of[step->granule[i]];
        if ((bucket & UPPER_WIDE) == 0)
            bucket_append_u32(w, bucket, step->record[i]);
        else
            bucket_append_u64(w, bucket & ~(uint32_t)UPPER_WIDE,
                              (uint64_t)step->row[i] << bits | step->column[i]);
    }
}

static enum status visit(void *context, int thread, const struct tile_run *run, struct error *e)
{
    const struct placing *c = context;
    struct bucket_writer *w = &c->store->writer[thread];
    struct step step;
    memset(&step, 0, sizeof step);
    for (size_t at = 0; at < run->count; at += STEP) {
        step.count = run->count - at < STEP ? run->count - at : STEP;
        gather(c, run, at, &step);
        if (c->symmetric)
            drop_lower(&step);
        compute(&step, c->upper->column_bits, c->upper->ranges.granules);
        append(c, w, &step);
    }
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

/* ---- placing ---- */

static enum status open_store(struct upper *u, uint64_t edges, struct memory_budget *budget,
                              struct error *e)
{
    struct edge_tiles *tiles = u->order->labels->tiles;
    struct bucket_options o = {.buckets = u->ranges.count,
                               .threads = u->order->labels->threads,
                               .expected_bytes = 4 * edges,
                               .room_bytes = memory_left(budget),
                               .like = &tiles->store};
    if (bucket_store_open(&u->store, &o, budget, e) == ST_OK)
        edge_tiles_leave(tiles, &u->store, e);
    return e->status;
}

enum status upper_place(struct upper *u, const struct vertex_order *order, uint64_t edges,
                        int symmetric, struct memory_budget *budget, struct error *e)
{
    struct edge_tiles *tiles = order->labels->tiles;
    struct placing c = {.upper = u, .label = order->labels->of, .tile_bytes = tiles->record_bytes,
                        .symmetric = symmetric, .store = &u->store};
    *u = (struct upper){.order = order, .rows = order->shard[0].locals};
    u->column_bits = bits_for(u->rows);
    if (plan_ranges(u, e) == ST_OK && open_store(u, edges, budget, e) == ST_OK) {
        c.bucket_of = upper_bucket_table(&u->ranges, u->column_bits, 0, e);
        if (e->status == ST_OK &&
            edge_tiles_visit(tiles, order->labels->threads, visit, &c, e) == ST_OK)
            bucket_store_seal(&u->store, e);
    }
    free(c.bucket_of);
    if (e->status != ST_OK)
        upper_free(u, budget);
    return e->status;
}

void upper_free(struct upper *u, struct memory_budget *budget)
{
    if (u->delegates != NULL)
        memory_release(budget, u->delegates);
    bucket_store_close(&u->store);
    row_ranges_free(&u->ranges);
    memory_release(budget, u->records);
    memset(u, 0, sizeof *u);
}

/* Two ranges that follow each other have more than half the target, in the triangle as in a placement. */
uint64_t upper_bytes(uint64_t n, uint64_t directed_edges, int threads)
{
    uint64_t ranges = 4 * directed_edges / RANGE_TARGET + 4;
    if (ranges > 4 * (uint64_t)RANGES_MOST)
        ranges = 4 * (uint64_t)RANGES_MOST;
    struct bucket_options triangle = {.buckets = (uint32_t)ranges, .threads = threads},
                          placement = {.buckets = (uint32_t)(4 * ranges), .threads = threads};
    return UPPER_EDGE_BYTES * directed_edges + PACK_VERTEX_BYTES * n + bucket_store_least(&triangle) +
           bucket_store_least(&placement) + (uint64_t)threads * record_radix_bytes(bits_for(n));
}

/* ---- counting ---- */

/* The loops over a run of records of 4 or 8 bytes: those of each row, or those with a column below d. */
#define DEFINE_COUNTS(type, suffix)                                                                \
    static void count_rows_##suffix(const type *records, size_t count, unsigned bits,              \
                                    uint64_t begin, uint32_t *restrict of_row)                     \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            of_row[record_row_##suffix(records[i], bits, begin)]++;                                \
    }                                                                                              \
                                                                                                   \
    static void count_below_##suffix(const type *records, size_t count, unsigned bits,             \
                                     uint64_t begin, uint32_t d, uint32_t *restrict of_row)        \
    {                                                                                              \
        const type mask = ((type)1 << bits) - 1;                                                   \
        for (size_t i = 0; i < count; i++)                                                         \
            of_row[record_row_##suffix(records[i], bits, begin)] += (records[i] & mask) < d;       \
    }

DEFINE_COUNTS(uint32_t, u32)
DEFINE_COUNTS(uint64_t, u64)

/* All records, or where d is not 0 those with a column below d. */
static void count_range(const struct upper *u, uint32_t r, uint32_t d, uint32_t *of_row)
{
    struct bucket_reader reader = upper_read(u, r);
    const uint64_t begin = u->ranges.first[r];
    const unsigned bits = u->column_bits;
    uint32_t *own = of_row + begin;
    const void *records;
    size_t run;
    while ((run = bucket_reader_next(&reader, &records)) > 0) {
        if (reader.width == 4 && d == 0)
            count_rows_u32(records, run, bits, begin, own);
        else if (reader.width == 4)
            count_below_u32(records, run, bits, begin, d, own);
        else if (d == 0)
            count_rows_u64(records, run, bits, begin, own);
        else
            count_below_u64(records, run, bits, begin, d, own);
    }
}

/* The rows of a rank follow each other, ranks descending. */
static void count_ranks(const struct upper *u, const struct ranks *ranks, uint64_t *by_larger)
{
    uint64_t row = 0;
    for (uint32_t r = ranks->count; r-- > 0;) {
        uint64_t end = ranks->degrees[r].degree > 0 ? row + ranks->degrees[r].vertices : row;
        by_larger[r] = 0;
        for (; row < end; row++)
            by_larger[r] += u->records[row];
    }
}

enum status upper_count(struct upper *u, const struct ranks *ranks, uint64_t *by_larger,
                        struct memory_budget *budget, struct error *e)
{
    if (memory_take(budget, (void **)&u->records, u->rows, sizeof *u->records, "row lengths", e) !=
        ST_OK)
        return e->status;
    huge_advise(u->records, u->rows * sizeof *u->records);
#pragma omp parallel for num_threads(u->store.threads) schedule(dynamic, 1)
    for (uint32_t r = 0; r < u->ranges.count; r++)
        count_range(u, r, 0, u->records);
    count_ranks(u, ranks, by_larger);
    return ST_OK;
}

enum status upper_split(struct upper *u, struct memory_budget *budget, struct error *e)
{
    uint32_t d = (uint32_t)u->order->d;
    while (u->dd_ranges < u->ranges.count && u->ranges.first[u->dd_ranges] < d)
        u->dd_ranges++;
    uint64_t rows = u->ranges.first[u->dd_ranges];
    if (memory_take(budget, (void **)&u->delegates, rows, sizeof *u->delegates, "row lengths", e) !=
        ST_OK)
        return e->status;
    huge_advise(u->delegates, rows * sizeof *u->delegates);
#pragma omp parallel for num_threads(u->store.threads) schedule(dynamic, 1)
    for (uint32_t r = 0; r < u->dd_ranges; r++)
        count_range(u, r, d, u->delegates);
    return ST_OK;
}

/* upper_sweep.c: see upper_sweep.h */
#include "upper_sweep.h"

#include "formats/clones.h"

#include <stdlib.h>
#include <string.h>

/* What one thread has put into a bucket. */
struct sweep_lane {
    struct bucket_reader reader;
    const void *records; /* of the current run, from the next one on */
    size_t count;
    uint64_t column; /* of the next one; UINT64_MAX: none is left */
};

/* ---- buffers ---- */

static uint64_t most_rows(const struct row_ranges *ranges)
{
    uint64_t most = 1;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint64_t rows = ranges->first[r + 1] - ranges->first[r];
        most = rows > most ? rows : most;
    }
    return most;
}

static uint64_t largest_degree(const struct vertex_order *o)
{
    const struct shard_vertices *sv = &o->shard[0];
    if (o->delegate_run_count > 0)
        return o->delegate_runs[0].degree;
    return sv->run_count > 0 ? sv->runs[0].degree : 0;
}

static uint64_t large_bytes(const struct upper *u)
{
    uint64_t bytes = u->ranges.heaviest * sizeof(uint32_t);
    return bytes > RECORD_RADIX_BYTES ? bytes : 0;
}

uint64_t upper_sweeper_bytes(const struct csr_rows *csr)
{
    const struct placement *pl = csr->placement;
    const struct upper *u = pl->upper;
    return record_radix_bytes(u->column_bits) + most_rows(&u->ranges) * sizeof(uint64_t) +
           large_bytes(u) + row_order_bytes(largest_degree(pl->order)) +
           (uint64_t)pl->store.threads * sizeof(struct sweep_lane);
}

static enum status open_target(struct sweep_target *t, const struct placement *pl, enum subgraph g,
                               struct error *e)
{
    const struct record_plan *plan = &pl->plan[g];
    *t = (struct sweep_target){.granules = pl->rows[g]->granules,
                               .column_bits = plan->column_bits,
                               .first_bucket = plan->first_bucket};
    t->bucket_of = upper_bucket_table(pl->rows[g], plan->column_bits, g != DD && plan->bytes == 8, e);
    return e->status;
}

enum status upper_sweeper_open(struct upper_sweeper *s, const struct csr_rows *csr, int thread,
                               struct error *e)
{
    struct placement *pl = csr->placement;
    const struct upper *u = pl->upper;
    *s = (struct upper_sweeper){.placement = pl, .writer = &pl->store.writer[thread]};
    s->next = malloc(most_rows(&u->ranges) * sizeof *s->next);
    s->large = large_bytes(u) > 0 ? malloc(large_bytes(u)) : NULL;
    s->lane = malloc((size_t)pl->store.threads * sizeof *s->lane);
    s->rows.column_bits = u->column_bits; /* rows are put into order alone, so there are no marks */
    if (s->next == NULL || s->lane == NULL || (s->large == NULL && large_bytes(u) > 0))
        return fail_memory(e, "sorting edges", upper_sweeper_bytes(csr));
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (open_target(&s->target[g], pl, (enum subgraph)g, e) != ST_OK)
            return e->status;
    }
    return record_radix_open(&s->radix, u->column_bits, e);
}

void upper_sweeper_close(struct upper_sweeper *s)
{
    free(s->next);
    free(s->large);
    free(s->lane);
    for (int g = 0; g < SUBGRAPHS; g++)
        free(s->target[g].bucket_of);
    record_radix_close(&s->radix);
    row_sorter_close(&s->rows);
}

/* Room for so many columns. */
static uint32_t *columns_for(const struct upper_sweeper *s, uint64_t count)
{
    return count * sizeof(uint32_t) <= RECORD_RADIX_BYTES ? record_radix_spare(&s->radix) : s->large;
}

/* ---- lengths ---- */

void upper_sweep_lengths(const struct csr_rows *csr, uint32_t r)
{
    const struct upper *u = csr->placement->upper;
    const struct vertex_order *o = u->order;
    uint64_t row = range_begin(csr, r), end = range_begin(csr, r + 1);
    uint64_t run = row < end ? order_delegate_run(o, (uint32_t)row) : 0;
    for (; row < end; row++) {
        while (row >= o->delegate_run_end[run])
            run++;
        uint64_t lower = o->delegate_runs[run].degree - u->records[row];
        csr->length[row] = (uint32_t)(lower + u->delegates[row]);
        csr->records[r] += csr->length[row];
    }
}

/* Columns of range r above the diagonal. */
static uint64_t kept_columns(const struct csr_rows *csr, uint32_t r)
{
    const struct upper *u = csr->placement->upper;
    uint64_t kept = 0;
    for (uint64_t row = range_begin(csr, r); row < range_begin(csr, r + 1); row++)
        kept += u->delegates[row];
    return kept;
}

/* ---- sorting above the diagonal ---- */

static void scatter(const struct upper *u, uint64_t begin, const void *records, size_t count,
                    unsigned width, uint64_t *restrict next, uint32_t *restrict to)
{
    const unsigned bits = u->column_bits;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    const uint32_t *narrow = records;
    const uint64_t *wide = records;
    for (size_t i = 0; width == 4 && i < count; i++)
        to[next[record_row_u32(narrow[i], bits, begin)]++] = narrow[i] & mask;
    for (size_t i = 0; width == 8 && i < count; i++)
        to[next[record_row_u64(wide[i], bits, begin)]++] = (uint32_t)wide[i] & mask;
}

/* All records of a range by column, and then to their rows. */
static void sort_whole(const struct upper *u, struct upper_sweeper *s, uint32_t r, size_t count)
{
    struct bucket_reader reader = upper_read(u, r);
    unsigned width = reader.width;
    struct record_radix *x = &s->radix;
    const void *records;
    size_t run;
    record_radix_start(x, width);
    while ((run = bucket_reader_next(&reader, &records)) > 0)
        record_radix_count(x, records, run);
    record_radix_counted(x);
    reader = upper_read(u, r);
    while ((run = bucket_reader_next(&reader, &records)) > 0)
        record_radix_spread(x, records, run);
    records = record_radix_finish(x, count);
    s->columns = record_radix_spare(x);
    scatter(u, u->ranges.first[r], records, count, width, s->next, s->columns);
}

/* Records to their rows, which are sorted one by one. */
static enum status sort_rows(const struct upper *u, struct upper_sweeper *s, uint32_t r,
                             size_t count, struct error *e)
{
    struct bucket_reader reader = upper_read(u, r);
    const void *records;
    size_t run, at = 0;
    s->columns = columns_for(s, count);
    while ((run = bucket_reader_next(&reader, &records)) > 0)
        scatter(u, u->ranges.first[r], records, run, reader.width, s->next, s->columns);
    for (uint64_t row = u->ranges.first[r]; row < u->ranges.first[r + 1]; row++) {
        if (!row_order_u32(&s->rows, s->columns + at, u->records[row]))
            return fail_memory(e, "sorting edges", row_order_bytes(u->records[row]));
        at += u->records[row];
    }
    return ST_OK;
}

/* Leaves the rows in s->columns. */
static enum status sort_range(const struct upper *u, struct upper_sweeper *s, uint32_t r,
                              struct error *e)
{
    uint64_t begin = u->ranges.first[r], end = u->ranges.first[r + 1];
    size_t count = 0;
    for (uint64_t row = begin; row < end; row++) {
        s->next[row - begin] = count;
        count += u->records[row];
    }
    unsigned width = upper_record_bytes(&u->ranges, r, u->column_bits);
    if (count * width > RECORD_RADIX_BYTES ||
        count < ((size_t)1 << record_radix_digit_bits(u->column_bits)) / 4)
        return sort_rows(u, s, r, count, e);
    sort_whole(u, s, r, count);
    return ST_OK;
}

/* ---- appending ---- */

enum { STEP = 128, FEW = 16 /* not worth a step */ };

/* Some edges on their way: in vectors, what cannot be predicted. */
struct step {
    uint32_t row[STEP], granule[STEP], record[STEP];
};

WIDE_CLONES
static void compute(struct step *restrict step, const uint32_t *rows, size_t count, uint32_t origin,
                    uint32_t column, unsigned column_bits, struct row_granules granules)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t row = rows[i] - origin;
        step->row[i] = row;
        step->granule[i] = row_ranges_granule(row, granules);
        step->record[i] = row << column_bits | column;
    }
}

static inline void append(const struct sweep_target *t, struct bucket_writer *w, uint32_t granule,
                          uint32_t row, uint32_t column, uint32_t record)
{
    uint32_t bucket = t->bucket_of[granule];
    uint32_t number = t->first_bucket + (bucket & (UPPER_WIDE - 1));
    if ((bucket & UPPER_WIDE) == 0)
        bucket_append_u32(w, number, record);
    else
        bucket_append_u64(w, number, (uint64_t)row << t->column_bits | column);
}

/* A column of the transpose; its rows are counted from `origin`. */
static void append_column(const struct sweep_target *target, struct bucket_writer *w,
                          const uint32_t *rows, size_t count, uint32_t origin, uint32_t column)
{
    const struct sweep_target t = *target;
    struct step step;
    while (count >= FEW) {
        size_t take = count < STEP ? count : STEP;
        compute(&step, rows, take, origin, column, t.column_bits, t.granules);
        for (size_t i = 0; i < take; i++)
            append(&t, w, step.granule[i], step.row[i], column, step.record[i]);
        rows += take;
        count -= take;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t row = rows[i] - origin;
        append(&t, w, row_ranges_granule(row, t.granules), row, column,
               row << t.column_bits | column);
    }
}

static void append_row(const struct sweep_target *target, struct bucket_writer *w, uint32_t row,
                       const uint32_t *columns, size_t count, uint32_t origin)
{
    const struct sweep_target t = *target;
    uint32_t granule = row_ranges_granule(row, t.granules);
    for (size_t i = 0; i < count; i++)
        append(&t, w, granule, row, columns[i] - origin, row << t.column_bits | (columns[i] - origin));
}

/* Passes sorted rows on, and copies what is kept. */
static void pass_on(const struct upper *u, struct upper_sweeper *s, uint32_t r, uint32_t *kept)
{
    const uint32_t d = (uint32_t)u->order->d, *from = s->columns;
    const struct sweep_target *to = s->target;
    struct bucket_writer *w = s->writer;
    for (uint32_t row = u->ranges.first[r]; row < u->ranges.first[r + 1]; row++) {
        uint32_t count = u->records[row], own = row < d ? u->delegates[row] : 0;
        if (row < d) {
            append_column(&to[DD], w, from, own, 0, row);
            append_column(&to[ND], w, from + own, count - own, d, row);
            append_row(&to[DN], w, row, from + own, count - own, d);
            memcpy(kept, from, own * sizeof *kept);
            kept += own;
        } else if (count > 0) {
            append_column(&to[NN], w, from, count, d, row - d);
            append_row(&to[NN], w, row - d, from, count, d);
        }
        from += count;
    }
}

enum status upper_sweep_take(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                             uint32_t *columns, struct error *e)
{
    struct upper *u = csr->placement->upper;
    if (sort_range(u, s, r, e) != ST_OK)
        return e->status;
    for (int i = 0; i < u->store.threads; i++)
        bucket_hand_over(&u->store, r, i, s->writer);
    if (columns != NULL)
        columns += csr->records[r] - kept_columns(csr, r);
    pass_on(u, s, r, columns);
    if (s->writer->error.status != ST_OK)
        *e = s->writer->error;
    return e->status;
}

/* ---- joining ---- */

static uint64_t column_at(const struct sweep_lane *lane, uint64_t mask)
{
    return lane->reader.width == 4 ? *(const uint32_t *)lane->records & mask
                                   : *(const uint64_t *)lane->records & mask;
}

static void next_run(struct sweep_lane *lane, uint64_t mask)
{
    lane->count = bucket_reader_next(&lane->reader, &lane->records);
    lane->column = lane->count > 0 ? column_at(lane, mask) : UINT64_MAX;
}

/* The lane with the smallest column. *limit is the smallest of the others: no two have the same. */
static struct sweep_lane *first_lane(struct sweep_lane *lanes, int count, uint64_t *limit)
{
    struct sweep_lane *first = lanes;
    *limit = UINT64_MAX;
    for (int i = 1; i < count; i++) {
        uint64_t column = lanes[i].column;
        if (column < first->column) {
            *limit = first->column;
            first = &lanes[i];
        } else if (column < *limit) {
            *limit = column;
        }
    }
    return first;
}

/* Moves records of one run to their rows while their column is below `limit`; returns how many. */
static size_t scatter_below(const struct csr_rows *csr, uint64_t begin, const struct sweep_lane *lane,
                            uint64_t limit, uint64_t *restrict next, uint32_t *restrict to)
{
    const uint64_t mask = (UINT64_C(1) << csr->column_bits) - 1;
    const unsigned bits = csr->column_bits, width = lane->reader.width;
    const uint32_t *narrow = lane->records;
    const uint64_t *wide = lane->records;
    size_t i = 0;
    for (; width == 4 && i < lane->count && (narrow[i] & mask) < limit; i++)
        to[next[record_row_u32(narrow[i], bits, begin)]++] = (uint32_t)(narrow[i] & mask);
    for (; width == 8 && i < lane->count && (wide[i] & mask) < limit; i++)
        to[next[record_row_u64(wide[i], bits, begin)]++] = (uint32_t)(wide[i] & mask);
    return i;
}

/* What lies below the diagonal in the rows of range r, to s->columns. */
static void collect(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r)
{
    struct bucket_store *store = &csr->placement->store;
    const uint64_t mask = (UINT64_C(1) << csr->column_bits) - 1, begin = range_begin(csr, r);
    uint32_t bucket = placement_bucket(csr->placement, csr->shard, DD, r);
    unsigned width = upper_record_bytes(csr->placement->rows[DD], r, csr->column_bits);
    struct sweep_lane *lane;
    uint64_t limit;
    bucket_seal(store, bucket);
    for (int i = 0; i < store->threads; i++) {
        s->lane[i].reader = bucket_read_part(store, bucket, i, i + 1, width);
        next_run(&s->lane[i], mask);
    }
    while ((lane = first_lane(s->lane, store->threads, &limit))->column != UINT64_MAX) {
        size_t moved = scatter_below(csr, begin, lane, limit, s->next, s->columns);
        lane->records = (const char *)lane->records + moved * width;
        lane->count -= moved;
        if (lane->count > 0)
            lane->column = column_at(lane, mask);
        else
            next_run(lane, mask);
    }
    for (int i = 0; i < store->threads; i++)
        bucket_hand_over(store, bucket, i, s->writer);
}

/* Moves some ascending columns of a row to its heads, as long as there is room, and to `to`; returns
 * how many went there. */
static size_t finish(const struct csr_rows *csr, uint64_t row, const uint32_t *columns, size_t count,
                     uint32_t *heads, uint32_t *to)
{
    size_t at = 0;
    for (; *heads < csr->k && at < count; ++*heads) {
        uint32_t column = columns[at];
        csr->heads[*heads * csr->rows + row] = column;
        while (at < count && columns[at] == column)
            at++;
    }
    return row_unique_u32(columns + at, count - at, to);
}

uint64_t upper_sweep_join(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                          uint32_t *columns, uint64_t *edges)
{
    const uint32_t *delegates = csr->placement->upper->delegates;
    uint64_t begin = range_begin(csr, r), end = range_begin(csr, r + 1), at = 0;
    for (uint64_t row = begin; row < end; row++) {
        s->next[row - begin] = at;
        at += csr->length[row] - delegates[row];
    }
    s->columns = columns_for(s, at);
    collect(csr, s, r);
    const uint32_t *lower = s->columns, *upper = columns + at;
    uint32_t *to = columns;
    for (uint64_t row = begin; row < end; row++) {
        uint32_t heads = 0, left = csr->length[row] - delegates[row];
        size_t kept = finish(csr, row, lower, left, &heads, to);
        kept += finish(csr, row, upper, delegates[row], &heads, to + kept);
        lower += left;
        upper += delegates[row];
        to += kept;
        csr->length[row] = (uint32_t)kept;
        *edges += kept + heads;
    }
    return (uint64_t)(to - columns);
}

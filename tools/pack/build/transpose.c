/* transpose.c: see transpose.h */
#include "transpose.h"

#include "formats/base/arith.h"
#include "tools/pack/place/record_read.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Opens the store for the transpose's records. It may also take memory that the placement has left unused. */
static enum status open_store(struct transpose *t, const struct placement *placement,
                              const struct transpose_limits *limits, struct error *e)
{
    const struct bucket_store *placed = &placement->store;
    struct bucket_options o = {.buckets = t->plan->rows->count,
                               .threads = limits->threads,
                               .most_bytes = 8 * limits->records,
                               .spill = placed->spill,
                               .like = placed};
    uint64_t room = limits->room_bytes + placed->common_slabs * placed->slab_bytes;
    uint64_t least = bucket_store_least(&o), left = memory_left(t->budget);
    room = smaller(room, least + o.most_bytes);
    room = smaller(room, left > limits->left_bytes ? left - limits->left_bytes : 0);
    o.room_bytes = smaller(larger(room, least), left);
    t->room.limit_bytes = o.room_bytes;
    memory_charge_planned(t->budget, o.room_bytes);
    return bucket_store_open(&t->store, &o, &t->room, e);
}

/* Opens a transpose for the rows of `plan`, with memory that the placement has left. */
enum status transpose_open(struct transpose *t, const struct record_plan *plan,
                           const struct placement *placement, const struct transpose_limits *limits,
                           struct memory_budget *budget, struct error *e)
{
    uint32_t granules = record_target_granules(plan);
    *t = (struct transpose){
        .plan = plan, .budget = budget, .range_of = calloc(granules + 1, sizeof *t->range_of)};
    if (t->range_of == NULL)
        return fail_memory(e, "row ranges", granules * sizeof *t->range_of);
    t->target = record_target_make(plan, t->range_of);
    t->target.first_bucket = 0;
    return open_store(t, placement, limits, e);
}

void transpose_close(struct transpose *t)
{
    bucket_store_close(&t->store);
    if (t->budget != NULL)
        memory_discharge(t->budget, t->room.limit_bytes);
    free(t->range_of);
    memset(t, 0, sizeof *t);
}

/* ---- appending ---- */

/* A place in a bucket, with room for some records of rows before `end`. */
struct place {
    uint32_t bucket, end;
    unsigned bytes; /* of a record */
    size_t room;
    unsigned char *at;
};

/* Finds the bucket of a row, and the place of its next records there. */
static inline struct place find_place(const struct record_target *t, struct bucket_writer *w, uint32_t row)
{
    uint32_t entry = t->range_of[row_ranges_granule(row, t->granules)];
    uint32_t range = entry & RECORD_RANGE_MASK;
    struct place place = {.bucket = range,
                          .end = t->first[range + 1],
                          .bytes = record_width_bytes(entry >> RECORD_RANGE_BITS)};
    place.at = bucket_room(w, place.bucket, place.bytes, &place.room);
    return place;
}

/* Writes a record; returns where the next one goes. */
static inline unsigned char *put(unsigned char *at, unsigned bytes, uint64_t record)
{
    if (bytes > 4)
        return bucket_write_long(at, record, bytes);
    *(uint32_t *)(void *)at = (uint32_t)record;
    return at + 4;
}

/* Appends records to the buckets of the transpose. They ascend by column, so they go to one bucket after the other, in runs. */
#define DEFINE_APPEND(type, suffix)                                                                \
    static void append_##suffix(const struct record_target *target, struct bucket_writer *w,       \
                                const type *from, size_t count, unsigned bits, uint64_t begin)     \
    {                                                                                              \
        const struct record_target t = *target;                                                    \
        const type mask = ((type)1 << bits) - 1;                                                   \
        for (size_t i = 0; i < count;) {                                                           \
            struct place place = find_place(&t, w, (uint32_t)(from[i] & mask));                    \
            size_t most = count - i < place.room ? count : i + place.room;                         \
            for (; i < most && (from[i] & mask) < place.end; i++) {                                \
                uint64_t column = begin + record_row_##suffix(from[i], bits, begin);               \
                uint64_t row = from[i] & mask;                                                     \
                place.at = put(place.at, place.bytes, row << t.column_bits | column);              \
            }                                                                                      \
            bucket_filled(w, place.bucket, place.at);                                              \
        }                                                                                          \
    }

DEFINE_APPEND(uint32_t, u32)
DEFINE_APPEND(uint64_t, u64)

/* Appends sorted records the other way round: by column, as rows of the transpose. */
void transpose_records(struct transpose *t, struct bucket_writer *w, const void *records,
                       size_t count, unsigned width, unsigned column_bits, uint64_t begin)
{
    if (width == 4)
        append_u32(&t->target, w, records, count, column_bits, begin);
    else
        append_u64(&t->target, w, records, count, column_bits, begin);
}

/* Appends the edges of one row the other way round. */
void transpose_row(struct transpose *t, struct bucket_writer *w, uint32_t row, const uint32_t *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        record_append(&t->target, w, /* shard_bucket */ 0, columns[i], row);
}

/* ---- counting ---- */

/* Ends the bucket of a range, adds the records of each row to length[], and returns their number. */
uint64_t transpose_count(struct transpose *t, uint32_t range, void *read_buffer, uint32_t *length, struct error *e)
{
    const unsigned bits = t->plan->column_bits;
    const uint64_t begin = t->plan->rows->first[range];
    uint64_t records_of_range = 0;
    struct record_reader reader;
    const void *records;
    size_t count;
    transpose_seal(t, range);
    record_reader_start(&reader, bucket_read(&t->store, range, record_bytes(t->plan, range),
                                             read_buffer, e), begin << bits);
    while ((count = record_reader_next(&reader, &records)) > 0) {
        const uint32_t *narrow = records;
        const uint64_t *wide = records;
        records_of_range += count;
        for (size_t i = 0; reader.width == 4 && i < count; i++)
            length[record_row_u32(narrow[i], bits, begin)]++;
        for (size_t i = 0; reader.width == 8 && i < count; i++)
            length[record_row_u64(wide[i], bits, begin)]++;
    }
    return records_of_range;
}

/* ---- collecting ---- */

/* The records that one thread has put into a bucket. */
struct transpose_lane {
    struct record_reader reader;
    const void *records; /* of the current run, from the next one on */
    size_t count;
    uint64_t column; /* of the next one; UINT64_MAX: none is left */
};

/* Bytes of the read buffer of a lane; 0 if nothing can be spilled. */
static size_t lane_bytes(const struct bucket_store *store)
{
    if (store->spill == NULL)
        return 0;
    size_t chunks = BUCKET_READ_BYTES / (size_t)store->threads / store->chunk_bytes;
    return larger(chunks, 1) * store->chunk_bytes;
}

uint64_t transpose_collector_bytes(const struct transpose *t)
{
    return (uint64_t)t->store.threads * (sizeof(struct transpose_lane) + lane_bytes(&t->store));
}

/* Opens the memory with which one thread collects; on failure close it all the same. */
enum status transpose_collector_open(struct transpose_collector *c, const struct transpose *t, struct error *e)
{
    size_t threads = (size_t)t->store.threads;
    c->lane_bytes = lane_bytes(&t->store);
    c->lane = malloc(threads * sizeof *c->lane);
    c->read_buffer = malloc(threads * c->lane_bytes + 1);
    if (c->lane == NULL || c->read_buffer == NULL)
        return fail_memory(e, "sorting edges", transpose_collector_bytes(t));
    return ST_OK;
}

void transpose_collector_close(struct transpose_collector *c)
{
    free(c->lane);
    free(c->read_buffer);
    memset(c, 0, sizeof *c);
}

/* The column of the next record of a lane. */
static uint64_t column_at(const struct transpose_lane *lane, uint64_t mask)
{
    return lane->reader.width == 4 ? *(const uint32_t *)lane->records & mask
                                   : *(const uint64_t *)lane->records & mask;
}

/* Goes on to the next run of a lane. */
static void next_run(struct transpose_lane *lane, uint64_t mask)
{
    lane->count = record_reader_next(&lane->reader, &lane->records);
    lane->column = lane->count > 0 ? column_at(lane, mask) : UINT64_MAX;
}

/* Returns the lane (the records of one thread) with the smallest column. *limit is set to the smallest column of the other
 * lanes, up to which this lane goes on alone. */
static struct transpose_lane *first_lane(struct transpose_lane *lanes, int count, uint64_t *limit)
{
    struct transpose_lane *first = lanes;
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

/* Moves records of one run to their rows, as long as their column is below `limit`; returns how many. */
static size_t scatter_below(const struct transpose *t, const struct transpose_lane *lane,
                            uint64_t begin, uint64_t limit, uint64_t *restrict next,
                            uint32_t *restrict to)
{
    const unsigned bits = t->plan->column_bits, width = lane->reader.width;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    const uint32_t *narrow = lane->records;
    const uint64_t *wide = lane->records;
    size_t i = 0;
    for (; width == 4 && i < lane->count && (narrow[i] & mask) < limit; i++)
        to[next[record_row_u32(narrow[i], bits, begin)]++] = (uint32_t)(narrow[i] & mask);
    for (; width == 8 && i < lane->count && (wide[i] & mask) < limit; i++)
        to[next[record_row_u64(wide[i], bits, begin)]++] = (uint32_t)(wide[i] & mask);
    return i;
}

/* Ends the bucket of a range without counting. */
void transpose_seal(struct transpose *t, uint32_t range)
{
    bucket_seal(&t->store, range);
}

/* Moves the columns of an ended bucket to their rows, ascending: row i from to[next[i]] on. Frees the bucket. */
enum status transpose_collect(struct transpose *t, const struct transpose_collector *c,
                              uint32_t range, uint64_t *next, uint32_t *to, struct error *e)
{
    struct bucket_store *store = &t->store;
    const uint64_t mask = (UINT64_C(1) << t->plan->column_bits) - 1;
    const uint64_t begin = t->plan->rows->first[range];
    struct transpose_lane *lane;
    uint64_t limit;
    for (int i = 0; i < store->threads; i++) {
        struct bucket_reader share =
            bucket_read_share(store, range, i, i + 1, record_bytes(t->plan, range));
        bucket_reader_buffer(&share, c->read_buffer + (size_t)i * c->lane_bytes, c->lane_bytes, e);
        record_reader_start(&c->lane[i].reader, share, begin << t->plan->column_bits);
        next_run(&c->lane[i], mask);
    }
    while ((lane = first_lane(c->lane, store->threads, &limit))->column != UINT64_MAX) {
        size_t moved = scatter_below(t, lane, begin, limit, next, to);
        lane->records = (const char *)lane->records + moved * lane->reader.width;
        lane->count -= moved;
        if (lane->count > 0)
            lane->column = column_at(lane, mask);
        else
            next_run(lane, mask);
    }
    bucket_return(store, range);
    return e->status;
}

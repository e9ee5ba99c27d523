/* edge_tiles.c: see edge_tiles.h */
#include "edge_tiles.h"

#include "formats/base/clones.h"
#include "formats/base/progress.h"
#include "tools/sort/count_turns.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    NARROW_BITS = 16,    /* of an index in the shortest ranges */
    NARROW_RANGES = 128, /* the most ranges that are so short */
    WIDE_RANGES = 64,    /* the most ranges that are longer */
    WIDE_BITS = 32,      /* of an index in the longest ranges */
    LIKELY_DEGREE = 16   /* edges of an id, if nothing is known */
};

/* ---- opening ---- */

/* Chooses the number and size of the ranges of ids, and the bytes of a record. */
static void cut(struct edge_tiles *t, uint64_t n)
{
    uint64_t most = NARROW_RANGES;
    t->range_bits = NARROW_BITS;
    while (n > most << t->range_bits) {
        most = WIDE_RANGES;
        t->range_bits++;
    }
    t->ranges = n > 0 ? (uint32_t)(((n - 1) >> t->range_bits) + 1) : 1;
    t->record_bytes = 4;
    while (t->range_bits > 4 * t->record_bytes && t->record_bytes < 8)
        t->record_bytes += t->record_bytes == 6 ? 2 : 1;
}

static struct bucket_options store_options(const struct edge_tiles *t, uint64_t edges, int threads)
{
    return (struct bucket_options){.buckets = t->ranges * t->ranges,
                                   .threads = threads,
                                   .expected_bytes = t->record_bytes * edges,
                                   .room_bytes = UINT64_MAX};
}

/* The memory of tiles for so many edges: an eighth more than the records, for what chunks leave empty. */
uint64_t edge_tiles_bytes(uint64_t n, uint64_t edges, int threads)
{
    struct edge_tiles t;
    cut(&t, n);
    if (t.range_bits > WIDE_BITS)
        return UINT64_MAX;
    struct bucket_options o = store_options(&t, edges, threads);
    return bucket_store_least(&o) + o.expected_bytes / 8 * 9;
}

/* Opens the tiles that t describes, with chunks of these sizes. */
static enum status open_store(struct edge_tiles *t, struct bucket_options *o, const struct bucket_store *like, struct memory_budget *budget,
                              struct error *e)
{
    o->like = like;
    o->room_bytes = memory_left(budget);
    return bucket_store_open(&t->store, o, budget, e);
}

enum status edge_tiles_open_likely(struct edge_tiles *t, uint64_t n, uint64_t likely, enum edges_direction direction, int threads,
                                   struct memory_budget *budget, struct error *e)
{
    struct edge_tiles part;
    memset(t, 0, sizeof *t);
    cut(t, n);
    t->direction = direction;
    part = *t;
    part.ranges = (uint32_t)((likely - 1) >> t->range_bits) + 1;
    const struct bucket_options sizes = store_options(&part, LIKELY_DEGREE * likely, threads);
    const struct bucket_store like = bucket_store_sizes(&sizes);
    struct bucket_options o = store_options(t, 0, threads);
    return open_store(t, &o, &like, budget, e);
}

enum status edge_tiles_open(struct edge_tiles *t, uint64_t n, uint64_t edges,
                            enum edges_direction direction, int threads, struct memory_budget *budget, struct error *e)
{
    memset(t, 0, sizeof *t);
    cut(t, n);
    t->direction = direction;
    struct bucket_options o = store_options(t, edges, threads);
    return open_store(t, &o, NULL, budget, e);
}

void edge_tiles_close(struct edge_tiles *t)
{
    bucket_store_close(&t->store);
    memset(t, 0, sizeof *t);
}

/* ---- filling ---- */

enum { STEP = 128 };

/* The tiles and records of some edges. Vectors compute them before they are appended, because a branch for each edge's tile
 * could not be predicted. */
struct step {
    uint32_t tile[STEP];
    uint64_t record[STEP];
};

/* Computes the tile and the record of some edges, STEP at most. */
WIDE_CLONES
static void compute_tiles(const struct edge_tiles *t, const struct edge *edges, size_t count, struct step *restrict step)
{
    const unsigned bits = t->range_bits, shift = 4 * t->record_bytes;
    const uint32_t ranges = t->ranges, undirected = t->direction == EDGES_UNDIRECTED_ONCE;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t u = edges[i].u, v = edges[i].v, swap = -(uint64_t)(undirected & (v < u)) & (u ^ v);
        uint64_t row = u ^ swap, column = v ^ swap;
        step->tile[i] = (uint32_t)(row >> bits) * ranges + (uint32_t)(column >> bits);
        step->record[i] = (row & mask) << shift | (column & mask);
    }
}

/* Appends the records to the buckets of their tiles, without those of self-loops. Callers pass `bytes` as a constant. */
static inline void append_records(struct bucket_writer *w, const struct step *step, const struct edge *edges,
                                  size_t count, unsigned bytes)
{
    for (size_t i = 0; i < count; i++) {
        if (edges[i].u == edges[i].v)
            continue;
        if (bytes == 4)
            bucket_append_u32(w, step->tile[i], (uint32_t)step->record[i]);
        else
            bucket_append_long(w, step->tile[i], step->record[i], bytes);
    }
}

/* Adds edges to their tiles by the thread's own writer. Once the writer has failed, each call fails with its error. */
enum status edge_tiles_add(struct edge_tiles *t, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct bucket_writer *w = &t->store.writer[thread];
    struct step step;
    for (size_t at = 0; at < count; at += STEP) {
        size_t taken = count - at < STEP ? count - at : STEP;
        compute_tiles(t, edges + at, taken, &step);
        WITH_RECORD_BYTES(t->record_bytes, append_records(w, &step, edges + at, taken, BYTES))
    }
    if (w->error.status != ST_OK)
        *e = w->error;
    return e->status;
}

enum status edge_tiles_seal(struct edge_tiles *t, struct error *e)
{
    return bucket_store_seal(&t->store, e);
}

/* ---- degrees ---- */

enum side { ROWS, COLUMNS };

/* Adds 1 to degree[] at the row, or the column, of each record. Callers pass `bytes` and `side` as constants. */
static inline void count_ends(const void *records, size_t count, unsigned bytes, enum side side, uint32_t *restrict degree)
{
#define RECORD(i) tile_record(records, bytes, i)
#define DEGREE(i) degree[side == COLUMNS ? tile_column(RECORD(i), bytes) : tile_row(RECORD(i), bytes)]
    COUNT_BY_TURNS(count, DEGREE);
}

static struct bucket_reader read_tile(const struct edge_tiles *t, uint32_t row, uint32_t column)
{
    /* nothing was spilled, so reading takes no buffer and cannot fail */
    return bucket_read(&t->store, row * t->ranges + column, t->record_bytes, NULL, NULL);
}

/* Adds all edges to degree[]: each thread counts the ends in one range of ids after the other. */
void edge_tiles_degrees(const struct edge_tiles *t, int threads, uint32_t *degree)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t range = 0; range < t->ranges; range++) {
        uint32_t *of = degree + ((uint64_t)range << t->range_bits);
        const void *records;
        size_t count;
        for (uint32_t other = 0; other < t->ranges; other++) {
            struct bucket_reader rows = read_tile(t, range, other);
            while ((count = bucket_reader_next(&rows, &records)) > 0)
                WITH_RECORD_BYTES(t->record_bytes, count_ends(records, count, BYTES, ROWS, of))
            struct bucket_reader columns = read_tile(t, other, range);
            while (t->direction != EDGES_SYMMETRIC && (count = bucket_reader_next(&columns, &records)) > 0)
                WITH_RECORD_BYTES(t->record_bytes, count_ends(records, count, BYTES, COLUMNS, of))
        }
    }
}

/* ---- near edges ---- */

/* Returns how many records of a tile join ids that differ by `near` at most. `apart` is the first id of the columns minus that of the
 * rows, modulo 2^64. Callers pass `bytes` as a constant. */
static inline uint64_t count_near(const void *records, size_t count, unsigned bytes, uint64_t apart, uint64_t near)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t record = tile_record(records, bytes, i);
        sum += tile_column(record, bytes) + apart - tile_row(record, bytes) + near <= 2 * near;
    }
    return sum;
}

/* The same for records of 4 bytes, modulo 2^32, so that a vector holds twice as many. There are fewer than 2^32 records, and `near` is
 * below 2^31. */
WIDE_CLONES
static uint64_t count_near_u32(const uint32_t *records, size_t count, uint32_t apart, uint32_t near)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (records[i] & UINT16_MAX) + apart - (records[i] >> 16) + near <= 2 * near;
    return sum;
}

uint64_t edge_tiles_near(const struct edge_tiles *t, int threads, uint64_t near)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(+ : sum)
    for (uint32_t row = 0; row < t->ranges; row++) {
        for (uint32_t column = row > 0 ? row - 1 : 0; column < t->ranges && column <= row + 1; column++) {
            const uint64_t apart = ((uint64_t)column << t->range_bits) - ((uint64_t)row << t->range_bits);
            struct bucket_reader reader = read_tile(t, row, column);
            const void *records;
            size_t count;
            while ((count = bucket_reader_next(&reader, &records)) > 0) {
                switch (t->record_bytes) {
                case 4: sum += count_near_u32(records, count, (uint32_t)apart, (uint32_t)near); break;
                case 5: sum += count_near(records, count, 5, apart, near); break;
                case 6: sum += count_near(records, count, 6, apart, near); break;
                default: sum += count_near(records, count, 8, apart, near);
                }
            }
        }
    }
    return sum;
}

/* ---- shares of threads ---- */

enum { SHARES = 16 /* of all edges, for each thread, in the largest of them */ };

/* A share: edges that a thread takes at a time, put into a tile by writers first..end - 1. Usually it is a whole tile, so that
 * the values of its vertices come into one cache; a very large tile makes several, so that no thread waits in the end. */
struct share {
    uint32_t tile;
    int first, end;
};

struct share_list {
    struct share *share;
    size_t count;
};

/* Returns the bytes that each writer has put into each tile, [tiles][writers], and their sum in *total. The caller frees it. */
static uint64_t *measure_tiles(const struct edge_tiles *t, int threads, uint64_t *total)
{
    const struct bucket_store *store = &t->store;
    uint64_t *bytes = calloc((size_t)store->buckets * (size_t)store->threads, sizeof *bytes),
             sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) reduction(+ : sum)
    for (uint32_t tile = 0; tile < store->buckets; tile++) {
        for (int w = 0; bytes != NULL && w < store->threads; w++) {
            bytes[tile * (size_t)store->threads + (size_t)w] = bucket_share_bytes(store, tile, w);
            sum += bytes[tile * (size_t)store->threads + (size_t)w];
        }
    }
    *total = sum;
    return bytes;
}

/* Appends the shares of a tile, each of whole writers, of about `most` bytes. */
static void add_tile(struct share_list *list, uint32_t tile, const uint64_t *bytes, int writers, uint64_t most)
{
    uint64_t own = 0;
    struct share next = {.tile = tile};
    for (int w = 0; w < writers; w++) {
        own += bytes[w];
        next.end = w + 1;
        if (own == 0 || (own < most && w + 1 < writers))
            continue;
        list->share[list->count++] = next;
        next.first = w + 1;
        own = 0;
    }
}

/* Divides all tiles into shares of the threads. */
static enum status list_shares(struct share_list *list, const struct edge_tiles *t, int threads, struct error *e)
{
    int writers = t->store.threads;
    size_t most_shares = t->store.buckets + (size_t)SHARES * (size_t)threads;
    uint64_t total, *bytes = measure_tiles(t, threads, &total);
    *list = (struct share_list){.share = malloc(most_shares * sizeof *list->share)};
    if (bytes == NULL || list->share == NULL)
        fail_memory(e, "tiles of edges", most_shares * sizeof *list->share);
    for (uint32_t tile = 0; e->status == ST_OK && tile < t->store.buckets; tile++)
        add_tile(list, tile, bytes + tile * (size_t)writers, writers,
                 total / (SHARES * (uint64_t)threads) + 1);
    free(bytes);
    return e->status;
}

/* ---- scanning ---- */

/* One thread's way through the tiles. */
struct tile_scan {
    struct edge_tiles *tiles;
    int thread;
    tile_visitor visit;
    void *context;
    struct error error;
};

/* Gives the runs of a share to the visitor, and the memory then to the heir, if there is one. */
static void scan_share(struct tile_scan *s, const struct share *share)
{
    struct edge_tiles *t = s->tiles;
    struct bucket_reader reader =
        bucket_read_share(&t->store, share->tile, share->first, share->end, t->record_bytes);
    struct tile_run run = {.row = (uint64_t)(share->tile / t->ranges) << t->range_bits,
                           .column = (uint64_t)(share->tile % t->ranges) << t->range_bits};
    while (s->error.status == ST_OK &&
           (run.count = bucket_reader_next(&reader, &run.records)) > 0) {
        s->visit(s->context, s->thread, &run, &s->error);
        progress_add(run.count);
    }
    for (int w = share->first; t->heir != NULL && w < share->end; w++)
        bucket_hand_over(&t->store, share->tile, w, &t->heir->writer[s->thread]);
}

/* Gives all edges to `visit`: threads take shares of tiles in turn. The first error of any ends the visit. */
enum status edge_tiles_visit(struct edge_tiles *t, int threads, tile_visitor visit, void *context, struct error *e)
{
    struct share_list list;
    if (list_shares(&list, t, threads, e) != ST_OK)
        list.count = 0;
#pragma omp parallel num_threads(threads)
    {
        struct tile_scan s = {.tiles = t, .thread = omp_get_thread_num(), .visit = visit,
                              .context = context};
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < list.count; i++) {
            if (s.error.status == ST_OK)
                scan_share(&s, &list.share[i]);
        }
        fail_thread(e, &s.error);
    }
    free(list.share);
    return e->status;
}

/* ---- the last visit ---- */

/* Makes the next visit the last, in which memory that was read goes to `heir`. */
enum status edge_tiles_leave(struct edge_tiles *t, struct bucket_store *heir, struct error *e)
{
    t->heir = heir;
    return bucket_store_inherit(heir, &t->store, e);
}

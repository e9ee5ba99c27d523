/* csr_build.c: see csr_build.h
 *
 * The first round over the buckets counts the records of each row, which tells the rows that are not
 * empty and where each row starts in its bucket; the second round sorts. Buckets are finished in any
 * order and emitted in theirs: one that is not next waits, and the thread that finishes the next one
 * emits all that are ready.
 */
#include "csr_build.h"

#include "row_sort.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_PER_THREAD = 16 /* buckets that may be ahead of the one to be emitted */ };

/* Memory for the columns of a bucket. It goes from bucket to bucket: memory fresh from the system is
 * cleared first, which would take longer than sorting into it. */
struct column_buffer {
    struct column_buffer *next;
    uint64_t bytes;
    uint64_t columns[]; /* of 4 or 8 bytes each */
};

/* A sorted bucket: what is left of its rows after the heads, ready for the columns section. */
struct sorted_bucket {
    struct column_buffer *buffer;
    uint64_t count;
    int ready;
};

struct build {
    const struct placement *placement;
    uint32_t shard;
    enum subgraph g;
    uint64_t rows;
    unsigned column_bits;
    unsigned record_bytes; /* 4 or 8 */
    uint32_t width;        /* of a column: 4 or 8 bytes */
    uint32_t k;
    uint32_t *length; /* [rows + 1]: records, then columns after the heads, of each row */
    uint32_t *heads;  /* [k][rows] */
    struct container_writer *writer;

    pthread_mutex_t lock;
    pthread_cond_t emitted;
    uint32_t ranges, next_to_sort, next_to_emit, window;
    int emitting;
    struct sorted_bucket *sorted; /* [ranges] */
    struct column_buffer *spare;  /* a list */
    struct error *error;
    uint64_t edges;
};

/* The rows of range r that this shard has. */
static uint64_t range_begin(const struct build *b, uint32_t r)
{
    uint64_t first = placement_rows(b->placement, b->g)->first[r];
    return first < b->rows ? first : b->rows;
}

static struct bucket_reader read_range(const struct build *b, uint32_t r)
{
    return bucket_read(&b->placement->store, placement_bucket(b->placement, b->shard, b->g, r),
                       b->record_bytes);
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

static void count_range(const struct build *b, uint32_t r)
{
    struct bucket_reader reader = read_range(b, r);
    uint64_t begin = range_begin(b, r);
    uint32_t *length = b->length + begin;
    unsigned bits = b->column_bits;
    const void *records;
    size_t count;
    while ((count = bucket_reader_next(&reader, &records)) > 0) {
        const uint32_t *narrow = records;
        const uint64_t *wide = records;
        if (b->record_bytes == 4) {
            for (size_t i = 0; i < count; i++)
                length[row_of_u32(narrow[i], bits, begin)]++;
        } else {
            for (size_t i = 0; i < count; i++)
                length[row_of_u64(wide[i], bits, begin)]++;
        }
    }
}

static void count_rows(struct build *b, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint32_t r = 0; r < b->ranges; r++)
        count_range(b, r);
}

static uint64_t count_sources(const struct build *b, int threads)
{
    uint64_t sources = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sources)
    for (uint64_t row = 0; row < b->rows; row++)
        sources += b->length[row] != 0;
    return sources;
}

static uint32_t choose_heads(const struct build *b, int asked, uint64_t source_rows)
{
    if (b->width == 8 || b->rows == 0)
        return 0;
    if (asked != HEADS_AUTO)
        return (uint32_t)asked;
    return (b->g == ND || b->g == DD) && 2 * source_rows >= b->rows ? HEADS_USUAL : 0;
}

/* ---- second round ---- */

/* Buffers of one thread. */
struct sort_thread {
    struct row_sorter sorter;
    uint64_t *start; /* [rows of the largest range + 1] */
    uint64_t start_capacity;
};

static int reserve_start(struct sort_thread *t, uint64_t rows)
{
    if (rows + 1 <= t->start_capacity)
        return 1;
    free(t->start);
    t->start_capacity = 2 * (rows + 1);
    t->start = malloc(t->start_capacity * sizeof *t->start);
    return t->start != NULL;
}

static struct column_buffer *take_buffer(struct build *b, uint64_t bytes)
{
    pthread_mutex_lock(&b->lock);
    struct column_buffer *buffer = b->spare;
    if (buffer != NULL)
        b->spare = buffer->next;
    pthread_mutex_unlock(&b->lock);
    if (buffer != NULL && buffer->bytes >= bytes)
        return buffer;
    free(buffer);
    bytes += bytes / 4; /* the next bucket may need a little more */
    buffer = malloc(sizeof *buffer + bytes);
    if (buffer != NULL)
        buffer->bytes = bytes;
    return buffer;
}

/* Under the lock. */
static void give_buffer(struct build *b, struct column_buffer *buffer)
{
    if (buffer == NULL)
        return;
    buffer->next = b->spare;
    b->spare = buffer;
}

/* Spreads the columns of a bucket to their rows; start[] ends up at the ends of the rows. */
static void scatter(const struct build *b, uint32_t r, uint64_t *start, void *columns)
{
    struct bucket_reader reader = read_range(b, r);
    uint64_t begin = range_begin(b, r), mask = (UINT64_C(1) << b->column_bits) - 1;
    unsigned bits = b->column_bits;
    uint32_t *to_u32 = columns;
    uint64_t *to_u64 = columns;
    const void *records;
    size_t count;
    while ((count = bucket_reader_next(&reader, &records)) > 0) {
        const uint32_t *narrow = records;
        const uint64_t *wide = records;
        if (b->record_bytes == 4 && b->width == 4) {
            for (size_t i = 0; i < count; i++)
                to_u32[start[row_of_u32(narrow[i], bits, begin)]++] = narrow[i] & (uint32_t)mask;
        } else if (b->width == 4) {
            for (size_t i = 0; i < count; i++)
                to_u32[start[row_of_u64(wide[i], bits, begin)]++] = (uint32_t)(wide[i] & mask);
        } else {
            for (size_t i = 0; i < count; i++)
                to_u64[start[row_of_u64(wide[i], bits, begin)]++] = wide[i] & mask;
        }
    }
}

/* Sorts one row of 4-byte columns at columns[at..at + count) and moves what is not head to
 * columns[to]; returns the number of different columns. */
static size_t finish_row_u32(struct build *b, struct row_sorter *sorter, uint64_t row,
                             uint32_t *columns, uint64_t at, size_t count, uint64_t to)
{
    size_t kept = count > 1 ? row_sort_u32(sorter, columns + at, count) : count;
    if (kept == SIZE_MAX)
        return kept;
    uint32_t in_heads = kept < b->k ? (uint32_t)kept : b->k;
    for (uint32_t j = 0; j < b->k; j++)
        b->heads[j * b->rows + row] = j < in_heads ? columns[at + j] : HEAD_NONE;
    memmove(columns + to, columns + at + in_heads, (kept - in_heads) * sizeof *columns);
    b->length[row] = (uint32_t)(kept - in_heads);
    return kept;
}

static size_t finish_row_u64(struct build *b, struct row_sorter *sorter, uint64_t row,
                             uint64_t *columns, uint64_t at, size_t count, uint64_t to)
{
    size_t kept = count > 1 ? row_sort_u64(sorter, columns + at, count) : count;
    if (kept == SIZE_MAX)
        return kept;
    memmove(columns + to, columns + at, kept * sizeof *columns);
    b->length[row] = (uint32_t)kept;
    return kept;
}

/* Where each row of a range starts in its bucket; returns the number of records. */
static uint64_t start_rows(const struct build *b, uint64_t begin, uint64_t rows, uint64_t *start)
{
    uint64_t records = 0;
    for (uint64_t i = 0; i < rows; i++) {
        start[i] = records;
        records += b->length[begin + i];
    }
    return records;
}

/* Sorts range r into `result`; *edges counts what is kept, heads included. */
static int sort_range(struct build *b, struct sort_thread *t, uint32_t r,
                      struct sorted_bucket *result, uint64_t *edges)
{
    uint64_t begin = range_begin(b, r), rows = range_begin(b, r + 1) - begin, at = 0;
    if (!reserve_start(t, rows))
        return 0;
    uint64_t records = start_rows(b, begin, rows, t->start);
    if (records == 0)
        return 1;
    result->buffer = take_buffer(b, records * b->width);
    if (result->buffer == NULL)
        return 0;
    void *columns = result->buffer->columns;
    scatter(b, r, t->start, columns);
    for (uint64_t i = 0; i < rows; i++) {
        size_t count = (size_t)(t->start[i] - at);
        size_t kept = b->width == 4 ? finish_row_u32(b, &t->sorter, begin + i, columns, at, count,
                                                     result->count)
                                    : finish_row_u64(b, &t->sorter, begin + i, columns, at, count,
                                                     result->count);
        if (kept == SIZE_MAX)
            return 0;
        result->count += b->length[begin + i];
        *edges += kept;
        at = t->start[i];
    }
    return 1;
}

/* ---- taking and emitting in order ---- */

/* The next range to sort, or the number of ranges when there is no more to do. */
static uint32_t take_range(struct build *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->next_to_sort < b->ranges && b->next_to_sort - b->next_to_emit >= b->window &&
           b->error->status == ST_OK)
        pthread_cond_wait(&b->emitted, &b->lock);
    uint32_t r = b->error->status == ST_OK ? b->next_to_sort : b->ranges;
    if (r < b->ranges)
        b->next_to_sort++;
    pthread_mutex_unlock(&b->lock);
    return r;
}

static void stop(struct build *b, uint64_t bytes)
{
    pthread_mutex_lock(&b->lock);
    fail_memory(b->error, "sorting edges", bytes);
    pthread_cond_broadcast(&b->emitted);
    pthread_mutex_unlock(&b->lock);
}

/* Emits every range that is ready and next, unless another thread is doing that already. */
static void emit_ready(struct build *b, uint32_t finished, uint64_t edges)
{
    pthread_mutex_lock(&b->lock);
    b->sorted[finished].ready = 1;
    b->edges += edges;
    int mine = !b->emitting;
    b->emitting = 1;
    while (mine && b->next_to_emit < b->ranges && b->sorted[b->next_to_emit].ready &&
           b->error->status == ST_OK) {
        struct sorted_bucket *s = &b->sorted[b->next_to_emit];
        struct error error = {0};
        pthread_mutex_unlock(&b->lock);
        if (s->count > 0)
            container_append(b->writer, s->count, s->buffer->columns, &error);
        pthread_mutex_lock(&b->lock);
        give_buffer(b, s->buffer);
        s->buffer = NULL;
        if (error.status != ST_OK)
            *b->error = error;
        b->next_to_emit++;
        pthread_cond_broadcast(&b->emitted);
    }
    if (mine)
        b->emitting = 0;
    pthread_mutex_unlock(&b->lock);
}

static void sort_ranges(struct build *b)
{
    struct sort_thread t = {0};
    struct error error = {0};
    uint32_t r;
    if (row_sorter_open(&t.sorter, b->column_bits, &error) != ST_OK)
        stop(b, UINT64_C(1) << b->column_bits);
    while ((r = take_range(b)) < b->ranges) {
        uint64_t edges = 0;
        if (sort_range(b, &t, r, &b->sorted[r], &edges))
            emit_ready(b, r, edges);
        else
            stop(b, b->width);
    }
    free(t.start);
    row_sorter_close(&t.sorter);
}

static enum status write_columns(struct build *b, int threads, struct error *e)
{
    b->sorted = calloc(b->ranges, sizeof *b->sorted);
    if (b->sorted == NULL)
        return fail_memory(e, "sorting edges", b->ranges * sizeof *b->sorted);
    b->window = (uint32_t)(WINDOW_PER_THREAD * threads);
    b->error = e;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->emitted, NULL);
    if (container_begin(b->writer, shard_section_of(b->g, SHARD_COLUMNS), b->width, e) == ST_OK) {
#pragma omp parallel num_threads(threads)
        sort_ranges(b);
    }
    for (uint32_t r = 0; r < b->ranges; r++)
        give_buffer(b, b->sorted[r].buffer);
    free(b->sorted);
    for (struct column_buffer *next; b->spare != NULL; b->spare = next) {
        next = b->spare->next;
        free(b->spare);
    }
    pthread_cond_destroy(&b->emitted);
    pthread_mutex_destroy(&b->lock);
    return e->status;
}

/* ---- the other sections ---- */

static enum status write_sources(struct build *b, uint64_t source_rows,
                                 struct memory_budget *budget, struct error *e)
{
    uint64_t words = mask_words(b->rows), *mask;
    uint32_t *list = NULL;
    if (memory_take(budget, (void **)&mask, words, 8, "row masks", e) != ST_OK)
        return e->status;
    for (uint64_t row = 0; row < b->rows; row++) {
        int full = b->length[row] != 0 || (b->k > 0 && b->heads[row] != HEAD_NONE);
        mask[row / 64] |= (uint64_t)full << (row % 64);
    }
    container_add(b->writer, shard_section_of(b->g, SHARD_SOURCES), 8, words, mask, e);
    if (b->g == ND && e->status == ST_OK &&
        memory_take(budget, (void **)&list, source_rows, 4, "row lists", e) == ST_OK) {
        uint64_t at = 0;
        for (uint64_t row = 0; row < b->rows; row++) {
            if (mask_bit(mask, row))
                list[at++] = (uint32_t)row;
        }
        container_add(b->writer, SHARD_ND_SOURCE_LIST, 4, at, list, e);
    }
    memory_release(budget, list, source_rows, 4);
    memory_release(budget, mask, words, 8);
    return e->status;
}

/* Lengths become offsets, of 4 bytes where the last one fits. */
static enum status write_offsets(struct build *b, struct memory_budget *budget, struct error *e)
{
    uint64_t total = 0, *wide = NULL;
    uint32_t type = shard_section_of(b->g, SHARD_OFFSETS);
    for (uint64_t row = 0; row < b->rows; row++)
        total += b->length[row];
    if (total > UINT32_MAX &&
        memory_take(budget, (void **)&wide, b->rows + 1, 8, "row offsets", e) != ST_OK)
        return e->status;
    total = 0;
    for (uint64_t row = 0; row < b->rows; row++) {
        uint32_t own = b->length[row];
        if (wide != NULL)
            wide[row] = total;
        else
            b->length[row] = (uint32_t)total;
        total += own;
    }
    if (wide != NULL) {
        wide[b->rows] = total;
        container_add(b->writer, type, 8, b->rows + 1, wide, e);
    } else {
        b->length[b->rows] = (uint32_t)total;
        container_add(b->writer, type, 4, b->rows + 1, b->length, e);
    }
    memory_release(budget, wide, b->rows + 1, 8);
    return e->status;
}

static void init_build(struct build *b, const struct placement *pl, uint32_t shard,
                       enum subgraph g, struct container_writer *writer)
{
    const struct vertex_order *o = pl->order;
    memset(b, 0, sizeof *b);
    b->placement = pl;
    b->shard = shard;
    b->g = g;
    b->rows = g == NN || g == ND ? o->shard[shard].locals : o->d;
    b->column_bits = pl->plan[g].column_bits;
    b->record_bytes = pl->plan[g].bytes;
    b->width = g == NN ? o->nn_column_bytes : 4;
    b->ranges = placement_rows(pl, g)->count;
    b->writer = writer;
}

enum status csr_build(const struct placement *pl, uint32_t shard, enum subgraph g, int heads,
                      struct container_writer *writer, int threads, struct memory_budget *budget,
                      struct csr_counts *counts, struct error *e)
{
    struct build b;
    init_build(&b, pl, shard, g, writer);
    if (memory_take(budget, (void **)&b.length, b.rows + 1, 4, "row lengths", e) != ST_OK)
        return e->status;
    count_rows(&b, threads);
    counts->source_rows = count_sources(&b, threads);
    counts->head_columns = b.k = choose_heads(&b, heads, counts->source_rows);
    uint64_t head_entries = b.rows * b.k;
    if (memory_take(budget, (void **)&b.heads, head_entries, 4, "head columns", e) != ST_OK)
        goto cleanup;
    memset(b.heads, 0xff, head_entries * 4); /* HEAD_NONE, also in ranges without edges */
    if (write_columns(&b, threads, e) != ST_OK)
        goto cleanup;
    counts->edges = b.edges;
    if (b.k > 0 && container_add(writer, shard_section_of(g, SHARD_HEADS), 4, head_entries,
                                 b.heads, e) != ST_OK)
        goto cleanup;
    if (write_sources(&b, counts->source_rows, budget, e) == ST_OK)
        write_offsets(&b, budget, e);
cleanup:
    memory_release(budget, b.heads, head_entries, 4);
    memory_release(budget, b.length, b.rows + 1, 4);
    return e->status;
}

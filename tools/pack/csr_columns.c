/* csr_columns.c: see csr_columns.h */
#include "csr_columns.h"

#include "upper_sweep.h"

#include "formats/base/crc.h"
#include "formats/base/text.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_PER_THREAD = 16 /* ranges that are sorted, or wait for those before them */ };

/* Memory for the columns of any range. It goes from range to range: memory fresh from the system is
 * cleared first, which would take longer than sorting into it. */
struct column_buffer {
    struct column_buffer *next;
    uint64_t room[]; /* PACKED_BLOCK in front; columns of 4 or 8 bytes each; blocks when packed */
};

/* An incomplete block. */
union carry {
    uint32_t of_4[PACKED_BLOCK];
    uint64_t of_8[PACKED_BLOCK];
};

struct range {
    struct column_buffer *buffer; /* NULL where there are no records */
    struct packed_block *block;   /* in the buffer, behind the columns */
    uint64_t count;               /* columns, the heads taken out */
    uint64_t carried;             /* elements of earlier ranges in front of them */
    uint64_t whole;               /* elements in whole blocks, from the carried ones on */
    uint64_t words;               /* these take, packed */
    uint64_t bytes, at;           /* in the file */
    uint32_t crc;
    int sorted, ready;            /* ready to be written */
};

struct queue {
    const struct csr_rows *csr;
    const struct section_writer *out;
    int packed;
    uint32_t to_take_end; /* ranges that a sweep takes, those of the section first; 0: no sweep */
    uint32_t window; /* ranges in flight, with a buffer each */
    int threads;
    uint64_t buffer_bytes, thread_bytes;
    struct packed_encoder encoder; /* of what is written */

    pthread_mutex_t lock; /* of what follows, and of ranges between two steps */
    pthread_cond_t moved;
    uint32_t to_take, taken; /* of a sweep: the next range; all before this one have been taken */
    unsigned char *is_taken; /* [to_take_end] */
    uint32_t to_sort, to_place, to_pack, to_reserve, to_write; /* the next range of each step */
    uint32_t written;
    struct range *range;         /* [csr->ranges] */
    struct column_buffer *spare; /* a list */
    struct error *error;
    uint64_t edges;
    uint64_t carried; /* elements of placed ranges that do not fill a block */
    union carry carry;
};

/* One thread's side. */
struct worker {
    struct queue *queue;
    struct range_sorter sorter;
    struct upper_sweeper sweeper; /* instead, for a sweep */
    struct error error;
    uint32_t *offsets; /* of the rows of what is packed */
    uint64_t offset_capacity;
};

static void stop(struct queue *q, const struct error *cause)
{
    pthread_mutex_lock(&q->lock);
    if (q->error->status == ST_OK)
        *q->error = *cause;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
}

/* ---- memory ---- */

/* Columns of `records` and, packed, what packing adds. */
static uint64_t columns_bytes(const struct queue *q, uint64_t records)
{
    return 8 * (PACKED_BLOCK + (records * q->csr->width + 7) / 8);
}

static uint64_t blocks_bytes(const struct queue *q, uint64_t records)
{
    return q->packed ? (packed_blocks(records) + 1) * sizeof(struct packed_block) : 0;
}

static uint64_t all_records(const struct csr_rows *csr)
{
    uint64_t records = 0;
    for (uint32_t r = 0; r < csr->ranges; r++)
        records += csr->records[r];
    return records;
}

/* As many threads as the memory allows, and as many ranges in flight as are of use to them. */
static enum status plan_memory(struct queue *q, struct error *e)
{
    char need[16], room[16];
    const struct memory_budget *budget = q->out->budget;
    /* the directory as it is written, beside the encoder's */
    uint64_t directory = blocks_bytes(q, all_records(q->csr));
    uint64_t records = 0, left = budget->limit_bytes - budget->taken_bytes;
    left = left > directory ? left - directory : 0;
    for (uint32_t r = 0; r < q->csr->ranges; r++)
        records = q->csr->records[r] > records ? q->csr->records[r] : records;
    q->buffer_bytes =
        sizeof(struct column_buffer) + columns_bytes(q, records) + blocks_bytes(q, records);
    q->thread_bytes = q->csr->swept ? upper_sweeper_bytes(q->csr) : range_sorter_bytes(q->csr);
    if (q->buffer_bytes + q->thread_bytes > left)
        return fail(e, ST_RESOURCE, "sorting edges: a range of rows needs %s, and %s of the memory "
                    "budget (-S) are left",
                    format_size(q->buffer_bytes + q->thread_bytes, need, sizeof need),
                    format_size(left, room, sizeof room));
    uint64_t most = left / (q->buffer_bytes + q->thread_bytes);
    q->threads = most < (uint64_t)q->out->threads ? (int)most : q->out->threads;
    most = (left - (uint64_t)q->threads * q->thread_bytes) / q->buffer_bytes;
    q->window = (uint32_t)(WINDOW_PER_THREAD * q->threads);
    q->window = most < q->window ? (uint32_t)most : q->window;
    return ST_OK;
}

static uint64_t planned_bytes(const struct queue *q)
{
    return q->window * q->buffer_bytes + (uint64_t)q->threads * q->thread_bytes;
}

static struct column_buffer *take_buffer(struct queue *q, struct error *e)
{
    pthread_mutex_lock(&q->lock);
    struct column_buffer *buffer = q->spare;
    if (buffer != NULL)
        q->spare = buffer->next;
    pthread_mutex_unlock(&q->lock);
    if (buffer == NULL)
        buffer = malloc(q->buffer_bytes);
    if (buffer == NULL)
        fail_memory(e, "sorting edges", q->buffer_bytes);
    return buffer;
}

/* Under the lock. */
static void give_buffer(struct queue *q, struct column_buffer *buffer)
{
    if (buffer == NULL)
        return;
    buffer->next = q->spare;
    q->spare = buffer;
}

/* The carried elements, and after them the range's own. */
static void *elements_of(const struct queue *q, const struct range *range)
{
    return (unsigned char *)(range->buffer->room + PACKED_BLOCK) - range->carried * q->csr->width;
}

/* ---- sorting ---- */

static enum status open_buffer(struct worker *w, struct range *range, uint32_t r)
{
    struct queue *q = w->queue;
    if (range->buffer != NULL || q->csr->records[r] == 0)
        return ST_OK;
    range->buffer = take_buffer(q, &w->error);
    if (range->buffer != NULL)
        range->block = (struct packed_block *)(range->buffer->room +
                                               columns_bytes(q, q->csr->records[r]) / 8);
    return w->error.status;
}

/* Ranges beyond those of the section have nothing to keep. */
static enum status take(struct worker *w, uint32_t r)
{
    struct queue *q = w->queue;
    uint32_t *columns = NULL;
    if (r < q->csr->ranges && open_buffer(w, &q->range[r], r) == ST_OK && q->range[r].buffer != NULL)
        columns = (uint32_t *)(q->range[r].buffer->room + PACKED_BLOCK);
    if (w->error.status == ST_OK)
        upper_sweep_take(q->csr, &w->sweeper, r, columns, &w->error);
    return w->error.status;
}

static enum status sort(struct worker *w, struct range *range, uint32_t r, uint64_t *edges)
{
    const struct csr_rows *csr = w->queue->csr;
    if (open_buffer(w, range, r) != ST_OK || range->buffer == NULL)
        return w->error.status;
    void *columns = range->buffer->room + PACKED_BLOCK;
    range->count = csr->swept ? upper_sweep_join(csr, &w->sweeper, r, columns, edges)
                              : range_sort(csr, &w->sorter, r, columns, edges, &w->error);
    return w->error.status;
}

/* ---- cutting into blocks, under the lock ---- */

/* Puts what earlier ranges left over in front of a range, and takes what it leaves over. */
static void place(struct queue *q, struct range *range)
{
    uint64_t width = q->csr->width, all = q->carried + range->count;
    unsigned char *carry = (unsigned char *)&q->carry, *elements;
    if (range->count == 0)
        return;
    if (all < PACKED_BLOCK) {
        memcpy(carry + q->carried * width, elements_of(q, range), range->count * width);
    } else {
        range->carried = q->carried;
        range->whole = all / PACKED_BLOCK * PACKED_BLOCK;
        elements = elements_of(q, range);
        memcpy(elements, carry, q->carried * width);
        memcpy(carry, elements + range->whole * width, (all - range->whole) * width);
    }
    q->carried = all - range->whole;
}

static void place_sorted(struct queue *q)
{
    const struct csr_rows *csr = q->csr;
    while (q->to_place < csr->ranges && q->range[q->to_place].sorted) {
        struct range *range = &q->range[q->to_place++];
        if (q->packed) {
            place(q, range);
        } else {
            range->ready = 1;
            q->to_pack++;
        }
    }
    pthread_cond_broadcast(&q->moved);
}

/* ---- packing ---- */

/* The rows of `carried` elements before row `begin`, and those up to row `end`; the elements of the
 * first one before them are not counted. */
static enum status find_rows(struct worker *w, uint64_t begin, uint64_t end, uint64_t carried,
                             struct packed_rows *rows)
{
    const struct csr_rows *csr = w->queue->csr;
    uint64_t first = begin, before = 0, at = 0;
    while (before < carried)
        before += csr->length[--first];
    if (end - first + 1 > w->offset_capacity) {
        free(w->offsets);
        w->offset_capacity = 2 * (end - first + 1);
        w->offsets = malloc(w->offset_capacity * sizeof *w->offsets);
        if (w->offsets == NULL) {
            w->offset_capacity = 0;
            return fail_memory(&w->error, "packing edges", (end - first + 1) * sizeof *w->offsets);
        }
    }
    w->offsets[0] = 0;
    for (uint64_t row = first; row < end; row++) {
        at += csr->length[row] - (row == first ? before - carried : 0);
        w->offsets[row - first + 1] = (uint32_t)at;
    }
    *rows = (struct packed_rows){
        .rows = end - first,
        .offsets = w->offsets,
        .offset_width = 4,
        .heads = csr->k == 0 ? NULL : csr->heads + (csr->k - 1) * csr->rows + first};
    return ST_OK;
}

static enum status pack(struct worker *w, struct range *range, uint32_t r)
{
    const struct csr_rows *csr = w->queue->csr;
    struct packed_rows rows;
    if (range->whole == 0)
        return ST_OK;
    if (find_rows(w, range_begin(csr, r), range_begin(csr, r + 1), range->carried, &rows) != ST_OK)
        return w->error.status;
    void *elements = elements_of(w->queue, range);
    range->words = packed_encode_blocks(csr->width, &rows, elements, range->whole, elements,
                                        range->block, 1);
    return ST_OK;
}

/* ---- writing ---- */

static const void *file_elements(const struct queue *q, const struct range *range)
{
    return range->count > 0 ? elements_of(q, range) : NULL;
}

/* What a range adds to the file, before its place there is known. */
static void weigh(const struct queue *q, struct range *range)
{
    range->bytes = q->packed ? range->words * sizeof(uint32_t) : range->count * q->csr->width;
    if (range->bytes > 0 && container_seekable(q->out->writer))
        range->crc = crc32_parallel(file_elements(q, range), range->bytes, 1);
}

/* Under the lock, in the order of the ranges. Columns one after the other take no words at all. */
static enum status reserve(struct queue *q, struct range *range, struct error *e)
{
    struct container_writer *w = q->out->writer;
    uint64_t count = q->packed ? range->whole : range->count;
    if (count == 0)
        return ST_OK;
    if (q->packed && packed_encoder_add(&q->encoder, count, range->block, range->words, e) != ST_OK)
        return e->status;
    if (container_seekable(w))
        return container_reserve(w, count, range->bytes, range->crc, &range->at, e);
    if (q->packed)
        return container_append_words(w, count, file_elements(q, range), range->words, e);
    return container_append(w, count, file_elements(q, range), e);
}

/* Under the lock: places in the file for every range that is ready and next. */
static void reserve_ready(struct queue *q)
{
    while (q->to_reserve < q->csr->ranges && q->range[q->to_reserve].ready &&
           q->error->status == ST_OK) {
        struct error error = {0};
        if (reserve(q, &q->range[q->to_reserve], &error) != ST_OK)
            *q->error = error;
        q->to_reserve++;
    }
    pthread_cond_broadcast(&q->moved);
}

static enum status write_range(struct worker *w, const struct range *range)
{
    const struct queue *q = w->queue;
    if (range->bytes > 0 && container_seekable(q->out->writer))
        container_fill(q->out->writer, range->at, file_elements(q, range), range->bytes, &w->error);
    return w->error.status;
}

/* Under the lock. */
static void finish_write(struct queue *q, struct range *range)
{
    give_buffer(q, range->buffer);
    range->buffer = NULL;
    q->written++;
    pthread_cond_broadcast(&q->moved);
}

/* The elements that fill no block, and the directory. */
static void write_rest(struct worker *w, struct error *e)
{
    struct queue *q = w->queue;
    struct packed_rows rows;
    struct packed_block block;
    uint64_t end = q->csr->rows;
    if (q->carried > 0 && find_rows(w, end, end, q->carried, &rows) != ST_OK)
        *e = w->error;
    if (q->carried > 0 && e->status == ST_OK) {
        uint32_t words[2 * PACKED_BLOCK];
        uint64_t made = packed_encode_blocks(q->csr->width, &rows, &q->carry, q->carried, words,
                                             &block, 1);
        if (packed_encoder_add(&q->encoder, q->carried, &block, made, e) == ST_OK)
            container_append_words(q->out->writer, q->carried, words, made, e);
    }
    if (e->status == ST_OK)
        container_append_directory(q->out->writer, &q->encoder, e);
}

/* ---- threads ---- */

enum step { TAKE, SORT, PACK, WRITE, STOP };

/* Under the lock: whether there are fewer ranges in flight than there may be. */
static int may_start(const struct queue *q, uint32_t next)
{
    return next >= q->csr->ranges || next - q->written < q->window;
}

/* Under the lock. What is near its end comes first, so that buffers are few and still in the cache. */
static enum step next_step(struct queue *q, uint32_t *r)
{
    if (q->to_write < q->to_reserve) {
        *r = q->to_write++;
        return WRITE;
    }
    if (q->to_pack < q->to_place) {
        *r = q->to_pack++;
        return PACK;
    }
    if (q->to_sort < q->csr->ranges &&
        (q->to_take_end > 0 ? q->to_sort < q->taken : may_start(q, q->to_sort))) {
        *r = q->to_sort++;
        return SORT;
    }
    if (q->to_take < q->to_take_end && may_start(q, q->to_take)) {
        *r = q->to_take++;
        return TAKE;
    }
    return STOP;
}

/* Waits for a step while another thread may bring about one. */
static enum step take_step(struct queue *q, uint32_t *r)
{
    enum step step = STOP;
    pthread_mutex_lock(&q->lock);
    while (q->error->status == ST_OK && (step = next_step(q, r)) == STOP &&
           (q->to_write < q->csr->ranges || q->to_take < q->to_take_end))
        pthread_cond_wait(&q->moved, &q->lock);
    if (q->error->status != ST_OK)
        step = STOP;
    pthread_mutex_unlock(&q->lock);
    return step;
}

/* Under the lock. */
static void finish_take(struct queue *q, uint32_t r)
{
    q->is_taken[r] = 1;
    while (q->taken < q->to_take_end && q->is_taken[q->taken])
        q->taken++;
    pthread_cond_broadcast(&q->moved);
}

static enum status run_step(struct worker *w, enum step step, uint32_t r, uint64_t *edges)
{
    struct queue *q = w->queue;
    struct range *range = &q->range[r];
    switch (step) {
    case TAKE: return take(w, r);
    case SORT:
        if (sort(w, range, r, edges) == ST_OK && !q->packed)
            weigh(q, range);
        break;
    case PACK:
        if (pack(w, range, r) == ST_OK)
            weigh(q, range);
        break;
    default: write_range(w, range); break;
    }
    return w->error.status;
}

static enum status do_step(struct worker *w, enum step step, uint32_t r)
{
    struct queue *q = w->queue;
    uint64_t edges = 0;
    if (run_step(w, step, r, &edges) != ST_OK)
        return w->error.status;
    pthread_mutex_lock(&q->lock);
    q->edges += edges;
    if (step == TAKE) {
        finish_take(q, r);
    } else if (step == SORT) {
        q->range[r].sorted = 1;
        place_sorted(q);
    } else if (step == PACK) {
        q->range[r].ready = 1;
    } else {
        finish_write(q, &q->range[r]);
    }
    reserve_ready(q);
    pthread_mutex_unlock(&q->lock);
    return ST_OK;
}

static enum status open_worker(struct worker *w)
{
    const struct csr_rows *csr = w->queue->csr;
    return csr->swept ? upper_sweeper_open(&w->sweeper, csr, omp_get_thread_num(), &w->error)
                      : range_sorter_open(&w->sorter, csr, &w->error);
}

static void close_worker(struct worker *w)
{
    if (w->queue->csr->swept)
        upper_sweeper_close(&w->sweeper);
    else
        range_sorter_close(&w->sorter);
    free(w->offsets);
}

static void work(struct worker *w)
{
    struct queue *q = w->queue;
    enum step step;
    uint32_t r = 0;
    open_worker(w);
    while (w->error.status == ST_OK && (step = take_step(q, &r)) != STOP)
        do_step(w, step, r);
    if (w->error.status != ST_OK)
        stop(q, &w->error);
    close_worker(w);
}

static void run(struct queue *q, struct error *e)
{
    const struct csr_rows *csr = q->csr;
    enum section_encoding encoding = q->packed ? ENCODING_PACKED : ENCODING_RAW;
    if (container_begin(q->out->writer, shard_section_of(csr->g, SHARD_COLUMNS), encoding,
                        csr->width, e) != ST_OK)
        return;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->moved, NULL);
#pragma omp parallel num_threads(q->threads)
    {
        struct worker worker = {.queue = q};
        work(&worker);
    }
    pthread_cond_destroy(&q->moved);
    pthread_mutex_destroy(&q->lock);
    struct worker last = {.queue = q};
    if (q->packed && e->status == ST_OK)
        write_rest(&last, e);
    free(last.offsets);
}

static void run_charged(struct queue *q, struct error *e)
{
    q->out->budget->taken_bytes += planned_bytes(q);
    run(q, e);
    q->out->budget->taken_bytes -= planned_bytes(q);
    for (uint32_t r = 0; r < q->csr->ranges; r++)
        give_buffer(q, q->range[r].buffer);
    for (struct column_buffer *next; q->spare != NULL; q->spare = next) {
        next = q->spare->next;
        free(q->spare);
    }
}

static enum status write_ranges(struct queue *q, struct error *e)
{
    q->range = calloc(q->csr->ranges + 1, sizeof *q->range);
    q->is_taken = calloc(q->to_take_end + 1, sizeof *q->is_taken);
    if (q->range == NULL || q->is_taken == NULL)
        fail_memory(e, "sorting edges", q->csr->ranges * sizeof *q->range);
    else
        run_charged(q, e);
    free(q->range);
    free(q->is_taken);
    return e->status;
}

enum status csr_columns_write(const struct csr_rows *csr, const struct section_writer *out,
                              enum section_encoding encoding, uint64_t *edges, struct error *e)
{
    struct queue q = {.csr = csr,
                      .out = out,
                      .packed = encoding == ENCODING_PACKED,
                      .to_take_end = csr->swept ? csr->placement->upper->ranges.count : 0,
                      .error = e};
    packed_encoder_init(&q.encoder, csr->width, out->budget);
    if ((!q.packed || packed_encoder_reserve(&q.encoder, all_records(csr), e) == ST_OK) &&
        plan_memory(&q, e) == ST_OK)
        write_ranges(&q, e);
    packed_encoder_free(&q.encoder);
    *edges = q.edges;
    return e->status;
}

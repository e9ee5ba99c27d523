/* csr_columns.c: see csr_columns.h */
#include "csr_columns.h"

#include "formats/base/arith.h"
#include "formats/base/crc.h"
#include "formats/base/huge.h"
#include "formats/base/progress.h"
#include "formats/base/text.h"
#include "formats/work/pipeline.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_PER_THREAD = 16 /* ranges that are sorted, or wait for those before them */ };
enum { ANY_ORDER, ORDERED }; /* of a stage */

/* Memory for the columns of one range, used again for a later range, because the system takes longer to clear new memory than a
 * thread to sort into it. */
struct column_buffer {
    struct column_buffer *next;
    uint64_t room[]; /* PACKED_BLOCK in front; columns of 4 or 8 bytes each; blocks when packed */
};

/* Buffers that threads share, of one array in huge pages: those that were given back, and in front of `fresh` those never used yet. */
struct buffer_list {
    pthread_mutex_t lock;
    struct column_buffer *first;
    uint64_t buffer_bytes;
    unsigned char *array, *fresh;
};

/* The last elements of the ranges so far, which do not fill a block. */
struct carry {
    uint64_t count;
    union {
        uint32_t of_4[PACKED_BLOCK];
        uint64_t of_8[PACKED_BLOCK];
    } element;
};

/* A range on its way through the stages. */
struct range {
    uint32_t r;
    struct column_buffer *buffer; /* NULL where there are no records */
    struct packed_block *block;   /* in the buffer, behind the columns */
    uint64_t count;               /* columns, the heads taken out */
    uint64_t carried;             /* elements of earlier ranges in front of them */
    uint64_t whole;               /* elements in whole blocks, from the carried ones on */
    uint64_t words;               /* packed size of these elements, in words of 4 bytes */
    uint64_t bytes, at;           /* in the file */
    uint32_t crc;
};

/* The state of one thread. */
struct worker {
    int open;
    struct range_sorter sorter;
    uint64_t edges;
    uint32_t *offsets; /* of the rows that are being encoded */
    uint64_t offset_capacity;
};

struct columns_job {
    const struct csr_rows *csr;
    const struct section_writer *out;
    int packed;
    uint32_t next;   /* range to take */
    uint32_t window; /* ranges under way, with a buffer each */
    int threads;
    uint64_t thread_bytes;
    struct packed_encoder encoder; /* collects the directory of the blocks */
    struct carry carry;
    struct buffer_list spare;
    struct worker *worker; /* [threads] */
};

static uint32_t range_count_of(const struct columns_job *j)
{
    return j->csr->plan->rows->count;
}

/* ---- memory ---- */

/* Bytes of a buffer for the columns of `records` records, and for those carried in front. */
static uint64_t columns_bytes(const struct columns_job *j, uint64_t records)
{
    return 8 * (PACKED_BLOCK + (records * j->csr->width + 7) / 8);
}

/* Bytes for the directory of so many packed records; 0 if they are not packed. */
static uint64_t blocks_bytes(const struct columns_job *j, uint64_t records)
{
    return j->packed ? (packed_blocks(records) + 1) * sizeof(struct packed_block) : 0;
}

static uint64_t all_records(const struct columns_job *j)
{
    uint64_t records = 0;
    for (uint32_t r = 0; r < range_count_of(j); r++)
        records += j->csr->records_in[r];
    return records;
}

/* Chooses as many threads as the memory allows, and as many ranges under way as these threads can use. */
static enum status plan_memory(struct columns_job *j, struct error *e)
{
    char need[16], room[16];
    /* the directory as it is written, beside the encoder's */
    uint64_t directory = blocks_bytes(j, all_records(j)), records = 0, left = memory_left(j->out->budget);
    for (uint32_t r = 0; r < range_count_of(j); r++)
        records = larger(records, j->csr->records_in[r]); /* of a range */
    left = left > directory ? left - directory : 0;
    uint64_t buffer = sizeof(struct column_buffer) + columns_bytes(j, records) + blocks_bytes(j, records);
    j->spare.buffer_bytes = buffer;
    j->thread_bytes = range_sorter_bytes(j->csr);
    if (buffer + j->thread_bytes > left)
        return fail(e, ST_RESOURCE,
                    "sorting edges: a range of rows needs %s, and %s of the memory "
                    "budget (-S) are left",
                    format_size(buffer + j->thread_bytes, need, sizeof need),
                    format_size(left, room, sizeof room));
    uint64_t most = left / (buffer + j->thread_bytes);
    j->threads = most < (uint64_t)j->out->threads ? (int)most : j->out->threads;
    most = (left - (uint64_t)j->threads * j->thread_bytes) / buffer;
    j->window = (uint32_t)(WINDOW_PER_THREAD * j->threads);
    j->window = most < j->window ? (uint32_t)most : j->window;
    return ST_OK;
}

/* Takes a buffer that was given back, or a fresh one: there is one for each range under way. */
static struct column_buffer *take_buffer(struct buffer_list *list)
{
    pthread_mutex_lock(&list->lock);
    struct column_buffer *buffer = list->first;
    if (buffer != NULL) {
        list->first = buffer->next;
    } else {
        buffer = (struct column_buffer *)(void *)list->fresh;
        list->fresh += list->buffer_bytes;
    }
    pthread_mutex_unlock(&list->lock);
    return buffer;
}

/* Gives the buffer of a range back. */
static void give_buffer(struct buffer_list *list, struct range *range)
{
    if (range->buffer == NULL)
        return;
    pthread_mutex_lock(&list->lock);
    range->buffer->next = list->first;
    list->first = range->buffer;
    pthread_mutex_unlock(&list->lock);
    range->buffer = NULL;
}

/* Where the elements of a range are: the carried ones, and after them its own. */
static void *elements_of(const struct columns_job *j, const struct range *range)
{
    return (unsigned char *)(range->buffer->room + PACKED_BLOCK) - range->carried * j->csr->width;
}

/* The state of the calling thread. */
static struct worker *own_worker(const struct columns_job *j)
{
    return &j->worker[omp_get_thread_num()];
}

/* ---- what a range adds to the file ---- */

/* The bytes that the range adds to the file. */
static const void *file_elements(const struct columns_job *j, const struct range *range)
{
    return range->count > 0 ? elements_of(j, range) : NULL;
}

/* Sets the bytes that a range adds to the file and, if the file can seek, their CRC. */
static void weigh(const struct columns_job *j, struct range *range)
{
    range->bytes = j->packed ? range->words * sizeof(uint32_t) : range->count * j->csr->width;
    if (range->bytes > 0 && container_seekable(j->out->writer))
        range->crc = crc32_parallel(file_elements(j, range), range->bytes, /* threads */ 1);
}

/* ---- stages: sorting ---- */

/* Takes the next range; the first stage. */
static enum status take_range(void *context, void *slot, int *end, struct error *e)
{
    struct columns_job *j = context;
    *(struct range *)slot = (struct range){.r = j->next};
    *end = j->next == range_count_of(j);
    j->next++;
    return e->status;
}

/* Opens the calling thread's sorter, the first time. */
static enum status open_worker(const struct columns_job *j, struct worker *w, struct error *e)
{
    if (w->open)
        return ST_OK;
    w->open = 1;
    return range_sorter_open(&w->sorter, j->csr, omp_get_thread_num(), e);
}

/* A stage: sorts the placed records of a range into a buffer (range_sort). */
static enum status sort_placed(void *context, void *slot, struct error *e)
{
    struct columns_job *j = context;
    struct range *range = slot;
    struct worker *w = own_worker(j);
    uint64_t records = j->csr->records_in[range->r];
    if (records == 0 || open_worker(j, w, e) != ST_OK)
        return e->status;
    range->buffer = take_buffer(&j->spare);
    range->block = (struct packed_block *)(range->buffer->room + columns_bytes(j, records) / 8);
    return range_sort(j->csr, &w->sorter, range->r, range->buffer->room + PACKED_BLOCK, e);
}

/* A stage that only waits: it is an ordered one, so when a range has passed it, all earlier ranges have been sorted. */
static enum status wait_for_earlier_ranges(void *context, void *slot, struct error *e)
{
    (void)context;
    (void)slot;
    return e->status;
}

/* A stage: makes the rows of a range (range_finish). */
static enum status finish_rows(void *context, void *slot, struct error *e)
{
    struct columns_job *j = context;
    struct range *range = slot;
    struct worker *w = own_worker(j);
    if (range->buffer == NULL || open_worker(j, w, e) != ST_OK)
        return e->status;
    range->count = range_finish(j->csr, &w->sorter, range->r, range->buffer->room + PACKED_BLOCK,
                                &w->edges, e);
    if (!j->packed)
        weigh(j, range);
    return e->status;
}

/* Both as one stage, for ranges that need no others. */
static enum status sort_and_finish(void *context, void *slot, struct error *e)
{
    return sort_placed(context, slot, e) == ST_OK ? finish_rows(context, slot, e) : e->status;
}

/* ---- stages: packing ---- */

/* Cuts the columns of a range into whole blocks. Columns that earlier ranges left over go in front, and those that this range
 * leaves over are kept for the next. An ordered stage. */
static enum status cut_blocks(void *context, void *slot, struct error *e)
{
    struct columns_job *j = context;
    struct range *range = slot;
    uint64_t width = j->csr->width, carried = j->carry.count, all = carried + range->count;
    unsigned char *carry = (unsigned char *)&j->carry.element, *elements;
    if (range->count == 0)
        return e->status;
    if (all < PACKED_BLOCK) {
        memcpy(carry + carried * width, elements_of(j, range), range->count * width);
    } else {
        range->carried = carried;
        range->whole = all / PACKED_BLOCK * PACKED_BLOCK;
        elements = elements_of(j, range);
        memcpy(elements, carry, carried * width);
        memcpy(carry, elements + range->whole * width, (all - range->whole) * width);
    }
    j->carry.count = all - range->whole;
    return e->status;
}

/* Makes room for the offsets of `count` - 1 rows. */
static enum status take_offsets(struct worker *w, uint64_t count, struct error *e)
{
    if (count <= w->offset_capacity)
        return ST_OK;
    free(w->offsets);
    w->offset_capacity = 2 * count;
    w->offsets = malloc(w->offset_capacity * sizeof *w->offsets);
    if (w->offsets != NULL)
        return ST_OK;
    w->offset_capacity = 0;
    return fail_memory(e, "packing edges", 2 * count * sizeof *w->offsets);
}

/* Finds the rows whose columns are encoded: those of the last `carried` columns before row `begin`, then row `begin` up to row
 * `end`. Of the first row found, only the carried columns count. */
static enum status find_rows(const struct csr_rows *csr, struct worker *w, uint64_t begin,
                             uint64_t end, uint64_t carried, struct packed_rows *rows,
                             struct error *e)
{
    uint64_t first = begin, before = 0, at = 0;
    while (before < carried)
        before += csr->kept_of[--first];
    if (take_offsets(w, end - first + 1, e) != ST_OK)
        return e->status;
    w->offsets[0] = 0;
    for (uint64_t row = first; row < end; row++) {
        at += csr->kept_of[row] - (row == first ? before - carried : 0);
        w->offsets[row - first + 1] = (uint32_t)at;
    }
    *rows = (struct packed_rows){
        .rows = end - first,
        .offsets = w->offsets,
        .offset_width = 4,
        .heads = csr->k == 0 ? NULL : csr->heads + (csr->k - 1) * csr->rows + first};
    return ST_OK;
}

/* A stage: packs the whole blocks of a range, in place. */
static enum status encode(void *context, void *slot, struct error *e)
{
    struct columns_job *j = context;
    const struct csr_rows *csr = j->csr;
    struct range *range = slot;
    struct packed_rows rows;
    if (range->whole == 0 ||
        find_rows(csr, own_worker(j), range_begin(csr, range->r), range_begin(csr, range->r + 1),
                  range->carried, &rows, e) != ST_OK)
        return e->status;
    void *elements = elements_of(j, range);
    range->words = packed_encode_blocks(csr->width, &rows, elements, range->whole, elements,
                                        range->block, /* threads */ 1);
    weigh(j, range);
    return e->status;
}

/* ---- stages: writing ---- */

/* Gives the range its place in the file, or appends it if the file cannot seek. An ordered stage. A range may have no bytes:
 * packed columns take no words if they are consecutive. */
static enum status reserve(void *context, void *slot, struct error *e)
{
    struct columns_job *j = context;
    struct range *range = slot;
    struct container_writer *w = j->out->writer;
    uint64_t count = j->packed ? range->whole : range->count;
    if (count == 0)
        return e->status;
    if (j->packed &&
        packed_encoder_add(&j->encoder, count, range->block, range->words, e) != ST_OK)
        return e->status;
    if (container_seekable(w))
        return container_reserve(w, count, range->bytes, range->crc, &range->at, e);
    if (j->packed)
        return container_append_words(w, count, file_elements(j, range), range->words, e);
    return container_append(w, count, file_elements(j, range), e);
}

/* A stage: writes the range to its place, and gives its buffer back. */
static enum status write_out(void *context, void *slot, struct error *e)
{
    struct columns_job *j = context;
    struct range *range = slot;
    if (range->bytes > 0 && container_seekable(j->out->writer))
        container_fill(j->out->writer, range->at, file_elements(j, range), range->bytes, e);
    progress_add(j->csr->records_in[range->r]);
    give_buffer(&j->spare, range);
    return e->status;
}

/* ---- everything ---- */

/* Writes the last elements, which fill no block, and the directory. */
static enum status write_rest(struct columns_job *j, struct error *e)
{
    struct packed_rows rows;
    struct packed_block block;
    uint64_t end = j->csr->rows, left = j->carry.count;
    if (left > 0 && find_rows(j->csr, &j->worker[0], end, end, left, &rows, e) == ST_OK) {
        uint32_t words[2 * PACKED_BLOCK];
        uint64_t made = packed_encode_blocks(j->csr->width, &rows, &j->carry.element, left, words,
                                             &block, /* threads */ 1);
        if (packed_encoder_add(&j->encoder, left, &block, made, e) == ST_OK)
            container_append_words(j->out->writer, left, words, made, e);
    }
    if (e->status == ST_OK)
        container_append_directory(j->out->writer, &j->encoder, e);
    return e->status;
}

/* Lists the stages that this subgraph and encoding need; returns their number. */
static int list_stages(const struct columns_job *j, struct pipeline_stage *stages)
{
    int count = 0, joins_itself = j->csr->to != NULL && j->csr->to == j->csr->from;
    if (joins_itself) {
        stages[count++] = (struct pipeline_stage){ANY_ORDER, sort_placed};
        stages[count++] = (struct pipeline_stage){ORDERED, wait_for_earlier_ranges};
        stages[count++] = (struct pipeline_stage){ANY_ORDER, finish_rows};
    } else {
        stages[count++] = (struct pipeline_stage){ANY_ORDER, sort_and_finish};
    }
    if (j->packed) {
        stages[count++] = (struct pipeline_stage){ORDERED, cut_blocks};
        stages[count++] = (struct pipeline_stage){ANY_ORDER, encode};
    }
    stages[count++] = (struct pipeline_stage){ORDERED, reserve};
    stages[count++] = (struct pipeline_stage){ANY_ORDER, write_out};
    stages[count++] = (struct pipeline_stage){ORDERED, wait_for_earlier_ranges};
    return count;
}

/* Sorts, packs and writes all ranges. */
static enum status run_stages(struct columns_job *j, struct range *ranges, void **slots, struct error *e)
{
    struct pipeline_stage stages[PIPELINE_MAX_STAGES];
    struct pipeline pipeline = {.context = j,
                                .take = take_range,
                                .stages = stages,
                                .stage_count = list_stages(j, stages),
                                .slots = slots,
                                .slot_count = (int)j->window,
                                .threads = j->threads};
    for (uint32_t i = 0; i < j->window; i++)
        slots[i] = &ranges[i];
    pipeline_run(&pipeline, e);
    for (uint32_t i = 0; i < j->window; i++)
        give_buffer(&j->spare, &ranges[i]);
    return e->status;
}

/* Adds up the edges of all threads in *edges, and frees what they had. */
static void release(struct columns_job *j, uint64_t *edges)
{
    for (int i = 0; j->worker != NULL && i < j->threads; i++) {
        *edges += j->worker[i].edges;
        range_sorter_close(&j->worker[i].sorter);
        free(j->worker[i].offsets);
    }
    free(j->worker);
    free(j->spare.array);
}

/* Writes the columns, once their memory is charged. */
static enum status write_columns(struct columns_job *j, uint64_t *edges, struct error *e)
{
    struct range *ranges = calloc(j->window, sizeof *ranges);
    void **slots = calloc(j->window, sizeof *slots);
    enum section_encoding encoding = j->packed ? ENCODING_PACKED : ENCODING_RAW;
    j->worker = calloc((size_t)j->threads, sizeof *j->worker);
    j->spare.array = j->spare.fresh = huge_malloc(j->window * j->spare.buffer_bytes);
    pthread_mutex_init(&j->spare.lock, NULL);
    if (ranges == NULL || slots == NULL || j->worker == NULL || j->spare.array == NULL)
        fail_memory(e, "sorting edges", j->window * (sizeof *ranges + j->spare.buffer_bytes));
    else if (container_begin(j->out->writer, shard_section_of(j->csr->g, SHARD_COLUMNS), encoding,
                             j->csr->width, e) == ST_OK &&
             (all_records(j) == 0 || run_stages(j, ranges, slots, e) == ST_OK) && j->packed)
        write_rest(j, e);
    release(j, edges);
    pthread_mutex_destroy(&j->spare.lock);
    free(ranges);
    free(slots);
    return e->status;
}

/* Writes the columns of all ranges, once these are counted; sets *edges to the directed edges kept. */
enum status csr_columns_write(const struct csr_rows *csr, const struct section_writer *out,
                              enum section_encoding encoding, uint64_t *edges, struct error *e)
{
    struct columns_job j = {.csr = csr, .out = out, .packed = encoding == ENCODING_PACKED};
    *edges = 0;
    packed_encoder_init(&j.encoder, csr->width, out->budget);
    if ((!j.packed || packed_encoder_reserve(&j.encoder, all_records(&j), e) == ST_OK) &&
        plan_memory(&j, e) == ST_OK) {
        uint64_t bytes = j.window * j.spare.buffer_bytes + (uint64_t)j.threads * j.thread_bytes;
        memory_charge_planned(out->budget, bytes);
        write_columns(&j, edges, e);
        memory_discharge(out->budget, bytes);
    }
    packed_encoder_free(&j.encoder);
    return e->status;
}

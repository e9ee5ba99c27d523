/* windows.c: brings the values of a window of consecutive input ids together from all shards; see windows.h
 *
 * - A single device has its values in the order of input ids, so they are used as they are.
 * - If ids are not permuted, consecutive ids belong to consecutive shards, in rotation. So each shard sends the range of
 *   its values that lies in the window, and the receiver interleaves the ranges.
 * - If ids are permuted, an id of a window may belong to any shard. So each shard goes over all ids of the window, and
 *   sends a list of the values that it has, with a byte for each that says which id of its block it belongs to (struct value_list).
 *
 * Lists, and ranges in device memory, are first copied to memory of the host. Ranges in memory of the host are not copied.
 */
#include "windows.h"

#include "traverse/cpu/thread_pool.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ROUND_IDS: ids that all ranks together read at a time. LEAST_WINDOW: the fewest ids of a window. PIECE: ids that a thread
 * handles at a time. STORED_AT_ONCE: ids that are permuted in one call, with vector instructions. */
enum { ROUND_IDS = 1 << 20, LEAST_WINDOW = 1 << 14, PIECE = 1 << 14, STORED_AT_ONCE = 512 };

static const char memory_name[] = "windows of results";

/* ---- memory ---- */

/* Rounds a number of bytes up to a multiple of 8, so that copies that lie one after the other are all aligned. */
static uint64_t padded(uint64_t bytes)
{
    return divide_up(bytes, 8) * 8;
}

/* Returns the bytes that the blocks of a list take, for a window of `ids` ids. */
static uint64_t blocks_bytes(uint64_t ids)
{
    return padded(divide_up(ids, LIST_BLOCK) * sizeof(struct list_block));
}

/* Returns the bytes that a list of `count` values of `width` bytes takes. */
static uint64_t list_bytes(uint64_t ids, uint32_t width, uint64_t count)
{
    return padded(blocks_bytes(ids) + count * (width + sizeof(uint8_t)));
}

/* Returns the list at address `at`: first the blocks, then space for `count` values, and then for their indices. */
static struct value_list list_at(void *at, uint64_t ids, uint32_t width, uint64_t count)
{
    struct value_list list = {.width = width, .blocks = at, .count = count};
    list.values = (char *)at + blocks_bytes(ids);
    list.index = (uint8_t *)list.values + count * width;
    return list;
}

/* Collective. Chooses the size of windows, allocates their memory, and opens the pool of threads that fill them. */
enum status windows_open(struct windows *w, const struct answers *answers, struct error *e)
{
    const struct rank *rank = answers->rank;
    const struct backend *backend = rank->backend;
    const uint32_t width = answers_width(answers, ANSWER_PARENTS); /* values of depths never have more bytes */
    const uint64_t share = ROUND_IDS / rank->comm->ranks;
    *w = (struct windows){
        .answers = answers, .rank = rank, .p = rank->graph->manifest.p, .threads = omp_get_max_threads(), .depth_width = 4};
    w->ids = share < LEAST_WINDOW ? LEAST_WINDOW : share < ANSWER_WINDOW ? share : ANSWER_WINDOW;
    w->permuted = rank->graph->manifest.randomized && w->p > 1;
    w->takes_own = w->permuted && !backend->has_device_memory;
    w->copied_bytes = w->permuted ? list_bytes(w->ids, width, w->ids) : padded((w->ids / w->p + 1) * width);
    w->source = zeroed(w->p, sizeof *w->source, memory_name, e);
    byte_spans_open(&w->spans, rank, e);
    w->spans.caller_stages = 1;
    if (e->status == ST_OK)
        w->window = backend->take_buffer(rank->devices[0], EXCHANGE_HOST, w->ids * width, memory_name, e);
    if (e->status == ST_OK)
        w->copied = backend->take_buffer(rank->devices[0], EXCHANGE_HOST,
                                         rank->device_count * rank->comm->ranks * w->copied_bytes, memory_name, e);
    if (e->status == ST_OK)
        pool_open(&w->pool, w->threads, e);
    return comm_agree(rank->comm, e);
}

void windows_close(struct windows *w)
{
    if (w->answers == NULL)
        return;
    pool_close(w->pool);
    w->rank->backend->release_buffer(w->rank->devices[0], EXCHANGE_HOST, w->window);
    w->rank->backend->release_buffer(w->rank->devices[0], EXCHANGE_HOST, w->copied);
    byte_spans_close(&w->spans);
    free(w->source);
}

/* ---- byte spans for the windows of all ranks ---- */

/* Returns the values that device g has of the ids in `range`, as a byte span in memory of the host. If ids are permuted, writes
 * a list to `copy`. Otherwise returns a range of the device's values, which is copied to `copy` if it is in device memory, or if depths
 * are narrowed. `copy` has copied_bytes bytes. */
static struct byte_span span_of_range(const struct windows *w, uint32_t g, struct id_range range, char *copy, struct error *e)
{
    const struct rank *rank = w->rank;
    const struct backend *backend = rank->backend;
    struct device *device = rank->devices[g];
    const uint64_t held = answers_width(w->answers, w->now.kind), ids = range.end - range.first;
    const uint32_t width = w->now.width;
    if (w->permuted) {
        struct value_list list = list_at(copy, ids, width, ids);
        backend->answers->list_values(device, w->now.kind, range.first, ids, &list, e);
        memmove(list_at(copy, ids, width, list.count).index, list.index, list.count);
        return (struct byte_span){.at = copy, .bytes = list_bytes(ids, width, list.count)};
    }
    const uint32_t s = rank->graph->shards[g].index;
    const uint64_t first = slots_of_shard(range.first, s, w->p),
                   count = slots_of_shard(range.end, s, w->p) - first;
    const char *values = (const char *)w->answers->arrays[g].values + first * held;
    const int narrows = width < held, copies = narrows || backend->has_device_memory;
    if (narrows)
        backend->answers->copy_narrowed(device, copy, (const int32_t *)(const void *)values, count, width, e);
    else if (copies)
        backend->answers->copy(device, copy, values, count * held, e);
    return (struct byte_span){.at = copies ? copy : values, .bytes = count * width};
}

/* Sets the byte spans of device g to the values that it has in the window of each rank. The first device of that rank receives
 * them. With w->takes_own, leaves out the window of this rank, for which fill_from_lists reads the values directly. Called by
 * rank_each, with the struct windows. */
static enum status prepare_spans(void *context, uint32_t g, struct error *e)
{
    const struct windows *w = context;
    const struct comm *comm = w->rank->comm;
    for (uint32_t r = 0; r < comm->ranks && e->status == ST_OK; r++) {
        char *copy = w->copied + ((uint64_t)g * comm->ranks + r) * w->copied_bytes;
        int empty = w->now.range[r].first == w->now.range[r].end || (r == comm->rank && w->takes_own);
        byte_spans_out(&w->spans, g)[shard_of_device(r, 0, comm->ranks)] =
            empty ? (struct byte_span){0} : span_of_range(w, g, w->now.range[r], copy, e);
    }
    return e->status;
}

/* ---- ids that are not permuted ---- */

/* Marks functions that are always inlined, so that the compiler knows the width of values as a constant, and in
 * interleave_as also the number of shards if it is 2, 4 or 8. */
#define INLINE static inline __attribute__((always_inline))

/* Sets to[i] to from[j]. Both arrays have values of `width` bytes: 1, 2, 4 or 8. */
INLINE void copy_value(void *to, uint64_t i, const void *from, uint64_t j, uint32_t width)
{
    if (width == 1)
        ((int8_t *)to)[i] = ((const int8_t *)from)[j];
    else if (width == 2)
        ((int16_t *)to)[i] = ((const int16_t *)from)[j];
    else
        answer_set_id(to, width, i, answer_id(from, width, j));
}

/* Calls F with `width` as a constant behind its other arguments, so that each width has a loop of its own. */
#define WITH_CONSTANT(width, F, ...)                                                                                       \
    ((width) == 1 ? F(__VA_ARGS__, 1) : (width) == 2 ? F(__VA_ARGS__, 2) : (width) == 4 ? F(__VA_ARGS__, 4) : F(__VA_ARGS__, 8))

/* Interleaves the values of p shards, of `width` bytes each: for each k from begin to end - 1, copies value k of every shard,
 * of[0] to of[p - 1], to the p elements of `to` from to[k * p] on. */
INLINE void interleave_as(void *restrict to, const void *const *of, uint32_t p, uint64_t begin, uint64_t end,
                          uint32_t width)
{
    for (uint64_t k = begin; k < end; k++) {
        for (uint32_t s = 0; s < p; s++)
            copy_value(to, k * p + s, of[s], k, width);
    }
}

/* Calls interleave_as, with p as a constant if it is 2, 4 or 8. */
INLINE void interleave(void *to, const void *const *of, uint32_t p, uint64_t begin, uint64_t end, uint32_t width)
{
    if (p == 2)
        interleave_as(to, of, 2, begin, end, width);
    else if (p == 4)
        interleave_as(to, of, 4, begin, end, width);
    else if (p == 8)
        interleave_as(to, of, 8, begin, end, width);
    else
        interleave_as(to, of, p, begin, end, width);
}

/* Copies value k of every shard to w->window, for k from begin to end - 1. Called by the thread pool. */
WIDE_CLONES static void interleave_rows(void *context, uint64_t begin, uint64_t end)
{
    const struct windows *w = context;
    WITH_CONSTANT(w->now.width, interleave, w->window, w->source, w->p, begin, end);
}

/* Fills w->window if ids are not permuted, by interleaving the values that this rank's first device has received from the
 * shards. The shard of the first id comes first. Sets w->source. */
static void fill_by_interleaving(struct windows *w, struct id_range own)
{
    const uint32_t p = w->p;
    const uint64_t rows = (own.end - own.first) / p, rest = (own.end - own.first) % p;
    for (uint32_t i = 0; i < p; i++)
        w->source[i] = byte_spans_in(&w->spans, 0)[shard_of_vertex(own.first + i, p)].at;
    pool_for(w->pool, w->threads, rows, PIECE / p + 1, interleave_rows, w);
    for (uint64_t i = 0; i < rest; i++)
        copy_value(w->window, rows * p + i, w->source[i], rows, w->now.width);
}

/* ---- permuted ids ---- */

/* A list of values, which copy_blocks copies into a window. */
struct received_list {
    const struct windows *w;
    struct value_list list;
};

/* Does what copy_blocks does, for values of a constant width. */
INLINE void copy_blocks_as(const struct received_list *r, uint64_t begin, uint64_t end, uint32_t width)
{
    for (uint64_t b = begin; b < end; b++) {
        const struct list_block block = r->list.blocks[b];
        for (uint64_t i = block.first; i < (uint64_t)block.first + block.count; i++)
            copy_value(r->w->window, b * LIST_BLOCK + r->list.index[i], r->list.values, i, width);
    }
}

/* Copies the values of blocks begin to end - 1 of a list (struct received_list) to their places in the window. Called by the thread
 * pool. */
static void copy_blocks(void *context, uint64_t begin, uint64_t end)
{
    const struct received_list *r = context;
    WITH_CONSTANT(r->list.width, copy_blocks_as, r, begin, end);
}

/* Copies the values of the permuted input ids first to first + count - 1 into the window, from index `at` on. Skips ids
 * that do not belong to devices of this rank. `count` is at most STORED_AT_ONCE. Depths are narrowed if `width` is less than their 4
 * bytes. */
INLINE void take_own_as(const struct windows *w, uint64_t first, uint64_t count, uint64_t at, uint32_t width)
{
    const struct shard_inverse shards = shard_inverse(w->p);
    uint64_t stored[STORED_AT_ONCE];
    bijection_forward_range(&w->rank->graph->bijection, first, count, stored);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t slot = slot_by_inverse(stored[i], shards);
        const void *values = w->source[stored[i] - slot * shards.p];
        if (values == NULL)
            continue;
        if (width < 4)
            narrow_depths(w->window + (at + i) * width, (const int32_t *)values + slot, 1, width);
        else
            copy_value(w->window, at + i, values, slot, width);
    }
}

/* Copies the values with indices begin to end - 1 into the window, for ids that belong to devices of this rank. Called by
 * the thread pool for fill_from_lists, with the struct windows. */
static void take_own_range(void *context, uint64_t begin, uint64_t end)
{
    const struct windows *w = context;
    const uint64_t first = w->now.range[w->rank->comm->rank].first;
    for (uint64_t i = begin; i < end; i += STORED_AT_ONCE) {
        const uint64_t ids = end - i < STORED_AT_ONCE ? end - i : STORED_AT_ONCE;
        WITH_CONSTANT(w->now.width, take_own_as, w, first + i, ids, i);
    }
}

/* Fills w->window if ids are permuted, from the lists of values that this rank's first device has received. If w->takes_own is
 * 1, copies the values of this rank's own devices directly from their arrays instead. */
static void fill_from_lists(struct windows *w, struct id_range own)
{
    const struct rank *rank = w->rank;
    const uint64_t ids = own.end - own.first, blocks = divide_up(ids, LIST_BLOCK);
    for (uint32_t g = 0; w->takes_own && g < rank->device_count; g++) /* w->source stays NULL for shards of other ranks */
        w->source[rank->graph->shards[g].index] = w->answers->arrays[g].values;
    if (w->takes_own)
        pool_for(w->pool, w->threads, ids, PIECE, take_own_range, w);
    for (uint32_t s = 0; s < w->p; s++) {
        const struct byte_span *span = &byte_spans_in(&w->spans, 0)[s];
        uint64_t count = 0;
        for (uint64_t b = 0; span->bytes > 0 && b < blocks; b++)
            count += ((const struct list_block *)span->at)[b].count;
        struct received_list received = {w, list_at((void *)span->at, ids, w->now.width, count)};
        if (count > 0)
            pool_for(w->pool, w->threads, blocks, PIECE / LIST_BLOCK, copy_blocks, &received);
    }
}

/* ---- reading windows ---- */

/* Collective. Reads a window on each rank (windows.h). First each device prepares byte spans for the windows of all ranks. Then
 * the ranks exchange the spans, and each rank fills its own window from them. With a single device, the window is the span
 * itself, without a copy. Keeps the arguments in w->now. */
enum status windows_read(struct windows *w, enum answer_kind kind, const struct id_range *range, const void **values,
                         struct error *e)
{
    const struct rank *rank = w->rank;
    const struct id_range own = range[rank->comm->rank];
    w->now.kind = kind;
    w->now.width = kind == ANSWER_DEPTHS ? w->depth_width : answers_width(w->answers, kind);
    w->now.range = range;
    if (e->status == ST_OK)
        rank_each(rank, prepare_spans, w, e);
    if (byte_spans_exchange_agreed(&w->spans, e) != ST_OK)
        return e->status;
    *values = w->window;
    if (w->p == 1)
        *values = byte_spans_in(&w->spans, 0)->at;
    else if (own.first < own.end)
        (w->permuted ? fill_from_lists : fill_by_interleaving)(w, own);
    return ST_OK;
}

/* windows.c: brings the values of a window of consecutive input ids together from all shards; see windows.h
 *
 * - A single device has its values in the order of input ids, so they are used as they are.
 * - If ids are not permuted, consecutive ids belong to consecutive shards, in rotation. So each shard sends the range of
 *   its values that lies in the window, and the receiver interleaves the ranges.
 * - If ids are permuted, an id of a window may belong to any shard. So each shard goes over all ids of the window, and
 *   sends a list of the values that it has.
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

static const char what[] = "windows of results";

/* ---- memory ---- */

/* Returns the bytes that a list takes for each value: those of the value, and 4 for its index in the window. A list has all
 * values first, and then all indices. */
static uint64_t listed_bytes(uint32_t width)
{
    return width + sizeof(uint32_t);
}

/* Rounds a number of bytes up to a multiple of 8, so that copies that lie one after the other are all aligned. */
static uint64_t padded(uint64_t bytes)
{
    return divide_up(bytes, 8) * 8;
}

/* Collective. Overwrites *w. Chooses the size of windows, allocates their memory, and opens the pool of threads that fill
 * windows. If a rank fails, or passes an `e` that has failed, the call fails on all ranks. windows_close frees everything,
 * even after a failure. */
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
    w->copied_bytes = padded(w->permuted ? w->ids * listed_bytes(width) : (w->ids / w->p + 1) * width);
    w->source = zeroed(w->p, sizeof *w->source, what, e);
    byte_spans_open(&w->spans, rank, e);
    w->spans.caller_stages = 1;
    if (e->status == ST_OK)
        w->window = backend->take_buffer(rank->devices[0], EXCHANGE_HOST, w->ids * width, what, e);
    if (e->status == ST_OK)
        w->copied = backend->take_buffer(rank->devices[0], EXCHANGE_HOST,
                                         rank->device_count * rank->comm->ranks * w->copied_bytes, what, e);
    if (e->status == ST_OK)
        pool_open(&w->pool, w->threads, e);
    return comm_agree(rank->comm, e);
}

/* Frees the memory of windows, and closes the pool of threads. Does nothing if *w is zeroed. */
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
 * a list to `copy`: all values, and then their indices in the window. Otherwise returns a range of the device's values, which
 * is copied to `copy` if it is in device memory. `copy` has copied_bytes bytes. */
static struct byte_span span_of_range(const struct windows *w, uint32_t g, struct id_range range, char *copy, struct error *e)
{
    const struct rank *rank = w->rank;
    const struct backend *backend = rank->backend;
    const uint64_t width = w->now.width, held = answers_width(w->answers, w->now.kind);
    if (w->permuted) {
        struct value_list list = {copy, (uint32_t *)(void *)(copy + w->ids * width), 0};
        backend->answers->list_values(rank->devices[g], w->now.kind, range.first, range.end - range.first, &list, e);
        memmove(copy + list.count * width, list.index, list.count * sizeof *list.index);
        return (struct byte_span){.at = copy, .bytes = padded(list.count * listed_bytes(w->now.width))};
    }
    const uint32_t s = rank->graph->shards[g].index;
    const uint64_t first = slots_of_shard(range.first, s, w->p),
                   count = slots_of_shard(range.end, s, w->p) - first;
    const char *values = (const char *)w->answers->arrays[g].values + first * held;
    if (backend->has_device_memory && count > 0) {
        backend->answers->copy(rank->devices[g], copy, values, count * held, e);
        values = copy;
    }
    if (width < held && e->status == ST_OK) {
        narrow_depths(copy, values, count, (uint32_t)width);
        values = copy;
    }
    return (struct byte_span){.at = values, .bytes = count * width};
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
    if (w->now.width == 1)
        interleave(w->window, w->source, w->p, begin, end, 1);
    else if (w->now.width == 2)
        interleave(w->window, w->source, w->p, begin, end, 2);
    else if (w->now.width == 4)
        interleave(w->window, w->source, w->p, begin, end, 4);
    else
        interleave(w->window, w->source, w->p, begin, end, 8);
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

/* A list of values, which copy_listed copies into a window: values[i] goes to index index[i] of the window. */
struct received_list {
    const struct windows *w;
    const void *values;
    const uint32_t *index;
};

/* Copies entries begin to end - 1 of a list to their indices in the window. Called by the thread pool for fill_from_lists. */
static void copy_listed(void *context, uint64_t begin, uint64_t end)
{
    const struct received_list *p = context;
    for (uint64_t i = begin; i < end; i++)
        copy_value(p->w->window, p->index[i], p->values, i, p->w->now.width);
}

/* Copies the values of the permuted input ids first to first + count - 1 into the window, from index `at` on. Skips ids
 * that do not belong to devices of this rank. `count` is at most STORED_AT_ONCE. */
INLINE void take_own_as(const struct windows *w, uint64_t first, uint64_t count, uint64_t at, uint32_t width)
{
    const struct shard_inverse shards = shard_inverse(w->p);
    uint64_t stored[STORED_AT_ONCE];
    bijection_forward_range(&w->rank->graph->bijection, first, count, stored);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t slot = slot_by_inverse(stored[i], shards);
        const void *values = w->source[stored[i] - slot * shards.p];
        if (values != NULL)
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
        uint64_t ids = end - i < STORED_AT_ONCE ? end - i : STORED_AT_ONCE;
        if (w->now.width == 4)
            take_own_as(w, first + i, ids, i, 4);
        else
            take_own_as(w, first + i, ids, i, 8);
    }
}

/* Fills w->window if ids are permuted, from the lists of values that this rank's first device has received. If w->takes_own is
 * 1, copies the values of this rank's own devices directly from their arrays instead. */
static void fill_from_lists(struct windows *w, struct id_range own)
{
    const struct rank *rank = w->rank;
    for (uint32_t g = 0; w->takes_own && g < rank->device_count; g++) /* w->source stays NULL for shards of other ranks */
        w->source[rank->graph->shards[g].index] = w->answers->arrays[g].values;
    if (w->takes_own)
        pool_for(w->pool, w->threads, own.end - own.first, PIECE, take_own_range, w);
    for (uint32_t s = 0; s < w->p; s++) {
        const struct byte_span *list = &byte_spans_in(&w->spans, 0)[s];
        const uint64_t count = list->bytes / listed_bytes(w->now.width);
        if (count == 0)
            continue;
        const char *values = list->at;
        struct received_list received = {w, values, (const uint32_t *)(const void *)(values + count * w->now.width)};
        pool_for(w->pool, w->threads, count, PIECE, copy_listed, &received);
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
    w->now.width = kind == ANSWER_DEPTHS && !w->permuted ? w->depth_width : answers_width(w->answers, kind);
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
    if (w->permuted && kind == ANSWER_DEPTHS && w->depth_width < 4)
        narrow_depths(w->window, w->window, own.end - own.first, w->depth_width);
    return ST_OK;
}

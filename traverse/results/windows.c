/* windows.c: assembles the values of consecutive input ids from the shards that own them; see windows.h
 *
 * If ids are not permuted, the values that a shard has of a window lie one behind the other, and consecutive ids of the
 * window belong to the shards in rotation. Permuted ids of a window are on any shard. So each owner goes over all ids of
 * the windows, and lists the values that it has. Values that lie in memory of the host are read in place, and sent from
 * there. A single device has its values in the order of input ids.
 */
#include "windows.h"

#include "traverse/cpu/thread_pool.h"

#include "formats/base/clones.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ROUND_IDS: ids of the windows of all ranks together. LEAST_WINDOW: the fewest ids of a window. PIECE: ids that a thread
 * takes at a time. STORED_AT_ONCE: ids that are permuted together, by vectors. */
enum { ROUND_IDS = 1 << 20, LEAST_WINDOW = 1 << 14, PIECE = 1 << 14, STORED_AT_ONCE = 512 };

static const char what[] = "windows of results";

/* ---- memory ---- */

/* Returns the bytes that each value takes in a list: the value, and its 4-byte index. A list has all values first, and then
 * all indices. */
static uint64_t listed_bytes(uint32_t width)
{
    return width + sizeof(uint32_t);
}

/* Collective. Sets up *w, chooses the size of windows, allocates their memory, and opens their threads. windows_close frees
 * everything, also after a failure, which all ranks return. *e may have failed before. */
enum status windows_open(struct windows *w, const struct answers *answers, struct error *e)
{
    const struct rank *rank = answers->rank;
    const struct backend *backend = rank->backend;
    const uint32_t width = answers_width(answers, ANSWER_PARENTS); /* the larger one */
    const uint64_t share = ROUND_IDS / rank->comm->ranks;
    *w = (struct windows){
        .answers = answers, .rank = rank, .p = rank->graph->manifest.p, .threads = omp_get_max_threads()};
    w->ids = share < LEAST_WINDOW ? LEAST_WINDOW : share < ANSWER_WINDOW ? share : ANSWER_WINDOW;
    w->permuted = rank->graph->manifest.randomized && w->p > 1;
    w->takes_own = w->permuted && !backend->has_device_memory;
    w->copied_bytes = w->permuted ? w->ids * listed_bytes(width) : (w->ids / w->p + 1) * width;
    w->source = zeroed(w->p, sizeof *w->source, what, e);
    slices_open(&w->parts, rank, e);
    w->parts.hosted = 1;
    if (e->status == ST_OK)
        w->window = backend->take_buffer(rank->devices[0], EXCHANGE_HOST, w->ids * width, what, e);
    if (e->status == ST_OK)
        w->copied = backend->take_buffer(rank->devices[0], EXCHANGE_HOST,
                                         rank->device_count * rank->comm->ranks * w->copied_bytes, what, e);
    if (e->status == ST_OK)
        pool_open(&w->pool, w->threads, e);
    return comm_agree(rank->comm, e);
}

/* Frees the memory, and closes the threads. Does nothing for windows that were never opened. */
void windows_close(struct windows *w)
{
    if (w->answers == NULL)
        return;
    pool_close(w->pool);
    w->rank->backend->release_buffer(w->rank->devices[0], EXCHANGE_HOST, w->window);
    w->rank->backend->release_buffer(w->rank->devices[0], EXCHANGE_HOST, w->copied);
    slices_close(&w->parts);
    free(w->source);
}

/* ---- parts of the own devices ---- */

/* Returns the slice of the values that device g has of the ids in `range`. Values that lie in device memory are copied to
 * `copy`, which has copied_bytes. Permuted ids are listed in `copy`: all values, and behind them their indices in the
 * window. The bytes of a list are rounded up to 8. Other values are returned in place. */
static struct slice part_of(const struct windows *w, uint32_t g, struct id_range range, char *copy, struct error *e)
{
    const struct rank *rank = w->rank;
    const struct backend *backend = rank->backend;
    const uint64_t width = w->now.width;
    if (w->permuted) {
        struct value_list list = {copy, (uint32_t *)(void *)(copy + w->ids * width), 0};
        backend->answers->list_values(rank->devices[g], w->now.kind, range.first, range.end - range.first, &list, e);
        memmove(copy + list.count * width, list.index, list.count * sizeof *list.index);
        return (struct slice){.at = copy, .bytes = (list.count * listed_bytes(w->now.width) + 7) / 8 * 8};
    }
    const uint32_t s = rank->graph->shards[g].index;
    const uint64_t first = slots_of_shard(range.first, s, w->p),
                   count = slots_of_shard(range.end, s, w->p) - first;
    const char *values = (const char *)w->answers->arrays[g].values + first * width;
    if (backend->has_device_memory && count > 0) {
        backend->answers->copy(rank->devices[g], copy, values, count * width, e);
        values = copy;
    }
    return (struct slice){.at = values, .bytes = count * width};
}

/* Called by rank_each: sets slices_out of device g to the values that it has of the window of each rank. A window goes to
 * the first device of its rank. The context is a struct windows. */
static enum status get_parts(void *context, uint32_t g, struct error *e)
{
    const struct windows *w = context;
    const struct comm *comm = w->rank->comm;
    for (uint32_t r = 0; r < comm->ranks && e->status == ST_OK; r++) {
        char *copy = w->copied + ((uint64_t)g * comm->ranks + r) * w->copied_bytes;
        int empty = w->now.range[r].first == w->now.range[r].end || (r == comm->rank && w->takes_own);
        slices_out(&w->parts, g)[shard_of_device(r, 0, comm->ranks)] =
            empty ? (struct slice){0} : part_of(w, g, w->now.range[r], copy, e);
    }
    return e->status;
}

/* ---- shards that take turns ---- */

/* Functions that are always inlined, so that the width and, where it is small, the number of shards are constants. */
#define INLINE static inline __attribute__((always_inline))

/* Copies a value of `width` bytes, 4 or 8: sets to[i] to from[j]. */
INLINE void copy_value(void *to, uint64_t i, const void *from, uint64_t j, uint32_t width)
{
    answer_set_id(to, width, i, answer_id(from, width, j));
}

/* Interleaves the values of p shards: sets to[k * p + s] to of[s][k], for k from begin to end - 1 and each shard s. */
INLINE void interleave_as(void *restrict to, const void *const *of, uint32_t p, uint64_t begin, uint64_t end,
                          uint32_t width)
{
    for (uint64_t k = begin; k < end; k++) {
        for (uint32_t s = 0; s < p; s++)
            copy_value(to, k * p + s, of[s], k, width);
    }
}

/* Interleaves the values of p shards: sets to[k * p + s] to of[s][k], for k from begin to end - 1. Calls interleave_as with
 * a constant number of shards if p is 2, 4 or 8. `width`: bytes of a value. */
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

/* Called by the thread pool in take_turns: fills rows begin to end - 1 of the window. A row has one value of every shard.
 * The context is a struct windows. */
WIDE_CLONES static void take_rows(void *context, uint64_t begin, uint64_t end)
{
    const struct windows *w = context;
    if (w->now.width == 4)
        interleave(w->window, w->source, w->p, begin, end, 4);
    else
        interleave(w->window, w->source, w->p, begin, end, 8);
}

/* Fills w->window, for ids that are not permuted, from the slices that this rank's first device received. Consecutive ids
 * belong to consecutive shards in rotation, beginning with the shard of the first id. Sets w->source. */
static void take_turns(struct windows *w, struct id_range own)
{
    const uint32_t p = w->p;
    const uint64_t rows = (own.end - own.first) / p, rest = (own.end - own.first) % p;
    for (uint32_t i = 0; i < p; i++)
        w->source[i] = slices_in(&w->parts, 0)[shard_of_vertex(own.first + i, p)].at;
    pool_for(w->pool, w->threads, rows, PIECE / p + 1, take_rows, w);
    for (uint64_t i = 0; i < rest; i++)
        copy_value(w->window, rows * p + i, w->source[i], rows, w->now.width);
}

/* ---- permuted ids ---- */

/* A list of values that are copied to their indices in a window. */
struct putting {
    const struct windows *w;
    const void *values;
    const uint32_t *index;
};

/* Called by the thread pool in put_lists: copies entries begin to end - 1 of a list to their indices in the window. The
 * context is a struct putting. */
static void put_range(void *context, uint64_t begin, uint64_t end)
{
    const struct putting *p = context;
    for (uint64_t i = begin; i < end; i++)
        copy_value(p->w->window, p->index[i], p->values, i, p->w->now.width);
}

/* Copies the values of permuted input ids first to first + count - 1 into the window, from index `at` on. `count` is at most
 * STORED_AT_ONCE. Only the values that devices of this rank have are copied. The values of other ranks are left alone. */
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

/* Called by the thread pool in put_lists: copies the values that devices of this rank have of some ids of the window. These
 * are the ids with indices begin to end - 1 in the window. The context is a struct windows. */
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

/* Fills w->window, for permuted ids. With takes_own the values of this rank's own devices are read in place. All other
 * values come from the lists that this rank's first device received. Sets w->source. */
static void put_lists(struct windows *w, struct id_range own)
{
    const struct rank *rank = w->rank;
    for (uint32_t g = 0; w->takes_own && g < rank->device_count; g++) /* the sources of shards of other ranks stay NULL */
        w->source[rank->graph->shards[g].index] = w->answers->arrays[g].values;
    if (w->takes_own)
        pool_for(w->pool, w->threads, own.end - own.first, PIECE, take_own_range, w);
    for (uint32_t s = 0; s < w->p; s++) {
        const struct slice *list = &slices_in(&w->parts, 0)[s];
        const uint64_t count = list->bytes / listed_bytes(w->now.width);
        if (count == 0)
            continue;
        const char *values = list->at;
        struct putting putting = {w, values, (const uint32_t *)(const void *)(values + count * w->now.width)};
        pool_for(w->pool, w->threads, count, PIECE, put_range, &putting);
    }
}

/* ---- all of it ---- */

/* Collective. Reads the values of consecutive input ids: sets *values to the values of range[r], where r is this rank.
 * Devices provide the values for the windows of all ranks, slices bring them, and each rank assembles its own window. A
 * single device's values are not copied: *values points to the slice. *values is valid until the next call. Keeps the
 * arguments in w->now. If a rank fails, or passes an `e` that has failed, the call fails on all ranks. */
enum status windows_read(struct windows *w, enum answer_kind kind, const struct id_range *range, const void **values,
                         struct error *e)
{
    const struct rank *rank = w->rank;
    const struct id_range own = range[rank->comm->rank];
    w->now.kind = kind;
    w->now.width = answers_width(w->answers, kind);
    w->now.range = range;
    if (e->status == ST_OK)
        rank_each(rank, get_parts, w, e);
    if (slices_exchange_agreed(&w->parts, e) != ST_OK)
        return e->status;
    *values = w->window;
    if (w->p == 1)
        *values = slices_in(&w->parts, 0)->at;
    else if (own.first < own.end)
        (w->permuted ? put_lists : take_turns)(w, own);
    return ST_OK;
}

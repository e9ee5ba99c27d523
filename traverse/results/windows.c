/* windows.c: see windows.h
 *
 * If ids are not permuted, the values that a shard has of a window are consecutive ones, and the shards take turns in the
 * window. Permuted ids are anywhere: each owner lists those that it has, and all go over all ids of the windows for that.
 * Values that lie in memory of the host are read, and sent, where they lie. The only device of a search has values by
 * input id.
 */
#include "windows.h"

#include "traverse/cpu/thread_pool.h"

#include "formats/base/clones.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Ids of all windows together, and the fewest of one; ids that a thread takes at a time. */
enum { ROUND_IDS = 1 << 20, LEAST_WINDOW = 1 << 14, PIECE = 1 << 14 };

static const char what[] = "windows of results";

/* Returns the rank that the windows belong to. */
static const struct rank *rank_of(const struct windows *w)
{
    return w->answers->rank;
}

/* Returns the number of shards of the graph. */
static uint32_t shards_of(const struct windows *w)
{
    return rank_of(w)->graph->manifest.p;
}

/* Returns the values of device g if they lie in memory of the host, otherwise NULL. */
static const void *seen_values(const struct windows *w, uint32_t g)
{
    return rank_of(w)->backend->results->see_values(rank_of(w)->devices[g]);
}

/* ---- memory ---- */

/* Returns the bytes of a list for each value: the value, and its index. A list holds all values first, then all indices. */
static uint64_t listed_bytes(uint32_t width)
{
    return width + sizeof(uint32_t);
}

/* Chooses the size of windows, and takes their memory and threads; see windows.h. */
enum status windows_open(struct windows *w, const struct answers *answers, struct error *e)
{
    const struct rank *rank = answers->rank;
    uint64_t share = ROUND_IDS / rank->comm->ranks;
    *w = (struct windows){.answers = answers, .width = answers_width(answers, ANSWER_PARENTS), .threads = omp_get_max_threads()};
    w->ids = share < LEAST_WINDOW ? LEAST_WINDOW : share < ANSWER_WINDOW ? share : ANSWER_WINDOW;
    w->permuted = rank->graph->manifest.randomized && shards_of(w) > 1;
    w->copied_bytes = w->permuted ? w->ids * listed_bytes(w->width) : (w->ids / shards_of(w) + 1) * w->width;
    w->source = zeroed(shards_of(w), sizeof *w->source, what, e);
    slices_open(&w->parts, rank, e);
    w->parts.hosted = 1;
    if (e->status == ST_OK)
        w->window = rank->backend->take_buffer(rank->devices[0], EXCHANGE_HOST, w->ids * w->width, what, e);
    if (e->status == ST_OK)
        w->copied = rank->backend->take_buffer(rank->devices[0], EXCHANGE_HOST,
                                               rank->device_count * rank->comm->ranks * w->copied_bytes, what, e);
    if (e->status == ST_OK)
        pool_open(&w->pool, w->threads, e);
    return comm_agree(rank->comm, e);
}

/* Frees the memory and threads. Does nothing for windows that are not open. */
void windows_close(struct windows *w)
{
    if (w->answers == NULL)
        return;
    pool_close(w->pool);
    rank_of(w)->backend->release_buffer(rank_of(w)->devices[0], EXCHANGE_HOST, w->window);
    rank_of(w)->backend->release_buffer(rank_of(w)->devices[0], EXCHANGE_HOST, w->copied);
    slices_close(&w->parts);
    free(w->source);
}

/* ---- parts of the own devices ---- */

/* For permuted ids: writes the values that device g has of the ids in `range`, and behind them their indices, to
 * `copy`. Returns the slice of both, rounded up to 8 bytes. */
static struct slice list_part(const struct windows *w, uint32_t g, struct id_range range, char *copy, struct error *e)
{
    const struct rank *rank = rank_of(w);
    struct value_list list = {copy, (uint32_t *)(void *)(copy + w->ids * w->now.width), 0};
    rank->backend->results->list_values(rank->devices[g], w->now.kind, range.first, range.end - range.first, &list, e);
    memmove(copy + list.count * w->now.width, list.index, list.count * sizeof *list.index);
    return (struct slice){copy, (list.count * listed_bytes(w->now.width) + 7) / 8 * 8}; /* aligns the next slice */
}

/* For ids that are not permuted: returns the slice of the consecutive values that device g has of the ids in
 * `range`. The values are copied to `copy` only if they lie in device memory. */
static struct slice read_part(const struct windows *w, uint32_t g, struct id_range range, char *copy, struct error *e)
{
    const struct rank *rank = rank_of(w);
    const uint32_t s = rank->graph->shards[g].index;
    const uint64_t first = slots_of_shard(range.first, s, shards_of(w)),
                   count = slots_of_shard(range.end, s, shards_of(w)) - first;
    const char *values = seen_values(w, g);
    if (values == NULL && count > 0)
        rank->backend->results->read_values(rank->devices[g], w->now.kind, first, count, copy, e);
    return (struct slice){values != NULL ? values + first * w->now.width : copy, count * w->now.width};
}

/* Returns whether take_seen copies the values of the devices of this rank into the window directly, so that these
 * devices list nothing for it. */
static int takes_own(const struct windows *w)
{
    return w->permuted && seen_values(w, 0) != NULL;
}

/* Called by rank_each: sets slices_out of device g to the values that it has of the window of each rank. The
 * context is a struct windows. */
static enum status get_parts(void *context, uint32_t g, struct error *e)
{
    const struct windows *w = context;
    const struct comm *comm = rank_of(w)->comm;
    for (uint32_t r = 0; r < comm->ranks && e->status == ST_OK; r++) {
        struct slice *part = &slices_out(&w->parts, g)[shard_of_device(r, 0, comm->ranks)];
        char *copy = w->copied + ((uint64_t)g * comm->ranks + r) * w->copied_bytes;
        if (w->now.range[r].first == w->now.range[r].end || (r == comm->rank && takes_own(w)))
            *part = (struct slice){NULL, 0};
        else
            *part = (w->permuted ? list_part : read_part)(w, g, w->now.range[r], copy, e);
    }
    return e->status;
}

/* ---- shards that take turns ---- */

/* Always inlined, so that the width and, where it is small, the number of shards are constants. */
#define INLINE static inline __attribute__((always_inline))

/* Sets to[i] = from[j] for values of `width` bytes, 4 or 8. */
INLINE void copy_value(void *to, uint64_t i, const void *from, uint64_t j, uint32_t width)
{
    if (width == 4)
        ((int32_t *)to)[i] = ((const int32_t *)from)[j];
    else
        ((int64_t *)to)[i] = ((const int64_t *)from)[j];
}

/* to[k * p + s] = of[s][k] for k from begin to end - 1. */
INLINE void interleave_as(void *restrict to, const void *const *of, uint32_t p, uint64_t begin, uint64_t end,
                          uint32_t width)
{
    for (uint64_t k = begin; k < end; k++) {
        for (uint32_t s = 0; s < p; s++)
            copy_value(to, k * p + s, of[s], k, width);
    }
}

/* Calls interleave_as with a constant number of shards where it is 2, 4 or 8. `width`: bytes of a value. */
INLINE void interleave_width(void *to, const void *const *of, uint32_t p, uint64_t begin, uint64_t end, uint32_t width)
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

/* Sets to[k * p + s] = of[s][k] for k from begin to end - 1, for values of `width` bytes, 4 or 8. */
WIDE_CLONES static void interleave(void *to, const void *const *of, uint32_t p, uint64_t begin, uint64_t end,
                                   uint32_t width)
{
    if (width == 4)
        interleave_width(to, of, p, begin, end, 4);
    else
        interleave_width(to, of, p, begin, end, 8);
}

/* Pool callback of take_turns: interleaves rows begin..end of the window, each one value of every shard. The
 * context is a struct windows. */
static void take_turns_in_rows(void *context, uint64_t begin, uint64_t end)
{
    const struct windows *w = context;
    interleave(w->window, w->source, shards_of(w), begin, end, w->now.width);
}

/* Assembles the own window of ids that are not permuted: consecutive ids belong to consecutive shards in rotation,
 * beginning with the shard of the first id. */
static void take_turns(struct windows *w, struct id_range own)
{
    const uint32_t p = shards_of(w);
    const uint64_t rows = (own.end - own.first) / p, rest = (own.end - own.first) % p;
    for (uint32_t i = 0; i < p; i++)
        w->source[i] = slices_in(&w->parts, 0)[shard_of_vertex(own.first + i, p)].at;
    pool_for(w->pool, w->threads, rows, PIECE / p + 1, take_turns_in_rows, w);
    for (uint64_t i = 0; i < rest; i++)
        copy_value(w->window, rows * p + i, w->source[i], rows, w->now.width);
}

/* ---- permuted ids ---- */

/* A list whose values are put into a window. */
struct putting {
    const struct windows *w;
    const void *values;
    const uint32_t *index;
};

/* Pool callback of put_list: copies entries begin..end of the list to their indices in the window. The context is
 * a struct putting. */
static void put_range(void *context, uint64_t begin, uint64_t end)
{
    const struct putting *p = context;
    for (uint64_t i = begin; i < end; i++)
        copy_value(p->w->window, p->index[i], p->values, i, p->w->now.width);
}

/* Copies the values of a list received from one shard to their indices in the window. Empty lists are allowed. */
static void put_list(const struct windows *w, const struct slice *list)
{
    const uint64_t count = list->bytes / listed_bytes(w->now.width);
    const char *values = list->at;
    if (count == 0)
        return;
    struct putting putting = {w, values, (const uint32_t *)(const void *)(values + count * w->now.width)};
    pool_for(w->pool, w->threads, count, PIECE, put_range, &putting);
}

/* Ids that are permuted together, by vectors. */
enum { STORED_AT_ONCE = 512 };

/* Copies the values that devices of this rank have of input ids first..first+count (at most STORED_AT_ONCE) into
 * the window, from index `at` on. Ids of other ranks are skipped. */
INLINE void take_seen_as(const struct windows *w, uint64_t first, uint64_t count, uint64_t at, uint32_t width)
{
    const struct shard_inverse shards = shard_inverse(shards_of(w));
    uint64_t stored[STORED_AT_ONCE];
    bijection_forward_range(&rank_of(w)->graph->bijection, first, count, stored);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t slot = slot_by_inverse(stored[i], shards);
        const void *values = w->source[stored[i] - slot * shards.p];
        if (values != NULL)
            copy_value(w->window, at + i, values, slot, width);
    }
}

/* Pool callback of take_seen: takes the values of ids begin..end, counted from the first of the window. The
 * context is a struct windows. */
static void take_seen_range(void *context, uint64_t begin, uint64_t end)
{
    const struct windows *w = context;
    const uint64_t first = w->now.range[rank_of(w)->comm->rank].first;
    for (uint64_t i = begin; i < end; i += STORED_AT_ONCE) {
        uint64_t ids = end - i < STORED_AT_ONCE ? end - i : STORED_AT_ONCE;
        if (w->now.width == 4)
            take_seen_as(w, first + i, ids, i, 4);
        else
            take_seen_as(w, first + i, ids, i, 8);
    }
}

/* Copies the values that devices of this rank have of the own window, from host memory straight into the window.
 * */
static void take_seen(struct windows *w, struct id_range own)
{
    const struct rank *rank = rank_of(w);
    for (uint32_t g = 0; g < rank->device_count; g++) /* those of other ranks stay NULL */
        w->source[rank->graph->shards[g].index] = seen_values(w, g);
    pool_for(w->pool, w->threads, own.end - own.first, PIECE, take_seen_range, w);
}

/* Assembles the own window of permuted ids: from the memory of the own devices, if it is read in place, and from
 * the lists received. */
static void put_lists(struct windows *w, struct id_range own)
{
    if (takes_own(w))
        take_seen(w, own);
    for (uint32_t s = 0; s < shards_of(w); s++)
        put_list(w, &slices_in(&w->parts, 0)[s]);
}

/* ---- all of it ---- */

/* Devices provide the values for the windows of all ranks, slices bring them, and this rank assembles its own; see
 * windows.h. */
enum status windows_read(struct windows *w, enum answer_kind kind, const struct id_range *range, const void **values,
                         struct error *e)
{
    const struct rank *rank = rank_of(w);
    const struct id_range own = range[rank->comm->rank];
    w->now.kind = kind;
    w->now.width = answers_width(w->answers, kind);
    w->now.range = range;
    if (e->status == ST_OK)
        rank_each(rank, get_parts, w, e);
    if (slices_exchange_agreed(&w->parts, e) != ST_OK)
        return e->status;
    *values = w->window;
    if (shards_of(w) == 1)
        *values = slices_in(&w->parts, 0)->at;
    else if (own.first < own.end)
        (w->permuted ? put_lists : take_turns)(w, own);
    return ST_OK;
}

/* windows.c: see windows.h
 *
 * If ids are not permuted, the values that a shard has of a window are consecutive ones, and the shards take turns in the
 * window. Permuted ids are anywhere: each owner lists those that it has, and all go over all ids of the windows for that.
 * Values that lie in memory of the host are read, and sent, where they lie. The only device of a search has values by
 * input id.
 */
#include "windows.h"

#include "traverse/cpu/gang.h"

#include "formats/base/clones.h"

#include <omp.h>
#include <stdlib.h>

/* Ids of all windows together, and the fewest of one; ids that a thread takes at a time. */
enum { ROUND_IDS = 1 << 20, LEAST_WINDOW = 1 << 14, PIECE = 1 << 14 };

enum { WINDOW_TAG = 1 << 13, CHUNK_BYTES = 4 << 20 };

static const char what[] = "windows of results";

static const struct rank *rank_of(const struct windows *w)
{
    return w->answers->rank;
}

static uint32_t shards_of(const struct windows *w)
{
    return rank_of(w)->graph->manifest.p;
}

static const void *seen_values(const struct windows *w, uint32_t g)
{
    return rank_of(w)->backend->results->see_values(rank_of(w)->devices[g]);
}

/* ---- memory ---- */

static enum status take_arrays(struct windows *w, struct error *e)
{
    const struct rank *rank = rank_of(w);
    const struct backend_messages *messages = rank->backend->messages;
    uint64_t pairs = (uint64_t)rank->device_count * rank->comm->ranks, p = shards_of(w);
    w->own = zeroed(pairs, sizeof *w->own, what, e);
    w->of_shard = zeroed(p, sizeof *w->of_shard, what, e);
    w->source = zeroed(p, sizeof *w->source, what, e);
    w->messages.counts = zeroed(pairs, sizeof *w->messages.counts, what, e);
    w->messages.counts_in = zeroed(pairs, sizeof *w->messages.counts_in, what, e);
    w->messages.sends = zeroed(2 * pairs, sizeof *w->messages.sends, what, e);
    w->messages.receives = zeroed(2 * p, sizeof *w->messages.receives, what, e);
    if (e->status == ST_OK)
        w->window = messages->host_take(w->ids * w->width, what, e);
    if (e->status == ST_OK)
        w->copied = messages->host_take(pairs * w->copied_bytes, what, e);
    if (e->status == ST_OK && rank->comm->ranks > 1)
        w->received = messages->host_take(w->ids * (w->width + sizeof(uint32_t)), what, e);
    return e->status == ST_OK ? gang_open(&w->gang, w->threads, e) : e->status;
}

enum status windows_open(struct windows *w, const struct answers *answers, struct error *e)
{
    const struct rank *rank = answers->rank;
    uint64_t share = ROUND_IDS / rank->comm->ranks;
    *w = (struct windows){.answers = answers, .width = answers_width(answers, ANSWER_PARENTS), .threads = omp_get_max_threads()};
    w->ids = share < LEAST_WINDOW ? LEAST_WINDOW : share < ANSWER_WINDOW ? share : ANSWER_WINDOW;
    w->permuted = rank->graph->manifest.randomized && shards_of(w) > 1;
    w->copied_bytes = w->permuted ? w->ids * (w->width + sizeof(uint32_t)) : (w->ids / shards_of(w) + 1) * w->width;
    take_arrays(w, e);
    return comm_agree(rank->comm, e);
}

void windows_close(struct windows *w)
{
    if (w->answers == NULL)
        return;
    gang_close(w->gang);
    void (*release)(void *) = rank_of(w)->backend->messages->host_release;
    release(w->window);
    release(w->received);
    release(w->copied);
    free(w->own);
    free(w->of_shard);
    free(w->source);
    free(w->messages.counts);
    free(w->messages.counts_in);
    free(w->messages.sends);
    free(w->messages.receives);
}

/* ---- parts of the own devices ---- */

/* The values that shard s has of ids from..end-1, if ids are not permuted. */
static uint64_t values_of_shard(const struct windows *w, uint32_t s, struct id_range range)
{
    return slots_of_shard(range.end, s, shards_of(w)) - slots_of_shard(range.first, s, shards_of(w));
}

/* Memory for what device g has for rank r. */
static char *copy_for(const struct windows *w, uint32_t g, uint32_t r)
{
    return w->copied + ((uint64_t)g * rank_of(w)->comm->ranks + r) * w->copied_bytes;
}

static void list_part(const struct windows *w, uint32_t g, uint32_t r, struct part *part, struct error *e)
{
    const struct rank *rank = rank_of(w);
    struct id_range range = w->now.range[r];
    char *values = copy_for(w, g, r);
    struct value_list list = {values, (uint32_t *)(void *)(values + w->ids * w->width), 0};
    rank->backend->results->list_values(rank->devices[g], w->now.kind, range.first, range.end - range.first, &list, e);
    *part = (struct part){.values = list.values, .index = list.index, .count = list.count};
}

static void read_part(const struct windows *w, uint32_t g, uint32_t r, struct part *part, struct error *e)
{
    const struct rank *rank = rank_of(w);
    uint32_t s = rank->graph->shards[g].index;
    uint64_t first = slots_of_shard(w->now.range[r].first, s, shards_of(w));
    const char *values = seen_values(w, g);
    *part = (struct part){.values = values != NULL ? values + first * w->now.width : copy_for(w, g, r),
                          .count = values_of_shard(w, s, w->now.range[r])};
    if (values == NULL && part->count > 0)
        rank->backend->results->read_values(rank->devices[g], w->now.kind, first, part->count, copy_for(w, g, r), e);
}

/* Whether this rank takes the values of its own devices by itself (take_seen). */
static int takes_own(const struct windows *w)
{
    return w->permuted && seen_values(w, 0) != NULL;
}

/* Gets the parts of one device for all ranks. */
static enum status get_parts(void *context, uint32_t g, struct error *e)
{
    const struct windows *w = context;
    const struct comm *comm = rank_of(w)->comm;
    for (uint32_t r = 0; r < comm->ranks && e->status == ST_OK; r++) {
        struct part *part = &w->own[g * comm->ranks + r];
        *part = (struct part){.values = NULL};
        if (w->now.range[r].first == w->now.range[r].end || (r == comm->rank && takes_own(w)))
            continue;
        if (w->permuted)
            list_part(w, g, r, part, e);
        else
            read_part(w, g, r, part, e);
    }
    return e->status;
}

/* ---- messages ---- */

/* Tells the other ranks the lengths of lists. */
static void share_counts(const struct windows *w)
{
    const struct comm *comm = rank_of(w)->comm;
    uint32_t G = rank_of(w)->device_count;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        for (uint32_t g = 0; g < G; g++)
            w->messages.counts[r * G + g] = w->own[g * comm->ranks + r].count;
    }
    if (comm->ranks > 1)
        comm_alltoall_u64(comm, w->messages.counts, w->messages.counts_in, (int)G);
}

/* Adds the messages of a part: its values and, of a list, its indices. */
static size_t add_transfers(const struct windows *w, const struct part *part, uint32_t rank, uint32_t g,
                            struct transfer *to)
{
    const int tag = WINDOW_TAG + (int)g;
    if (part->count == 0)
        return 0;
    to[0] = (struct transfer){rank, tag, (void *)part->values, part->count * w->now.width};
    if (part->index == NULL)
        return 1;
    to[1] = (struct transfer){rank, tag, part->index, part->count * sizeof *part->index};
    return 2;
}

static size_t list_sends(const struct windows *w)
{
    const struct rank *rank = rank_of(w);
    size_t count = 0;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        for (uint32_t r = 0; r < rank->comm->ranks; r++) {
            if (r != rank->comm->rank)
                count += add_transfers(w, &w->own[g * rank->comm->ranks + r], r, g, w->messages.sends + count);
        }
    }
    return count;
}

/* Places the parts of all shards: own ones where they are, others in received memory. */
static size_t list_receives(const struct windows *w)
{
    const struct comm *comm = rank_of(w)->comm;
    char *values = w->received;
    uint32_t *index = (uint32_t *)(void *)(values + w->ids * w->width);
    size_t count = 0;
    for (uint32_t s = 0; s < shards_of(w); s++) {
        uint32_t r = rank_of_shard(s, comm->ranks), g = device_of_shard(s, comm->ranks);
        struct part *part = &w->of_shard[s];
        *part = w->own[g * comm->ranks + comm->rank];
        if (r == comm->rank)
            continue;
        *part = (struct part){.values = values, .index = w->permuted ? index : NULL};
        part->count = w->permuted ? w->messages.counts_in[r * rank_of(w)->device_count + g]
                                  : values_of_shard(w, s, w->now.range[comm->rank]);
        count += add_transfers(w, part, r, g, w->messages.receives + count);
        values += part->count * w->now.width;
        index += part->count;
    }
    return count;
}

/* Collective. Moves the parts to the ranks that want them. */
static enum status move_parts(const struct windows *w, struct error *e)
{
    const struct comm *comm = rank_of(w)->comm;
    struct transfers *transfers = NULL;
    if (w->permuted)
        share_counts(w);
    size_t receives = list_receives(w);
    if (comm->ranks > 1 && e->status == ST_OK)
        comm_prepare_transfers(&transfers, w->messages.sends, list_sends(w), w->messages.receives, receives, CHUNK_BYTES, e);
    if (comm_agree(comm, e) == ST_OK && comm->ranks > 1)
        comm_move_transfers(comm, transfers);
    free(transfers);
    return e->status;
}

/* ---- shards that take turns ---- */

/* Always inlined, so that the width and, where it is small, the number of shards are constants. */
#define INLINE static inline __attribute__((always_inline))

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

WIDE_CLONES static void interleave(void *to, const void *const *of, uint32_t p, uint64_t begin, uint64_t end,
                                   uint32_t width)
{
    if (width == 4)
        interleave_width(to, of, p, begin, end, 4);
    else
        interleave_width(to, of, p, begin, end, 8);
}

static void take_turns_in_rows(void *context, uint64_t begin, uint64_t end)
{
    const struct windows *w = context;
    interleave(w->window, w->source, shards_of(w), begin, end, w->now.width);
}

/* Makes the window of consecutive values of the shards, which take turns from the shard of the first id on. */
static void take_turns(struct windows *w, struct id_range own)
{
    const uint32_t p = shards_of(w);
    const uint64_t rows = (own.end - own.first) / p, rest = (own.end - own.first) % p;
    for (uint32_t i = 0; i < p; i++)
        w->source[i] = w->of_shard[shard_of_vertex(own.first + i, p)].values;
    gang_for(w->gang, w->threads, rows, PIECE / p + 1, take_turns_in_rows, w);
    for (uint64_t i = 0; i < rest; i++)
        copy_value(w->window, rows * p + i, w->source[i], rows, w->now.width);
}

/* ---- permuted ids ---- */

/* A list whose values are put into a window. */
struct putting {
    const struct windows *w;
    const struct part *part;
};

static void put_some(void *context, uint64_t begin, uint64_t end)
{
    const struct putting *p = context;
    for (uint64_t i = begin; i < end; i++)
        copy_value(p->w->window, p->part->index[i], p->part->values, i, p->w->now.width);
}

enum { STORED_AT_ONCE = 512 };

/* Takes values that own devices have of ids from `first` on. */
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

static void take_some_seen(void *context, uint64_t begin, uint64_t end)
{
    const struct windows *w = context;
    const uint64_t first = w->now.range[rank_of(w)->comm->rank].first;
    for (uint64_t i = begin; i < end; i += STORED_AT_ONCE) {
        uint64_t some = end - i < STORED_AT_ONCE ? end - i : STORED_AT_ONCE;
        if (w->now.width == 4)
            take_seen_as(w, first + i, some, i, 4);
        else
            take_seen_as(w, first + i, some, i, 8);
    }
}

static void take_seen(struct windows *w, struct id_range own)
{
    const struct rank *rank = rank_of(w);
    for (uint32_t g = 0; g < rank->device_count; g++) /* those of other ranks stay NULL */
        w->source[rank->graph->shards[g].index] = seen_values(w, g);
    gang_for(w->gang, w->threads, own.end - own.first, PIECE, take_some_seen, w);
}

static void put_lists(struct windows *w, struct id_range own)
{
    if (takes_own(w))
        take_seen(w, own);
    for (uint32_t s = 0; s < shards_of(w); s++) {
        struct putting putting = {w, &w->of_shard[s]};
        gang_for(w->gang, w->threads, putting.part->count, PIECE, put_some, &putting);
    }
}

/* ---- all of it ---- */

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
    if (move_parts(w, e) != ST_OK)
        return e->status;
    *values = w->window;
    if (shards_of(w) == 1)
        *values = w->of_shard[0].values;
    else if (own.first < own.end)
        (w->permuted ? put_lists : take_turns)(w, own);
    return ST_OK;
}

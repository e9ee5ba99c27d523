/* nearest.c: turns an answer of parents into one of nearest roots; see answers.h
 *
 * Parents lead from a vertex to the root at the end of its chain, which is as near as any other root. A root is its own parent.
 * So each value is replaced by the parent of the parent, and so on, until it is a root:
 *
 * 1. As long as a chain stays among vertices of this rank, it is followed in memory of the host. All vertices of the part that
 *    was followed get its end, so no part is followed often.
 * 2. If the end belongs to another rank, its owner is asked for the value that the end has by now. A reply says whether this
 *    value is a root. All ranks ask and follow in turn until no vertex waits. Chains that others have followed become short, so
 *    the number of rounds grows with the logarithm of the levels.
 *
 * Bytes moved: about 16 for each vertex, at random places; between ranks 16 for each question. */
#include "answers.h"

#include "traverse/engine/threads.h"

#include "formats/base/arith.h"

#include <stdatomic.h>
#include <stdlib.h>

/* CHUNK: the most questions that a device asks at a time. PIECE: values that a thread follows at a time. */
enum { CHUNK = 1 << 18, PIECE = 1 << 12 };

static const char memory_name[] = "nearest roots";

/* The values of one device while they become roots. */
struct chains {
    void *values;         /* [count] in memory of the host: the input id to which each value leads so far, or -1 */
    uint64_t count;
    _Atomic uint64_t *ended; /* bitmap of the values that are roots; NULL: there is one rank, where chains end at once */
    uint64_t waiting;     /* the number of values that other ranks must be asked about */
    /* The questions of a chunk, in the order of the shards that are asked; NULL if there is one rank. */
    uint64_t *asked;      /* [CHUNK] the slot of the vertex that the question is about, on its shard */
    uint64_t *asker;      /* [CHUNK] the index of the value that waits for the reply */
    uint64_t at;          /* the values before this one have been asked about in this round */
};

/* The state of finding nearest roots on this rank. */
struct nearest {
    const struct answers *answers;
    const struct graph *graph;
    const struct comm *comm;
    uint32_t G, p, width;   /* numbers of devices and of shards; bytes of a value */
    struct chains *chains;  /* [G] */
    struct byte_spans questions, replies;
    int64_t **reply;        /* [G * p] the replies of device g to shard s; each is freed after its chunk */
};

/* ---- values ---- */

/* Where the value of a vertex is: on its shard, which is a device of this rank if is_own is 1, at this index. */
struct location {
    uint32_t shard, device;
    uint64_t index;
    int is_own;
};

/* Returns the location of the vertex with this input id. */
static struct location location_of(const struct nearest *n, int64_t id)
{
    const uint32_t ranks = n->comm->ranks;
    if (n->p == 1)
        return (struct location){0, 0, (uint64_t)id, 1};
    const uint64_t stored = stored_id(n->graph, (uint64_t)id);
    const uint32_t shard = shard_of_vertex(stored, n->p);
    return (struct location){shard, device_of_shard(shard, ranks), slot_of_vertex(stored, n->p),
                          rank_of_shard(shard, ranks) == n->comm->rank};
}

/* Return and set a value. Threads follow chains that have parts in common, so values are read and written by atomics. Whatever
 * value a thread sees is a vertex of the chain. */
static int64_t value_at(const struct nearest *n, uint32_t g, uint64_t i)
{
    void *values = n->chains[g].values;
    return n->width == 4 ? atomic_load_explicit((_Atomic int32_t *)values + i, memory_order_relaxed)
                         : atomic_load_explicit((_Atomic int64_t *)values + i, memory_order_relaxed);
}

static void set_value(const struct nearest *n, uint32_t g, uint64_t i, int64_t id)
{
    void *values = n->chains[g].values;
    if (n->width == 4)
        atomic_store_explicit((_Atomic int32_t *)values + i, (int32_t)id, memory_order_relaxed);
    else
        atomic_store_explicit((_Atomic int64_t *)values + i, id, memory_order_relaxed);
}

/* Returns whether value i of device g is known to be a root, the end of its chain; always 0 with one rank. */
static int has_ended(const struct nearest *n, uint32_t g, uint64_t i)
{
    _Atomic uint64_t *ended = n->chains[g].ended;
    return ended != NULL && atomic_load_explicit(&ended[i / 64], memory_order_acquire) >> (i % 64) & 1;
}

/* Sets value i of device g to a root, and notes that it is one. */
static void end_value(const struct nearest *n, uint32_t g, uint64_t i, int64_t root)
{
    _Atomic uint64_t *ended = n->chains[g].ended;
    set_value(n, g, i, root);
    if (ended != NULL)
        atomic_fetch_or_explicit(&ended[i / 64], UINT64_C(1) << (i % 64), memory_order_release);
}

/* ---- chains within this rank ---- */

/* Follows the chain from value i of device g as far as this rank knows it, and gives its end to all values that were passed.
 * Returns 1 if the end is a vertex of another rank that must be asked, otherwise 0. */
static int follow(const struct nearest *n, uint32_t g, uint64_t i)
{
    int64_t end = value_at(n, g, i);
    int is_root = has_ended(n, g, i);
    if (end < 0 || is_root)
        return 0;
    struct location at = location_of(n, end);
    while (!is_root && at.is_own) {
        is_root = has_ended(n, at.device, at.index);
        const int64_t next = value_at(n, at.device, at.index);
        is_root |= next == end;
        end = next;
        if (!is_root)
            at = location_of(n, end);
    }
    for (struct location passed = {.device = g, .index = i, .is_own = 1}; passed.is_own;) {
        const int64_t next = value_at(n, passed.device, passed.index);
        if (is_root)
            end_value(n, passed.device, passed.index, end);
        else
            set_value(n, passed.device, passed.index, end);
        if (next == end)
            break;
        passed = location_of(n, next);
    }
    return !is_root;
}

/* Follows the chains of all values of this rank. Counts those that wait for another rank. */
static void follow_all(const struct nearest *n)
{
    for (uint32_t g = 0; g < n->G; g++) {
        const uint64_t count = n->chains[g].count;
        uint64_t waiting = 0;
#pragma omp parallel for schedule(dynamic, PIECE) if (count > WORTH_THREADS) reduction(+ : waiting)
        for (uint64_t i = 0; i < count; i++)
            waiting += (uint64_t)follow(n, g, i);
        n->chains[g].waiting = waiting;
    }
}

/* ---- questions to other ranks ---- */

/* Chooses the next values of device g that wait, CHUNK at most, and writes a question for each, ordered by the shard that is
 * asked. Points the byte spans of the questions to them. Returns the number of questions. */
static uint64_t ask_chunk(struct nearest *n, uint32_t g, uint64_t *begin)
{
    struct chains *c = &n->chains[g];
    uint64_t count = 0, first = c->at;
    for (uint32_t s = 0; s <= n->p; s++)
        begin[s] = 0;
    for (; c->waiting > 0 && c->at < c->count && count < CHUNK; c->at++) {
        const int64_t id = value_at(n, g, c->at);
        if (id < 0 || has_ended(n, g, c->at))
            continue;
        const struct location end = location_of(n, id);
        begin[end.shard + 1] += !end.is_own;
        count += !end.is_own;
    }
    for (uint32_t s = 0; s < n->p; s++)
        begin[s + 1] += begin[s];
    for (uint32_t s = 0; s < n->p; s++)
        byte_spans_out(&n->questions, g)[s] =
            (struct byte_span){.at = c->asked + begin[s], .bytes = (begin[s + 1] - begin[s]) * sizeof *c->asked};
    for (uint64_t i = first; i < c->at && count > 0; i++) {
        const int64_t id = value_at(n, g, i);
        if (id < 0 || has_ended(n, g, i))
            continue;
        const struct location end = location_of(n, id);
        if (end.is_own)
            continue;
        c->asked[begin[end.shard]] = end.index;
        c->asker[begin[end.shard]++] = i;
    }
    return count;
}

/* Replies to the questions that device g has received, each about one vertex: with the value of the vertex or, if its chain has
 * ended and so the value is a root, with the bits of the value inverted (~value). */
static enum status reply_to_all(struct nearest *n, uint32_t g, struct error *e)
{
    for (uint32_t s = 0; s < n->p && e->status == ST_OK; s++) {
        const struct byte_span *in = &byte_spans_in(&n->questions, g)[s];
        const uint64_t *asked = in->at, count = in->bytes / sizeof *asked;
        byte_spans_out(&n->replies, g)[s] = (struct byte_span){0};
        if (count == 0)
            continue;
        int64_t *reply = malloc(count * sizeof *reply);
        if (reply == NULL)
            return fail_memory(e, memory_name, count * sizeof *reply);
        for (uint64_t i = 0; i < count; i++) {
            if (asked[i] >= n->chains[g].count) {
                fail(e, ST_BAD_DATA, "%s: another rank asks for a vertex that this shard does not have", memory_name);
                break;
            }
            const int64_t value = value_at(n, g, asked[i]);
            reply[i] = has_ended(n, g, asked[i]) ? ~value : value;
        }
        n->reply[(size_t)g * n->p + s] = reply;
        byte_spans_out(&n->replies, g)[s] = (struct byte_span){.at = reply, .bytes = count * sizeof *reply};
    }
    return e->status;
}

/* Gives the replies to the values of device g that wait for them. */
static void take_replies(const struct nearest *n, uint32_t g)
{
    const struct chains *c = &n->chains[g];
    uint64_t at = 0; /* replies come in the order of the questions: by shard */
    for (uint32_t s = 0; s < n->p; s++) {
        const struct byte_span *in = &byte_spans_in(&n->replies, g)[s];
        const int64_t *reply = in->at;
        for (uint64_t i = 0; i < in->bytes / sizeof *reply; i++, at++) {
            if (reply[i] < 0)
                end_value(n, g, c->asker[at], ~reply[i]);
            else
                set_value(n, g, c->asker[at], reply[i]);
        }
    }
}

/* Collective. Asks the owners about all values of this rank that wait, chunk by chunk. */
static enum status ask_others(struct nearest *n, struct error *e)
{
    uint64_t *begin = zeroed(n->p + UINT64_C(1), sizeof *begin, memory_name, e), asked = 1;
    for (uint32_t g = 0; g < n->G; g++)
        n->chains[g].at = 0;
    if (comm_agree(n->comm, e) != ST_OK)
        asked = 0;
    while (asked > 0) {
        asked = 0;
        for (uint32_t g = 0; g < n->G; g++)
            asked += ask_chunk(n, g, begin);
        asked = comm_max_of(n->comm, asked);
        if (asked == 0 || byte_spans_exchange_agreed(&n->questions, e) != ST_OK)
            break;
        for (uint32_t g = 0; g < n->G; g++)
            reply_to_all(n, g, e);
        const int failed = byte_spans_exchange_agreed(&n->replies, e) != ST_OK;
        for (uint32_t g = 0; g < n->G && !failed; g++)
            take_replies(n, g);
        comm_barrier(n->comm); /* replies may have been read in place */
        for (size_t i = 0; i < (size_t)n->G * n->p; i++) {
            free(n->reply[i]);
            n->reply[i] = NULL;
        }
        if (failed)
            break;
    }
    free(begin);
    return e->status;
}

/* ---- the whole answer ---- */

/* Prepares the chains of device g: takes the parents that the answer has, in place or, from device memory, as a copy. */
static enum status open_chains(struct nearest *n, uint32_t g, struct error *e)
{
    const struct answers *a = n->answers;
    const struct rank *rank = a->rank;
    struct chains *c = &n->chains[g];
    const int several = n->comm->ranks > 1;
    c->count = slots_of_shard(n->graph->manifest.totals.n, n->graph->shards[g].index, n->p);
    c->values = a->arrays[g].values;
    if (rank->backend->has_device_memory) {
        if (memory_take(rank->budget, &c->values, c->count, n->width, memory_name, e) != ST_OK)
            return e->status;
        rank->backend->answers->copy(rank->devices[g], c->values, a->arrays[g].values, c->count * n->width, e);
    }
    if (several && e->status == ST_OK &&
        memory_take(rank->budget, (void **)&c->ended, divide_up(c->count, 64), sizeof *c->ended, memory_name, e) == ST_OK &&
        memory_take(rank->budget, (void **)&c->asked, CHUNK, sizeof *c->asked, memory_name, e) == ST_OK)
        memory_take(rank->budget, (void **)&c->asker, CHUNK, sizeof *c->asker, memory_name, e);
    return e->status;
}

/* Frees the chains of device g. If answers are in memory of a device, the values are a copy on the host, which is first copied
 * back, unless *e holds a failure. */
static void close_chains(const struct nearest *n, uint32_t g, struct error *e)
{
    const struct answers *a = n->answers;
    const struct rank *rank = a->rank;
    struct chains *c = &n->chains[g];
    if (rank->backend->has_device_memory) {
        if (e->status == ST_OK)
            rank->backend->answers->copy(rank->devices[g], a->arrays[g].values, c->values, c->count * n->width, e);
        memory_release(rank->budget, c->values);
    }
    memory_release(rank->budget, c->ended);
    memory_release(rank->budget, c->asked);
    memory_release(rank->budget, c->asker);
}

/* Collective. Turns the answer of parents into one of nearest roots (answers.h). */
enum status answers_make_nearest(struct answers *a, struct error *e)
{
    const struct rank *rank = a->rank;
    struct nearest n = {.answers = a,
                        .graph = rank->graph,
                        .comm = rank->comm,
                        .G = rank->device_count,
                        .p = rank->graph->manifest.p,
                        .width = answers_width(a, ANSWER_PARENTS)};
    n.chains = zeroed(n.G, sizeof *n.chains, memory_name, e);
    n.reply = zeroed((uint64_t)n.G * n.p, sizeof *n.reply, memory_name, e);
    byte_spans_open(&n.questions, rank, e);
    byte_spans_open(&n.replies, rank, e);
    n.questions.caller_stages = n.replies.caller_stages = 1;
    for (uint32_t g = 0; g < n.G && e->status == ST_OK; g++)
        open_chains(&n, g, e);
    uint64_t waiting = comm_agree(n.comm, e) == ST_OK;
    while (waiting > 0) {
        follow_all(&n);
        waiting = 0;
        for (uint32_t g = 0; g < n.G; g++)
            waiting += n.chains[g].waiting;
        waiting = comm_max_of(n.comm, waiting);
        if (waiting > 0 && ask_others(&n, e) != ST_OK)
            break;
    }
    for (uint32_t g = 0; g < n.G && n.chains != NULL; g++)
        close_chains(&n, g, e);
    byte_spans_close(&n.questions);
    byte_spans_close(&n.replies);
    free(n.chains);
    free(n.reply);
    a->kind = ANSWER_NEAREST;
    return comm_agree(n.comm, e);
}

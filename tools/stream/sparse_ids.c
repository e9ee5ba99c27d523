/* sparse_ids.c: see sparse_ids.h */
#include "sparse_ids.h"

#include "formats/base/arith.h"

#include <stdlib.h>
#include <string.h>

/* Dense ids are worth the memory of their list from LEAST_IDS ids on, if there are more than LEAST_GAIN ids for each edge end
 * and shard. Otherwise values of all ids take hardly more. */
enum { LEAST_IDS = 1 << 20, LEAST_GAIN = 8, EDGE_LEAST_BYTES = 8 };

/* How many ids a list may need room for, two of each edge; 0 if a list is not worth it, or too large. */
uint64_t sparse_ids_room(const struct edges_totals *totals, uint64_t bytes, uint32_t p,
                         const struct memory_budget *budget)
{
    uint64_t ends = 2 * smaller(totals->edges, bytes / EDGE_LEAST_BYTES);
    if (totals->n < LEAST_IDS || totals->n / LEAST_GAIN / p <= ends ||
        ends > memory_left(budget) / 4 / (2 * sizeof(uint64_t)))
        return 0;
    return larger(ends, 1);
}

enum status sparse_ids_open(struct sparse_ids *s, uint64_t room, struct memory_budget *budget, struct error *e)
{
    *s = (struct sparse_ids){.room = room};
    if (memory_take(budget, (void **)&s->ids, room, sizeof *s->ids, "ids", e) == ST_OK)
        memory_take(budget, (void **)&s->dense, room, sizeof *s->dense, "ids", e);
    return e->status;
}

void sparse_ids_close(struct sparse_ids *s, struct memory_budget *budget)
{
    if (s == NULL)
        return;
    memory_release(budget, s->ids);
    memory_release(budget, s->dense);
    memset(s, 0, sizeof *s);
}

/* Fails: the list of ids has no more room. */
static enum status too_many(struct error *e)
{
    return fail(e, ST_BAD_DATA, "edge stream: has more edges than its trailer says");
}

/* A visitor that appends the ids of edges to s->ids; each thread takes its places by an atomic addition. */
enum status sparse_ids_note(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct sparse_ids *s = context;
    uint64_t at = __atomic_fetch_add(&s->count, 2 * count, __ATOMIC_RELAXED);
    (void)thread;
    if (at > s->room || 2 * count > s->room - at)
        return too_many(e);
    for (size_t i = 0; i < count; i++) {
        s->ids[at + 2 * i] = edges[i].u;
        s->ids[at + 2 * i + 1] = edges[i].v;
    }
    return ST_OK;
}

/* Sorts the ids and keeps each once. */
static void keep_each_once(struct sparse_ids *s)
{
    uint64_t noted = s->count;
    qsort(s->ids, noted, sizeof *s->ids, compare_u64);
    s->count = 0;
    for (uint64_t i = 0; i < noted; i++) {
        if (i == 0 || s->ids[i] != s->ids[s->count - 1])
            s->ids[s->count++] = s->ids[i];
    }
}

/* Joins the lists of all ranks, one after the other, in s->ids of each. */
static enum status join_lists(struct sparse_ids *s, const struct comm *comm, struct error *e)
{
    uint64_t own = s->count, at = 0;
    memcpy(s->dense, s->ids, own * sizeof *s->ids);
    for (uint32_t root = 0; root < comm->ranks; root++) {
        uint64_t count = own;
        comm_broadcast(comm, &count, sizeof count, root);
        if (count > s->room - at)
            return too_many(e);
        if (comm->rank == root)
            memcpy(s->ids + at, s->dense, count * sizeof *s->ids);
        comm_broadcast(comm, s->ids + at, count * sizeof *s->ids, root);
        at += count;
    }
    s->count = at;
    return ST_OK;
}

/* Numbers the ids that all ranks have noted: s->ids and s->dense are then the same on each. */
enum status sparse_ids_number(struct sparse_ids *s, uint32_t p, const struct comm *comm, struct error *e)
{
    uint64_t next = 0;
    keep_each_once(s);
    if (comm->ranks > 1) {
        if (join_lists(s, comm, e) != ST_OK)
            return e->status;
        keep_each_once(s);
    }
    for (uint64_t i = 0; i < s->count; i++) {
        next += (s->ids[i] % p + p - next % p) % p; /* the next that is congruent */
        s->dense[i] = next++;
    }
    s->n = next + 1;
    return ST_OK;
}

/* Returns the index of the last entry of `list` that is not above `x`; 0 where there is none. */
static uint64_t find_last_upto(const uint64_t *list, uint64_t count, uint64_t x)
{
    uint64_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (list[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Writes the edges with dense ids. Nonzero at an id that is not in the list. */
int sparse_ids_translate(const struct sparse_ids *s, const struct edge *edges, size_t count, struct edge *dense)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t u = find_last_upto(s->ids, s->count, edges[i].u), v = find_last_upto(s->ids, s->count, edges[i].v);
        if (s->count == 0 || s->ids[u] != edges[i].u || s->ids[v] != edges[i].v)
            return 1;
        dense[i] = (struct edge){s->dense[u], s->dense[v]};
    }
    return 0;
}

/* The id of the stream that a dense id stands for. */
uint64_t sparse_ids_original(const struct sparse_ids *s, uint64_t dense)
{
    return s != NULL && s->count > 0 ? s->ids[find_last_upto(s->dense, s->count, dense)] : dense;
}

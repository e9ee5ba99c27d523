/* group.c: see group.h */
#include "group.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory that the peers share ---- */

/* Sets the places of arrays behind the cards, with which the shared memory begins. Returns its bytes. */
static uint64_t lay_out(struct group *g, void *memory)
{
    uintptr_t at = (uintptr_t)memory + g->count * sizeof(struct peer_handle);
    g->work = (struct workload *)at;
    at += g->count * sizeof *g->work;
    g->spans = g->of_host ? (struct vertex_span *)at : NULL;
    at += g->of_host * (uint64_t)g->count * g->count * sizeof *g->spans;
    g->mask = g->of_host ? (uint64_t *)at : NULL;
    at += g->of_host * mask_words(g->rank->graph->manifest.d) * sizeof *g->mask;
    g->updated = (int *)at;
    g->found = (int *)(at + g->count * sizeof *g->updated);
    return at + 2 * g->count * sizeof *g->found - (uintptr_t)memory;
}

static enum status open_memory(struct group *g, const struct comm *comm, struct error *e)
{
    uint64_t bytes = lay_out(g, NULL), charged = comm->host_rank == 0 ? bytes : 0;
    if (memory_charge(g->rank->budget, charged, "tables of peers", e) == ST_OK)
        g->charged = charged;
    if (comm_agree(g->rank->comm, e) != ST_OK || comm_window_open(&g->window, comm, bytes, e) != ST_OK)
        return e->status;
    lay_out(g, comm_window_memory(g->window));
    g->leaders = g->of_host ? g->window : NULL;
    return ST_OK;
}

void *group_take_memory(struct group *g, uint64_t bytes, const char *what, struct error *e)
{
    if (memory_charge(g->rank->budget, bytes, what, e) != ST_OK)
        return NULL;
    g->charged += bytes;
    return g->rank->backend->messages->host_take(bytes, what, e);
}

/* ---- opening ---- */

/* Notes which shard each peer holds. */
static void number_peers(struct group *g)
{
    const struct comm *comm = g->rank->comm;
    uint32_t G = g->rank->device_count, p = G * comm->ranks;
    for (uint32_t s = 0; s < p; s++)
        g->number[s] = GROUP_NONE;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t rank = g->of_host ? comm_window_rank(g->window, i / G) : comm->rank;
        g->shard[i] = shard_of_device(rank, i % G, comm->ranks);
        g->number[g->shard[i]] = i;
    }
}

/* A job of the team: the devices of a member meet their peers. */
static enum status introduce(void *context, const struct host_thread *m, struct error *e)
{
    const struct group *group = context;
    const struct rank *rank = group->rank;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->peers->join(rank->devices[g], comm_window_memory(group->window), group->count, e);
    return e->status;
}

static void share_handles(const struct group *g, struct error *e)
{
    const struct rank *rank = g->rank;
    struct peer_handle *cards = comm_window_memory(g->window);
    int elsewhere = g->of_host && rank->comm->host_ranks > 1;
    for (uint32_t i = 0; i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->peers->show(rank->devices[i], elsewhere, &cards[g->first + i], e);
}

/* Collective. Either all join or none, as the others would wait for a device that did not. */
static int all_join(const struct rank *rank)
{
    int (*joins)(const struct device *) = rank->backend->peers->joins;
    uint64_t missing = joins == NULL;
    for (uint32_t i = 0; joins != NULL && i < rank->device_count; i++)
        missing += !joins(rank->devices[i]);
    return comm_max_of(rank->comm, missing) == 0;
}

static enum status join_peers(struct group *g, struct error *e)
{
    const struct rank *rank = g->rank;
    share_handles(g, e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    host_threads_run(rank->host_threads, introduce, g, e);
    if (comm_agree(rank->comm, e) == ST_OK) /* all cards are read, too */
        g->joined = all_join(rank);
    return e->status;
}

static enum status try_group(struct group *g, const struct rank *rank, int of_host, struct error *e)
{
    struct comm alone = comm_alone; /* a window of this rank */
    const struct comm *comm = of_host ? rank->comm : &alone;
    uint32_t G = rank->device_count, p = G * rank->comm->ranks;
    *g = (struct group){.rank = rank, .of_host = of_host};
    g->count = G * (of_host ? comm->host_ranks : 1);
    g->first = G * (of_host ? comm->host_rank : 0);
    g->holds_all_shards = g->count == p;
    g->shard = zeroed(g->count, sizeof *g->shard, "peers", e);
    g->number = zeroed(p, sizeof *g->number, "peers", e);
    if (comm_agree(rank->comm, e) != ST_OK || open_memory(g, comm, e) != ST_OK)
        return e->status;
    number_peers(g);
    return join_peers(g, e);
}

enum status group_open(struct group *g, const struct rank *rank, enum group_reach reach, char *why,
                       struct error *e)
{
    int wanted = reach != GROUP_OF_RANK && comm_max_of(rank->comm, rank->comm->host_ranks) > 1;
    why[0] = '\0';
    if (try_group(g, rank, wanted, e) == ST_OK || !wanted || e->status != ST_RESOURCE ||
        reach == GROUP_OF_HOST)
        return e->status;
    memcpy(why, e->text, ERROR_TEXT_BYTES);
    *e = (struct error){0};
    group_close(g);
    return try_group(g, rank, 0, e);
}

void group_close(struct group *g)
{
    const struct rank *rank = g->rank;
    if (rank == NULL)
        return;
    for (uint32_t i = 0; rank->devices != NULL && i < rank->device_count; i++) {
        if (rank->devices[i] != NULL)
            rank->backend->peers->leave(rank->devices[i]);
    }
    if (g->of_host)
        comm_barrier(rank->comm); /* before any of them frees the memory that it showed */
    comm_window_close(g->window);
    memory_discharge(rank->budget, g->charged);
    free(g->shard);
    free(g->number);
    *g = (struct group){0};
}

/* ---- how a level went ---- */

static struct vertex_span *place_of_vertex_span(const struct group *g, uint32_t from, uint32_t to)
{
    return &g->spans[(size_t)to * g->count + from];
}

struct vertex_span group_span_for(const struct group *g, uint32_t device, uint32_t shard)
{
    const struct rank *rank = g->rank;
    struct vertex_span span = rank->backend->messages->outgoing(rank->devices[device], shard);
    if (span.form == OUTGOING_MASK && span.count > 0)
        span.count = group_shard_words(g, shard);
    return span;
}

struct vertex_span group_span_between(const struct group *g, uint32_t from, uint32_t to)
{
    if (from == to)
        return (struct vertex_span){0};
    return g->spans != NULL ? *place_of_vertex_span(g, from, to)
                              : group_span_for(g, from - g->first, g->shard[to]);
}

void group_put_found(struct group *g, uint32_t device, uint64_t found)
{
    uint32_t self = g->first + device;
    g->updated[self] = g->rank->backend->masks->updated(g->rank->devices[device]);
    g->found[self] = found > 0;
    for (uint32_t i = 0; i < g->count; i++) {
        struct vertex_span span = {0};
        if (i != self)
            span = group_span_for(g, device, g->shard[i]);
        if (g->spans != NULL)
            *place_of_vertex_span(g, self, i) = span;
        g->found[self] |= span.count > 0;
    }
}

static int any(const int *flags, uint32_t count)
{
    int set = 0;
    for (uint32_t i = 0; i < count; i++)
        set |= flags[i];
    return set;
}

int group_updated(const struct group *g)
{
    return any(g->updated, g->count);
}

int group_found(const struct group *g)
{
    return any(g->found, g->count);
}

/* ---- meetings ---- */

enum status group_barrier(const struct group *g, const struct host_thread *m, struct error *e)
{
    if (host_threads_barrier(m, e) != ST_OK || !g->of_host)
        return e->status;
    if (m->number == 0)
        comm_window_meet(g->window);
    return host_threads_barrier(m, e);
}

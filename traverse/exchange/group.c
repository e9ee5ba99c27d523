/* group.c: forms the group of devices that read each other's memory, and keeps what they found in a level (group.h) */
#include "group.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Places the arrays that a group shares in `memory`, behind the handles of the peers: work, spans, mask, updated and found.
 * Returns the bytes of handles and arrays. `memory` may be NULL if only these bytes are wanted. */
static uint64_t place_arrays(struct group *g, void *memory)
{
    uintptr_t at = (uintptr_t)memory + g->count * sizeof(struct peer_handle);
    g->work = (struct workload *)at;
    at += g->count * sizeof *g->work;
    g->spans = g->has_whole_host ? (struct vertex_span *)at : NULL;
    at += g->has_whole_host * (uint64_t)g->count * g->count * sizeof *g->spans;
    g->mask = g->has_whole_host ? (uint64_t *)at : NULL;
    at += g->has_whole_host * mask_words(g->rank->graph->manifest.d) * sizeof *g->mask;
    g->updated = (int *)at;
    g->found = (int *)(at + g->count * sizeof *g->updated);
    return at + 2 * g->count * sizeof *g->found - (uintptr_t)memory;
}

/* Collective over all ranks; `comm` has those of the group. Allocates the memory that these share, charged to the budget of the group's
 * first rank, and numbers the peers and their shards. */
static enum status open_memory(struct group *g, const struct comm *comm, struct error *e)
{
    const uint64_t bytes = place_arrays(g, NULL), charged = comm->host_rank == 0 ? bytes : 0;
    const uint32_t G = g->rank->device_count, ranks = g->rank->comm->ranks;
    if (memory_charge(g->rank->budget, charged, "tables of peers", e) == ST_OK)
        g->charged = charged;
    comm_window_open(&g->window, comm, bytes, e);
    if (comm_agree(g->rank->comm, e) != ST_OK) /* a window of this rank alone may have failed here alone */
        return e->status;
    place_arrays(g, comm_window_memory(g->window));
    g->leaders = g->has_whole_host ? g->window : NULL;
    memset(g->peer, 0xff, (size_t)G * ranks * sizeof *g->peer); /* all bytes 0xff make GROUP_NONE */
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t rank = g->has_whole_host ? comm_window_rank(g->window, i / G) : g->rank->comm->rank;
        g->shard[i] = shard_of_device(rank, i % G, ranks);
        g->peer[g->shard[i]] = i;
    }
    for (uint32_t i = g->first_peer; i < g->first_peer + G; i++)
        g->place[g->shard[i]] = (struct group_place){g->shard[0], i, g->count};
    /* other ranks have zeros there */
    comm_sum_u64(g->rank->comm, &g->place->group, (uint64_t)G * ranks * (sizeof *g->place / sizeof g->place->group));
    return ST_OK;
}

/* Job of a host thread: lets the thread's devices join their peers, whose handles are in shared memory. */
static enum status join_devices(void *context, const struct host_thread *t, struct error *e)
{
    const struct group *group = context;
    const struct rank *rank = group->rank;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++)
        rank->backend->join(rank->devices[g], comm_window_memory(group->window), group->count,
                            &rank->descriptions[g].searches_fused, e);
    return e->status;
}

/* Collective. Shows the devices of this rank to their peers (backend.show), and lets them join the peers (backend.join). */
static enum status join_peers(struct group *g, struct error *e)
{
    const struct rank *rank = g->rank;
    struct peer_handle *handles = comm_window_memory(g->window);
    const int elsewhere = g->has_whole_host && rank->comm->host_ranks > 1;
    uint64_t stepped = 0; /* number of devices that cannot search by themselves; one on any rank is enough for stepped searches */
    for (uint32_t i = 0; i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->show(rank->devices[i], elsewhere, &handles[g->first_peer + i], e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    host_threads_run(rank->host_threads, join_devices, g, e);
    if (comm_agree(rank->comm, e) != ST_OK) /* after this all devices have also read all handles */
        return e->status;
    for (uint32_t i = 0; i < rank->device_count; i++)
        stepped += !rank->descriptions[i].searches_fused;
    g->searches_fused = comm_max_of(rank->comm, stepped) == 0;
    return ST_OK;
}

/* Collective. Forms the group of the host or, without `has_whole_host`, of this rank alone. Returns ST_RESOURCE if a device
 * cannot read the memory of a peer, or if memory is short. group_close frees what was allocated. */
static enum status form_group(struct group *g, const struct rank *rank, int has_whole_host, struct error *e)
{
    struct comm alone = comm_alone; /* stands for this rank without others, whose memory it does not share */
    const struct comm *comm = has_whole_host ? rank->comm : &alone;
    uint32_t G = rank->device_count, p = G * rank->comm->ranks;
    *g = (struct group){.rank = rank, .has_whole_host = has_whole_host};
    g->count = G * (has_whole_host ? comm->host_ranks : 1);
    g->first_peer = G * (has_whole_host ? comm->host_rank : 0);
    g->holds_all_shards = g->count == p;
    g->shard = zeroed(g->count, sizeof *g->shard, "peers", e);
    g->peer = zeroed(p, sizeof *g->peer, "peers", e);
    g->place = zeroed(p, sizeof *g->place, "peers", e);
    g->outgoing = zeroed((uint64_t)G * p, sizeof *g->outgoing, "vertices of peers", e);
    if (comm_agree(rank->comm, e) != ST_OK || open_memory(g, comm, e) != ST_OK)
        return e->status;
    return join_peers(g, e);
}

enum status group_open(struct group *g, const struct rank *rank, enum group_reach reach, char *why, struct error *e)
{
    int has_whole_host = reach != GROUP_OF_RANK && comm_max_of(rank->comm, rank->comm->host_ranks) > 1;
    why[0] = '\0';
    if (form_group(g, rank, has_whole_host, e) == ST_OK || !has_whole_host || e->status != ST_RESOURCE ||
        reach == GROUP_OF_HOST)
        return e->status;
    memcpy(why, e->text, ERROR_TEXT_BYTES);
    *e = (struct error){0};
    group_close(g);
    return form_group(g, rank, 0, e);
}

void group_close(struct group *g)
{
    const struct rank *rank = g->rank;
    if (rank == NULL)
        return;
    for (uint32_t i = 0; rank->devices != NULL && i < rank->device_count; i++) {
        struct error none = {0}; /* leaving a group cannot fail, so nothing is reported */
        if (rank->devices[i] != NULL)
            rank->backend->join(rank->devices[i], NULL, 0, &rank->descriptions[i].searches_fused, &none);
    }
    if (g->has_whole_host)
        comm_barrier(rank->comm); /* all ranks have left before a device frees memory that it showed */
    comm_window_close(g->window);
    memory_discharge(rank->budget, g->charged);
    free(g->shard);
    free(g->peer);
    free(g->place);
    free(g->outgoing);
    *g = (struct group){0};
}

void *group_take_memory(struct group *g, uint64_t bytes, const char *what, struct error *e)
{
    if (memory_charge(g->rank->budget, bytes, what, e) != ST_OK)
        return NULL;
    g->charged += bytes;
    return g->rank->backend->take_buffer(g->rank->devices[0], EXCHANGE_HOST, bytes, what, e);
}

/* Each rank clears a part of the memory, so that pages lie near all of them, and then pins it. */
enum status group_share_memory(struct group *g, struct group_memory *m, uint64_t bytes, const char *what, struct error *e)
{
    const struct rank *rank = g->rank;
    const uint64_t part = bytes / rank->comm->host_ranks, charged = g->first_peer == 0 ? bytes : 0;
    *m = (struct group_memory){0};
    if (e->status == ST_OK && memory_charge(rank->budget, charged, what, e) == ST_OK)
        g->charged += charged;
    if (g->has_whole_host && comm_window_open(&m->window, rank->comm, bytes, e) == ST_OK) {
        m->bytes = comm_window_memory(m->window);
        memset((char *)m->bytes + part * rank->comm->host_rank, 0, part);
        comm_window_barrier(m->window);
        rank->backend->pin(rank->devices[0], m->bytes, bytes, e);
    } else if (!g->has_whole_host && e->status == ST_OK) {
        m->bytes = rank->backend->take_buffer(rank->devices[0], EXCHANGE_HOST, bytes, what, e);
        if (m->bytes != NULL)
            memset(m->bytes, 0, bytes);
    }
    return comm_agree(rank->comm, e);
}

void group_free_memory(const struct rank *rank, struct group_memory *m)
{
    if (m->window != NULL && m->bytes != NULL)
        rank->backend->unpin(rank->devices[0], m->bytes);
    else if (m->bytes != NULL)
        rank->backend->release_buffer(rank->devices[0], EXCHANGE_HOST, m->bytes);
    comm_window_close(m->window);
    *m = (struct group_memory){0};
}

/* ---- levels ---- */

enum status group_barrier(const struct group *g, const struct host_thread *t, struct error *e)
{
    if (host_threads_barrier(t, e) != ST_OK || !g->has_whole_host)
        return e->status;
    if (t->number == 0)
        comm_window_barrier(g->window);
    return host_threads_barrier(t, e);
}

struct vertex_span group_span_between(const struct group *g, uint32_t from, uint32_t to)
{
    if (from == to)
        return (struct vertex_span){0};
    return g->spans != NULL ? g->spans[(size_t)to * g->count + from] : group_outgoing(g, from - g->first_peer)[g->shard[to]];
}

void group_put_result(struct group *g, uint32_t device, const struct visit_result *result)
{
    const uint32_t from = g->first_peer + device;
    g->updated[from] = result->found_delegates;
    g->found[from] = result->found > 0;
    for (uint32_t s = 0; s < g->rank->graph->manifest.p; s++) {
        struct vertex_span *span = &result->outgoing[s];
        if (span->form == OUTGOING_MASK && span->count > 0)
            span->count = group_shard_words(g, s); /* leaves out the words after the shard's last vertex */
    }
    for (uint32_t to = 0; to < g->count; to++) {
        struct vertex_span span = to == from ? (struct vertex_span){0} : result->outgoing[g->shard[to]];
        span.ids = NULL; /* a pointer has no meaning in another process */
        if (g->spans != NULL)
            g->spans[(size_t)to * g->count + from] = span;
        g->found[from] |= span.count > 0;
    }
}

/* Returns whether one of `count` flags is set. */
static int is_any_set(const int *flags, uint32_t count)
{
    int set = 0;
    for (uint32_t i = 0; i < count; i++)
        set |= flags[i];
    return set;
}

int group_updated(const struct group *g)
{
    return is_any_set(g->updated, g->count);
}

int group_found(const struct group *g)
{
    return is_any_set(g->found, g->count);
}

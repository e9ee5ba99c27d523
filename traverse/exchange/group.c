/* group.c: see group.h */
#include "group.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory that the peers share ---- */

/* The cards, notes and parcels lie one after the other, then the mask. */
struct shared_part {
    uint64_t cards, notes, parcels, mask, bytes;
};

static struct shared_part lay_out(const struct group *g)
{
    struct shared_part at = {0};
    at.notes = at.cards + g->count * sizeof(struct peer_card);
    at.parcels = at.notes + g->count * sizeof(struct note);
    at.mask = at.parcels + (g->of_host ? (uint64_t)g->count * g->count : 0) * sizeof(struct parcel);
    at.bytes = at.mask + (mask_words(g->rank->graph->manifest.d) + 1) * sizeof *g->mask;
    return at;
}

static enum status open_memory(struct group *g, const struct comm *comm, struct error *e)
{
    struct shared_part at = lay_out(g);
    uint64_t bytes = comm->host_rank == 0 ? at.bytes : 0;
    if (memory_charge(g->rank->budget, bytes, "tables of peers", e) == ST_OK)
        g->charged = bytes;
    if (comm_agree(g->rank->comm, e) != ST_OK ||
        comm_window_open(&g->window, comm, at.bytes, e) != ST_OK)
        return e->status;
    char *memory = comm_window_memory(g->window);
    g->notes = (struct note *)(memory + at.notes);
    if (g->of_host)
        g->parcels = (struct parcel *)(memory + at.parcels);
    g->mask = (uint64_t *)(memory + at.mask);
    return ST_OK;
}

/* ---- opening ---- */

/* Which shard each peer holds. */
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
struct introduction {
    struct group *group;
    const struct peer_card *cards;
};

static enum status introduce(void *context, const struct member *m, struct error *e)
{
    const struct introduction *in = context;
    const struct rank *rank = in->group->rank;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++)
        rank->backend->peers->meet(rank->devices[g], in->cards, in->group->count, e);
    return e->status;
}

static void show_cards(const struct group *g, struct peer_card *cards, struct error *e)
{
    const struct rank *rank = g->rank;
    int elsewhere = g->of_host && rank->comm->host_ranks > 1;
    for (uint32_t i = 0; i < rank->device_count && e->status == ST_OK; i++)
        rank->backend->peers->show(rank->devices[i], elsewhere, &cards[g->first + i], e);
}

/* Collective: a device that did not join would be waited for. */
static int all_join(const struct rank *rank)
{
    int (*joins)(const struct device *) = rank->backend->peers->joins;
    uint64_t missing = joins == NULL;
    for (uint32_t i = 0; joins != NULL && i < rank->device_count; i++)
        missing += !joins(rank->devices[i]);
    return comm_max_of(rank->comm, missing) == 0;
}

static enum status meet_peers(struct group *g, struct error *e)
{
    const struct rank *rank = g->rank;
    struct peer_card *cards = comm_window_memory(g->window);
    struct introduction in = {g, cards};
    show_cards(g, cards, e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    team_run(rank->team, introduce, &in, e);
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
    g->whole = g->count == p;
    g->shard = calloc(g->count, sizeof *g->shard);
    g->number = calloc(p, sizeof *g->number);
    if (g->shard == NULL || g->number == NULL)
        fail_memory(e, "peers", p * sizeof *g->number);
    if (comm_agree(rank->comm, e) != ST_OK || open_memory(g, comm, e) != ST_OK)
        return e->status;
    number_peers(g);
    return meet_peers(g, e);
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

/* ---- meetings ---- */

enum status group_meet(const struct group *g, const struct member *m, struct error *e)
{
    if (team_meet(m, e) != ST_OK || !g->of_host)
        return e->status;
    if (m->number == 0)
        comm_window_meet(g->window);
    return team_meet(m, e);
}

/* frontiers.c: frontiers that groups give each other before nn is pulled, a bit a vertex; see vertices.h */
#include "vertices.h"

#include <string.h>

/* ---- opening ---- */

/* Lets every device of this rank know which normals of a shard have nn edges. */
static void share_sources(const struct group *group, uint32_t shard, uint64_t *mask, struct error *e)
{
    const struct rank *rank = group->rank;
    const uint32_t owner = rank_of_shard(shard, rank->comm->ranks), device = device_of_shard(shard, rank->comm->ranks);
    const uint64_t words = group_shard_words(group, shard);
    if (owner == rank->comm->rank)
        memcpy(mask, rank->graph->shards[device].csr[NN].sources, 4 * words);
    comm_broadcast(rank->comm, mask, 4 * words, owner);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        rank->backend->frontiers->learn(rank->devices[g], shard, (const uint32_t *)mask, words, e);
}

enum status open_frontiers(struct vertices *v, struct group *group, struct error *e)
{
    const struct rank *rank = group->rank;
    const uint64_t local_bits = rank->graph->shards[0].local_bits, p = rank->graph->manifest.p;
    uint64_t *mask = NULL;
    if (e->status == ST_OK)
        v->frontiers = group_take_memory(group, (p << local_bits) / 8, "frontiers of other ranks", e);
    if (rank->backend->frontiers->learn == NULL || comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    memory_take(rank->budget, (void **)&mask, mask_words(UINT64_C(1) << local_bits), sizeof *mask,
                "normals with nn edges", e);
    if (comm_agree(rank->comm, e) == ST_OK) {
        for (uint32_t s = 0; s < p; s++)
            share_sources(group, s, mask, e);
    }
    memory_release(rank->budget, mask);
    return e->status;
}

/* ---- giving frontiers ---- */

/* The place of a shard's frontier in `frontiers`. */
static uint32_t *frontier_of(const struct vertices *v, uint32_t shard)
{
    return v->frontiers + ((uint64_t)shard << v->rank->graph->shards[0].local_bits) / 32;
}

/* Words of the frontier that a device gives to others, or is given of a shard that is no peer's. */
static uint64_t frontier_words(const struct group *group, uint32_t device, uint32_t shard)
{
    const struct backend_frontiers *frontiers = group->rank->backend->frontiers;
    return frontiers->words != NULL ? frontiers->words(group->rank->devices[device], shard)
                                    : group_shard_words(group, shard);
}

static enum status read_own(const struct vertices *v, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = v->rank;
    const struct backend_frontiers *frontiers = rank->backend->frontiers;
    for (uint32_t g = m->first; g < m->end && e->status == ST_OK; g++) {
        uint32_t s = shard_of_device(rank->comm->rank, g, rank->comm->ranks);
        if (frontiers->count == NULL || frontiers->count(rank->devices[g], e) == ST_OK)
            frontiers->read(rank->devices[g], frontier_of(v, s), frontier_words(v->group, g, s), e);
    }
    return e->status;
}

/* Sends the frontiers of this rank's devices to all ranks of other groups, and receives theirs. */
static enum status send_all(const struct vertices *v, struct exchange_counts *counts, struct error *e)
{
    const struct comm *comm = v->rank->comm;
    size_t messages = 0;
    for (uint32_t s = 0; s < v->rank->graph->manifest.p; s++) {
        uint32_t rank = rank_of_shard(s, comm->ranks), device = device_of_shard(s, comm->ranks);
        uint32_t mine = shard_of_device(comm->rank, device, comm->ranks); /* both ranks have equally many devices */
        uint64_t bytes = 4 * frontier_words(v->group, device, mine);
        if (group_has_shard(v->group, s))
            continue;
        counts->of[COUNT_FRONTIER_BYTES] += bytes;
        v->sends[messages] = (struct transfer){rank, (int)device, frontier_of(v, mine), bytes};
        v->receives[messages++] = (struct transfer){rank, (int)device, frontier_of(v, s),
                                                    4 * frontier_words(v->group, device, s)};
    }
    return comm_transfer(comm, v->sends, messages, v->receives, messages, v->chunk_bytes, e);
}

static enum status write_others(const struct vertices *v, const struct host_thread *m, struct error *e)
{
    const struct rank *rank = v->rank;
    for (uint32_t g = m->first; g < m->end; g++) {
        for (uint32_t s = 0; s < rank->graph->manifest.p && e->status == ST_OK; s++) {
            if (!group_has_shard(v->group, s))
                rank->backend->frontiers->write(rank->devices[g], s, frontier_of(v, s),
                                                frontier_words(v->group, g, s), e);
        }
    }
    return e->status;
}

enum status vertices_give_frontiers(struct vertices *v, const struct host_thread *m,
                               struct exchange_counts *counts, struct error *e)
{
    read_own(v, m, e);
    if (host_threads_barrier(m, e) == ST_OK && m->number == 0)
        send_all(v, counts, e);
    if (host_threads_barrier(m, e) == ST_OK)
        write_others(v, m, e);
    return e->status;
}

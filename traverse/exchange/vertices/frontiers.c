/* frontiers.c: the frontiers that groups give each other before a pull of nn, one bit a vertex (vertices.h) */
#include "vertices.h"

#include <string.h>

/* Collective. Tells every device of this rank which normals of each shard have nn edges: the owner of each shard
 * broadcasts a bitmap. `bitmap` is overwritten, and has space for the normals of the largest shard. */
static void share_sources(const struct rank *rank, uint64_t *bitmap, struct error *e)
{
    const struct comm *comm = rank->comm;
    for (uint32_t s = 0; s < rank->graph->manifest.p; s++) {
        const uint32_t owner = rank_of_shard(s, comm->ranks);
        const uint64_t words = 2 * mask_words(rank->graph->locals[s]);
        if (owner == comm->rank)
            memcpy(bitmap, rank->graph->shards[device_of_shard(s, comm->ranks)].csr[NN].sources, 4 * words);
        comm_broadcast(comm, bitmap, 4 * words, owner);
        for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
            rank->backend->learn_sources(rank->devices[g], s, (const uint32_t *)bitmap, words, e);
    }
}

/* Allocates the memory for frontiers, which the ranks of a group share, charged to the budget until the group is closed. If frontiers go
 * as updates, also tells all devices which normals have nn edges. All ranks fail if *e of any rank has failed. */
enum status open_frontiers(struct vertices *v, struct group *group, struct error *e)
{
    const struct rank *rank = group->rank;
    const uint64_t local_bits = rank->graph->shards[0].local_bits, p = rank->graph->manifest.p;
    uint64_t *bitmap = NULL;
    v->frontier_words = zeroed(rank->device_count * p, sizeof *v->frontier_words, "frontiers of other groups", e);
    if (group_share_memory(group, &v->frontiers, (p << local_bits) / 8, "frontiers of other groups", e) != ST_OK ||
        !rank->backend->updates_frontiers)
        return e->status;
    memory_take(rank->budget, (void **)&bitmap, mask_words(UINT64_C(1) << local_bits), sizeof *bitmap,
                "normals with nn edges", e);
    if (comm_agree(rank->comm, e) == ST_OK)
        share_sources(rank, bitmap, e);
    memory_release(rank->budget, bitmap);
    return e->status;
}

/* Returns the place of a shard's frontier in `frontiers`. */
static uint32_t *frontier_of(const struct vertices *v, uint32_t shard)
{
    return (uint32_t *)v->frontiers.bytes + ((uint64_t)shard << v->rank->graph->shards[0].local_bits) / 32;
}

enum status vertices_show_frontiers(const struct group *group, const struct vertices *sent, const struct host_thread *t,
                                    struct error *e)
{
    const struct rank *rank = group->rank;
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++) {
        const uint32_t own = shard_of_device(rank->comm->rank, g, rank->comm->ranks);
        rank->backend->show_frontier(rank->devices[g], sent != NULL ? frontier_of(sent, own) : NULL,
                                     sent != NULL ? sent->frontier_words + g * buffers_of_device(sent) : NULL, e);
    }
    return e->status;
}

/* Sends the frontiers of this rank's devices to other groups, to each group once; receives those that this rank's devices receive for
 * the group (group_receives), and waits. Counts the bytes sent. Called by thread 0. */
static enum status transfer_frontiers(const struct vertices *v, struct exchange_counts *counts, struct error *e)
{
    const struct comm *comm = v->rank->comm;
    size_t sends = 0, receives = 0;
    for (uint32_t s = 0; s < v->rank->graph->manifest.p; s++) {
        const uint32_t other = rank_of_shard(s, comm->ranks);
        for (uint32_t g = 0; g < v->rank->device_count && !group_has_shard(v->group, s); g++) {
            const uint32_t own = shard_of_device(comm->rank, g, comm->ranks);
            const uint64_t *words = v->frontier_words + g * buffers_of_device(v);
            if (group_receives(v->group, s, own)) {
                counts->of[COUNT_FRONTIER_BYTES] += 4 * words[own];
                v->sends[sends++] = (struct transfer){other, (int)g, frontier_of(v, own), 4 * words[own]};
            }
            if (group_receives(v->group, own, s))
                v->receives[receives++] =
                    (struct transfer){other, (int)device_of_shard(s, comm->ranks), frontier_of(v, s), 4 * words[s]};
        }
    }
    return comm_transfer(comm, v->sends, sends, v->receives, receives, v->chunk_bytes, e);
}

enum status vertices_give_frontiers(struct vertices *v, const struct host_thread *t, struct exchange_counts *counts,
                                    struct error *e)
{
    const struct rank *rank = v->rank;
    if (t->number == 0)
        transfer_frontiers(v, counts, e);
    if (group_barrier(v->group, t, e) != ST_OK)
        return e->status;
    for (uint32_t g = t->first; g < t->end; g++) {
        for (uint32_t s = 0; s < rank->graph->manifest.p && e->status == ST_OK; s++) {
            if (!group_has_shard(v->group, s))
                rank->backend->take_frontier(rank->devices[g], s, frontier_of(v, s), e);
        }
    }
    return e->status;
}

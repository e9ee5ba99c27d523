/* group.h: the devices that read each other's memory, called peers: those of this rank, or of all ranks of this host.
 *
 * Each peer writes how its level went into memory that all of them see, before a barrier of the group (group_barrier). They
 * read it after the barrier.
 */
#ifndef DBFS_GROUP_H
#define DBFS_GROUP_H

#include "traverse/engine/rank_devices.h"

#include "formats/mpi/window.h"

/* A rank's note about a level, for all ranks. */
struct rank_note {
    uint64_t updated; /* a device of its group found a delegate */
    uint64_t found;   /* a device of its group found a normal vertex */
    uint64_t reach;   /* estimate of the normals that the level reaches */
    uint64_t changed; /* words of the group's mask that changed, plus 1; 0: another rank of the group has the number */
};

struct group {
    const struct rank *rank;
    struct comm_window *window;
    struct comm_window *leaders; /* of the groups' first ranks, which reduce masks; NULL: all ranks do */
    uint32_t count;       /* peers */
    uint32_t first;       /* index of this rank's first device among them */
    int of_host;          /* 0: of this rank alone */
    int holds_all_shards; /* nothing is sent then */
    int searches_fused;   /* all devices of all ranks can search by themselves (backend.join) */
    uint32_t *shard;      /* [count] of each peer */
    uint32_t *peer;       /* [p]: the peer that holds a shard, or GROUP_NONE */
    struct workload *work; /* [count], shared: of the frontier, to choose directions by */
    int *updated, *found;  /* [count], shared: a peer found a delegate, a normal vertex in this level */
    struct vertex_span *outgoing; /* [device][p]: the vertices that a device of this rank found for each shard */
    struct vertex_span *spans;    /* [to][from], shared: the vertices that peer `from` found for peer `to`; NULL: all peers
                                   * are devices of this rank, and `outgoing` has them */
    uint64_t *mask;   /* [mask_words(d)], shared: delegates on their way to and from MPI; NULL unless of_host */
    uint64_t charged; /* bytes charged to the budget */
};

#define GROUP_NONE UINT32_MAX

enum group_reach { GROUP_OF_RANK, GROUP_OF_HOST_IF_POSSIBLE, GROUP_OF_HOST };

/* Collective. Forms the group, and joins the devices of this rank with their peers. With GROUP_OF_HOST_IF_POSSIBLE the group
 * is the rank's own if some rank cannot read the memory of another one; why[ERROR_TEXT_BYTES] then says why, and is empty
 * otherwise. ST_RESOURCE with GROUP_OF_HOST: the same. */
enum status group_open(struct group *group, const struct rank *rank, enum group_reach reach, char *why, struct error *e);
void group_close(struct group *group); /* collective if of_host; a zeroed one is allowed */

/* Takes memory of the host that devices copy to and from fast. It is charged to the budget until the group is closed; before
 * that the caller frees it by backend.release_buffer. NULL: *e says why, by the name `what`. */
void *group_take_memory(struct group *group, uint64_t bytes, const char *what, struct error *e);

/* Waits until the host threads of all ranks of the group have called this. As host_threads_barrier; a failure of another
 * rank ends the job. */
enum status group_barrier(const struct group *group, const struct host_thread *thread, struct error *e);

/* ---- how a level went ---- */

/* The spans [p] of a device of this rank, for visit_result.outgoing: the vertices that it found for each shard. */
static inline struct vertex_span *group_outgoing(const struct group *group, uint32_t device)
{
    return group->outgoing + (size_t)device * group->rank->graph->manifest.p;
}

/* Writes what a device of this rank found, before the barrier. result->outgoing is group_outgoing of the device. */
void group_put_result(struct group *group, uint32_t device, const struct visit_result *result);

/* Whether a device of the group found a delegate, and a normal vertex; after the barrier. */
int group_updated(const struct group *group);
int group_found(const struct group *group);

/* The vertices that peer `from` found for peer `to`; `to` or both are of this rank. */
struct vertex_span group_span_between(const struct group *group, uint32_t from, uint32_t to);

/* How many devices of this rank read the memory of a peer: all but the peer itself. */
static inline uint32_t group_readers(const struct group *group, uint32_t peer)
{
    uint32_t devices = group->rank->device_count;
    return devices - (peer >= group->first && peer < group->first + devices);
}

/* Whether a device of the group holds the shard. */
static inline int group_has_shard(const struct group *group, uint32_t shard)
{
    return group->peer[shard] != GROUP_NONE;
}

/* 32-bit words of the bitmap of a shard's local ids, as spans count them. */
static inline uint64_t group_shard_words(const struct group *group, uint32_t shard)
{
    return 2 * mask_words(group->rank->graph->locals[shard]);
}

#endif

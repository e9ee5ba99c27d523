/* group.h: a group of devices that read each other's memory. The devices of a group are called peers. A group has the
 * devices of this rank, or of all ranks of this host.
 *
 * Each peer writes what it found in a level to memory that all peers see. Then a barrier of the group (group_barrier)
 * follows. After the barrier the peers read that memory. */
#ifndef DBFS_GROUP_H
#define DBFS_GROUP_H

#include "traverse/engine/rank_devices.h"

#include "formats/mpi/window.h"

/* What a rank tells all ranks about a level. */
struct rank_note {
    uint64_t updated; /* 1: a device of the rank's group found a delegate */
    uint64_t found;   /* 1: a device of the rank's group found a normal vertex */
    uint64_t reach;   /* an estimate of the normals that the level reaches */
    uint64_t changed; /* the number of words of the group's mask that changed, plus 1; 0: another rank of the group sends
                       * the number */
};

/* A group of peers, from the view of one of its ranks. */
struct group {
    const struct rank *rank;
    struct comm_window *window;
    struct comm_window *leaders; /* the first ranks of all groups, which reduce masks; NULL: all ranks reduce masks */
    uint32_t count;       /* number of peers */
    uint32_t first;       /* index of this rank's first device among the peers */
    int of_host;          /* the group has all ranks of the host; 0: the group has this rank alone */
    int holds_all_shards; /* the group holds all shards, so no messages are sent */
    int searches_fused;   /* all devices of all ranks can search by themselves (backend.join) */
    uint32_t *shard;      /* [count] the shard of each peer */
    uint32_t *peer;       /* [p] the peer that holds a shard, or GROUP_NONE */
    struct workload *work; /* [count] in shared memory: the work of the frontier of each peer, from which directions are
                            * chosen */
    int *updated, *found; /* [count] in shared memory: whether the peer found a delegate in this level, and whether it found
                           * a normal vertex */
    struct vertex_span *outgoing; /* [device][p] the vertices that a device of this rank found for each shard */
    struct vertex_span *spans; /* [to][from] in shared memory: the vertices that peer `from` found for peer `to`. NULL: all
                                * peers are devices of this rank, and `outgoing` has the vertices */
    uint64_t *mask; /* [mask_words(d)] in shared memory: the mask of delegates that MPI sends or has received; NULL unless
                     * of_host */
    uint64_t charged; /* bytes charged to the budget, which group_close returns */
};

#define GROUP_NONE UINT32_MAX

/* Which devices form a group: the devices of the rank, the devices of the host if possible, or the devices of the host in
 * any case. */
enum group_reach { GROUP_OF_RANK, GROUP_OF_HOST_IF_POSSIBLE, GROUP_OF_HOST };

/* Collective. Forms the group, and joins the devices of this rank with their peers. `reach` says which group:
 * - GROUP_OF_RANK: the group of this rank.
 * - GROUP_OF_HOST: the group of the host. Returns ST_RESOURCE if some rank cannot read the memory of another rank.
 * - GROUP_OF_HOST_IF_POSSIBLE: the group of the host. If some rank cannot read the memory of another rank, the group of
 *   this rank, and why[ERROR_TEXT_BYTES] says the reason. Otherwise `why` is empty.
 * After a failure group_close frees what was allocated. */
enum status group_open(struct group *group, const struct rank *rank, enum group_reach reach, char *why, struct error *e);
void group_close(struct group *group); /* collective if of_host; a zeroed group is allowed */

/* Allocates host memory that devices copy to and from fast. The memory is charged to the budget until group_close. The
 * caller frees the memory with backend.release_buffer before group_close. After a failure returns NULL, and *e names the
 * memory by `what`. */
void *group_take_memory(struct group *group, uint64_t bytes, const char *what, struct error *e);

/* Waits until the host threads of all ranks of the group have called this function. If a thread of this rank has failed,
 * all threads of this rank get the failure (host_threads_barrier). A failure of another rank ends the job. */
enum status group_barrier(const struct group *group, const struct host_thread *thread, struct error *e);

/* ---- what a level found ---- */

/* Returns the array [p] of spans for visit_result.outgoing of a device of this rank: the vertices that the device found
 * for each shard. */
static inline struct vertex_span *group_outgoing(const struct group *group, uint32_t device)
{
    return group->outgoing + (size_t)device * group->rank->graph->manifest.p;
}

/* Writes what a device of this rank found to memory that the device's peers see. Called before the barrier.
 * result->outgoing must be group_outgoing of the device. */
void group_put_result(struct group *group, uint32_t device, const struct visit_result *result);

/* group_updated returns whether any device of the group found a delegate. group_found returns whether any device of the
 * group found a normal vertex. Both are called after the barrier. */
int group_updated(const struct group *group);
int group_found(const struct group *group);

/* Returns the vertices that peer `from` found for peer `to`. At least one of the two peers must be of this rank. */
struct vertex_span group_span_between(const struct group *group, uint32_t from, uint32_t to);

/* Returns how many devices of this rank read the memory of a peer. These are all devices of the rank except the peer
 * itself. */
static inline uint32_t group_readers(const struct group *group, uint32_t peer)
{
    uint32_t devices = group->rank->device_count;
    return devices - (peer >= group->first && peer < group->first + devices);
}

/* Returns whether a device of the group holds the shard. */
static inline int group_has_shard(const struct group *group, uint32_t shard)
{
    return group->peer[shard] != GROUP_NONE;
}

/* Returns the number of 32-bit words in the bitmap of a shard's local ids. Spans of bitmaps count these words. */
static inline uint64_t group_shard_words(const struct group *group, uint32_t shard)
{
    return 2 * mask_words(group->rank->graph->locals[shard]);
}

#endif

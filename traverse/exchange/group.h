/* group.h: a group of devices that read each other's memory, which are called peers: all devices of one rank, or of all
 * ranks of one host
 *
 * Each peer writes what it found in a level to memory that all peers see. After a barrier of the group the others read
 * it. */
#ifndef DBFS_GROUP_H
#define DBFS_GROUP_H

#include "traverse/engine/rank_devices.h"

#include "formats/mpi/window.h"

/* What each rank tells all ranks about a level. */
struct rank_note {
    uint64_t updated; /* 1: a device of the rank's group found a delegate */
    uint64_t found;   /* 1: a device of the rank's group found a normal vertex */
    uint64_t reach;   /* how many normals the level reaches, by estimate */
    uint64_t changed_plus_1; /* how many words of the group's mask changed, plus 1; 0: another rank of the group says it */
};

/* Where the device of a shard is: which peer of which group. */
struct group_place {
    uint64_t group; /* the shard of the group's first peer */
    uint64_t peer, peers; /* its number in the group, and how many the group has */
};

/* A group of peers, as one of its ranks sees it. */
struct group {
    const struct rank *rank;
    struct comm_window *window;
    struct comm_window *leaders; /* the first ranks of all groups, which reduce masks; NULL: every rank reduces masks */
    uint32_t count;       /* number of peers */
    uint32_t first_peer;  /* index of this rank's first device among the peers */
    int has_whole_host;   /* the group has all ranks of the host; 0: this rank alone */
    int holds_all_shards; /* the group holds all shards, so no messages are sent */
    int searches_fused;   /* all devices of all ranks can search by themselves (backend.join) */
    uint32_t *shard;      /* [count] the shard of each peer */
    uint32_t *peer;       /* [p] the peer that holds a shard, or GROUP_NONE */
    struct group_place *place; /* [p] where each shard is, in all groups */
    struct workload *work; /* [count] in shared memory: the counts of each peer's frontier, by which directions are chosen */
    int *updated, *found; /* [count] in shared memory: flags whether each peer found a delegate, or a normal, in this level */
    struct vertex_span *outgoing; /* [device][p] the vertices that each device of this rank found in each shard */
    struct vertex_span *spans; /* [to][from] in shared memory: what peer `from` found for peer `to`; NULL in a group of this
                                * rank alone, where `outgoing` says it */
    uint64_t *mask; /* [mask_words(d)] in shared memory: the mask of delegates that MPI reduces; NULL in a group of this rank
                     * alone */
    uint64_t charged; /* bytes charged to the budget, which group_close returns */
};

#define GROUP_NONE UINT32_MAX

/* Which devices form a group. GROUP_OF_RANK: those of this rank. GROUP_OF_HOST: those of the host, else group_open fails.
 * GROUP_OF_HOST_IF_POSSIBLE: those of the host if they can read each other's memory, else those of this rank. */
enum group_reach { GROUP_OF_RANK, GROUP_OF_HOST_IF_POSSIBLE, GROUP_OF_HOST };

/* Collective. Forms the group that `reach` names, and makes the devices of this rank peers of the others. Without several ranks on any host
 * that is a group of this rank alone. If some devices of a host cannot read the memory of others, GROUP_OF_HOST returns ST_RESOURCE.
 * GROUP_OF_HOST_IF_POSSIBLE then makes a group of this rank alone, and writes the reason to why[ERROR_TEXT_BYTES], which is empty
 * otherwise. group_close frees what was allocated, also after a failure. */
enum status group_open(struct group *group, const struct rank *rank, enum group_reach reach, char *why, struct error *e);
void group_close(struct group *group); /* frees everything; a zeroed group is allowed. Collective in a group of the host */

/* Allocates host memory that devices copy to and from fast, and charges it to the budget until group_close. The caller
 * frees the memory before that, by backend.release_buffer of the rank's first device. Returns NULL after a failure, and
 * *e names the memory by `what`. */
void *group_take_memory(struct group *group, uint64_t bytes, const char *what, struct error *e);

/* Zeroed memory of the host that all devices of a group read and write. */
struct group_memory {
    void *bytes;
    struct comm_window *window; /* NULL: the memory is of one rank, by backend.take_buffer */
};

/* Collective. group_share_memory takes such memory, charged to the budget of the group's first rank until group_close; all ranks return
 * the failure of any, also of an earlier call. group_free_memory frees it, also if it is zeroed, or after a failure. */
enum status group_share_memory(struct group *group, struct group_memory *memory, uint64_t bytes, const char *what, struct error *e);
void group_free_memory(const struct rank *rank, struct group_memory *memory);

/* Waits until the host threads of all ranks of the group have called this function. If a thread of this rank has
 * failed, all threads of this rank get its failure (host_threads_barrier). A failure of another rank ends the job. */
enum status group_barrier(const struct group *group, const struct host_thread *thread, struct error *e);

/* ---- what a level found ---- */

/* Returns the spans, one for each shard, that say what a device of this rank found there (visit_result.outgoing). */
static inline struct vertex_span *group_outgoing(const struct group *group, uint32_t device)
{
    return group->outgoing + (size_t)device * group->rank->graph->manifest.p;
}

/* Writes what a device of this rank found to memory that its peers see, before the barrier that ends a visit: whether it found delegates,
 * or normals, and the spans for each peer. result->outgoing must be group_outgoing of the device; each bitmap in it is shortened to the
 * words of its shard. */
void group_put_result(struct group *group, uint32_t device, const struct visit_result *result);

/* Return whether any device of the group found a delegate (group_updated), or a normal of its own or another shard (group_found), in this
 * level. Called after a barrier. */
int group_updated(const struct group *group);
int group_found(const struct group *group);

/* Returns the vertices that peer `from` found for peer `to`; none if both are the same. One of the two at least must be of this rank. */
struct vertex_span group_span_between(const struct group *group, uint32_t from, uint32_t to);

/* Returns how many devices of this rank read the memory of a peer. A device does not count as a reader of itself. */
static inline uint32_t group_readers(const struct group *group, uint32_t peer)
{
    uint32_t devices = group->rank->device_count;
    return devices - (peer >= group->first_peer && peer < group->first_peer + devices);
}

/* Returns whether a device of the group holds the shard. */
static inline int group_has_shard(const struct group *group, uint32_t shard)
{
    return group->peer[shard] != GROUP_NONE;
}

/* Returns whether the device of shard `to` receives what the device of shard `from`, of another group, tells all devices. One peer
 * receives for all peers of its group; for each device of the other group it is another one. */
static inline int group_receives(const struct group *group, uint32_t to, uint32_t from)
{
    const struct group_place *receiver = &group->place[to], *sender = &group->place[from];
    return (sender->group + sender->peer) % receiver->peers == receiver->peer;
}

/* Returns the number of 32-bit words in a bitmap over a shard's local ids. */
static inline uint64_t group_shard_words(const struct group *group, uint32_t shard)
{
    return 2 * mask_words(group->rank->graph->locals[shard]);
}

#endif
